// The brush: points of a region, the stiffness of joints under it, or what the flesh is like point by point (how firm it is, how thick its layers).
import { Vector3 } from 'three';
import type { Brush, Studio } from './studio';
import type { Painted } from './rig';

export const brushes: Record<Brush, { text: string; least: number; most: number; step: number; unit: string }> = {
  region: { text: 'points of the region', least: 0, most: 1, step: 1, unit: '' },
  stiffness: { text: 'stiffness of joints', least: 0.1, most: 500, step: 0.1, unit: 'N m / rad' },
  firmness: { text: 'firmness of flesh', least: 0.1, most: 5, step: 0.05, unit: 'times' },
  skin: { text: 'thickness of skin', least: 0.02, most: 0.6, step: 0.01, unit: 'of the way to the bone' },
  fat: { text: 'thickness of fat', least: 0.02, most: 0.8, step: 0.01, unit: 'of the way to the bone' },
  muscle: { text: 'thickness of muscle', least: 0.02, most: 0.9, step: 0.01, unit: 'of the way to the bone' },
};

const RIM = 0.6; // of the brush: from there it paints less and less

/** One dab at a place of the skin. */
export function dab(studio: Studio, at: Vector3, positions: Float32Array, size: number): void {
  const { brush, character, rig } = studio, reach = brush.radius * size, found = new Map<number, number>(); // points and how far from the middle, 0 to 1
  for (let i = 0; i < positions.length; i += 3) {
    const far = Math.hypot(positions[i] - at.x, positions[i + 1] - at.y, positions[i + 2] - at.z) / reach;
    if (far < 1) found.set(i / 3, far);
  }
  if (!found.size || !character) return;
  if (brush.what === 'region') dabRegion(studio, [...found.keys()]);
  else if (brush.what === 'stiffness') {
    const joints = new Set([...found.keys()].map(p => character.point_nodes[p]).filter(n => n >= 0));
    for (const node of joints) rig.setJoint(studio.skeleton!.names[node], { stiffness: brush.erase ? undefined : brush.value });
    rig.changed();
  } else dabFlesh(studio, brush.what, found);
}

function dabRegion(studio: Studio, found: number[]): void {
  const { rig, brush, character } = studio, region = rig.file.regions?.[brush.region];
  if (!region) return;
  const points = new Set(region.points ?? []);
  for (const p of found) if (brush.erase) points.delete(p); else points.add(p);
  if (!brush.erase) character!.welds.forEach((weld, p) => { if (weld !== p && points.has(weld)) points.add(p); }); // seams stay closed
  region.points = [...points].sort((a, b) => a - b);
  rig.changed();
}

/** The brush's number in its middle, less of it at the rim, where what is there stays. */
function dabFlesh(studio: Studio, what: Painted['what'], found: Map<number, number>): void {
  const { rig, brush, character, skeleton } = studio, values = rig.paint(what);
  for (const [p, far] of found) {
    if (brush.erase) { values.delete(p); continue; }
    const node = character!.point_nodes[p], was = values.get(p) ?? rig.ofBone(node >= 0 ? skeleton!.names[node] : '', what);
    const t = Math.min(Math.max((1 - far) / (1 - RIM), 0), 1), share = t * t * (3 - 2 * t);
    values.set(p, Number((was + share * (brush.value - was)).toFixed(4)));
  }
  rig.setPaint(what, values);
}

/** What the brush paints, as it is now: a number of 0 to 1 for each point. */
export function paintedValues(studio: Studio, out: Float32Array): void {
  const { brush, rig, character, skeleton } = studio;
  out.fill(0);
  if (!character || !skeleton) return;
  if (brush.what === 'region') {
    rig.file.regions?.forEach((region, i) => region.points?.forEach(p => { if (p < out.length) out[p] = i === brush.region ? 0.62 : 0.33; }));
    return;
  }
  const { what } = brush, { least, most } = brushes[what], shade = (value: number) => 0.15 + 0.8 * Math.min(1, Math.max(0, Math.log(Math.max(value, least) / least) / Math.log(most / least))), of = new Map<number, number>();
  for (const node of skeleton.bones) {
    const { stiffness, firmness, layers } = rig.joint(skeleton.names[node]), said = what === 'stiffness' ? stiffness : what === 'firmness' ? firmness : layers?.projection;
    if (said !== undefined) of.set(node, shade(what === 'stiffness' ? stiffness! : rig.ofBone(skeleton.names[node], what)));
  }
  for (let p = 0; p < out.length; p++) out[p] = of.get(character.point_nodes[p]) ?? 0;
  if (what !== 'stiffness') for (const [p, value] of rig.paint(what)) if (p < out.length) out[p] = shade(value);
}
