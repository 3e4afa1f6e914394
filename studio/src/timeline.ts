// Clip, clock and scrubber, along the whole width.
import type { Studio } from './studio';
import { button, h, icon, select } from './ui';
import { lines } from './wire';
import { MADE } from './keyed';

export function timeline(studio: Studio): HTMLElement {
  const clips = select('Clip', [], value => studio.setClip(Number(value)), true);
  const speeds = select('Speed', ['0.1', '0.25', '0.5', '1', '2'].map(v => [v, `${v}×`] as [string, string]), value => { studio.speed = Number(value); }, true);
  const play = button('Play', () => studio.play(!studio.playing), { icon: 'play', keys: 'space' });
  const loop = button('Loop', () => { studio.loop = !studio.loop; studio.tell('clock'); }, { icon: 'loop', keys: 'L' });
  const scrub = h('input', {
    type: 'range', min: 0, max: 1, step: 'any', class: 'scrub', 'aria-label': 'Time in the clip',
    input: () => studio.seek(Number(scrub.value)),
  });
  const clock = h('output', { class: 'clock', 'aria-label': 'Frame' });
  const step = (frames: number) => { studio.play(false); studio.seek((studio.frame + frames) / studio.fps); };
  const update = () => {
    const { duration } = studio;
    scrub.max = String(duration || 1);
    scrub.value = String(studio.time);
    scrub.disabled = duration <= 0;
    scrub.setAttribute('aria-valuetext', `frame ${studio.frame} of ${studio.lastFrame}`);
    clock.textContent = duration > 0 ? `${studio.frame} / ${studio.lastFrame}` : 'no clip';
    play.setAttribute('aria-label', studio.playing ? 'Pause' : 'Play');
    play.replaceChildren(icon(studio.playing ? 'pause' : 'play'));
    loop.setAttribute('aria-pressed', String(studio.loop));
    clips.set(String(studio.clip));
    speeds.set(String(studio.speed));
  };
  studio.on(['clock'], update);
  studio.on(['character', 'poses'], () => {
    const names = lines(studio.character?.clip_names ?? '');
    clips.choices([...names.map((name, i) => [String(i), i === names.length - 1 ? `${name} (of motion, made)` : name] as [string, string]), ['-1', 'no clip: as the file stands'], ...studio.keyed.keys.length ? [[String(MADE), `${studio.keyed.name} (being keyed)`] as [string, string]] : []]);
    update();
  });
  update();
  return h('footer', { 'aria-label': 'Time' }, scrub, h('div', { class: 'transport' },
    clips.row,
    h('div', { class: 'buttons' },
      button('First frame', () => studio.seek(0, true), { icon: 'first', keys: 'home' }), button('Frame back', () => step(-1), { icon: 'back', keys: '←' }),
      play,
      button('Frame ahead', () => step(1), { icon: 'ahead', keys: '→' }), button('Last frame', () => studio.seek(studio.duration, true), { icon: 'last', keys: 'end' }),
      loop),
    speeds.row, clock));
}
