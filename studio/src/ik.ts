// Reaching: the joints above a hand or foot turn until it is where it is wanted (cyclic coordinate descent).
import { Quaternion, Vector3 } from 'three';
import type { Skeleton } from './skeleton';

const ROUNDS = 16, MOST_TURN = 0.5; // rad a joint and round: folds evenly, does not snap

/** The joints that may turn for a node: those above it, up to where the limb meets the trunk. */
export function chainOf(skeleton: Skeleton, node: number, pins: Set<number> = new Set()): number[] {
  const chain: number[] = [];
  for (let at = skeleton.boneAbove(node); at >= 0 && chain.length < 4; at = skeleton.boneAbove(at)) {
    if (pins.has(at) || (chain.length > 0 && skeleton.bonesBelow(at).length > 1)) break;
    chain.push(at);
  }
  return chain;
}

/** Brings the node's head to a place. A node with no limb above it is moved there as a whole. */
export function reach(skeleton: Skeleton, node: number, target: Vector3, pins: Set<number> = new Set()): void {
  const chain = chainOf(skeleton, node, pins);
  if (!chain.length || skeleton.bonesBelow(node).length > 1) {
    skeleton.setHead(node, target);
    return;
  }
  const kept = skeleton.turn(node), head = new Vector3(), joint = new Vector3(), step = new Quaternion();
  const length = chain.reduce((sum, at, i) => sum + skeleton.head(at).distanceTo(skeleton.head(i ? chain[i - 1] : node)), 0);
  for (let round = 0; round < ROUNDS; round++)
    for (const at of chain) {
      skeleton.head(at, joint);
      const from = skeleton.head(node, head).sub(joint), to = target.clone().sub(joint);
      if (from.lengthSq() === 0 || to.lengthSq() === 0) continue;
      step.setFromUnitVectors(from.normalize(), to.normalize());
      const angle = 2 * Math.acos(Math.min(1, Math.abs(step.w)));
      if (angle > MOST_TURN) step.slerp(new Quaternion(), 1 - MOST_TURN / angle);
      skeleton.setTurn(at, step.multiply(skeleton.turn(at)));
      if (skeleton.head(node, head).distanceTo(target) < 1e-4 * length) { round = ROUNDS; break; }
    }
  skeleton.setTurn(node, kept); // the hand keeps its own direction
}

/** Pinned joints stay where they are, as far as their limbs allow, whatever moved above them. */
export function keepPins(skeleton: Skeleton, pins: Map<number, Vector3>, moved: number): void {
  for (const [node, place] of pins)
    if (node !== moved && skeleton.head(node).distanceTo(place) > 0)
      reach(skeleton, node, place);
}
