// The file's own materials: the page reads the .glb the command shows for colours and textures, nothing else.
import { BufferAttribute, Color, DoubleSide, MeshStandardMaterial, RepeatWrapping, SRGBColorSpace, Texture } from 'three';
import type { Character } from 'messages';

export interface Dress { materials: MeshStandardMaterial[]; groups: { start: number; count: number; material: number }[]; uv: BufferAttribute | null }

interface Accessor { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string; normalized?: boolean }
interface Primitive { attributes: Record<string, number>; material?: number; indices?: number; mode?: number }
interface Gltf {
  accessors?: Accessor[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  images?: { bufferView?: number; mimeType?: string; uri?: string }[];
  textures?: { source?: number; extensions?: { EXT_texture_webp?: { source: number } } }[];
  materials?: { doubleSided?: boolean; alphaMode?: string; alphaCutoff?: number; pbrMetallicRoughness?: { baseColorFactor?: number[]; baseColorTexture?: { index: number; texCoord?: number; extensions?: unknown }; roughnessFactor?: number; metallicFactor?: number } }[];
  meshes?: { primitives: Primitive[] }[];
  nodes?: { mesh?: number; children?: number[] }[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
}

/** null: the file tells no more than clay does, or is of a kind this page does not read. */
export async function dressed(character: Character): Promise<Dress | null> {
  try {
    const answer = await fetch('/character');
    if (answer.status !== 200) return null;
    const buffer = await answer.arrayBuffer();
    const { json, bin } = openGlb(buffer);
    return await dress(json, bin, character);
  } catch {
    return null; // clay shows everything but the colours
  }
}

export function openGlb(buffer: ArrayBuffer): { json: Gltf; bin: Uint8Array } {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x46546c67)
    return { json: JSON.parse(new TextDecoder().decode(buffer)), bin: new Uint8Array() };
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, length)));
  const at = 20 + length;
  return { json, bin: at + 8 <= buffer.byteLength ? new Uint8Array(buffer, at + 8, view.getUint32(at, true)) : new Uint8Array() };
}

/** Primitives in the order of the points: meshes, for each the nodes of the scene that use it, for each its primitives. */
function primitives(json: Gltf): Primitive[] {
  const shown = new Set<number>(), walk = (n: number) => { shown.add(n); json.nodes?.[n].children?.forEach(walk); };
  json.scenes?.[json.scene ?? 0]?.nodes?.forEach(walk);
  const out: Primitive[] = [];
  json.meshes?.forEach((mesh, m) => json.nodes?.forEach((node, n) => { if (node.mesh === m && shown.has(n)) out.push(...mesh.primitives); }));
  return out;
}

async function dress(json: Gltf, bin: Uint8Array, character: Character): Promise<Dress | null> {
  const list = primitives(json), points = list.reduce((sum, p) => sum + (json.accessors?.[p.attributes.POSITION]?.count ?? 0), 0);
  if (points !== character.welds.length) return null;
  const materials = await Promise.all([...json.materials ?? [], {}].map(m => makeMaterial(json, bin, m)));
  const owner = new Int32Array(points), uv = new Float32Array(points * 2);
  let first = 0, mapped = false;
  for (const p of list) {
    const count = json.accessors![p.attributes.POSITION].count;
    owner.fill(p.material ?? materials.length - 1, first, first + count);
    const at = p.attributes.TEXCOORD_0;
    if (at !== undefined && json.accessors![at].count === count && readPairs(json, bin, at, uv, first)) mapped = true;
    first += count;
  }
  const groups: Dress['groups'] = [], { triangles } = character;
  for (let t = 0; t < triangles.length; t += 3) {
    const material = owner[triangles[t]], last = groups.at(-1);
    if (last?.material === material) last.count += 3;
    else groups.push({ start: t, count: 3, material });
  }
  return { materials, groups, uv: mapped ? new BufferAttribute(uv, 2) : null };
}

function readPairs(json: Gltf, bin: Uint8Array, index: number, out: Float32Array, first: number): boolean {
  const a = json.accessors![index], view = a.bufferView === undefined ? null : json.bufferViews![a.bufferView];
  const size = a.componentType === 5126 ? 4 : a.componentType === 5123 ? 2 : a.componentType === 5121 ? 1 : 0;
  if (!view || view.buffer !== 0 || !size || a.type !== 'VEC2') return false;
  const start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0), stride = view.byteStride ?? 2 * size;
  const data = new DataView(bin.buffer, bin.byteOffset, bin.byteLength);
  if (start + stride * (a.count - 1) + 2 * size > bin.byteLength) return false;
  for (let i = 0; i < a.count; i++)
    for (let k = 0; k < 2; k++) {
      const at = start + i * stride + k * size;
      out[(first + i) * 2 + k] = size === 4 ? data.getFloat32(at, true) : size === 2 ? data.getUint16(at, true) / 65535 : data.getUint8(at) / 255;
    }
  return true;
}

async function makeMaterial(json: Gltf, bin: Uint8Array, from: NonNullable<Gltf['materials']>[number]): Promise<MeshStandardMaterial> {
  const pbr = from.pbrMetallicRoughness ?? {}, [r, g, b, a] = pbr.baseColorFactor ?? [1, 1, 1, 1];
  const made = new MeshStandardMaterial({ color: new Color(r, g, b), roughness: pbr.roughnessFactor ?? 1, metalness: Math.min(pbr.metallicFactor ?? 1, 0.4) });
  if (from.doubleSided) made.side = DoubleSide;
  if (from.alphaMode === 'MASK') made.alphaTest = from.alphaCutoff ?? 0.5;
  if (from.alphaMode === 'BLEND') { made.transparent = made.userData.transparent = true; made.opacity = a; }
  if (pbr.metallicFactor === undefined && pbr.baseColorTexture) made.metalness = 0;
  if (pbr.baseColorTexture) made.map = await loadTexture(json, bin, pbr.baseColorTexture.index);
  return made;
}

async function loadTexture(json: Gltf, bin: Uint8Array, index: number): Promise<Texture | null> {
  const from = json.textures?.[index], image = json.images?.[from?.extensions?.EXT_texture_webp?.source ?? from?.source ?? -1];
  const view = image?.bufferView === undefined ? null : json.bufferViews?.[image.bufferView];
  if (!view || view.buffer !== 0) return null;
  const bytes = bin.slice(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
  const texture = new Texture(await createImageBitmap(new Blob([bytes], { type: image!.mimeType }), { colorSpaceConversion: 'none' }));
  texture.flipY = false;
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}
