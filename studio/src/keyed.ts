// A clip of one's own: poses keyed in time, played by the page, and put into the character's file as a clip like any other.
import { Quaternion, Vector3 } from 'three';
import { PER_NODE, type Edits, type Skeleton } from './skeleton';
import { openGlb } from './gltf';
import { joinGlb } from './files';

export interface Key { time: number; pose: Record<string, number[]> }
export const MADE = -2; // the number of the clip that is being keyed

export class Keyed {
  keys: Key[] = [];
  seconds = 2;
  name = 'mine';

  /** The pose of all bones, by name. */
  set(time: number, skeleton: Skeleton): void {
    const pose: Record<string, number[]> = {};
    for (const node of skeleton.bones) pose[skeleton.names[node]] = Array.from(skeleton.local.slice(node * PER_NODE, (node + 1) * PER_NODE));
    this.keys = [...this.keys.filter(k => Math.abs(k.time - time) > 1e-4), { time, pose }].sort((a, b) => a.time - b.time);
    this.seconds = Math.max(this.seconds, time);
  }

  /** Between two keys rotations go the shorter way, the rest straight. */
  at(time: number, skeleton: Skeleton): Edits {
    const edits: Edits = new Map(), after = this.keys.find(k => k.time >= time), before = this.keys.filter(k => k.time <= time).at(-1) ?? after, next = after ?? before;
    if (!before || !next) return edits;
    const share = next.time > before.time ? (time - before.time) / (next.time - before.time) : 0;
    for (const node of skeleton.bones) {
      const a = before.pose[skeleton.names[node]], b = next.pose[skeleton.names[node]];
      if (!a || !b) continue;
      const out = Float32Array.from(a, (v, i) => v + (b[i] - v) * share);
      new Quaternion(a[3], a[4], a[5], a[6]).slerp(new Quaternion(b[3], b[4], b[5], b[6]), share).toArray(out, 3);
      edits.set(node, out);
    }
    return edits;
  }
}

interface Sampled { json: Record<string, any>; add(values: Float32Array, type: string, least?: number, most?: number): number }

/** Values at the end of the file's one buffer, behind a view and an accessor of their own. */
function sampler(json: Record<string, any>, parts: Uint8Array[], start: number): Sampled & { size(): number } {
  let size = start;
  return {
    json, size: () => size,
    add(values, type, least, most) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      (json.bufferViews ??= []).push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
      (json.accessors ??= []).push({ bufferView: json.bufferViews.length - 1, componentType: 5126, count: values.length / (type === 'SCALAR' ? 1 : type === 'VEC3' ? 3 : 4), type,
        ...least === undefined ? {} : { min: [least], max: [most] } });
      parts.push(bytes);
      size += bytes.length;
      return json.accessors.length - 1;
    },
  };
}

/** The character's own bytes with one clip more. Only joints that some key turns or moves get a channel. */
export function withClip(buffer: ArrayBuffer, keyed: Keyed, skeleton: Skeleton): ArrayBuffer {
  const { json, bin } = openGlb(buffer) as unknown as { json: Record<string, any>; bin: Uint8Array };
  const pad = -bin.length & 3, parts = [bin, new Uint8Array(pad)], list = keyed.keys.slice();
  if (list[0].time > 0) list.unshift({ ...list[0], time: 0 });
  if (list.at(-1)!.time < keyed.seconds) list.push({ ...list.at(-1)!, time: keyed.seconds });
  const out = sampler(json, parts, bin.length + pad), times = Float32Array.from(list, k => k.time), input = out.add(times, 'SCALAR', times[0], times.at(-1)!);
  const animation: { name: string; samplers: unknown[]; channels: unknown[] } = { name: keyed.name, samplers: [], channels: [] };
  const parted: [string, number, number, string][] = [['translation', 0, 3, 'VEC3'], ['rotation', 3, 4, 'VEC4'], ['scale', 7, 3, 'VEC3']];
  for (const node of skeleton.bones) {
    const poses = list.map(k => k.pose[skeleton.names[node]]), rest = skeleton.rest.subarray(node * PER_NODE, (node + 1) * PER_NODE);
    if (poses.some(p => !p)) continue;
    for (const [path, first, count, type] of parted) {
      if (poses.every(p => Array.from({ length: count }, (_, i) => Math.abs(p[first + i] - rest[first + i])).every(d => d < 1e-6))) continue;
      const values = Float32Array.from(poses.flatMap(p => p.slice(first, first + count)));
      animation.samplers.push({ input, output: out.add(values, type), interpolation: 'LINEAR' });
      animation.channels.push({ sampler: animation.samplers.length - 1, target: { node, path } });
    }
    const from = json.nodes?.[node];
    if (from?.matrix) { // a channel needs the parts of it
      delete from.matrix;
      Object.assign(from, { translation: [...rest.slice(0, 3)], rotation: [...rest.slice(3, 7)], scale: [...rest.slice(7, 10)] });
    }
  }
  if (!animation.channels.length) throw new Error('No key moves anything: pose the character and key it at two times.');
  (json.animations ??= []).push(animation);
  json.buffers = [{ byteLength: out.size() }];
  return joinGlb(json, parts, out.size());
}

const scratch = { turn: new Quaternion(), axis: new Vector3() };
/** The turn of a node away from rest as a vector: its axis, as long as its angle. */
export function turnVector(rest: Float32Array, now: Float32Array, at: number, out: Vector3): Vector3 {
  const turn = scratch.turn.fromArray(rest, at + 3).invert().multiply(new Quaternion().fromArray(now, 3));
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const length = Math.hypot(turn.x, turn.y, turn.z);
  return out.set(turn.x, turn.y, turn.z).multiplyScalar(length > 1e-9 ? 2 * Math.atan2(length, turn.w) / length : 0);
}
