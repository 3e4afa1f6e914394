// How long things take, live: the step, contact, what the method tells of its stages, and frames a second.
import type { Studio } from './studio';
import type { Link } from './link';
import { h } from './ui';

const KEPT = 150;

export function meters(studio: Studio, link: Link): Node[] {
  const series = new Map<string, number[]>(), rows = new Map<string, { now: HTMLElement; path: SVGPathElement; box: HTMLElement }>(), holder = h('div', { class: 'plots' });
  let seen: unknown = null, epoch = 0;
  const add = (name: string, value: number) => {
    const list = series.get(name) ?? [];
    list.push(value);
    if (list.length > KEPT) list.shift();
    series.set(name, list);
  };
  const note = () => {
    const frame = studio.frames[0];
    if (!frame || frame === seen) return;
    seen = frame;
    add('step, ms', frame.step_ms);
    if (studio.objects) add('contact, ms', studio.objects.contact_ms);
    add('frames a second', link.rate);
    add('from wish to skin, ms', link.took);
    for (const line of frame.stats.split('\n')) { const [name, value] = line.split('='); if (Number.isFinite(Number(value))) add(name.replaceAll('_', ' '), Number(value)); }
  };
  const show = () => {
    if (!(holder.closest('details') as HTMLDetailsElement | null)?.open) return;
    for (const [name, list] of series) {
      let row = rows.get(name);
      if (!row) { row = make(name); rows.set(name, row); holder.append(row.box); }
      const high = Math.max(...list, 1e-9), last = KEPT - 1;
      row.now.textContent = String(Number(list.at(-1)!.toPrecision(3)));
      row.path.setAttribute('d', list.map((v, i) => `${i ? 'L' : 'M'}${(200 * (i + KEPT - list.length) / last).toFixed(1)} ${(30 - 28 * v / high).toFixed(1)}`).join(''));
    }
  };
  studio.on(['frame'], note);
  studio.on(['slots', 'character'], () => { if (studio.character && studio.character.epoch !== epoch) { epoch = studio.character.epoch; series.clear(); rows.clear(); holder.replaceChildren(); } });
  setInterval(show, 250);
  return [h('p', { class: 'hint' }, 'The last frames of the first method, and what it tells of each.'), holder];
}

function make(name: string): { now: HTMLElement; path: SVGPathElement; box: HTMLElement } {
  const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg'), path = document.createElementNS(ns, 'path'), now = h('b', {});
  svg.setAttribute('viewBox', '0 0 200 32');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(path);
  return { now, path, box: h('div', { class: 'plot' }, h('span', {}, name), now, svg) };
}
