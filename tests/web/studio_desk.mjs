// What the tests of the studio stand on: one command and one browser each, and ways to look at the page.
import { createRequire } from 'node:module';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import http from 'node:http';
import assert from 'node:assert/strict';

const require = createRequire(process.env.PELT_WEB_MODULES + '/');
const { chromium } = require('playwright-core');

let browser = null; // one for all parts: starting it takes as long as a part
const shared = () => browser ??= chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--host-resolver-rules=MAP rebound.example 127.0.0.1'],
});
export const shut = async () => { await (await browser)?.close(); browser = null; };

export class Desk {
  errors = [];
  elsewhere = [];
  longTask = Number(process.env.PELT_LONG_TASK_MS ?? 50);
  size = 2; // of the built-in character, about
  constructor(pelt) {
    this.pelt = resolve(pelt);
    this.folder = mkdtempSync(join(tmpdir(), 'pelt-web-'));
  }

  async open({ args = [], ...window } = {}) {
    await this.spawn(args);
    const page = await this.browse(window);
    await page.goto(this.address);
    await page.waitForFunction(() => window.peltStudio?.studio.frames[0] && peltStudio.view.ready, null, { timeout: 60000 });
    return page;
  }

  /** The command, until it has printed its address. */
  async spawn(args) {
    this.command = spawn(this.pelt, ['studio', '--no-open', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.address = await new Promise((resolve, reject) => {
      let text = '';
      this.command.stdout.on('data', data => { text += data; const found = text.match(/http\S+/); if (found) resolve(found[0]); });
      this.command.on('exit', code => {
        if (code === 5) { console.error('skipped: this pelt was built without its studio'); process.exit(77); }
        reject(new Error(`pelt studio ended with ${code}`));
      });
    });
  }

  /** A tab with nothing in it yet, of a profile of its own. */
  async browse({ colorScheme = 'light', width = 820, height = 460 } = {}) {
    const context = this.context = await (await shared()).newContext({ viewport: { width, height }, colorScheme, permissions: ['clipboard-read', 'clipboard-write'] });
    const page = this.page = await context.newPage();
    page.setDefaultTimeout(60000); // a busy machine is slow, not wrong
    page.on('console', message => message.type() === 'error' && this.errors.push(message.text()));
    page.on('pageerror', error => this.errors.push(String(error)));
    page.on('request', request => { const url = new URL(request.url()); if (!/^(blob|data):/.test(url.protocol) && this.address && url.host !== new URL(this.address).host) this.elsewhere.push(request.url()); });
    return page;
  }

  /** Processor time of all that this process started, ms: the command and the browser. */
  cpu() {
    const all = new Map();
    for (const name of readdirSync('/proc').filter(n => /^\d+$/.test(n)))
      try { const text = readFileSync(`/proc/${name}/stat`, 'utf8'), words = text.slice(text.lastIndexOf(')') + 2).split(' '); all.set(Number(name), { above: Number(words[1]), ms: 10 * (Number(words[11]) + Number(words[12])) }); } catch { /* it has ended */ }
    const ours = pid => { for (let at = all.get(pid)?.above; at; at = all.get(at)?.above) if (at === process.pid) return true; return false; };
    return [...all].reduce((sum, [pid, { ms }]) => sum + (ours(pid) ? ms : 0), 0);
  }

  /** Nothing is being prepared and the newest wish is on the screen. */
  async settled() {
    await this.page.waitForFunction(() => {
      const { studio, link } = peltStudio;
      return studio.slots.every(s => !s.method || (s.status?.method === s.method && s.status.state === 2)) && link.asked === studio.wishes && !link.inFlight
        && studio.slots.every((s, i) => !s.method || studio.frames[i]?.serial === s.status.serial) && !studio.rig.waiting;
    }, null, { timeout: 60000 });
    return this.probe();
  }

  /** What the page has: a few positions, how many pixels are not background. */
  async probe() {
    return this.page.evaluate(() => {
      const { studio, view } = peltStudio, p = view.skins[0].positions, sample = [];
      for (let i = 0; i < 200; i++) sample.push(...p.slice(Math.floor(i * p.length / 600) * 3, Math.floor(i * p.length / 600) * 3 + 3));
      const canvas = view.renderer.domElement, copy = document.createElement('canvas');
      copy.width = canvas.width / 2; copy.height = canvas.height / 2;
      const pen = copy.getContext('2d'), { bones, ground } = studio.look;
      studio.setLook({ bones: false, ground: false }); // the skin alone
      view.dirty = true;
      view.draw();
      pen.drawImage(canvas, 0, 0, copy.width, copy.height);
      studio.setLook({ bones, ground });
      const data = pen.getImageData(0, 0, copy.width, copy.height).data;
      let drawn = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 128) drawn++;
      return { label: studio.character.label, points: p.length / 3, sample, drawn, size: view.size, trouble: studio.trouble };
    });
  }

  apart(a, b) { return a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0); }

  /** Where a joint is in the world. */
  head(name) {
    return this.page.evaluate(name => { const { skeleton } = peltStudio.studio; return skeleton.head(skeleton.names.indexOf(name)).toArray(); }, name);
  }

  async gap(a, b) {
    const [p, q] = [await this.head(a), await this.head(b)];
    return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }

  /** Where a joint, or a place on the way to another, is in the window. */
  onScreen(name, towards = name, share = 0) {
    return this.page.evaluate(({ name, towards, share }) => {
      const { studio, view } = peltStudio, { skeleton } = studio, box = view.renderer.domElement.getBoundingClientRect();
      const at = skeleton.head(skeleton.names.indexOf(name)).lerp(skeleton.head(skeleton.names.indexOf(towards)), share), p = view.onScreen(at);
      return [p.x + box.left, p.y + box.top];
    }, { name, towards, share });
  }

  async drag(from, to) {
    const { mouse } = this.page;
    await mouse.move(...from);
    await mouse.down();
    for (let i = 1; i <= 6; i++) await mouse.move(from[0] + (to[0] - from[0]) * i / 6, from[1] + (to[1] - from[1]) * i / 6);
    await mouse.up();
  }

  /** The picture, small: a number for each of 32 x 24 cells; with its shadow of now, which a page that draws slowly brings later. */
  pixels() {
    return this.page.evaluate(() => {
      const { view } = peltStudio, copy = document.createElement('canvas');
      copy.width = 32; copy.height = 24;
      view.last.drawn = 0;
      view.dirty = true;
      view.draw();
      const pen = copy.getContext('2d');
      pen.drawImage(view.renderer.domElement, 0, 0, 32, 24);
      return Array.from(pen.getImageData(0, 0, 32, 24).data);
    });
  }

  /** The character on show, as a file. */
  async keep(name) {
    const file = join(this.folder, name);
    const bytes = await this.page.evaluate(async () => Array.from(new Uint8Array(await (await fetch('/character')).arrayBuffer())));
    writeFileSync(file, Uint8Array.from(bytes));
    return file;
  }

  /** Runs pelt; the file it wrote, which is its last argument. */
  make(...words) {
    const file = join(this.folder, words.at(-1));
    execFileSync(this.pelt, [...words.slice(0, -1), file, '-q']);
    return readFileSync(file);
  }

  /** A character is on show under this name, and its skin is there. */
  async shown(label) {
    await this.page.waitForFunction(label => peltStudio.studio.character?.label === label && peltStudio.studio.frames[0], label, { timeout: 60000 });
  }

  /** What a command line of the page writes: the last of its files, where that is one. */
  async run(line) {
    const words = line.split(' ');
    await this.keep(words[2]);
    execFileSync(this.pelt, [...words.slice(1), '-q'], { cwd: this.folder });
    return /\.obj$/.test(words.at(-1)) ? null : readFileSync(join(this.folder, words.at(-1)));
  }

  /** Positions of one frame by `pelt bake` of the character on show. */
  async bake(method, frame, extra = []) {
    const file = await this.keep('shown.glb'), cache = join(this.folder, 'shown.pc2');
    execFileSync(this.pelt, ['bake', file, '-m', method, '--frames', `${frame}:${frame}`, '-q', '-o', cache, ...extra]);
    const whole = readFileSync(cache), points = whole.readInt32LE(16);
    return new Float32Array(whole.buffer.slice(whole.byteOffset + 32, whole.byteOffset + 32 + points * 12));
  }

  characters() {
    const folder = join(process.env.PELT_SHARED ?? '', 'data');
    try {
      return readdirSync(folder).filter(f => /\.(glb|vrm|gltf)$/.test(f)).sort().map(name => ({ name, bytes: readFileSync(join(folder, name)) }));
    } catch {
      return [];
    }
  }

  dropFile(file) { return this.dropFiles([file]); }

  /** Several files at once, each a name and its bytes. */
  async dropFiles(files) {
    await this.page.evaluate(files => {
      const transfer = new DataTransfer();
      for (const { name, data } of files) transfer.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, files.map(({ name, bytes }) => ({ name, data: bytes.toString('base64') })));
  }

  /** A request of one's own making; the status. */
  raw(port, path, headers, method, body) {
    return new Promise((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false, setHost: false }, answer => { answer.resume(); resolve(answer.statusCode); });
      request.on('error', reject);
      if (headers['content-length']) request.flushHeaders();
      else request.end(body);
      request.setTimeout(5000, () => request.destroy(new Error(`no answer to ${path}`)));
    });
  }

  async accessible() {
    await this.page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const found = await this.page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.html.slice(0, 90)).join(' | ')}`), []);
  }

  async kill() {
    this.command.removeAllListeners('exit');
    this.command.kill('SIGKILL');
  }

  async close() {
    await this.context?.close();
    this.command?.removeAllListeners('exit');
    this.command?.kill('SIGINT');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Malformed requests, each one slip away from a good one: the slips that were not refused, and what a good one still gets. */
export function malform(page, count) {
  return page.evaluate(async count => {
    let random = 12345, good = null;
    const next = most => (random = (random * 1103515245 + 12345) & 0x7fffffff) % most, fetching = window.fetch;
    window.fetch = (path, how) => { if (path === '/talk' && how.body.byteLength > 60) good = how.body; return fetching(path, how); };
    peltStudio.studio.posed();
    while (!good || peltStudio.link.inFlight) await new Promise(resolve => setTimeout(resolve, 10));
    window.fetch = fetching;
    const WANT = 16, EPOCH = WANT + 8; // after Hello: kind, length, epoch, number, clip, time, dt, restart, nodes
    const slips = [
      v => { v.setUint32(WANT, 12 + next(80), true); }, // no such message
      v => { v.setUint32(WANT, 100 + next(10), true); }, // one of the command's
      v => { v.setUint32(WANT + 4, v.getUint32(WANT + 4, true) + 1 + next(1000000), true); }, // longer than it is
      v => { v.setUint32(WANT + 4, next(v.getUint32(WANT + 4, true)) & ~3, true); }, // shorter
      v => { v.setInt32(EPOCH + 8, 100001 + next(1000000000), true); }, // a clip out of range
      v => { v.setFloat32(EPOCH + 12, [NaN, Infinity, -1, 1e7][next(4)], true); }, // a time that is none
      v => { v.setFloat32(EPOCH + 16, [NaN, -Infinity, -0.5, 2][next(4)], true); },
      v => { v.setUint32(EPOCH + 20, 2 + next(4000000000), true); },
      v => { v.setUint32(EPOCH + 24, 65537 + next(2000000000), true); }, // more nodes than may be
      v => { v.setUint32(0, next(2) ? 0 : 2, true); }, // no Hello
      v => new DataView(v.buffer.slice(0, WANT + 1 + next(v.byteLength - WANT - 1))), // cut short
      v => { v.setUint32(8 + 4, 2 + next(1000), true); }, // Hello with a word that is neither 0 nor 1
    ];
    const passed = [];
    for (let i = 0; i < count; i++) {
      const slip = i % slips.length, view = new DataView(good.slice(0)), bad = slips[slip](view) ?? view;
      const answer = await fetch('/talk', { method: 'POST', body: bad.buffer });
      if (answer.status !== 400) passed.push(slip);
    }
    return { passed, fine: (await fetch('/talk', { method: 'POST', body: good })).status };
  }, count);
}

/**
 * Minutes of random posing: turns, reaches, undo, resets, other methods, heat maps; a picture now and then. Memory of the command and
 * of the page in MB, at first and after each of some parts.
 */
export async function endure(desk, minutes, method) {
  const page = await desk.open();
  await page.getByLabel('Method', { exact: true }).selectOption(method);
  await desk.settled();
  const resident = () => Number(readFileSync(`/proc/${desk.command.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
  const session = await page.context().newCDPSession(page);
  const heap = async () => { await session.send('HeapProfiler.collectGarbage'); const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage'); return (usedSize + backingStorageSize) / 1048576; };
  const pose = (seconds, seed = 0) => page.evaluate(async ({ seconds, method, seed }) => {
    const { studio, view, hand, link } = peltStudio, until = performance.now() + seconds * 1000, draw = view.draw.bind(view);
    let random = 1 + seed, poses = 0, drawn = 0;
    const next = () => (random = (random * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
    view.draw = () => { if (performance.now() - drawn > 2000) { drawn = performance.now(); draw(); } }; // software GL draws slowly
    while (performance.now() < until) {
      const { skeleton } = studio, node = skeleton.bones[Math.floor(next() * skeleton.bones.length)], dice = next();
      if (dice < 0.7) {
        const turn = skeleton.turn(node);
        turn.x += 0.4 * (next() - 0.5); turn.y += 0.4 * (next() - 0.5); turn.z += 0.4 * (next() - 0.5);
        studio.history.mark();
        skeleton.setTurn(node, turn.normalize());
      } else if (dice < 0.9) {
        const place = skeleton.head(node);
        place.x += 0.1 * (next() - 0.5); place.y += 0.1 * (next() - 0.5);
        studio.history.mark();
        hand.reachFor(node, place);
      } else if (dice < 0.95) studio.history.undo();
      else if (dice < 0.96) skeleton.setEdits(new Map());
      else if (dice < 0.97) studio.setLook({ colour: ['clay', 'file', 'stretch', 'fold', 'normals'][Math.floor(next() * 5)] });
      else if (dice < 0.972) studio.setMethod(1, ['', 'lbs', 'dqs'][Math.floor(next() * 3)]);
      else if (dice < 0.974) studio.setMethod(0, next() < 0.5 ? 'dqs' : method);
      studio.posed();
      poses++;
      await new Promise(requestAnimationFrame);
    }
    studio.setMethod(0, method);
    studio.setMethod(1, '');
    studio.setLook({ colour: 'clay' });
    view.draw = draw;
    return { poses, frames: link.fetched };
  }, { seconds, method, seed });
  await pose(minutes < 2 ? 15 : 40); // both methods prepared, histories full: what lasts is there
  await desk.settled();
  const command = [resident()], heaps = [await heap()], parts = Math.max(4, Math.round(minutes)), done = { poses: 0, frames: 0 };
  for (let i = 0; i < parts; i++) {
    const { poses, frames } = await pose(60 * minutes / parts, i);
    done.poses += poses;
    done.frames = frames;
    await desk.settled();
    command.push(resident());
    heaps.push(await heap());
  }
  return { ...done, command, page: heaps };
}
