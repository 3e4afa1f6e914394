// The brush: points of a region, or numbers of the bones under it (how stiff a joint is, how firm its flesh, how thick its layers).
import { Vector3 } from 'three';
import type { Brush, Studio } from './studio';
import { LAYERS } from './rig';

export const brushes: Record<Brush, { text: string; least: number; most: number; step: number; unit: string }> = {
  region: { text: 'points of the region', least: 0, most: 1, step: 1, unit: '' },
  stiffness: { text: 'stiffness of joints', least: 0.1, most: 500, step: 0.1, unit: 'N m / rad' },
  firmness: { text: 'firmness of flesh', least: 0.1, most: 5, step: 0.05, unit: 'times' },
  skin: { text: 'thickness of skin', least: 0.02, most: 0.6, step: 0.01, unit: 'of the way to the bone' },
  fat: { text: 'thickness of fat', least: 0.02, most: 0.8, step: 0.01, unit: 'of the way to the bone' },
  muscle: { text: 'thickness of muscle', least: 0.02, most: 0.9, step: 0.01, unit: 'of the way to the bone' },
};

/** One dab at a place of the skin. */
export function dab(studio: Studio, at: Vector3, positions: Float32Array, size: number): void {
  const { brush, character, rig } = studio, reach = (brush.radius * size) ** 2, found: number[] = [];
  for (let i = 0; i < positions.length; i += 3)
    if ((positions[i] - at.x) ** 2 + (positions[i + 1] - at.y) ** 2 + (positions[i + 2] - at.z) ** 2 < reach) found.push(i / 3);
  if (!found.length || !character) return;
  if (brush.what === 'region') dabRegion(studio, found);
  else {
    const bones = new Set(found.map(p => character.point_nodes[p]).filter(n => n >= 0));
    for (const node of bones) paintBone(studio, studio.skeleton!.names[node], brush.erase);
    rig.changed();
  }
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

function paintBone(studio: Studio, name: string, erase: boolean): void {
  const { brush, rig } = studio, layer = LAYERS.indexOf(brush.what);
  if (layer < 0) rig.setJoint(name, { [brush.what]: erase ? undefined : brush.value });
  else if (!erase) rig.setThickness(name, layer, brush.value);
  else rig.setJoint(name, { layers: undefined });
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
  const { least, most } = brushes[brush.what], of = new Map<number, number>(), layer = LAYERS.indexOf(brush.what);
  for (const node of skeleton.bones) {
    const joint = rig.joint(skeleton.names[node]);
    const value = layer >= 0 ? joint.layers?.projection && rig.thickness(skeleton.names[node], layer) : joint[brush.what as 'stiffness' | 'firmness'];
    if (value !== undefined) of.set(node, 0.15 + 0.8 * Math.min(1, Math.log(value / least) / Math.log(most / least)));
  }
  for (let p = 0; p < out.length; p++) out[p] = of.get(character.point_nodes[p]) ?? 0;
}
