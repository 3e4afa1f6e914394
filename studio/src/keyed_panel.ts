// Keys in time: the pose that is seen becomes one of them; the clip they make is put into the character.
import type { Studio } from './studio';
import type { Link } from './link';
import { MADE, withClip } from './keyed';
import { saveAs, upload } from './files';
import { button, h, id } from './ui';
import { lines } from './wire';

/** The pose that is seen becomes a key at the time of the scrubber; of another clip's, the first one. */
export function keyPose(studio: Studio): void {
  const { skeleton, keyed } = studio;
  if (!skeleton) return;
  keyed.set(studio.clip === MADE ? studio.time : 0, skeleton);
  skeleton.setEdits(new Map()); // from now on the key tells it
  if (studio.clip !== MADE) studio.setClip(MADE);
  studio.posed();
  studio.tell('poses', 'clock');
}

export function keyedPanel(studio: Studio, link: Link): Node[] {
  const { keyed } = studio, list = h('ul', { class: 'things' });
  const nameKey = id('clip'), name = h('input', { type: 'search', id: nameKey, change: () => { keyed.name = name.value || 'mine'; studio.tell('poses'); } });
  const longKey = id('long'), long = h('input', { type: 'number', id: longKey, min: 0.1, max: 600, step: 'any', change: () => { keyed.seconds = Math.max(Number(long.value) || 2, keyed.keys.at(-1)?.time ?? 0); studio.tell('poses', 'clock'); } });
  const put = async (act: (bytes: ArrayBuffer) => Promise<void>) => {
    const answer = await fetch('/character');
    try {
      if (answer.status !== 200) throw new Error('The character has no file that a clip can be put into.');
      if (keyed.keys.length < 2) throw new Error('Key at least two poses, at two times.');
      await act(withClip(await answer.arrayBuffer(), keyed, studio.skeleton!));
    } catch (fault) {
      studio.complain(fault instanceof Error ? fault.message : String(fault));
    }
  };
  const enter = () => put(async bytes => {
    const { slots, rig, poses, character } = studio, kept = { rig: rig.text(), slots: slots.map(s => ({ method: s.method, settings: s.settings })), name: keyed.name, label: character!.label };
    if (!await upload(studio, link, bytes, kept.label)) return;
    studio.poses = poses;
    kept.slots.forEach((slot, i) => studio.setMethod(i, slot.method, slot.settings));
    if (kept.rig) rig.load(kept.rig);
    studio.setClip(lines(studio.character!.clip_names).indexOf(kept.name));
    studio.tell('poses');
  });
  const update = () => {
    list.replaceChildren(...keyed.keys.map(k => h('li', {}, button(`${k.time.toFixed(2)} s`, () => { if (studio.clip !== MADE) studio.setClip(MADE); studio.seek(k.time, true); }, { 'aria-label': `Go to the key at ${k.time.toFixed(2)} s` }),
      button(`Remove the key at ${k.time.toFixed(2)} s`, () => { keyed.keys = keyed.keys.filter(o => o !== k); if (!keyed.keys.length && studio.clip === MADE) studio.setClip(-1); studio.wishes++; studio.tell('poses'); }, { icon: 'close' }))));
    name.value = keyed.name;
    long.value = String(Number(keyed.seconds.toFixed(3)));
  };
  studio.on(['poses', 'character'], update);
  update();
  return [
    h('p', { class: 'hint' }, 'Pose, then Key: the pose is kept at the time the scrubber shows, and the page plays from key to key.'),
    h('div', { class: 'row' }, h('label', { for: nameKey }, 'Clip'), name), h('div', { class: 'row number' }, h('label', { for: longKey }, 'Seconds'), long),
    h('div', { class: 'buttons wrap' }, button('Key', () => keyPose(studio), { keys: 'A' }), button('Put into the character', () => void enter(), { title: 'A clip like any other: baked, measured, saved' }),
      button('Save .glb', () => void put(async bytes => saveAs(new Blob([bytes]), `${studio.character!.label.replace(/\.[a-z]+$/i, '')}-${keyed.name}.glb`)))),
    list,
  ];
}
