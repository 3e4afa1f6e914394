// Objects of the world from a file: the triangles of an .obj or a .glb, read here, so that no file name crosses the wire.
import { openGlb, readNumbers } from './gltf';

export interface Shape { vertices: Float32Array; triangles: Int32Array }
const MOST_VERTICES = 40000;

export async function readShape(file: File): Promise<Shape> {
  const shape = /\.obj$/i.test(file.name) ? fromObj(await file.text()) : fromGlb(await file.arrayBuffer());
  if (shape.triangles.length < 12 || shape.vertices.length > 3 * MOST_VERTICES) throw new Error(`${file.name}: a closed surface of at most ${MOST_VERTICES} vertices is wanted.`);
  return welded(shape);
}

function fromObj(text: string): Shape {
  const vertices: number[] = [], triangles: number[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'v') vertices.push(...words.slice(1, 4).map(Number));
    if (words[0] !== 'f') continue;
    const corners = words.slice(1).map(w => { const i = parseInt(w, 10); return i < 0 ? vertices.length / 3 + i : i - 1; });
    for (let k = 2; k < corners.length; k++) triangles.push(corners[0], corners[k - 1], corners[k]);
  }
  return { vertices: Float32Array.from(vertices), triangles: Int32Array.from(triangles) };
}

/** All meshes of the file as they are, without the nodes that place them. */
function fromGlb(buffer: ArrayBuffer): Shape {
  const { json, bin } = openGlb(buffer), vertices: number[] = [], triangles: number[] = [];
  const numbers = (index: number): Float64Array => {
    const read = readNumbers(json, bin, index);
    if (!read) throw new Error('This .glb keeps its numbers in a way that is not read here.');
    return read.values;
  };
  for (const mesh of json.meshes ?? [])
    for (const p of mesh.primitives) {
      if ((p.mode ?? 4) !== 4) continue;
      const first = vertices.length / 3, places = numbers(p.attributes.POSITION);
      for (const v of places) vertices.push(v);
      const corners = p.indices === undefined ? Float64Array.from({ length: places.length / 3 }, (_, i) => i) : numbers(p.indices);
      for (const c of corners) triangles.push(first + c);
    }
  return { vertices: Float32Array.from(vertices), triangles: Int32Array.from(triangles) };
}

/** Vertices at one place are one: seams of textures would leave it open. */
function welded({ vertices, triangles }: Shape): Shape {
  const known = new Map<string, number>(), places: number[] = [], to = new Int32Array(vertices.length / 3);
  for (let i = 0; i < to.length; i++) {
    const key = `${vertices[i * 3]},${vertices[i * 3 + 1]},${vertices[i * 3 + 2]}`;
    let at = known.get(key);
    if (at === undefined) { at = places.length / 3; known.set(key, at); places.push(vertices[i * 3], vertices[i * 3 + 1], vertices[i * 3 + 2]); }
    to[i] = at;
  }
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [to[triangles[t]], to[triangles[t + 1]], to[triangles[t + 2]]];
    if (a !== b && b !== c && a !== c) kept.push(a, b, c);
  }
  return { vertices: Float32Array.from(places), triangles: Int32Array.from(kept) };
}

/** The longest side of its box. */
export function extent({ vertices }: Shape): number {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((v, i) => { low[i % 3] = Math.min(low[i % 3], v); high[i % 3] = Math.max(high[i % 3], v); });
  return Math.max(...high.map((v, i) => v - low[i]));
}
