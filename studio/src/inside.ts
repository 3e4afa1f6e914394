// What a method has inside: its lines (layers, tetrahedra, bones) and a section through its field.
import { BufferAttribute, BufferGeometry, DataTexture, DoubleSide, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SRGBColorSpace, LinearFilter } from 'three';
import type { Studio } from './studio';
import type { View } from './view';
import { check, h, id, select } from './ui';

export function insidePanel(studio: Studio, view: View): Node[] {
  const lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.75 }));
  const plane = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ side: DoubleSide, transparent: true, depthWrite: false }));
  lines.frustumCulled = plane.frustumCulled = false;
  lines.visible = plane.visible = false;
  view.scene.add(lines, plane);
  const note = h('p', { class: 'hint' }, 'Layers and tetrahedra of layered and projective; the field that implicit and tracking fold skin by.');
  const ask = (change: Partial<Studio['probe']>) => {
    Object.assign(studio.probe, change);
    if (studio.probe.lines && !studio.look.inside) studio.setLook({ inside: true });
    if (!studio.probe.lines && !studio.probe.section) { studio.inside = null; show(); }
    row.hidden = !studio.probe.section;
    studio.wishes++;
  };
  const show = () => {
    const { inside, probe } = studio;
    lines.visible = probe.lines && Boolean(inside?.lines.length);
    plane.visible = probe.section > 0 && Boolean(inside?.side);
    if (lines.visible) drawLines(lines, inside!.lines);
    if (plane.visible) drawSection(plane, inside!.section, inside!.side, inside!.plane, inside!.iso);
    view.dirty = true;
  };
  studio.on(['inside', 'slots', 'character'], show);
  const shown = check('What the method solves on', on => ask({ lines: on }));
  const section = select('Section', [['0', 'none'], ['1', 'across x'], ['2', 'across y'], ['3', 'across z']], value => ask({ section: Number(value) }));
  const key = id('cut'), cut = h('input', { type: 'range', id: key, min: -0.5, max: 0.5, step: 0.005, value: 0, input: () => ask({ cut: Number(cut.value) }) });
  const row = h('div', { class: 'row', hidden: true }, h('label', { for: key }, 'Moved by'), cut);
  return [note, shown.row, section.row, row];
}

function drawLines(into: LineSegments, from: Float32Array): void {
  const count = from.length / 9, positions = new Float32Array(count * 6), colours = new Float32Array(count * 6);
  for (let i = 0; i < count; i++) {
    positions.set(from.subarray(i * 9, i * 9 + 6), i * 6);
    for (let k = 0; k < 6; k++) colours[i * 6 + k] = from[i * 9 + 6 + k % 3];
  }
  into.geometry.setAttribute('position', new BufferAttribute(positions, 3));
  into.geometry.setAttribute('color', new BufferAttribute(colours, 3));
}

const FINER = 3; // pixels along a side for each value that came

/** Between the values, bilinearly: the bands are drawn finer than the field was asked. */
function refine(coarse: Float32Array, places: number): Float32Array {
  const side = FINER * places, out = new Float32Array(side * side), at = (i: number) => Math.min(Math.max((i + 0.5) / FINER - 0.5, 0), places - 1.001);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const s = at(x), t = at(y), i = Math.floor(s), j = Math.floor(t), a = s - i, b = t - j, k = j * places + i;
      out[y * side + x] = (1 - b) * ((1 - a) * coarse[k] + a * coarse[k + 1]) + b * ((1 - a) * coarse[k + places] + a * coarse[k + places + 1]);
    }
  return out;
}

/** Bands of the field: red inside, blue outside, dark where the skin is; nothing far away. */
function drawSection(into: Mesh, coarse: Float32Array, places: number, p: Float32Array, iso: number): void {
  const side = FINER * places, values = refine(coarse, places);
  const pixels = new Uint8Array(side * side * 4);
  for (let i = 0; i < side * side; i++) {
    const away = values[i] - iso, band = Math.abs(((values[i] * 12) % 1) - 0.5) < 0.08, line = Math.abs(away) < 0.02;
    const tone = line ? [30, 30, 30] : away > 0 ? [214, 96 - 40 * Math.min(away * 2, 1), 77] : [67, 147, 195];
    pixels.set([...tone.map(c => band && !line ? c * 0.8 : c), values[i] > 0.02 ? 215 : 0], i * 4);
  }
  const texture = new DataTexture(pixels, side, side), material = into.material as MeshBasicMaterial;
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  material.map?.dispose();
  material.map = texture;
  material.needsUpdate = true;
  const corner = (s: number, t: number) => [0, 1, 2].map(k => p[k] + s * p[3 + k] + t * p[6 + k]);
  into.geometry.setAttribute('position', new BufferAttribute(Float32Array.from([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].flat()), 3));
  into.geometry.setAttribute('uv', new BufferAttribute(Float32Array.from([0, 0, 1, 0, 1, 1, 0, 1]), 2));
  into.geometry.setIndex([0, 1, 2, 0, 2, 3]);
}
