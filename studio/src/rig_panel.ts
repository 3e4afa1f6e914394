// The rig by hand: operators at joints, muscles, regions and numbers that are painted; undone, saved and opened as a rig file.
import type { Brush, Studio } from './studio';
import type { Muscles } from './muscles';
import type { Muscle } from './rig';
import { brushes } from './brush';
import { controllerEditor, profileEditor } from './curve';
import { saveAs } from './files';
import { button, h, id, select } from './ui';

interface Ranged { row: HTMLElement; set(value: number): void }
/** A slider with its number beside it. */
export function slider(label: string, least: number, most: number, step: number, act: (value: number) => void, begin: () => void = () => undefined): Ranged {
  const key = id('slide'), box = h('input', { type: 'range', id: key, min: least, max: most, step, pointerdown: begin, keydown: begin, input: () => { out.textContent = shorten(Number(box.value)); act(Number(box.value)); } });
  const out = h('output', { class: 'value', for: key });
  return { row: h('div', { class: 'row' }, h('label', { for: key }, label), box, out), set: value => { if (document.activeElement !== box) box.value = String(value); out.textContent = shorten(value); } };
}
const shorten = (v: number) => String(Number(v.toPrecision(3)));

export function rigPanel(studio: Studio, muscles: Muscles): Node[] {
  const { rig } = studio;
  const undo = button('Undo', () => rig.undo(), { 'aria-label': 'Undo of the rig' }), redo = button('Redo', () => rig.redo(), { 'aria-label': 'Redo of the rig' });
  const picker = h('input', { type: 'file', accept: '.json', class: 'unseen', tabindex: -1, 'aria-label': 'A rig file', change: () => { const file = picker.files?.[0]; if (file) void openRig(studio, file); picker.value = ''; } });
  const state = h('p', { class: 'hint', role: 'status' });
  const update = () => {
    undo.disabled = !rig.canUndo;
    redo.disabled = !rig.canRedo;
    const { joints = {}, muscles: m = [], regions = [], painted = [] } = rig.file, count = (n: number, what: string) => n ? `${n} ${what}${n > 1 ? 's' : ''}` : '';
    state.textContent = [count(Object.keys(joints).length, 'joint'), count(m.length, 'muscle'), count(regions.length, 'region'), count(new Set(painted.flatMap(p => p.points)).size, 'painted point')].filter(Boolean).join(', ') || 'Nothing is added to the character yet.';
  };
  studio.on(['rig', 'character'], update);
  update();
  return [state, h('div', { class: 'buttons wrap' }, undo, redo, picker, button('Open rig…', () => picker.click()), button('Save rig', () => saveRig(studio))),
    operatorPart(studio), musclePart(studio, muscles), brushPart(studio), jointList(studio)];
}

export function saveRig(studio: Studio): void {
  const text = studio.rig.text();
  if (text) saveAs(new Blob([text], { type: 'application/json' }), rigName(studio));
  else studio.complain('There is nothing in the rig yet.');
}
export const rigName = (studio: Studio): string => `${studio.character?.label.replace(/\.[a-z]+$/i, '') || 'character'}.rig.json`;

export async function openRig(studio: Studio, file: File): Promise<void> {
  try {
    studio.rig.load(await file.text());
  } catch {
    studio.complain(`${file.name} is no rig: docs/rig.md describes them.`);
  }
}

/** The operator of the selected joint, its profile and its controller. */
function operatorPart(studio: Studio): HTMLElement {
  const { rig } = studio, title = h('p', { class: 'hint' }), drawn = h('div', { class: 'curves' });
  const choice = select('Operator', [['', 'as the method has it'], ['contact', 'contact'], ['bulge', 'bulge'], ['union', 'union'], ['own', 'drawn by hand']], value => {
    const name = studio.skeleton?.names[studio.selected];
    if (!name) return;
    rig.mark();
    if (value === 'own') rig.own(name);
    else rig.setJoint(name, { operator: value || undefined, controller: undefined });
  });
  let dragging = false;
  const touch = () => { dragging = true; rig.mark(); };
  const update = () => {
    const name = studio.skeleton?.names[studio.selected];
    title.textContent = name ? `How the parts compose at ${name} (tracking, implicit).` : 'Select a joint to choose how the parts at it compose.';
    choice.row.hidden = !name;
    if (!name) { drawn.replaceChildren(); return; }
    const { operator } = rig.joint(name), own = Boolean(operator && rig.file.operators?.[operator]);
    choice.set(own ? 'own' : operator ?? '');
    if (dragging && drawn.contains(document.activeElement)) return; // the curve under the hand stays
    const shown = rig.shown(name), changed = () => rig.changed();
    const reach = slider('Reach', 0, 1, 0.01, value => { shown.reach = value; changed(); }, touch);
    reach.set(shown.reach);
    const points = own ? h('div', { class: 'buttons wrap' }, button('More points', () => { rig.mark(); addPoint(shown.controller); changed(); dragging = false; update(); }), button('Fewer points', () => { if (shown.controller.length > 1) { rig.mark(); shown.controller.splice(-2, 1); changed(); dragging = false; update(); } })) : '';
    drawn.replaceChildren(profileEditor(shown, own, touch, changed), own ? reach.row : '', controllerEditor(shown.controller, own, touch, changed), points);
  };
  drawn.addEventListener('focusout', () => { dragging = false; });
  studio.on(['select', 'rig', 'character'], update);
  update();
  return h('details', { open: true }, h('summary', {}, 'Operator'), h('div', {}, title, choice.row, drawn));
}

function addPoint(points: [number, number][]): void {
  if (points.length >= 8) return;
  const at = Math.max(points.length - 1, 1), a = points[at - 1], b = points[at] ?? [Math.min(a[0] + 20, 180), a[1]];
  points.splice(at, 0, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
}

/** Muscles: one at the selected joint, its ends dragged in the picture, its swelling by sliders. */
function musclePart(studio: Studio, muscles: Muscles): HTMLElement {
  const { rig } = studio, list = h('ul', { class: 'things' });
  const chosen = (): Muscle | undefined => rig.file.muscles?.[muscles.chosen];
  const change = (act: (m: Muscle) => void) => (): void => { const m = chosen(); if (m) { act(m); rig.changed(); } };
  const mark = () => rig.mark();
  const radius = slider('Radius', 0.002, 0.15, 0.001, value => change(m => { m.radius = value; })(), mark), swell = slider('Swells to', 0.5, 3, 0.05, value => change(m => { m.swell = value; })(), mark);
  const from = slider('From angle', 0, 170, 1, value => change(m => { m.angles = [Math.min(value, (m.angles?.[1] ?? 120) - 1), m.angles?.[1] ?? 120]; })(), mark);
  const to = slider('To angle', 1, 180, 1, value => change(m => { m.angles = [m.angles?.[0] ?? 0, Math.max(value, (m.angles?.[0] ?? 0) + 1)]; })(), mark);
  const sliders = h('div', {}, radius.row, swell.row, from.row, to.row);
  const add = () => {
    const { skeleton, selected } = studio, above = selected >= 0 ? skeleton!.boneAbove(selected) : -1;
    if (selected < 0 || above < 0) { studio.complain('Select the joint whose bend swells the muscle; it lies along the bone above.'); return; }
    const bone = skeleton!.names[above], front = [0, 0, studio.character?.faces_back ? -0.02 : 0.02];
    rig.mark();
    const list = rig.file.muscles ??= [];
    list.push({ name: `muscle ${list.length + 1}`, from: { bone, along: 0.1, offset: front }, to: { bone, along: 0.9, offset: front }, radius: 0.025, driver: skeleton!.names[selected], angles: [10, 130], swell: 1.6 });
    muscles.chosen = list.length - 1;
    studio.tool = 'muscle';
    studio.tell('tool');
    rig.changed();
  };
  const update = () => {
    const all = rig.file.muscles ?? [], m = chosen();
    list.replaceChildren(...all.map((one, i) => h('li', {}, button(`${one.name}: ${one.driver}`, () => { muscles.chosen = i; studio.tool = 'muscle'; studio.tell('tool', 'rig'); }, { 'aria-pressed': String(i === muscles.chosen) }),
      button(`Remove ${one.name}`, () => { rig.mark(); all.splice(i, 1); muscles.chosen = 0; rig.changed(); }, { icon: 'close' }))));
    sliders.hidden = !m;
    if (!m) return;
    radius.set(m.radius);
    swell.set(m.swell ?? 1.4);
    from.set(m.angles?.[0] ?? 0);
    to.set(m.angles?.[1] ?? 120);
  };
  studio.on(['rig', 'character'], update);
  update();
  return h('details', {}, h('summary', {}, 'Muscles'), h('div', {}, h('p', { class: 'hint' }, 'Spindles that swell as a joint bends; drag their yellow ends in the picture.'),
    h('div', { class: 'buttons wrap' }, button('Muscle at the joint', add)), list, sliders));
}

/** Painting: what, how wide, how much. */
function brushPart(studio: Studio): HTMLElement {
  const { brush } = studio, names = Object.entries(brushes).map(([key, b]) => [key, b.text] as [string, string]);
  const take = () => { if (studio.tool !== 'paint') { studio.tool = 'paint'; studio.tell('tool'); } if (studio.look.colour !== 'rig') studio.setLook({ colour: 'rig' }); else studio.tell('look'); };
  const what = select('Paint', names, value => {
    brush.what = value as Brush;
    const b = brushes[brush.what];
    brush.value = brush.what === 'stiffness' ? 40 : brush.what === 'firmness' ? 2 : Number(((b.least + b.most) / 2).toFixed(2));
    update();
    take();
  });
  const wide = slider('Width', 0.005, 0.2, 0.005, value => { brush.radius = value; }), amount = h('div', {});
  const erase = button('Take away', () => { brush.erase = !brush.erase; update(); take(); }, { 'aria-pressed': 'false' });
  const regions = h('div', {}), hold = button('Paint', take);
  const update = () => {
    const b = brushes[brush.what], region = brush.what === 'region';
    what.set(brush.what);
    wide.set(brush.radius);
    erase.setAttribute('aria-pressed', String(brush.erase));
    hold.setAttribute('aria-pressed', String(studio.tool === 'paint'));
    const value = slider(`To${b.unit ? `, ${b.unit}` : ''}`, b.least, b.most, b.step, v => { brush.value = v; });
    value.set(brush.value);
    if (!amount.contains(document.activeElement)) amount.replaceChildren(region ? '' : value.row);
    if (!regions.contains(document.activeElement)) regions.replaceChildren(...region ? regionRows(studio, update) : []);
  };
  studio.on(['rig', 'tool', 'character', 'select'], update);
  update();
  return h('details', {}, h('summary', {}, 'Paint'), h('div', {}, h('p', { class: 'hint' }, 'Regions follow one bone rigidly (tracking). Firmness and the thickness of layers are of layered, point by point, less at the brush\'s rim; stiffness is how a joint gives way.'),
    what.row, h('div', { class: 'buttons wrap' }, hold, erase), wide.row, amount, regions));
}

function regionRows(studio: Studio, update: () => void): Node[] {
  const { rig, brush } = studio, all = rig.file.regions ?? [];
  const add = () => {
    const bone = studio.skeleton?.names[studio.selected];
    if (!bone) { studio.complain('Select the joint whose bone carries the region.'); return; }
    rig.mark();
    (rig.file.regions ??= []).push({ name: `region ${all.length + 1}`, bone, points: [], falloff: 0.01 });
    brush.region = rig.file.regions.length - 1;
    studio.tool = 'paint';
    studio.tell('tool');
    studio.setLook({ colour: 'rig' });
    update();
  };
  const falloff = slider('Falloff', 0, 0.1, 0.002, value => { const r = rig.file.regions?.[brush.region]; if (r) { r.falloff = value; rig.changed(); } });
  falloff.set(all[brush.region]?.falloff ?? 0);
  return [h('ul', { class: 'things' }, ...all.map((r, i) => h('li', {}, button(`${r.name}: ${r.bone}, ${r.points?.length ?? 0} points`, () => { brush.region = i; studio.setLook({ colour: 'rig' }); update(); }, { 'aria-pressed': String(i === brush.region) }),
    button(`Remove ${r.name}`, () => { rig.mark(); all.splice(i, 1); brush.region = 0; rig.changed(); }, { icon: 'close' })))),
  h('div', { class: 'buttons wrap' }, button('Region of the joint', add)), all.length ? falloff.row : h('p', { class: 'hint' }, 'No region yet.')];
}

/** Stiffness by list: joints that were told, and the selected one. */
function jointList(studio: Studio): HTMLElement {
  const { rig } = studio, list = h('div', {});
  const update = () => {
    if (list.contains(document.activeElement)) return;
    const name = studio.skeleton?.names[studio.selected], told = Object.keys(rig.file.joints ?? {}).filter(j => rig.joint(j).stiffness !== undefined);
    const rows = [...new Set([...name ? [name] : [], ...told])].map(joint => {
      const key = id('stiff'), box = h('input', { type: 'number', id: key, min: 0, step: 'any', placeholder: 'own', change: () => { rig.mark(); rig.setJoint(joint, { stiffness: box.value === '' ? undefined : Math.max(0, Number(box.value)) }); } });
      box.value = String(rig.joint(joint).stiffness ?? '');
      return h('div', { class: 'row number' }, h('label', { for: key }, joint), box);
    });
    list.replaceChildren(...rows);
  };
  studio.on(['rig', 'select', 'character'], update);
  update();
  return h('details', {}, h('summary', {}, 'Stiffness of joints'), h('div', {}, h('p', { class: 'hint' }, 'N m / rad, where flesh or objects move the joint; empty is the library\'s own, 0 does not give way to objects.'), list));
}
