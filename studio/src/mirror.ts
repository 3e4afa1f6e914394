// Left and right: which joint is whose image, by name, and poses seen in a mirror.
import { Quaternion } from 'three';
import type { Skeleton } from './skeleton';

const pairs: [RegExp, string][] = [
  [/left/i, 'right'], [/right/i, 'left'], [/(^|[_.\-: ])l([_.\-: ]|$)/i, 'r'], [/(^|[_.\-: ])r([_.\-: ]|$)/i, 'l'],
];

/** The name on the other side; the same where it has none. */
export function mirrorName(name: string): string {
  for (const [pattern, other] of pairs) {
    const found = name.match(pattern);
    if (!found) continue;
    const word = found[0].replace(/left|right|l|r/i, was => was === was.toUpperCase() ? other.toUpperCase() : was[0] === was[0].toUpperCase() ? other[0].toUpperCase() + other.slice(1) : other);
    return name.slice(0, found.index) + word + name.slice(found.index! + found[0].length);
  }
  return name;
}

/** The pose in a mirror across x = 0: each joint turns away from rest as its image did, seen from the other side. */
export function mirrorPose(skeleton: Skeleton): void {
  const rest = skeleton.worldsOf(skeleton.rest), was = skeleton.order.map(node => skeleton.turn(node)), by = new Map(skeleton.order.map((node, i) => [node, was[i]]));
  const index = new Map(skeleton.names.map((name, node) => [name, node]));
  for (const node of skeleton.order) {
    if (!skeleton.bones.includes(node)) continue;
    const other = index.get(mirrorName(skeleton.names[node])) ?? node;
    const away = by.get(other)!.clone().multiply(new Quaternion().setFromRotationMatrix(rest[other]).invert());
    away.set(away.x, -away.y, -away.z, away.w);
    skeleton.setTurn(node, away.multiply(new Quaternion().setFromRotationMatrix(rest[node])));
  }
}
