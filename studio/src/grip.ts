// A hand that closes: the joints of each finger below the selected joint bend towards one place before the palm; and a ball to be held.
import { Quaternion, Vector3 } from 'three';
import type { Studio } from './studio';
import type { View } from './view';
import { chainOf, reach } from './ik';
import { PER_NODE, type Edits, type Skeleton } from './skeleton';
import { openGlb } from './gltf';
import { slider } from './rig_panel';
import { button, h } from './ui';

const ONE_SIDED = 0.35; // of all force on the ball may be left over when the hand holds it: pushes from opposite sides cancel
const BEND = [1, 1.5, 1.1], THUMB = [0.5, 0.7, 0.7]; // rad at most, from the knuckle outwards
interface Finger { joints: number[]; axes: Vector3[]; most: number[] }
interface Palm { node: number; fingers: Finger[]; all: number[]; target: Vector3; length: number }

/** Chains of joints below a node, each to its end. */
function chains(skeleton: Skeleton, node: number): number[][] {
  return skeleton.bonesBelow(node).map(first => {
    const chain = [first];
    for (let next = skeleton.bonesBelow(first); next.length === 1; next = skeleton.bonesBelow(next[0])) chain.push(next[0]);
    return chain;
  }).filter(chain => chain.length >= 2);
}

/** The joint that has most fingers: the selected one, one above or below it, or any. */
function handOf(skeleton: Skeleton, selected: number): number {
  for (let at = selected; at >= 0; at = skeleton.boneAbove(at)) if (chains(skeleton, at).length >= 3 && chains(skeleton, at).length <= 6) return at;
  const all = skeleton.bones.filter(n => chains(skeleton, n).length >= 3).sort((a, b) => chains(skeleton, b).length - chains(skeleton, a).length);
  return all[0] ?? -1;
}

function tip(skeleton: Skeleton, chain: number[]): Vector3 {
  const last = chain.at(-1)!, end = skeleton.tips.get(last);
  return end ? end.clone().applyMatrix4(skeleton.world[last]) : skeleton.head(last);
}

interface Moving { animations?: { name?: string; channels: { sampler: number; target: { node?: number; path: string } }[]; samplers: { input: number; output: number }[] }[] }

/** The most closed pose of these joints in the file's clips, local rotations by node; clips that are called a grasp count twice. */
export function closedPose(buffer: ArrayBuffer, skeleton: Skeleton, joints: number[]): Map<number, Quaternion> {
  const { json, bin } = openGlb(buffer), best = { score: 0.8, pose: new Map<number, Quaternion>() };
  const floats = (index: number, parts: number): Float32Array | null => {
    const a = json.accessors![index], view = a.bufferView === undefined ? null : json.bufferViews![a.bufferView];
    return view && a.componentType === 5126 && !view.byteStride ? new Float32Array(bin.slice((view.byteOffset ?? 0) + (a.byteOffset ?? 0)).buffer, 0, a.count * parts) : null;
  };
  for (const clip of (json as unknown as Moving).animations ?? []) {
    const turns = clip.channels.filter(c => c.target.path === 'rotation' && joints.includes(c.target.node ?? -1)).map(c => ({ node: c.target.node!, times: floats(clip.samplers[c.sampler].input, 1), values: floats(clip.samplers[c.sampler].output, 4) }));
    const known = turns.filter(t => t.times && t.values?.length === t.times.length * 4);
    for (const time of known[0]?.times ?? []) {
      const pose = new Map(known.map(({ node, times, values }) => { const i = Math.max(times!.findIndex(t => t >= time), 0); return [node, new Quaternion().fromArray(values!, i * 4)]; }));
      let score = 0;
      for (const [node, turn] of pose) score += turn.angleTo(new Quaternion().fromArray(skeleton.rest, node * PER_NODE + 3));
      if (/gras?p|grip|hold/i.test(clip.name ?? '')) score *= 2;
      if (score > best.score) Object.assign(best, { score, pose });
    }
  }
  return best.pose;
}

/** Which way a hand closes: across the plane of its fingers, to the side where they bend already, or where the object is. */
export function palmOf(skeleton: Skeleton, selected: number, towards: Vector3 | null, flip: boolean): Palm | null {
  const node = handOf(skeleton, selected), whole = node < 0 ? [] : chains(skeleton, node), list = whole.map(c => c.slice(-3)); // a fourth is in the palm
  if (list.length < 2) return null;
  const ways = list.map(c => tip(skeleton, c).sub(skeleton.head(c[0]))), mean = ways.reduce((s, w) => s.add(w.clone().normalize()), new Vector3()).normalize();
  const thumb = ways.map((w, i) => ({ i, off: w.clone().normalize().angleTo(mean) })).sort((a, b) => b.off - a.off)[0];
  const long = list.filter((_, i) => !(i === thumb.i && thumb.off > 0.45)), heads = long.map(c => skeleton.head(c[0]));
  const spread = heads.at(-1)!.clone().sub(heads[0]), normal = mean.clone().cross(spread).normalize();
  const length = Math.max(...ways.map(w => w.length())), middle = heads.reduce((s, p) => s.add(p), new Vector3()).divideScalar(heads.length);
  let side = 0;
  if (towards) side = towards.clone().sub(middle).dot(normal);
  else for (const c of long) // fingers at rest are bent a little, palmwards
    side += tip(skeleton, c).sub(skeleton.head(c[1])).normalize().sub(skeleton.head(c[1]).sub(skeleton.head(c[0])).normalize()).dot(normal);
  normal.multiplyScalar((side < 0 ? -1 : 1) * (flip ? -1 : 1));
  const across = spread.clone().normalize(), aside = skeleton.head(list[thumb.i][0]).sub(middle).dot(across) < 0 ? -0.14 : 0.14; // a little to the thumb's side
  const target = towards ?? middle.clone().addScaledVector(normal, 0.4 * length).addScaledVector(across, long.length < list.length ? aside * length : 0);
  const fingers = list.map((joints, i) => {
    const isThumb = !long.includes(joints), way = ways[i].clone().normalize();
    const axis = isThumb ? way.clone().cross(target.clone().sub(skeleton.head(joints[0]))) : way.clone().cross(normal);
    return { joints, axes: joints.map(() => axis.normalize()), most: joints.map((_, k) => (isThumb ? THUMB : BEND)[Math.min(k, 2)]) };
  });
  return { node, fingers, all: whole.flat(), target, length };
}

export class Grip {
  private base: { edits: Edits; palm: Palm; turns: Map<number, Quaternion>; place: Vector3; top: Vector3 } | null = null;
  closed = 0;
  lifted = 0;
  flip = false;

  constructor(private studio: Studio, private view: View) {
    studio.on(['character'], () => this.forget());
    studio.on(['objects'], () => { if (this.holding && this.closed > 0 && this.enclosed()) this.letGo(); });
  }

  private pose = new Map<number, Quaternion>(); // the hand closed, by the file's clips; empty: none closes it
  private learnt = 0;
  /** Looks at the file's clips once. */
  async learn(): Promise<void> {
    const { character, skeleton } = this.studio;
    if (!character || !skeleton || character.epoch === this.learnt) return;
    this.learnt = character.epoch;
    this.pose = new Map();
    const answer = await fetch('/character').catch(() => null);
    if (answer?.status !== 200 || this.studio.skeleton !== skeleton) return;
    const joints = skeleton.bones.filter(n => chains(skeleton, n).length >= 3).flatMap(n => chains(skeleton, n).flat());
    try { this.pose = closedPose(await answer.arrayBuffer(), skeleton, joints); } catch { /* closes by the palm's plane */ }
  }

  forget(): void { this.base = null; this.closed = this.lifted = 0; }

  private ball(): Vector3 | null {
    const { objects, world } = this.studio, i = world.things.findIndex(t => t.kind > 0);
    return objects && i >= 0 ? new Vector3().fromArray(objects.origins, i * 3) : null;
  }

  /** The hand as it was when the slider was taken. */
  private begin(): NonNullable<Grip['base']> | null {
    const { skeleton, selected, history } = this.studio;
    if (!skeleton || this.base) return this.base;
    const palm = palmOf(skeleton, selected, this.ball(), this.flip);
    if (!palm) { this.studio.complain('There is no hand here: a joint with several fingers below it.'); return null; }
    history.mark();
    const turns = new Map(palm.fingers.flatMap(f => f.joints).map(n => [n, skeleton.turn(n)]));
    let top = palm.node;
    for (let at = top; at >= 0; at = skeleton.boneAbove(at)) top = at;
    this.base = { edits: skeleton.copyEdits(), palm, turns, place: skeleton.head(palm.node), top: skeleton.head(top) };
    return this.base;
  }

  /** Both sliders at once, always from where the hand began. */
  set(change: { closed?: number; lifted?: number }): void {
    const base = this.begin(), { skeleton, studio } = { skeleton: this.studio.skeleton, studio: this.studio };
    if (!base || !skeleton) return;
    Object.assign(this, change);
    skeleton.setEdits(base.edits);
    for (const node of base.palm.all) // as the file's own clips close it
      if (this.pose.has(node)) new Quaternion().fromArray(skeleton.edit(node), 3).slerp(this.pose.get(node)!, this.closed).toArray(skeleton.edit(node), 3);
    skeleton.update();
    for (const { joints, axes, most } of base.palm.fingers) {
      const sum = new Quaternion();
      if (joints.some(n => this.pose.has(n))) continue;
      joints.forEach((node, k) => {
        sum.premultiply(new Quaternion().setFromAxisAngle(axes[k], most[k] * this.closed));
        skeleton.setTurn(node, sum.clone().multiply(base.turns.get(node)!));
      });
    }
    if (this.lifted > 0 && this.holding) this.letGo();
    if (this.lifted > 0) this.raise(skeleton, base);
    studio.posed();
  }

  /** An arm reaches upwards; a hand without one goes up with all that it hangs on. */
  private raise(skeleton: Skeleton, { palm, place }: NonNullable<Grip['base']>): void {
    const up = new Vector3(0, this.lifted * this.view.size, 0);
    if (chainOf(skeleton, palm.node).length >= 2) { reach(skeleton, palm.node, place, place.clone().add(up), this.studio.pins); return; }
    let top = palm.node;
    for (let at = top; at >= 0; at = skeleton.boneAbove(at)) top = at;
    skeleton.setHead(top, this.base!.top.clone().add(up));
  }

  /** Three places or more push the ball, and from opposite sides. */
  private enclosed(): boolean {
    const contacts = this.studio.objects?.contacts ?? [], sum = new Vector3(), one = new Vector3();
    let all = 0;
    for (let i = 0; i < contacts.length; i += 6) {
      sum.add(one.set(contacts[i + 3], contacts[i + 4], contacts[i + 5]));
      all += one.length();
    }
    return contacts.length >= 18 && sum.length() < ONE_SIDED * all;
  }

  private holding = false;
  /** From now on friction holds it, or it falls. */
  private letGo(): void {
    this.holding = false;
    this.studio.held.object = -1;
    this.studio.wishes++;
  }

  /** A ball before the palm, held in the air until fingers hold it or the hand lifts. */
  putBall(): void {
    const { studio } = this, { skeleton } = studio;
    this.forget();
    const palm = skeleton && palmOf(skeleton, studio.selected, null, this.flip);
    if (!palm) { studio.complain('There is no hand here: a joint with several fingers below it.'); return; }
    const r = 0.25 * palm.length, position = palm.target.toArray();
    studio.setWorld({ on: true, ground: false, friction: 0.8, firm: 2, things: [{ kind: 1, shape: 1, size: [r, r, r], position, density: 0.5 }] });
    studio.held = { object: 0, at: position };
    this.holding = true;
    studio.cut = true;
  }
}

export function gripPanel(studio: Studio, grip: Grip): HTMLElement {
  const close = slider('Close', 0, 1, 0.01, value => grip.set({ closed: value })), lift = slider('Lift', 0, 0.4, 0.005, value => grip.set({ lifted: value }));
  const again = () => { grip.forget(); close.set(0); lift.set(0); };
  studio.on(['character', 'select'], again);
  close.set(0);
  lift.set(0);
  const opened = () => { if (whole.open) void grip.learn(); }, whole: HTMLDetailsElement = h('details', { toggle: opened }, h('summary', {}, 'Close a hand'), h('div', {}, h('p', { class: 'hint' }, 'The hand of the selected joint, or the one there is. The ball is held in the air until the hand pushes it from opposite sides, or lifts: then friction holds it, or it falls.'),
    h('div', { class: 'buttons wrap' }, button('Ball before the palm', () => { again(); grip.putBall(); }), button('Other way', () => { grip.flip = !grip.flip; again(); }, { title: 'The palm is on the other side' })), close.row, lift.row));
  studio.on(['character'], opened);
  return whole;
}
