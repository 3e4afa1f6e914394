// Everything by keyboard. Keys belong to the page unless a field that takes them has the focus.
import type { Studio, Tool } from './studio';
import type { View } from './view';
import type { Posing } from './posing';
import { keyPose } from './keyed_panel';

export function keys(studio: Studio, view: View, posing: Posing, save: () => Promise<void>): void {
  const step = (frames: number) => { studio.play(false); studio.seek((studio.frame + frames) / studio.fps); };
  const flip = (key: 'wire' | 'bones' | 'inside' | 'ground') => studio.setLook({ [key]: !studio.look[key] });
  const tool = (name: Tool) => { studio.tool = name; studio.tell('tool'); };
  const plain: Record<string, () => void> = {
    ' ': () => studio.play(!studio.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => studio.seek(0, true),
    End: () => studio.seek(studio.duration, true), l: () => { studio.loop = !studio.loop; studio.tell('clock'); },
    t: () => tool('turn'), r: () => tool('reach'), k: () => tool('poke'), n: () => tool('paint'), a: () => keyPose(studio), p: () => posing.pin(), x: () => posing.resetJoint(), X: () => posing.resetAll(), m: () => posing.mirror(),
    w: () => flip('wire'), b: () => flip('bones'), i: () => flip('inside'), g: () => flip('ground'), f: () => view.frameAll(),
    1: () => view.side('front'), 2: () => view.side('back'), 3: () => view.side('left'), 4: () => view.side('right'), 5: () => view.side('top'),
    Escape: () => { studio.select(-1); studio.complain(''); },
  };
  const control: Record<string, () => void> = {
    z: () => studio.history.undo(), Z: () => studio.history.redo(), y: () => studio.history.redo(), c: () => posing.copy(), v: () => void posing.paste(), s: () => void save(),
  };
  addEventListener('keydown', event => {
    const at = event.target as HTMLElement;
    if (at.matches('input:not([type=range]):not([type=checkbox]), select, textarea') || studio.link !== 'on') return;
    if (event.key === ' ' && at.matches('button, summary, input[type=checkbox]')) return; // it presses what has the focus
    if (event.key.startsWith('Arrow') && at.matches('input[type=range]:not(.scrub)')) return;
    const act = (event.ctrlKey || event.metaKey ? control : event.altKey ? {} : plain)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
