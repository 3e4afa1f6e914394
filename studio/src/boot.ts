// What runs first: asks for the character, draws it plainly while it stands as it was bound, and only then starts the page itself,
// whose script the browser has fetched meanwhile.
import type { Message } from 'messages';
import { decode, encode } from './wire';
import { frameOf, lookMatrix } from './framing';
import { Sketch } from './sketch';

/** What the page goes on with. */
export interface Boot { tab: number; canvas: HTMLCanvasElement; gl: WebGL2RenderingContext | null; sketch: Sketch | null; said: Promise<Message[]> }

const canvas = document.querySelector('canvas')!, tab = crypto.getRandomValues(new Uint32Array(1))[0];
const hello = encode([{ is: 'Hello', tab, take: 1 }, { is: 'Ask', what: 1, node: -1 }, { is: 'Ask', what: 0, node: -1 }]);
const said = fetch('/talk', { method: 'POST', body: hello }).then(async answer => answer.ok ? decode(await answer.arrayBuffer()) : []).catch(() => [] as Message[]);
const gl = canvas.getContext('webgl2', { antialias: true, alpha: true }), sketch = gl && new Sketch(gl); // the context starts while the command answers
const boot: Boot = { tab, canvas, gl, sketch, said };
Object.assign(window, { peltBoot: boot });

function firstPicture(messages: Message[]): void {
  const character = messages.find(m => m.is === 'Character');
  if (character?.is !== 'Character' || !sketch) return;
  const { clientWidth: width, clientHeight: height } = canvas.parentElement!, ratio = Math.min(devicePixelRatio, 2), aspect = Math.max(width, 1) / Math.max(height, 1);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  sketch.draw(character.rest, character.triangles, lookMatrix(frameOf(character.rest, Boolean(character.faces_back), aspect), aspect));
  performance.mark('pelt-first-picture');
}

void said.then(messages => {
  firstPicture(messages);
  // after the picture is on the screen: the page's own script would keep it waiting
  const page: string = '/studio.js';
  requestAnimationFrame(() => setTimeout(() => void import(page)));
});
