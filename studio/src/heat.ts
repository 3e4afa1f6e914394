// Heat maps: numbers at the points of a skin, and their colours.
import type { Character } from 'messages';

/** Blue below, grey at 0, red above; value in -1..1. */
export function diverging(value: number, out: Float32Array, at: number): void {
  const t = Math.max(-1, Math.min(1, value)), s = Math.abs(t);
  const end = t < 0 ? [0.05, 0.25, 0.75] : [0.78, 0.08, 0.06];
  for (let k = 0; k < 3; k++) out[at + k] = 0.34 * (1 - s) + end[k] * s;
}

/** Grey, yellow, red, dark: value in 0..1. */
export function rising(value: number, out: Float32Array, at: number): void {
  const stops = [[0.34, 0.34, 0.34], [0.95, 0.72, 0.1], [0.82, 0.1, 0.06], [0.35, 0.0, 0.12]];
  const t = Math.max(0, Math.min(0.9999, value)) * 3, i = Math.floor(t), f = t - i;
  for (let k = 0; k < 3; k++) out[at + k] = stops[i][k] * (1 - f) + stops[i + 1][k] * f;
}

/** Mean of edge lengths over rest lengths at each point, less one. */
export function stretch(character: Character, now: Float32Array, out: Float32Array): void {
  const { triangles, rest, welds } = character, count = new Float32Array(out.length);
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3)
    for (let k = 0; k < 3; k++) {
      const i = triangles[t + k], j = triangles[t + (k + 1) % 3], length = apart(rest, i, j);
      if (!(length > 0)) continue;
      const ratio = apart(now, i, j) / length;
      for (const end of [welds[i], welds[j]]) { out[end] += ratio; count[end]++; }
    }
  for (let i = 0; i < out.length; i++) if (welds[i] === i) out[i] = count[i] ? out[i] / count[i] - 1 : 0;
  for (let i = 0; i < out.length; i++) out[i] = out[welds[i]];
}

/** Mean curvature: how the normal turns along the edges of each point, times the size; above 0 in a fold. */
export function fold(character: Character, now: Float32Array, normals: Float32Array, size: number, out: Float32Array): void {
  const { triangles, welds } = character, count = new Float32Array(out.length);
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3)
    for (let k = 0; k < 3; k++) {
      const i = triangles[t + k] * 3, j = triangles[t + (k + 1) % 3] * 3;
      let along = 0, length = 0;
      for (let c = 0; c < 3; c++) {
        const d = now[j + c] - now[i + c];
        along += (normals[j + c] - normals[i + c]) * d;
        length += d * d;
      }
      if (!(length > 0)) continue;
      const bend = -along / length * size;
      for (const end of [welds[i / 3], welds[j / 3]]) { out[end] += bend; count[end]++; }
    }
  for (let i = 0; i < out.length; i++) if (welds[i] === i && count[i]) out[i] /= count[i];
  for (let i = 0; i < out.length; i++) out[i] = out[welds[i]];
}

export function distance(now: Float32Array, other: Float32Array, size: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i++)
    out[i] = Math.hypot(now[i * 3] - other[i * 3], now[i * 3 + 1] - other[i * 3 + 1], now[i * 3 + 2] - other[i * 3 + 2]) / size;
}

/** 1 where skin meets skin that was not near at rest and looks the other way, falling to 0 at `reach` of the size. */
export function touching(character: Character, now: Float32Array, normals: Float32Array, size: number, out: Float32Array): void {
  const { rest, welds } = character, reach = 0.015 * size, cells = new Map<number, number[]>();
  const cell = (x: number, y: number, z: number) => (Math.floor(x / reach) * 73856093) ^ (Math.floor(y / reach) * 19349663) ^ (Math.floor(z / reach) * 83492791);
  out.fill(0);
  for (let i = 0; i < out.length; i++)
    if (welds[i] === i) {
      const key = cell(now[i * 3], now[i * 3 + 1], now[i * 3 + 2]), list = cells.get(key);
      if (list) list.push(i); else cells.set(key, [i]);
    }
  for (let i = 0; i < out.length; i++) {
    if (welds[i] !== i) continue;
    for (let n = 0; n < 27; n++) {
      const list = cells.get(cell(now[i * 3] + (n % 3 - 1) * reach, now[i * 3 + 1] + (Math.floor(n / 3) % 3 - 1) * reach, now[i * 3 + 2] + (Math.floor(n / 9) - 1) * reach));
      for (const j of list ?? []) {
        const near = apart(now, i, j);
        if (near > reach || apart(rest, i, j) < 3 * reach) continue;
        const facing = normals[i * 3] * normals[j * 3] + normals[i * 3 + 1] * normals[j * 3 + 1] + normals[i * 3 + 2] * normals[j * 3 + 2];
        if (facing < -0.3) out[i] = Math.max(out[i], 1 - near / reach);
      }
    }
  }
  for (let i = 0; i < out.length; i++) out[i] = out[welds[i]];
}

function apart(p: Float32Array, i: number, j: number): number {
  return Math.hypot(p[i * 3] - p[j * 3], p[i * 3 + 1] - p[j * 3 + 1], p[i * 3 + 2] - p[j * 3 + 2]);
}
