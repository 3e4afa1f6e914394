// Baking from the page, the command line that does the same, and the measures of a clip over time.
import type { Baking } from 'messages';
import type { Studio } from './studio';
import type { Link } from './link';
import { saveAs } from './files';
import { rigName } from './rig_panel';
import { button, h, select } from './ui';
import { lines } from './wire';

const outputs: [string, string][] = [['0', '.glb, plays anywhere'], ['5', '.abc Alembic'], ['6', '.usda USD'], ['1', '.pc2 point cache'], ['2', '.mdd point cache'], ['7', '.npz numbers']];
const endings = ['.glb', '.pc2', '.mdd', '.json', '', '.abc', '.usda', '.npz']; // as messages.def numbers them

/** The very command line for what is seen. */
export function commandLine(studio: Studio, ending: string): string {
  const quote = (text: string) => /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const { method, settings } = studio.slots[0], label = studio.character?.label ?? '', known = /\.[a-z]+$/i.test(label);
  const clip = lines(studio.character?.clip_names ?? '')[studio.clip], stem = label.replace(/\.[a-z]+$/i, '');
  const parts = ['pelt', 'bake', known ? label : `${label}.glb`, '-m', method];
  if (clip) parts.push('--clip', clip);
  for (const [key, value] of Object.entries(settings)) parts.push('--set', `${key}=${value}`);
  if (studio.rig.text()) parts.push('--rig', rigName(studio));
  return [...parts, '-o', `${stem}-${method}${ending}`].map(quote).join(' ');
}

export function bakePanel(studio: Studio, link: Link): Node[] {
  let what = 0, wanted = 0;
  const choice = select('As', outputs, value => { what = Number(value); });
  const bar = h('progress', { max: 1, 'aria-label': 'Baking' }), stage = h('span', {}), box = h('div', { class: 'progress', role: 'status', hidden: true }, bar, stage, button('Cancel', () => void ask(4)));
  const plots = h('div', { class: 'plots' }), note = h('p', { class: 'hint' });
  const ask = async (which: number) => {
    if (!studio.character || (studio.clip < 0 && which !== 4)) { studio.complain('Choose a clip to bake; a keyed one is put into the character first.'); return; }
    if (which !== 4) wanted = (studio.baking?.serial ?? 0) + 1;
    await link.say({ is: 'Bake', epoch: studio.character.epoch, what: which, clip: Math.max(studio.clip, 0), fps: studio.fps });
  };
  const fetchIt = async (baking: Baking) => {
    const answer = await fetch('/baked');
    if (answer.status !== 200) return;
    if (baking.what === 3) drawPlots(studio, plots, note, await answer.json());
    else saveAs(await answer.blob(), `${studio.character?.label.replace(/\.[a-z]+$/i, '') ?? 'baked'}-${studio.slots[0].method}${endings[baking.what]}`);
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
    choice.row, h('div', { class: 'buttons wrap' }, button('Bake…', () => void ask(what)), button('Measure', () => void ask(3), { title: 'All measures, frame by frame' }),
      button('Copy command', () => {
        const line = commandLine(studio, endings[what]);
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
