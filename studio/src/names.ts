// Names of joints over the picture, each where its joint is; one that would cover another waits until there is room.
import type { Studio } from './studio';
import type { View } from './view';
import { h } from './ui';

const HIGH = 15, WIDE = 6.2; // pixels: of a line, of a letter

export function nameTags(studio: Studio, view: View): HTMLElement {
  const box = h('div', { class: 'names', 'aria-hidden': 'true', hidden: true }), tags = new Map<number, HTMLElement>();
  studio.on(['character'], () => { tags.clear(); box.replaceChildren(); });
  view.after = () => {
    const { skeleton, look, selected } = studio, shown = look.names && skeleton;
    box.hidden = !shown;
    if (!shown) return;
    const placed: { x: number; y: number; wide: number }[] = [], order = [selected, ...skeleton.bones].filter((node, i, all) => node >= 0 && all.indexOf(node) === i);
    for (const node of order) {
      const { x, y } = view.onScreen(skeleton.head(node)), name = skeleton.names[node], wide = name.length * WIDE + 8;
      const free = placed.every(p => Math.abs(p.y - y) > HIGH || x > p.x + p.wide || p.x > x + wide);
      let tag = tags.get(node);
      if (!tag && free) { tag = h('span', {}, name); tags.set(node, tag); box.append(tag); }
      if (!tag) continue;
      tag.hidden = !free;
      tag.classList.toggle('selected', node === selected);
      if (!free) continue;
      placed.push({ x, y, wide });
      tag.style.transform = `translate(${(x + 7).toFixed(1)}px, ${(y - HIGH / 2).toFixed(1)}px)`;
    }
  };
  return box;
}
