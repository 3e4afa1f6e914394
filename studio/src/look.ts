// What is seen and how: colours, wire, bones, and two methods beside each other.
import type { Colour, Compare, Studio } from './studio';
import type { View } from './view';
import type { Link } from './link';
import { legends, weights } from './paint';
import { brushes } from './brush';
import { button, check, h, id, select } from './ui';

const colours: [Colour, string][] = [
  ['file', 'as the file has it'], ['clay', 'clay'], ['stretch', 'stretch'], ['touch', 'touching skin'], ['distance', 'distance to the other method'],
  ['fold', 'folds and ridges'], ['weights', 'weights of the joint'], ['normals', 'normals'], ['rig', 'what is painted'],
];

export function lookPanel(studio: Studio, view: View): Node[] {
  const colour = select('Colour', colours, value => setColour(studio, value as Colour));
  const checks = ([['wire', 'Wireframe', 'W'], ['bones', 'Bones', 'B'], ['names', 'Names of joints', 'J'], ['inside', 'See through', 'I'], ['ground', 'Ground', 'G']] as const)
    .map(([key, text, keys]) => ({ key, box: check(text, on => studio.setLook({ [key]: on }), keys) }));
  const update = () => {
    colour.set(studio.look.colour);
    checks.forEach(({ key, box }) => box.set(studio.look[key]));
  };
  studio.on(['look', 'character'], update);
  update();
  const sides = ['front', 'back', 'left', 'right', 'top'];
  return [colour.row, h('div', { class: 'checks' }, ...checks.map(c => c.box.row)),
    h('div', { class: 'buttons wrap', role: 'group', 'aria-label': 'Look from' }, ...sides.map((side, i) => button(side, () => view.side(side), { keys: String(i + 1) })),
      button('whole', () => view.frameAll(), { keys: 'F' }))];
}

/** The distance needs a second skin: lbs comes along where there is none. */
export function setColour(studio: Studio, colour: Colour): void {
  studio.coloured = colour !== 'clay' && colour !== 'file' ? studio.coloured : true;
  if (colour === 'distance' && !studio.slots[1].method) studio.setMethod(1, 'lbs');
  studio.setLook({ colour });
}

export function comparePanel(studio: Studio): Node[] {
  const modes: [Compare, string][] = [['wipe', 'under a wipe'], ['side', 'side by side'], ['ghost', 'as a ghost'], ['off', 'not shown']];
  const choice = select('Shown', modes, value => studio.setLook({ compare: value as Compare }));
  const key = id('wipe'), wipe = h('input', { type: 'range', id: key, min: 0, max: 1, step: 0.01, input: () => studio.setLook({ wipe: Number(wipe.value) }) });
  const row = h('div', { class: 'row' }, h('label', { for: key }, 'Wipe'), wipe);
  const box = h('div', {}, choice.row, row);
  const update = () => {
    choice.set(studio.look.compare);
    box.hidden = !studio.slots[1].method;
    row.hidden = studio.look.compare !== 'wipe';
    wipe.value = String(studio.look.wipe);
  };
  studio.on(['look', 'slots'], update);
  studio.on(['slots'], () => {
    if (studio.slots[1].method && studio.look.compare === 'off' && studio.look.colour !== 'distance') studio.setLook({ compare: 'wipe' });
  });
  update();
  return [box];
}

/** The line between the two, with a grip, over the picture. */
export function wipeLine(studio: Studio): HTMLElement {
  const line = h('div', { class: 'wipe', hidden: true }, h('div', { class: 'grip', 'aria-hidden': 'true' }, '⇆'), h('span', { class: 'left' }), h('span', { class: 'right' }));
  const move = (event: PointerEvent) => {
    const box = line.parentElement!.getBoundingClientRect();
    studio.setLook({ wipe: Math.min(0.98, Math.max(0.02, (event.clientX - box.left) / box.width)) });
  };
  line.addEventListener('pointerdown', event => { line.setPointerCapture(event.pointerId); line.onpointermove = move; });
  line.addEventListener('pointerup', () => { line.onpointermove = null; });
  const update = () => {
    const { compare, wipe } = studio.look, two = studio.slots[1].method !== '';
    line.hidden = !two || !['wipe', 'side'].includes(compare);
    line.classList.toggle('fixed', compare === 'side');
    line.style.left = `${100 * (compare === 'side' ? 0.5 : wipe)}%`;
    line.querySelector('.left')!.textContent = studio.slots[0].method;
    line.querySelector('.right')!.textContent = studio.slots[1].method;
  };
  studio.on(['look', 'slots'], update);
  return line;
}

export function legend(studio: Studio): HTMLElement {
  const box = h('div', { class: 'legend', hidden: true });
  const update = () => {
    const { colour } = studio.look, words = legends[colour];
    box.hidden = !words;
    if (!words) return;
    const painted = colour === 'rig' ? brushes[studio.brush.what].text : '';
    const name = colour === 'weights' && studio.selected >= 0 ? `weights of ${studio.skeleton?.names[studio.selected]}` : colour === 'weights' ? 'choose a joint' : painted || colours.find(c => c[0] === colour)![1];
    box.replaceChildren(h('span', {}, name), h('div', { class: `ramp ${['stretch', 'fold'].includes(colour) ? 'diverging' : 'rising'}` }), h('div', { class: 'words' }, ...words.map(w => h('span', {}, w))));
  };
  studio.on(['look', 'select', 'rig'], update);
  return box;
}

/** Fetches the weights of the selected joint when they are to be seen. */
export function followWeights(studio: Studio, link: Link, view: View): void {
  const update = async () => {
    const { selected, character, look } = studio;
    if (look.colour !== 'weights' || selected < 0 || !character || (weights.node === selected && weights.epoch === character.epoch)) return;
    const told = (await link.say({ is: 'Ask', what: 2, node: selected })).find(m => m.is === 'Weights');
    if (told?.is !== 'Weights' || told.epoch !== studio.character?.epoch) return;
    Object.assign(weights, { node: told.node, epoch: told.epoch, values: told.values });
    view.recolour();
  };
  studio.on(['select', 'look', 'character'], () => void update());
}
