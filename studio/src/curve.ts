// Curves that are drawn and dragged: an operator's profile in the square of two fields, and its controller over the angle (Figures 5 and 6
// of [Vaillant2014]). Every handle is a slider for the keyboard too.
import type { Operator, Pair } from './rig';
import { h } from './ui';

const NS = 'http://www.w3.org/2000/svg', SIDE = 180, EDGE = 12;

function draw(tag: string, props: Record<string, string | number>, into: Element): SVGElement {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, String(value));
  into.append(element);
  return element;
}

/** A clamped cubic B-spline; straight for two points. */
export function spline(points: Pair[], count = 48): Pair[] {
  if (points.length < 4) return points;
  const n = points.length, knot = (i: number) => Math.min(Math.max(i - 3, 0), n - 3), out: Pair[] = [];
  for (let k = 0; k <= count; k++) {
    const u = Math.min(k / count * (n - 3), n - 3 - 1e-9), span = Math.floor(u) + 3, d = [0, 1, 2, 3].map(j => [...points[span - 3 + j]] as Pair);
    for (let r = 1; r <= 3; r++)
      for (let j = 3; j >= r; j--) {
        const i = span - 3 + j, low = knot(i), a = (u - low) / ((knot(i + 4 - r) - low) || 1);
        d[j] = [d[j - 1][0] * (1 - a) + d[j][0] * a, d[j - 1][1] * (1 - a) + d[j][1] * a];
      }
    out.push(d[3]);
  }
  return out;
}

interface Frame { width: number; height: number; x(v: number): number; y(v: number): number; back(px: number, py: number): Pair }
const square = (wide: number, tall: number): Frame => {
  const w = SIDE * 1.3 - 2 * EDGE, t = (tall === 1 && wide === 1 ? SIDE * 1.3 : SIDE * 0.6) - 2 * EDGE;
  return { width: w + 2 * EDGE, height: t + 2 * EDGE, x: v => EDGE + v / wide * w, y: v => EDGE + (1 - v / tall) * t, back: (px, py) => [(px - EDGE) / w * wide, (1 - (py - EDGE) / t) * tall] };
};

const path = (frame: Frame, points: Pair[]): string => points.map(([x, y], i) => `${i ? 'L' : 'M'}${frame.x(x).toFixed(1)} ${frame.y(y).toFixed(1)}`).join('');

interface Handles { frame: Frame; points: Pair[]; name(i: number): string; value(p: Pair): string; fixed(i: number): boolean; limit(i: number, p: Pair): Pair; step: Pair; begin(): void; changed(): void }

/** Dots on a drawing that follow the mouse and the arrow keys. */
function handles(svg: SVGElement, of: Handles): void {
  of.points.forEach((point, i) => {
    if (of.fixed(i)) return;
    const dot = draw('circle', { class: 'handle', r: 6, tabindex: 0, role: 'slider' }, svg);
    const place = () => {
      dot.setAttribute('cx', String(of.frame.x(point[0])));
      dot.setAttribute('cy', String(of.frame.y(point[1])));
      dot.setAttribute('aria-label', of.name(i));
      dot.setAttribute('aria-valuenow', String(Number(point[1].toFixed(3))));
      dot.setAttribute('aria-valuetext', of.value(point));
    };
    const move = (to: Pair) => { const [x, y] = of.limit(i, to); point[0] = Number(x.toFixed(4)); point[1] = Number(y.toFixed(4)); place(); of.changed(); };
    dot.addEventListener('pointerdown', event => {
      dot.setPointerCapture((event as PointerEvent).pointerId);
      of.begin();
      event.preventDefault();
      (dot as SVGElement & { focus(): void }).focus();
    });
    dot.addEventListener('pointermove', event => {
      const e = event as PointerEvent;
      if (!dot.hasPointerCapture(e.pointerId)) return;
      const box = svg.getBoundingClientRect();
      move(of.frame.back((e.clientX - box.left) / box.width * of.frame.width, (e.clientY - box.top) / box.height * of.frame.height));
    });
    dot.addEventListener('keydown', event => {
      const way: Record<string, Pair> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, by = way[(event as KeyboardEvent).key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      of.begin();
      move([point[0] + by[0] * of.step[0], point[1] + by[1] * of.step[1]]);
    });
    place();
  });
}

const between = (v: number, low: number, high: number) => Math.min(Math.max(v, low), high);

/** Where the composed field is one half, in the square of the two fields: open (thin) and closed (to be dragged), with its mirror image. */
export function profileEditor(operator: Operator, editable: boolean, begin: () => void, changed: () => void): HTMLElement {
  const frame = square(1, 1), svg = document.createElementNS(NS, 'svg');
  svg.setAttribute('viewBox', `0 0 ${frame.width} ${frame.height}`);
  svg.setAttribute('class', 'curve');
  draw('rect', { x: EDGE, y: EDGE, width: frame.width - 2 * EDGE, height: frame.height - 2 * EDGE, class: 'paper' }, svg);
  draw('path', { d: path(frame, [[0, 0], [1, 1]]), class: 'aid' }, svg);
  const mirrored = (points: Pair[]) => points.map(([a, b]) => [b, a] as Pair);
  draw('path', { d: path(frame, spline(operator.open)) + path(frame, mirrored(spline(operator.open))), class: 'aid' }, svg);
  const closed = draw('path', { class: 'line' }, svg), mirror = draw('path', { class: 'line faint' }, svg), contact = draw('path', { class: 'line contact' }, svg);
  const show = () => {
    const line = spline(operator.closed), mouth = line.at(-1)![0], end = mouth + (1 - mouth) * operator.reach;
    closed.setAttribute('d', path(frame, line));
    mirror.setAttribute('d', path(frame, mirrored(line)));
    contact.setAttribute('d', operator.reach > 0 ? path(frame, [[mouth, mouth], [end, end]]) : '');
  };
  show();
  const last = operator.closed.length - 1;
  if (editable)
    handles(svg, {
      frame, points: operator.closed, step: [0.01, 0.01], begin, changed: () => { show(); changed(); },
      name: i => `Profile point ${i + 1} of ${last + 1}`, value: ([x, y]) => `first field ${x.toFixed(2)}, second ${y.toFixed(2)}`,
      fixed: i => i === 0, // all profiles begin at (0.5, 0)
      limit: (i, [x, y]) => { if (i === last) { const m = between((x + y) / 2, 0.05, 0.95); return [m, m]; } const b = between(y, 0, 1); return [between(x, b, 1), b]; },
    });
  return h('figure', {}, svg as unknown as HTMLElement, h('figcaption', { class: 'hint' }, 'Where both fields make skin: first field to the right, second upwards; dashed is contact, thin the open joint.'));
}

/** d over the angle: from union (0) to contact (1). */
export function controllerEditor(points: Pair[], editable: boolean, begin: () => void, changed: () => void): HTMLElement {
  const frame = square(180, 1), svg = document.createElementNS(NS, 'svg');
  svg.setAttribute('viewBox', `0 0 ${frame.width} ${frame.height}`);
  svg.setAttribute('class', 'curve');
  draw('rect', { x: EDGE, y: EDGE, width: frame.width - 2 * EDGE, height: frame.height - 2 * EDGE, class: 'paper' }, svg);
  for (const angle of [45, 90, 135]) draw('path', { d: path(frame, [[angle, 0], [angle, 1]]), class: 'aid' }, svg);
  const line = draw('path', { class: 'line' }, svg);
  const smooth = (t: number) => t * t * (3 - 2 * t);
  const value = (angle: number) => {
    const i = points.findIndex(p => p[0] >= angle);
    if (i <= 0) return i < 0 ? points.at(-1)![1] : points[0][1];
    const [a, b] = [points[i - 1], points[i]];
    return a[1] + (b[1] - a[1]) * smooth((angle - a[0]) / ((b[0] - a[0]) || 1));
  };
  const show = () => line.setAttribute('d', path(frame, Array.from({ length: 61 }, (_, k) => [k * 3, value(k * 3)] as Pair)));
  show();
  if (editable)
    handles(svg, {
      frame, points, step: [1, 0.02], begin, changed: () => { show(); changed(); },
      name: i => `Controller point ${i + 1} of ${points.length}`, value: ([x, y]) => `${x.toFixed(0)} degrees, ${y.toFixed(2)}`, fixed: () => false,
      limit: (i, [x, y]) => [between(x, i ? points[i - 1][0] + 0.5 : 0, i < points.length - 1 ? points[i + 1][0] - 0.5 : 180), between(y, 0, 1)],
    });
  return h('figure', {}, svg as unknown as HTMLElement, h('figcaption', { class: 'hint' }, 'How far it has turned from union (below) to contact (above) over the angle, 0° to 180°.'));
}
