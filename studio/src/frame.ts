// Around the picture: the bar above, the numbers in its corner, and what is said when something is wrong.
import type { Studio } from './studio';
import type { Link } from './link';
import type { View } from './view';
import { openFiles, saveAs } from './files';
import { openRig } from './rig_panel';
import { button, h, select } from './ui';

export function header(studio: Studio, link: Link, view: View, openProject: (file: File) => Promise<void>, save: () => Promise<void>): HTMLElement {
  const label = h('span', { class: 'label' });
  const picker = h('input', { type: 'file', multiple: true, accept: '.glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.webp,.pelt.json,.json', class: 'unseen', tabindex: -1, 'aria-label': 'Files of a character',
    change: () => { void takeFiles(studio, link, [...picker.files!], openProject); picker.value = ''; } });
  const builtin = select('Built-in character', [['', 'Built-in…']], name => {
    if (name) void link.say({ is: 'Builtin', name, vertices: 0 });
    builtin.set('');
  }, true);
  const undo = button('Undo', () => studio.history.undo(), { icon: 'undo', keys: 'ctrl Z' }), redo = button('Redo', () => studio.history.redo(), { icon: 'redo', keys: 'ctrl shift Z' });
  const panel = button('Panel', () => document.body.classList.toggle('folded'), { icon: 'panel', keys: 'tab of panels' });
  studio.on(['history'], () => { undo.disabled = !studio.history.canUndo; redo.disabled = !studio.history.canRedo; });
  studio.on(['catalogue'], () => builtin.choices([['', 'Built-in…'], ...studio.catalogue!.characters.map(c => [c, c] as [string, string])]));
  studio.on(['character'], () => {
    const { character } = studio;
    label.textContent = character?.label ?? '';
    label.title = character ? `${character.welds.length} points, ${character.triangles.length / 3} triangles, ${character.bone_nodes.length} bones` : '';
    document.title = character ? `${character.label} · pelt studio` : 'pelt studio';
  });
  undo.disabled = redo.disabled = true;
  return h('header', {}, h('h1', {}, 'pelt ', h('b', {}, 'studio')), label,
    h('div', { class: 'buttons' }, picker, button('Open…', () => picker.click(), { keys: 'or drop files' }), builtin.row, undo, redo,
      button('Picture', async () => { const png = await view.picture(); if (png) saveAs(png, 'pelt.png'); }, { icon: 'camera' }),
      button('Save', () => void save(), { keys: 'ctrl S' }), panel, button('Quit', () => void link.quit())));
}

export async function takeFiles(studio: Studio, link: Link, files: File[], openProject: (file: File) => Promise<void>): Promise<void> {
  const project = files.find(f => /\.pelt\.json$/i.test(f.name));
  const rig = files.length === 1 && /\.json$/i.test(files[0].name) ? files[0] : null;
  if (project) await openProject(project);
  else if (rig) await openRig(studio, rig);
  else await openFiles(studio, link, files);
}

/** Step time, pictures a second, and how far the skin is behind the hand. */
export function numbers(studio: Studio, link: Link): HTMLElement {
  const box = h('div', { class: 'numbers' }), behind = h('span', { class: 'behind', hidden: true }), text = h('span', {});
  box.append(text, behind);
  let last = 0, rate = 0;
  setInterval(() => {
    rate = link.rate = link.fetched - last;
    last = link.fetched;
  }, 1000);
  setInterval(() => {
    const parts = studio.slots.map((slot, i) => slot.method && studio.frames[i] ? `${slot.status?.state === 1 ? '…' : ''}${slot.method} ${studio.frames[i]!.step_ms.toFixed(1)} ms` : '').filter(Boolean);
    const line = [...parts, rate > 1 ? `${rate} a second` : ''].filter(Boolean).join(' · ');
    if (text.textContent !== line) text.textContent = line;
    behind.hidden = studio.behind_ms < 150;
    behind.textContent = `skin ${(studio.behind_ms / 1000).toFixed(1)} s behind`;
  }, 100);
  return box;
}

/** One line of trouble that can be put away; a veil when the command is gone. */
export function troubles(studio: Studio, link: Link): Node[] {
  const text = h('span', {}), line = h('div', { class: 'trouble', role: 'alert', hidden: true }, text, button('Put away', () => studio.complain(''), { icon: 'close' }));
  studio.on(['trouble'], () => { text.textContent = studio.trouble; line.hidden = !studio.trouble; });
  const veil = h('div', { class: 'veil', role: 'status', hidden: true });
  studio.on(['link'], () => {
    veil.hidden = studio.link === 'on';
    const words: Record<string, Node[]> = {
      on: [],
      lost: [h('h2', {}, 'The command does not answer'), h('p', {}, 'It may have been ended. Start `pelt studio` again and open the address it prints. This page goes on by itself when the command answers.')],
      elsewhere: [h('h2', {}, 'The studio is open in another tab'), h('p', {}, 'Only one tab at a time poses the character.'), button('Use it here', () => link.takeOver())],
      ended: [h('h2', {}, 'Ended'), h('p', {}, 'The command has stopped. This tab can be closed.')],
    };
    veil.replaceChildren(h('div', {}, ...words[studio.link]));
  });
  return [line, veil];
}
