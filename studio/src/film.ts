// A film of the clip: frame by frame as the solver makes them, however long each takes, as an animated WebP.
import type { Studio } from './studio';
import type { Link } from './link';
import type { View } from './view';
import { saveAs } from './files';
import { button, h, select } from './ui';

const four = (text: string) => new TextEncoder().encode(text);

/** A chunk of a RIFF file: name, length, bytes, padded to even. */
function chunk(name: string, ...parts: Uint8Array[]): Uint8Array {
  const size = parts.reduce((s, p) => s + p.length, 0), out = new Uint8Array(8 + size + (size & 1));
  out.set(four(name));
  new DataView(out.buffer).setUint32(4, size, true);
  let at = 8;
  for (const part of parts) { out.set(part, at); at += part.length; }
  return out;
}

const u24 = (v: number) => [v & 255, v >> 8 & 255, v >> 16 & 255];

/** Pictures that are WebP files each become one that moves. */
export function animate(pictures: Uint8Array[], width: number, height: number, ms: number): Blob {
  const frames = pictures.map(file => {
    const parts: Uint8Array[] = [], view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    for (let at = 12; at + 8 <= file.length;) {
      const name = String.fromCharCode(...file.subarray(at, at + 4)), size = view.getUint32(at + 4, true), end = at + 8 + size + (size & 1);
      if (['VP8 ', 'VP8L', 'ALPH'].includes(name)) parts.push(file.subarray(at, end));
      at = end;
    }
    return chunk('ANMF', Uint8Array.from([0, 0, 0, 0, 0, 0, ...u24(width - 1), ...u24(height - 1), ...u24(ms), 2]), ...parts); // 2: in place of the frame before
  });
  const body = [four('WEBP'), chunk('VP8X', Uint8Array.from([0x12, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)])), chunk('ANIM', Uint8Array.from([0, 0, 0, 0, 0, 0])), ...frames];
  const size = body.reduce((s, p) => s + p.length, 0), head = new Uint8Array(8);
  head.set(four('RIFF'));
  new DataView(head.buffer).setUint32(4, size, true);
  return new Blob([head, ...body] as BlobPart[], { type: 'image/webp' });
}

export class Film {
  share = -1; // of what is being taken; -1: none is
  private stop = false;
  constructor(private studio: Studio, private link: Link, private view: View) {}

  cancel(): void { this.stop = true; }

  /** The clip from its beginning, a picture for each frame that the solver has made. */
  async take(fps: number, told: () => void): Promise<Blob | null> {
    const { studio, view } = this, count = Math.max(Math.round(studio.duration * fps), 1), pictures: Uint8Array[] = [], canvas = document.createElement('canvas'), pen = canvas.getContext('2d')!;
    this.stop = false;
    studio.play(false);
    const { width, height } = view.renderer.domElement.getBoundingClientRect(), fine = Math.min(devicePixelRatio, 2);
    canvas.width = Math.round(width * fine);
    canvas.height = Math.round(height * fine);
    for (let i = 0; i < count && !this.stop; i++) {
      studio.seek(i / fps, i === 0);
      await this.seen();
      view.dirty = true;
      view.draw();
      pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--back') || '#ddd';
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(view.renderer.domElement, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/webp', 0.85));
      if (blob?.type !== 'image/webp') { studio.complain('This browser writes no WebP pictures.'); return null; }
      pictures.push(new Uint8Array(await blob.arrayBuffer()));
      this.share = (i + 1) / count;
      told();
    }
    this.share = -1;
    told();
    return this.stop ? null : animate(pictures, canvas.width, canvas.height, Math.round(1000 / fps));
  }

  /** Until the skin of what was asked last is in the page. */
  private async seen(): Promise<void> {
    const wish = this.studio.wishes;
    while (!this.stop && !(this.link.shown >= wish)) await new Promise(resolve => setTimeout(resolve, 4));
  }
}

export function filmPart(studio: Studio, link: Link, view: View): HTMLElement {
  const film = new Film(studio, link, view), bar = h('progress', { max: 1, 'aria-label': 'Film' }), box = h('div', { class: 'progress', role: 'status', hidden: true }, bar, button('Stop', () => film.cancel()));
  let fps = 15;
  const rate = select('Film', [['10', '10 pictures a second'], ['15', '15 pictures a second'], ['30', '30 pictures a second']], value => { fps = Number(value); });
  rate.set('15');
  const take = button('Film', async () => {
    if (film.share >= 0) return;
    if (!(studio.duration > 0)) { studio.complain('Choose a clip to film.'); return; }
    const blob = await film.take(fps, () => { box.hidden = film.share < 0; bar.value = Math.max(film.share, 0); });
    if (blob) saveAs(blob, `${studio.character?.label.replace(/\.[a-z]+$/i, '') ?? 'pelt'}.webp`);
  });
  return h('div', {}, rate.row, h('div', { class: 'buttons wrap' }, button('Picture', async () => { const png = await view.picture(); if (png) saveAs(png, 'pelt.png'); }, { 'aria-label': 'Picture of what is seen' }), take), box);
}
