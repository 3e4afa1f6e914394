// The joint that is selected, the tree of joints, and what can be done to a pose.
import { Quaternion, type Vector3 } from 'three';
import type { Studio, Tool } from './studio';
import type { Hand } from './hand';
import { mirrorPose } from './mirror';
import { PER_NODE } from './skeleton';
import { button, check, h, id } from './ui';

const TOOLS: [Tool, string, string][] = [
  ['turn', 'Turn', 'Drag skin to turn its joint (T)'], ['reach', 'Reach', 'Drag a hand or foot, the limb follows (R)'], ['poke', 'Poke', 'Pull or push the skin itself (K)'], ['paint', 'Paint', 'Paint what Rig, Paint says (N)'],
];

export class Posing {
  private clipboard = '';
  constructor(private studio: Studio, private hand: Hand) {}

  private change(act: () => void): void {
    if (!this.studio.skeleton) return;
    this.studio.history.mark();
    act();
    this.studio.posed();
  }

  mirror(): void { this.change(() => mirrorPose(this.studio.skeleton!)); }
  resetAll(): void { this.change(() => this.studio.skeleton!.setEdits(new Map())); }
  resetJoint(): void { if (this.studio.selected >= 0) this.change(() => this.studio.skeleton!.reset(this.studio.selected)); }
  pin(): void { this.hand.togglePin(this.studio.selected); }

  /** By keyboard: the selected joint about an axis of the world. Presses that follow each other closely are one step of undo. */
  private turned = -Infinity;
  turn(axis: Vector3, degrees: number): void {
    const { skeleton, selected, history } = this.studio, now = performance.now();
    if (!skeleton || selected < 0) return;
    if (now - this.turned > 700) history.mark();
    this.turned = now;
    skeleton.setTurn(selected, new Quaternion().setFromAxisAngle(axis, degrees * Math.PI / 180).multiply(skeleton.turn(selected)));
    this.hand.keep(selected);
    this.studio.posed();
  }

  /** The whole pose by names, so that it fits other characters with the same skeleton. */
  text(): string {
    const { skeleton } = this.studio, pose: Record<string, number[]> = {};
    for (const node of skeleton?.bones ?? [])
      pose[skeleton!.names[node]] = Array.from(skeleton!.local.slice(node * PER_NODE, (node + 1) * PER_NODE), v => Number(v.toPrecision(7)));
    return JSON.stringify({ pelt: 'pose', pose });
  }

  setText(text: string): boolean {
    try {
      const { pelt, pose } = JSON.parse(text), skeleton = this.studio.skeleton!;
      if (pelt !== 'pose') return false;
      this.change(() => {
        skeleton.names.forEach((name, node) => {
          const t = pose[name];
          if (Array.isArray(t) && t.length === PER_NODE && t.every(Number.isFinite)) skeleton.edit(node).set(t);
        });
        skeleton.update();
      });
      return true;
    } catch {
      return false;
    }
  }

  copy(): void {
    this.clipboard = this.text();
    void navigator.clipboard?.writeText(this.clipboard).catch(() => undefined); // refused: the page's own copy serves
  }

  async paste(): Promise<void> {
    const text = await navigator.clipboard?.readText().catch(() => '') || this.clipboard;
    if (!this.setText(text) && !this.setText(this.clipboard))
      this.studio.complain('There is no pose to paste: copy one first.');
  }

  /** Poses put by, to be taken up again. */
  private poses(): HTMLElement {
    const { studio } = this, list = h('ul', { class: 'things' }), key = id('pose'), name = h('input', { type: 'search', id: key, placeholder: 'name of the pose' });
    const keep = () => {
      studio.poses.push({ name: name.value || `pose ${studio.poses.length + 1}`, text: this.text() });
      name.value = '';
      studio.tell('poses');
    };
    const update = () => list.replaceChildren(...studio.poses.map(pose => h('li', {}, button(pose.name, () => this.setText(pose.text)),
      button(`Remove ${pose.name}`, () => { studio.poses = studio.poses.filter(p => p !== pose); studio.tell('poses'); }, { icon: 'close' }))));
    studio.on(['poses'], update);
    update();
    return h('div', {}, h('div', { class: 'row' }, h('label', { for: key }, 'Pose'), name, button('Keep', keep, { title: 'Puts this pose by' })), list);
  }

  panel(): Node[] {
    const { studio } = this, key = id('search');
    const search = h('input', { type: 'search', id: key, placeholder: 'name of a joint', input: () => fill() });
    const list = h('ul', { class: 'joints', 'aria-label': 'Joints', tabindex: 0 });
    const fill = () => {
      const { skeleton, selected, pins } = studio, wanted = search.value.toLowerCase();
      if (!skeleton) return;
      const depth = (node: number): number => { const up = skeleton.boneAbove(node); return up < 0 ? 0 : depth(up) + 1; };
      const shown = skeleton.order.filter(node => skeleton.bones.includes(node) && skeleton.names[node].toLowerCase().includes(wanted));
      list.replaceChildren(...shown.map(node => h('li', {}, h('button', {
        type: 'button', class: `joint depth-${Math.min(wanted ? 0 : depth(node), 12)}`, 'aria-pressed': String(node === selected), click: () => studio.select(node),
      }, skeleton.names[node], skeleton.isEdited(node) ? ' •' : '', pins.has(node) ? ' (pinned)' : ''))));
      if (!shown.length) list.append(h('li', { class: 'hint' }, 'none of that name'));
      const at = list.querySelector('[aria-pressed=true]') as HTMLElement | null;
      if (at && (at.offsetTop < list.scrollTop || at.offsetTop > list.scrollTop + list.clientHeight - 24)) list.scrollTop = at.offsetTop - 60;
    };
    const limits = check('Reaching keeps to what the clips do', on => { studio.limits = on; });
    limits.set(studio.limits);
    const tools = h('div', { class: 'segments', role: 'group', 'aria-label': 'What dragging does' });
    const update = () => {
      tools.replaceChildren(...TOOLS.map(([tool, name, title]) => h('button', {
        type: 'button', 'aria-pressed': String(studio.tool === tool), title, click: () => { studio.tool = tool; studio.tell('tool'); },
      }, name)));
    };
    studio.on(['tool'], update);
    let timer = 0;
    studio.on(['character', 'select', 'pose'], () => { clearTimeout(timer); timer = window.setTimeout(fill, 60); });
    update();
    return [
      h('p', { class: 'hint' }, 'Drag the skin to turn a joint, or pull a hand with Reach. Rings turn about one axis; shift with arrows and [ ] do so by keyboard.'), tools,
      h('div', { class: 'buttons wrap' }, button('Pin', () => this.pin(), { keys: 'P' }), button('Reset joint', () => this.resetJoint(), { keys: 'X' }),
        button('Reset all', () => this.resetAll(), { keys: 'shift X' }), button('Mirror', () => this.mirror(), { keys: 'M' }),
        button('Copy', () => this.copy(), { keys: 'ctrl C' }), button('Paste', () => void this.paste(), { keys: 'ctrl V' })),
      limits.row, h('div', { class: 'row' }, h('label', { for: key }, 'Find'), search), list, this.poses(),
    ];
  }
}
