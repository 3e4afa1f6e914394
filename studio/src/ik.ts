// Reaching: the joints above a hand or foot turn until it is where it is wanted (cyclic coordinate descent).
import { Quaternion, Vector3 } from 'three';
import { PER_NODE, type Skeleton } from './skeleton';
import { turnVector } from './keyed';

const ROUNDS = 16, MOST_TURN = 0.5; // rad a joint and round: folds evenly, does not snap

const MARGIN = 0.35; // rad beyond what the clips do: they need not go to the end of what a joint can

/** Brings a joint back to where the file's clips have it, and a little beyond; joints that no clip moves are free. */
function keepLimits(skeleton: Skeleton, node: number): void {
  const limits = skeleton.limits.get(node), edit = skeleton.edit(node), turn = new Vector3();
  if (!limits) return;
  const was = turnVector(skeleton.rest, edit, node * PER_NODE, turn).clone();
  turn.clamp(new Vector3(limits[0], limits[1], limits[2]).addScalar(-MARGIN), new Vector3(limits[3], limits[4], limits[5]).addScalar(MARGIN));
  if (turn.distanceTo(was) < 1e-6) return;
  const angle = turn.length(), rest = new Quaternion().fromArray(skeleton.rest, node * PER_NODE + 3);
  rest.multiply(new Quaternion().setFromAxisAngle(angle > 0 ? turn.divideScalar(angle) : turn.set(1, 0, 0), angle)).normalize().toArray(edit, 3);
  skeleton.update();
}

/** The joints that may turn for a node: those above it, up to where the limb meets the trunk. */
export function chainOf(skeleton: Skeleton, node: number, pins: Set<number> = new Set()): number[] {
  const chain: number[] = [];
  for (let at = skeleton.boneAbove(node); at >= 0 && chain.length < 4; at = skeleton.boneAbove(at)) {
    if (pins.has(at) || (chain.length > 0 && skeleton.bonesBelow(at).length > 1)) break;
    chain.push(at);
  }
  return chain;
}

/**
 * Brings a place that moves with a node to a target. With a limb above it the limb turns and the node keeps its own direction (a
 * hand, a foot); with hardly one the node turns too; with none (the hips) all is moved. Short bones turn less: a collar bone gives a
 * little, an arm much.
 */
export function reach(skeleton: Skeleton, node: number, grabbed: Vector3, target: Vector3, pins: Set<number> = new Set(), limited = false): void {
  let chain = chainOf(skeleton, node, pins);
  if (!chain.length) {
    skeleton.setHead(node, skeleton.head(node).add(target).sub(grabbed));
    return;
  }
  const limb = chain.length > 1, own = grabbed.clone().applyMatrix4(skeleton.world[node].clone().invert());
  const goal = limb ? skeleton.head(node).add(target).sub(grabbed) : target;
  if (!limb) chain = [node, ...chain];
  const end = () => limb ? skeleton.head(node) : own.clone().applyMatrix4(skeleton.world[node]);
  const lengths = chain.map((at, i) => skeleton.head(at).distanceTo(i ? skeleton.head(chain[i - 1]) : end())), longest = Math.max(...lengths);
  const kept = skeleton.turn(node), none = new Quaternion(), step = new Quaternion();
  for (let round = 0; round < ROUNDS && end().distanceTo(goal) > 1e-4 * longest; round++)
    chain.forEach((at, i) => {
      const joint = skeleton.head(at), from = end().sub(joint), to = goal.clone().sub(joint);
      if (from.lengthSq() === 0 || to.lengthSq() === 0) return;
      step.setFromUnitVectors(from.normalize(), to.normalize());
      const angle = 2 * Math.acos(Math.min(1, Math.abs(step.w))), most = MOST_TURN * (lengths[i] / longest) ** 2;
      if (angle > most) step.slerp(none, 1 - most / angle);
      skeleton.setTurn(at, step.multiply(skeleton.turn(at)));
      if (limited) keepLimits(skeleton, at);
    });
  if (limb) skeleton.setTurn(node, kept);
}

/** Pinned joints stay where they are, as far as their limbs allow, whatever moved above them. */
export function keepPins(skeleton: Skeleton, pins: Map<number, Vector3>, moved: number): void {
  for (const [node, place] of pins)
    if (node !== moved && skeleton.head(node).distanceTo(place) > 0)
      reach(skeleton, node, skeleton.head(node), place);
}
