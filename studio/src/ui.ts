// Small builders of the page's own controls, each with a label a screen reader tells.
type Child = Node | string | null | false | undefined;
type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value as EventListener);
    else if (key === 'class') element.className = String(value);
    else if (value === true) element.setAttribute(key, '');
    else element.setAttribute(key, String(value));
  }
  element.append(...children.filter((c): c is Node | string => Boolean(c)));
  return element;
}

/** Icons are paths in a 24 x 24 box, drawn in the colour of the text. */
const paths: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z', pause: 'M7 5h4v14H7zM14 5h4v14h-4z', first: 'M6 5h2v14H6zM19 5v14L9 12z', last: 'M16 5h2v14h-2zM5 5l10 7-10 7z',
  back: 'M17 5v14L7 12z', ahead: 'M7 5l10 7-10 7z', loop: 'M17 3l4 4-4 4V8H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 21l-4-4 4-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z',
  undo: 'M9 5v4c6 0 10 3 11 9-2.500-3.500-6-5-11-5v4.500L2 11z', redo: 'M15 5v4c-6 0-10 3-11 9 2.500-3.500 6-5 11-5v4.500L22 11z',
  panel: 'M3 5h18v14H3zm12 2v10h4V7z', camera: 'M4 7h4l2-2h4l2 2h4v12H4zm8 3a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z', open: 'M3 6h7l2 2h9v11H3z',
  close: 'M6 4.600 4.600 6l6 6-6 6L6 19.400l6-6 6 6 1.400-1.400-6-6 6-6L18 4.600l-6 6z', fit: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
};
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', paths[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

export function button(label: string, act: () => void, props: Props & { icon?: string; keys?: string } = {}): HTMLButtonElement {
  const { icon: drawn, keys, ...rest } = props;
  const title = keys ? `${label} (${keys})` : label;
  return drawn
    ? h('button', { type: 'button', class: 'icon', 'aria-label': label, title, click: act, ...rest }, icon(drawn))
    : h('button', { type: 'button', title: keys ? title : undefined, click: act, ...rest }, label);
}

let count = 0;
export const id = (name: string): string => `${name}-${++count}`;

/** A choice of a few words. */
export function select(label: string, choices: [string, string][], act: (value: string) => void, hidden = false): { row: HTMLElement; set(value: string): void; choices(list: [string, string][]): void } {
  const key = id('choice'), box = h('select', { id: key, change: () => act(box.value) });
  const fill = (list: [string, string][]) => box.replaceChildren(...list.map(([value, text]) => h('option', { value }, text)));
  fill(choices);
  const row = h('div', { class: 'row' }, h('label', { for: key, class: hidden ? 'unseen' : '' }, label), box);
  return { row, set: value => { box.value = value; }, choices: list => { const kept = box.value; fill(list); box.value = kept; } };
}

export function check(label: string, act: (on: boolean) => void, keys?: string): { row: HTMLElement; set(on: boolean): void } {
  const key = id('check'), box = h('input', { type: 'checkbox', id: key, change: () => act(box.checked) });
  return { row: h('div', { class: 'row check' }, box, h('label', { for: key, title: keys ? `key ${keys}` : undefined }, label)), set: on => { box.checked = on; } };
}

/** A section of the panel that opens and closes. */
export function section(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return h('details', { open }, h('summary', {}, title), h('div', { class: 'body' }, ...children));
}
