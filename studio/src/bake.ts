// Baking from the page, the command line that does the same, and the measures of a clip over time.
import type { Baking } from 'messages';
import type { Studio } from './studio';
import type { Link } from './link';
import { saveAs } from './files';
import { rigName } from './rig_panel';
import { button, check, h } from './ui';
import { lines } from './wire';

const kinds: [string, string][] = [['.glb', 'glTF'], ['.vrm', 'VRM'], ['.gltf', 'as text'], ['.abc', 'Alembic'], ['.usda', 'USD'], ['.pc2', 'points'], ['.mdd', 'points'], ['.npz', 'numbers'], ['.obj', 'numbered']]; // as messages.def has their bits
const BAKE = 0, REPORT = 1, CANCEL = 2;
const stemOf = (studio: Studio): string => `${studio.character?.label.replace(/\.[a-z]+$/i, '') || 'baked'}-${studio.slots[0].method}`;

/** The very command line for what is seen. */
export function commandLine(studio: Studio, endings: string[]): string {
  const quote = (text: string) => /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const { method, settings } = studio.slots[0], label = studio.character?.label ?? '', known = /\.[a-z]+$/i.test(label);
  const clip = lines(studio.character?.clip_names ?? '')[studio.clip];
  const parts = ['pelt', 'bake', known ? label : `${label}.glb`, '-m', method];
  if (clip) parts.push('--clip', clip);
  for (const [key, value] of Object.entries(settings)) parts.push('--set', `${key}=${value}`);
  if (studio.rig.text()) parts.push('--rig', rigName(studio));
  return [...parts, ...endings.flatMap(ending => ['-o', stemOf(studio) + ending])].map(quote).join(' ');
}

export function bakePanel(studio: Studio, link: Link): Node[] {
  const chosen = new Set([0]); // of kinds
  let wanted = 0, asked: number[] = [];
  const boxes = kinds.map(([ending, words], k) => check(`${ending} ${words}`, on => { if (on) chosen.add(k); else chosen.delete(k); update(); }));
  const choice = h('fieldset', { class: 'kinds' }, h('legend', {}, 'Files'), ...boxes.map(b => b.row));
  const bar = h('progress', { max: 1, 'aria-label': 'Baking' }), stage = h('span', {}), box = h('div', { class: 'progress', role: 'status', hidden: true }, bar, stage, button('Cancel', () => void ask(CANCEL)));
  const plots = h('div', { class: 'plots' }), note = h('p', { class: 'hint' }), start = button('Bake…', () => void ask(BAKE));
  const list = () => [...chosen].sort((a, b) => a - b);
  const update = () => {
    const vrm = /\.vrm$/i.test(studio.character?.label ?? '');
    boxes[1].row.hidden = !vrm; // only from one
    if (!vrm) chosen.delete(1);
    boxes.forEach((b, k) => b.set(chosen.has(k)));
    start.disabled = !chosen.size;
  };
  studio.on(['character'], update);
  update();
  const ask = async (what: number) => {
    if (!studio.character || (studio.clip < 0 && what !== CANCEL)) { studio.complain('Choose a clip to bake; a keyed one is put into the character first.'); return; }
    if (what !== CANCEL) wanted = (studio.baking?.serial ?? 0) + 1;
    if (what === BAKE) asked = list();
    await link.say({ is: 'Bake', epoch: studio.character.epoch, what, outputs: list().reduce((bits, k) => bits | 1 << k, 0), clip: Math.max(studio.clip, 0), fps: studio.fps });
  };
  const fetchIt = async (baking: Baking) => {
    const answer = await fetch('/baked');
    if (answer.status !== 200) return;
    if (baking.what === REPORT) drawPlots(studio, plots, note, await answer.json());
    else saveAs(await answer.blob(), stemOf(studio) + (baking.files > 1 ? '.zip' : kinds[asked[0]][0]));
  };
  studio.on(['baking'], () => {
    const { baking } = studio;
    box.hidden = baking?.state !== 1 && baking?.state !== 3;
    box.classList.toggle('failed', baking?.state === 3);
    bar.value = baking?.share ?? 0;
    stage.textContent = baking?.text ?? '';
    if (baking?.state === 2 && baking.serial === wanted) { wanted = 0; void fetchIt(baking); }
  });
  studio.on(['clock'], () => plotted());
  const copied = h('output', { class: 'hint' });
  return [
    h('p', { class: 'hint' }, 'The clip by this method with these options, as pelt bake makes it: without what the hand changed and without the world.'),
    choice, h('div', { class: 'buttons wrap' }, start, button('Measure', () => void ask(REPORT), { title: 'All measures, frame by frame' }),
      button('Copy command', () => {
        const line = commandLine(studio, list().map(k => kinds[k][0]));
        void navigator.clipboard?.writeText(line).catch(() => undefined);
        copied.textContent = line;
      })),
    copied, box, note, plots,
  ];
}

interface Report { quality?: { verdict?: string }; per_frame?: Record<string, unknown>[] }

/** A small curve for every number that changes over the clip, with the present frame. */
function drawPlots(studio: Studio, holder: HTMLElement, note: HTMLElement, report: Report): void {
  const frames = report.per_frame ?? [], names = [...new Set(frames.flatMap(f => Object.keys(f)))];
  const curves = names.map(name => ({ name, values: frames.map(f => f[name]).map(v => typeof v === 'number' ? v : NaN) }))
    .filter(({ name, values }) => name !== 'frame' && values.some(Number.isFinite) && new Set(values).size > 1);
  note.textContent = `${studio.slots[0].method}, ${frames.length} frames: ${curves.length} measures change. ${report.quality?.verdict ?? ''}`;
  const drawn = curves.map(c => curve(studio, c.name, c.values));
  holder.replaceChildren(...drawn.map(c => c.figure));
  plotted = () => drawn.forEach(c => c.update());
}
let plotted: () => void = () => undefined; // brings the curves there are to the present frame

function curve(studio: Studio, name: string, values: number[]): { figure: HTMLElement; update(): void } {
  const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg'), path = document.createElementNS(ns, 'path'), line = document.createElementNS(ns, 'line');
  const known = values.filter(Number.isFinite), low = Math.min(...known), high = Math.max(...known), last = Math.max(values.length - 1, 1);
  const y = (v: number) => 30 - 28 * (v - low) / (high - low || 1);
  let pen = 'M';
  const d = values.map((v, i) => { if (!Number.isFinite(v)) { pen = 'M'; return ''; } const s = `${pen}${(200 * i / last).toFixed(1)} ${y(v).toFixed(1)}`; pen = 'L'; return s; }).join('');
  svg.setAttribute('viewBox', '0 0 200 32');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${name} from ${low} to ${high}`);
  path.setAttribute('d', d);
  line.setAttribute('y1', '0');
  line.setAttribute('y2', '32');
  svg.append(path, line);
  const now = h('b', {}), figure = h('div', { class: 'plot' }, h('span', {}, name.replaceAll('_', ' ')), now, svg);
  const update = () => {
    const x = 200 * studio.frame / last, value = values[studio.frame];
    line.setAttribute('x1', String(x));
    line.setAttribute('x2', String(x));
    now.textContent = Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '';
  };
  svg.addEventListener('pointerdown', event => { const b = svg.getBoundingClientRect(); studio.seek((event.clientX - b.left) / b.width * last / studio.fps); });
  update();
  return { figure, update };
}
