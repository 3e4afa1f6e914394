// What runs first: asks for the character, draws it plainly while it stands as it was bound, and only when that is seen starts the browser's 3D and the
// page itself.
import type { Message } from 'messages';
import { decode, encode } from './wire';
import { frameOf, lookMatrix } from './framing';
import { Sketch } from './sketch';

/** What the page goes on with. */
export interface Boot { tab: number; canvas: HTMLCanvasElement; gl: WebGL2RenderingContext | null; software: boolean; sketch: Sketch; said: Promise<Message[]> }

const LONGEST_WAIT_MS = 1000;
const canvas = document.querySelector('canvas')!, holder = canvas.parentElement!, tab = crypto.getRandomValues(new Uint32Array(1))[0];
const hello = encode([{ is: 'Hello', tab, take: 1 }, { is: 'Ask', what: 1, node: -1 }, { is: 'Ask', what: 0, node: -1 }]);
const said = fetch('/talk', { method: 'POST', body: hello }).then(async answer => answer.ok ? decode(await answer.arrayBuffer()) : []).catch(() => [] as Message[]);
const boot: Boot = { tab, canvas, gl: null, software: false, sketch: new Sketch(holder), said };
Object.assign(window, { peltBoot: boot });

function firstPicture(messages: Message[]): void {
  const character = messages.find(m => m.is === 'Character');
  if (character?.is !== 'Character') return;
  const aspect = Math.max(holder.clientWidth, 1) / Math.max(holder.clientHeight, 1);
  boot.sketch.draw(character, character.rest, lookMatrix(frameOf(character.rest, Boolean(character.faces_back), aspect), aspect));
}

/** Whether there is no graphics card. Told by name: browsers that were made to draw by software do not own up to it when asked. */
function bySoftware(): boolean {
  const probe = document.createElement('canvas').getContext('webgl2', { antialias: false }), told = probe?.getExtension('WEBGL_debug_renderer_info');
  const name = probe?.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : probe.RENDERER);
  probe?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
}

/** When something is on the screen; or after a while, where a browser does not tell (a page in the background is not painted). */
const painted = () => new Promise<void>(resolve => {
  setTimeout(resolve, LONGEST_WAIT_MS);
  new PerformanceObserver(list => { if (list.getEntriesByName('first-contentful-paint').length) resolve(); }).observe({ type: 'paint', buffered: true });
});

void said.then(async messages => {
  firstPicture(messages);
  await painted(); // what follows keeps the browser from painting: its 3D starts, and the page's own script is read
  boot.software = bySoftware();
  boot.gl = canvas.getContext('webgl2', { antialias: !boot.software, alpha: true }); // by software the picture's size makes edges smooth, where a character allows it
  const page: string = '/studio.js';
  await import(page);
});
