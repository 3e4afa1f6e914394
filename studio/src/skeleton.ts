// The pose as the page has it: what the solver showed last, and on top what the hand changed since. World matrices of all nodes.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Character } from 'messages';
import { lines } from './wire';

/** Translation, rotation (x y z w), scale of a node: 10 numbers. */
export type Edits = Map<number, Float32Array>;
export const PER_NODE = 10;

export class Skeleton {
  readonly names: string[];
  readonly parents: Int32Array;
  readonly rest: Float32Array; // as the file's nodes stand
  readonly bones: number[]; // nodes that carry skin, each once
  readonly tips = new Map<number, Vector3>(); // of bones that end a limb, in their own space
  readonly limits = new Map<number, Float32Array>(); // of the file's clips: least and most of the turn as a vector; none: not moved there
  readonly children: number[][];
  readonly order: number[] = []; // parents first
  readonly local: Float32Array; // what is seen: base with the edits on top
  readonly world: Matrix4[];
  private base: Float32Array; // the clip's pose, as the solver told it
  private edits: Edits = new Map();

  constructor(character: Character) {
    this.names = lines(character.node_names);
    this.parents = character.parents;
    this.rest = character.transforms;
    this.base = this.rest;
    this.local = this.rest.slice();
    this.world = Array.from(this.parents, () => new Matrix4());
    this.children = Array.from(this.parents, () => []);
    this.parents.forEach((parent, node) => parent >= 0 && this.children[parent].push(node));
    const walk = (node: number) => { this.order.push(node); this.children[node].forEach(walk); };
    this.parents.forEach((parent, node) => parent < 0 && walk(node));
    this.bones = [...new Set(character.bone_nodes)];
    character.bone_nodes.forEach((node, i) => {
      const tip = new Vector3().fromArray(character.tips, i * 3);
      if (tip.lengthSq() > 0) this.tips.set(node, tip);
      const limits = character.limits.subarray(i * 6, i * 6 + 6);
      if (limits.some(v => v !== 0)) this.limits.set(node, limits);
    });
    this.update();
  }

  /** The pose of the clip, from the solver's frame; nodes that were edited in it keep what lies under the edit. */
  setBase(transforms: Float32Array, edited: number[]): void {
    const base = transforms.slice();
    for (const node of edited) base.set(this.base.subarray(node * PER_NODE, (node + 1) * PER_NODE), node * PER_NODE);
    this.base = base;
    this.update();
  }

  get edited(): boolean { return this.edits.size > 0; }
  get editedNodes(): number[] { return [...this.edits.keys()]; }
  isEdited(node: number): boolean { return this.edits.has(node); }
  copyEdits(): Edits { return new Map([...this.edits].map(([node, t]) => [node, t.slice()])); }

  setEdits(edits: Edits): void {
    this.edits = new Map([...edits].map(([node, t]) => [node, t.slice()]));
    this.update();
  }

  reset(node: number): void {
    this.edits.delete(node);
    this.update();
  }

  edit(node: number): Float32Array {
    let transform = this.edits.get(node);
    if (!transform) {
      transform = this.local.slice(node * PER_NODE, (node + 1) * PER_NODE);
      this.edits.set(node, transform);
    }
    return transform;
  }

  /** For the wire: nodes and their transforms; `below` is what lies under the edits (a clip the page plays itself). */
  list(below: Edits = new Map()): { nodes: Int32Array; transforms: Float32Array } {
    const all = new Map([...below, ...this.edits]), nodes = Int32Array.from(all.keys()), transforms = new Float32Array(nodes.length * PER_NODE);
    nodes.forEach((node, i) => transforms.set(all.get(node)!, i * PER_NODE));
    return { nodes, transforms };
  }

  update(): void {
    this.local.set(this.base);
    for (const [node, transform] of this.edits)
      this.local.set(transform, node * PER_NODE);
    this.solveWorld();
  }

  private solveWorld(): void {
    for (const node of this.order) {
      const world = worldOf(this.local, node, this.world[node]), parent = this.parents[node];
      if (parent >= 0) world.premultiply(this.world[parent]);
    }
  }

  /** World matrices of another pose, for comparisons with rest. */
  worldsOf(local: Float32Array): Matrix4[] {
    const out = Array.from(this.parents, () => new Matrix4());
    for (const node of this.order) {
      worldOf(local, node, out[node]);
      if (this.parents[node] >= 0) out[node].premultiply(out[this.parents[node]]);
    }
    return out;
  }

  head(node: number, out = new Vector3()): Vector3 { return out.setFromMatrixPosition(this.world[node]); }

  turn(node: number, out = new Quaternion()): Quaternion {
    this.world[node].decompose(scratch.position, out, scratch.scale);
    return out;
  }

  /** Gives a node this rotation in the world; the nodes below follow. */
  setTurn(node: number, rotation: Quaternion): void {
    const parent = this.parents[node], local = rotation.clone();
    if (parent >= 0)
      local.premultiply(this.turn(parent).invert());
    local.normalize().toArray(this.edit(node), 3);
    this.update();
  }

  /** Puts a node's head to this place in the world. */
  setHead(node: number, place: Vector3): void {
    const parent = this.parents[node], local = place.clone();
    if (parent >= 0)
      local.applyMatrix4(this.world[parent].clone().invert());
    local.toArray(this.edit(node), 0);
    this.update();
  }

  /** The nearest node above that carries skin, or -1. */
  boneAbove(node: number): number {
    let at = this.parents[node];
    while (at >= 0 && !this.bones.includes(at))
      at = this.parents[at];
    return at;
  }

  bonesBelow(node: number): number[] {
    const found: number[] = [];
    const walk = (at: number) => { for (const child of this.children[at]) if (this.bones.includes(child)) found.push(child); else walk(child); };
    walk(node);
    return found;
  }
}

const scratch = { position: new Vector3(), rotation: new Quaternion(), scale: new Vector3() };
function worldOf(local: Float32Array, node: number, out: Matrix4): Matrix4 {
  const at = node * PER_NODE;
  return out.compose(scratch.position.fromArray(local, at), scratch.rotation.fromArray(local, at + 3), scratch.scale.fromArray(local, at + 7));
}
