// Everything by keyboard. Keys belong to the page unless a field that takes them has the focus.
import { Vector3 } from 'three';
import type { Studio, Tool } from './studio';
import type { View } from './view';
import type { Posing } from './posing';
import { keyPose } from './keyed_panel';

export function keys(studio: Studio, view: View, posing: Posing, save: () => Promise<void>): void {
  const step = (frames: number) => { studio.play(false); studio.seek((studio.frame + frames) / studio.fps); };
  const flip = (key: 'wire' | 'bones' | 'names' | 'inside' | 'ground') => studio.setLook({ [key]: !studio.look[key] });
  const tool = (name: Tool) => { studio.tool = name; studio.tell('tool'); };
  const plain: Record<string, () => void> = {
    ' ': () => studio.play(!studio.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => studio.seek(0, true),
    End: () => studio.seek(studio.duration, true), l: () => { studio.loop = !studio.loop; studio.tell('clock'); },
    t: () => tool('turn'), r: () => tool('reach'), k: () => tool('poke'), n: () => tool('paint'), a: () => keyPose(studio), p: () => posing.pin(), x: () => posing.resetJoint(), X: () => posing.resetAll(), m: () => posing.mirror(),
    w: () => flip('wire'), b: () => flip('bones'), j: () => flip('names'), i: () => flip('inside'), g: () => flip('ground'), f: () => view.frameAll(),
    1: () => view.side('front'), 2: () => view.side('back'), 3: () => view.side('left'), 4: () => view.side('right'), 5: () => view.side('top'),
    Escape: () => { studio.select(-1); studio.complain(''); },
  };
  const TURN = 5; // degrees a press, about an axis of the picture: its right, its upright, the one into it
  const turn = (axis: number, way: number) => () => posing.turn(new Vector3().setFromMatrixColumn(view.camera.matrixWorld, axis), way * TURN);
  const turns: Record<string, () => void> = { ArrowUp: turn(0, -1), ArrowDown: turn(0, 1), ArrowLeft: turn(1, -1), ArrowRight: turn(1, 1) };
  Object.assign(plain, { '[': turn(2, 1), ']': turn(2, -1) });
  const control: Record<string, () => void> = {
    z: () => studio.history.undo(), Z: () => studio.history.redo(), y: () => studio.history.redo(), c: () => posing.copy(), v: () => void posing.paste(), s: () => void save(),
  };
  let byMouse = false; // what the mouse pressed gives the keys back: one finger on the space bar plays
  addEventListener('pointerdown', () => { byMouse = true; }, true);
  addEventListener('keydown', () => { byMouse = false; }, true);
  for (const kind of ['click', 'change']) addEventListener(kind, event => {
    const at = event.target as HTMLElement, pressed = kind === 'click' ? at.closest<HTMLElement>('button, summary, input[type=checkbox]') : at.closest<HTMLElement>('select');
    if (byMouse) pressed?.blur();
  });
  addEventListener('keydown', event => {
    const at = event.target as HTMLElement;
    if (at.matches('input:not([type=range]):not([type=checkbox]), select, textarea') || studio.link !== 'on') return;
    if (event.key === ' ' && at.matches('button, summary, input[type=checkbox]')) return; // it presses what has the focus
    if (event.key.startsWith('Arrow') && at.matches('input[type=range]:not(.scrub)')) return;
    const act = (event.ctrlKey || event.metaKey ? control : event.altKey ? {} : event.shiftKey && event.key in turns ? turns : plain)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
