// A method and its options, from the library's own descriptions.
import type { OptionInfo, Studio } from './studio';
import type { Link } from './link';
import { button, h, id, select } from './ui';

const OWN = 'own'; // linear blending by the file's weights: what every other program shows
const WAIT_MS = 300; // after the last change of a slider, before a new prepare

/** The choice of a method for a slot, its options, and how far its preparation is. */
export function methodPanel(studio: Studio, link: Link, slot: number): HTMLElement {
  const choice = select(slot ? 'Other method' : 'Method', [], name => {
    if (name !== OWN) { studio.setMethod(slot, name); return; }
    studio.setMethod(slot, 'lbs', { weights: 'file' });
    studio.setLook({ compare: 'ghost' });
  });
  const summary = h('p', { class: 'hint' });
  const bar = h('progress', { max: 1, 'aria-label': 'Preparing' }), stage = h('span', { class: 'stage' });
  const progress = h('div', { class: 'progress', role: 'status' }, bar, stage), warnings = h('ul', { class: 'warnings' });
  let options = h('div', { class: 'options' });
  let shown = '', shownKey = '';
  const update = () => {
    const { method, status, settings } = studio.slots[slot], info = studio.method(slot);
    choice.set(slot && method === 'lbs' && settings.weights === 'file' ? OWN : method);
    summary.textContent = info?.summary ?? (slot ? 'A second method beside the first.' : '');
    const preparing = status?.state === 1, failed = status?.state === 3;
    progress.hidden = !preparing && !failed;
    progress.classList.toggle('failed', failed);
    bar.value = status?.share ?? 0;
    bar.hidden = failed;
    const refused = status?.state === 2 && status.text !== '';
    if (refused) { progress.hidden = false; progress.classList.add('failed'); bar.hidden = true; }
    stage.textContent = failed || refused ? status!.text : preparing ? status.text || 'preparing' : '';
    const key = `${status?.serial} ${status?.warnings}`;
    if (key !== shownKey) {
      shownKey = key;
      warnings.replaceChildren(...(status?.warnings ? status.warnings.split('\n') : []).map(w => h('li', {}, w)));
    }
    if (method !== shown) {
      shown = method;
      const fresh = h('div', { class: 'options' }, ...(info ? optionList(studio, link, slot, info.options) : []));
      options.replaceWith(fresh); // with all that listened to the one before
      options = fresh;
    }
    options.dispatchEvent(new CustomEvent('values', { detail: settings }));
  };
  studio.on(['catalogue'], () => {
    const list = studio.catalogue!.methods.map(m => [m.name, m.name] as [string, string]);
    choice.choices(slot ? [['', 'none'], [OWN, 'file\'s own skin'], ...list] : list);
    shown = '';
    update();
  });
  studio.on(['slots', 'character'], update);
  return h('div', {}, choice.row, summary, progress, warnings, options);
}

function optionList(studio: Studio, link: Link, slot: number, infos: OptionInfo[]): Node[] {
  let timer = 0;
  const set = (name: string, value: string) => {
    const { method, settings } = studio.slots[slot], info = infos.find(o => o.name === name)!;
    const next = { ...settings, [name]: value };
    if (value === info.value) delete next[name];
    studio.slots[slot].settings = next;
    clearTimeout(timer);
    if (link.setLive(slot, name, value)) { // between two steps: seen at once
      studio.tell('slots');
      return;
    }
    timer = window.setTimeout(() => studio.setMethod(slot, method, next), WAIT_MS);
  };
  const rows = (list: OptionInfo[]) => list.map(info => optionRow(studio, slot, info, value => set(info.name, value)));
  const own = infos.filter(o => !o.common), common = infos.filter(o => o.common);
  const plain = button('As the library has it', () => { clearTimeout(timer); studio.setMethod(slot, studio.slots[slot].method); }, { class: 'quiet' });
  const changed = () => { plain.hidden = !Object.keys(studio.slots[slot].settings).length; };
  queueMicrotask(() => plain.closest('.options')?.addEventListener('values', changed));
  changed();
  return [
    own.length ? h('details', {}, h('summary', {}, `Options (${own.length})`), h('div', {}, ...rows(own))) : h('p', { class: 'hint' }, 'It has no options of its own.'),
    h('details', {}, h('summary', {}, 'Common to all methods'), h('div', {}, ...rows(common))),
    plain,
  ];
}

function optionRow(studio: Studio, slot: number, info: OptionInfo, act: (value: string) => void): HTMLElement {
  const switches = [['off', 'on'], ['false', 'true']].find(pair => pair.includes(info.value)), words = info.choices?.split('|') ?? switches;
  const control = words ? wordControl(info, words, act) : info.value === '' ? textControl(info, act) : numberControl(info, act);
  const row = h('div', { class: 'option' }, control.row, h('p', { class: 'hint', id: control.help }, info.help, info.live ? h('span', { class: 'live', title: 'changes without a new prepare' }, ' live') : ''));
  const update = () => {
    const value = studio.slots[slot].settings[info.name] ?? info.value;
    control.set(value);
    row.classList.toggle('changed', value !== info.value);
  };
  queueMicrotask(() => row.closest('.options')?.addEventListener('values', update));
  update();
  return row;
}

interface Control { row: HTMLElement; help: string; set(value: string): void }

function wordControl(info: OptionInfo, words: string[], act: (value: string) => void): Control {
  const key = id('option'), help = id('help');
  const box = h('select', { id: key, 'aria-describedby': help, change: () => act(box.value) }, ...words.map(word => h('option', { value: word }, word)));
  return { row: h('div', { class: 'row' }, h('label', { for: key }, info.name), box), help, set: value => { box.value = value; } };
}

function textControl(info: OptionInfo, act: (value: string) => void): Control {
  const key = id('option'), help = id('help'), box = h('input', { type: 'text', id: key, 'aria-describedby': help, change: () => act(box.value.trim()) });
  return { row: h('div', { class: 'row' }, h('label', { for: key }, info.name), box), help, set: value => { if (document.activeElement !== box) box.value = value; } };
}

/** A slider with the default in its middle where the range is far wider than it is useful, and the number beside it. */
function numberControl(info: OptionInfo, act: (value: string) => void): Control {
  const key = id('option'), help = id('help'), base = Number(info.value), ranged = info.most !== undefined && info.least !== undefined;
  const least = info.least ?? 0, most = info.most ?? Math.max(4 * Math.abs(base), 1), whole = /^\d+$/.test(info.value) && most > 4;
  const share = (base - least) / (most - least), power = share > 0 && share < 0.25 ? Math.log(share) / Math.log(0.5) : 1;
  const toValue = (t: number) => least + (most - least) * t ** power;
  const round = (v: number) => whole ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
  const slider = h('input', {
    type: 'range', min: 0, max: 1, step: 0.001, 'aria-label': `${info.name}, slider`, 'aria-describedby': help,
    input: () => { box.value = round(toValue(Number(slider.value))); act(box.value); },
  });
  const box = h('input', { type: 'number', id: key, step: 'any', 'aria-describedby': help, min: ranged ? least : undefined, max: ranged ? most : undefined,
    change: () => { if (box.checkValidity() && box.value !== '') act(box.value); } });
  const set = (value: string) => {
    if (document.activeElement !== box) box.value = value;
    if (document.activeElement !== slider) slider.value = String(Math.max(0, (Number(value) - least) / (most - least)) ** (1 / power));
  };
  return { row: h('div', { class: 'row number' }, h('label', { for: key }, info.name), slider, box), help, set };
}
