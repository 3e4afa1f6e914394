// The studio in a real Firefox, driven by its own Marionette protocol (no driver to install): opens, draws, poses, compares,
// is dragged with the mouse, quits.
// Usage: node firefox.mjs path/to/pelt [screenshot.png]; FIREFOX names the program. Skips (77) where there is none.
import assert from 'node:assert/strict';
import net from 'node:net';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [pelt, picture] = process.argv.slice(2), firefox = process.env.FIREFOX || ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
if (!firefox) { console.error('skipped: firefox is not installed'); process.exit(77); }
const folder = mkdtempSync(join(tmpdir(), 'pelt-firefox-')), wait = ms => new Promise(resolve => setTimeout(resolve, ms));
const prefs = { 'marionette.port': 0, 'webgl.force-enabled': true, 'webgl.forbid-software': false, 'app.update.auto': false, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false };
writeFileSync(join(folder, 'user.js'), Object.entries(prefs).map(([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});`).join('\n'));

/** Messages are their length, a colon and JSON: [0, number, name, parameters] there, [1, number, error, result] back. */
class Marionette {
  private_ = { id: 0, waiting: new Map(), text: Buffer.alloc(0) };
  constructor(port) {
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.on('data', data => this.hear(data));
    this.socket.on('error', () => undefined);
  }
  hear(data) {
    const own = this.private_;
    own.text = Buffer.concat([own.text, data]);
    for (let colon; (colon = own.text.indexOf(58)) >= 0;) {
      const length = Number(own.text.subarray(0, colon));
      if (own.text.length < colon + 1 + length) return;
      const message = JSON.parse(own.text.subarray(colon + 1, colon + 1 + length));
      own.text = own.text.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message, { resolve, reject } = own.waiting.get(id);
      if (error) reject(new Error(error.message)); else resolve(result);
    }
  }
  say(name, parameters = {}) {
    const own = this.private_, text = JSON.stringify([0, ++own.id, name, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => own.waiting.set(own.id, { resolve, reject }));
  }
  /** A function's source runs in the page; promises are awaited. */
  async run(action, ...args) {
    const script = `const [args, done] = [Array.from(arguments).slice(0, -1), arguments[arguments.length - 1]]; Promise.resolve((${action})(...args)).then(v => done({ value: v }), e => done({ fault: String(e) }));`;
    const { value } = await this.say('WebDriver:ExecuteAsyncScript', { script, args, sandbox: null });
    if (value.fault) throw new Error(value.fault);
    return value.value;
  }
}

const command = spawn(pelt, ['studio', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve, reject) => {
  command.stdout.on('data', data => { const found = String(data).match(/http\S+/); if (found) resolve(found[0]); });
  command.on('exit', code => { if (code === 5) { console.error('skipped: this pelt was built without its studio'); process.exit(77); } reject(new Error(`pelt studio ended with ${code}`)); });
});
/** A display of its own where there is a program for it: Firefox has WebGL only with one. */
const xvfb = ['/usr/bin/Xvfb'].find(existsSync), screen = xvfb && spawn(xvfb, ['-displayfd', '1', '-screen', '0', '1366x768x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
const display = screen && await new Promise(resolve => { screen.stdout.on('data', data => resolve(`:${String(data).trim()}`)); screen.on('exit', () => resolve('')); });
const program = spawn(firefox, [...display ? [] : ['--headless'], '--marionette', '--no-remote', '--profile', folder, '--width', '1366', '--height', '768'], { stdio: 'ignore', env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', ...display ? { DISPLAY: display, GDK_BACKEND: 'x11' } : {} } });
const began = Date.now();
let browser;
try {
  let port = 0;
  for (let i = 0; i < 600 && !port; i++) { await wait(100); try { port = Number(readFileSync(join(folder, 'MarionetteActivePort'), 'utf8')); } catch { /* not yet */ } }
  assert.ok(port, 'Firefox answers');
  browser = new Marionette(port);
  const { capabilities } = await browser.say('WebDriver:NewSession', {});
  await browser.say('WebDriver:SetTimeouts', { script: 120000, pageLoad: 60000 });
  await browser.say('WebDriver:Navigate', { url: address });
  const shown = await browser.run(`async () => {
    const sleep = ms => new Promise(r => setTimeout(r, ms)), until = async test => { for (let i = 0; i < 1500 && !test(); i++) await sleep(20); if (!test()) throw new Error('never: ' + test); };
    const faults = window.faults = [];
    addEventListener('error', e => faults.push(e.message));
    await until(() => window.peltStudio?.studio.frames[0]);
    const { studio, view, link } = peltStudio;
    studio.setMethod(0, 'lbs');
    await until(() => studio.slots[0].status?.method === 'lbs' && studio.slots[0].status.state === 2);
    const drawn = () => { const c = view.renderer.domElement, copy = document.createElement('canvas'), pen = copy.getContext('2d'); copy.width = c.width; copy.height = c.height; studio.setLook({ bones: false, ground: false }); view.dirty = true; view.draw(); pen.drawImage(c, 0, 0); const d = pen.getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i] > 128) n++; studio.setLook({ bones: true, ground: true }); return n; };
    const rest = drawn(), before = Array.from(view.skins[0].positions), node = studio.skeleton.names.indexOf('LeftLowerArm'), turn = studio.skeleton.turn(node);
    turn.y += 0.8;
    studio.skeleton.setTurn(node, turn.normalize());
    studio.posed();
    await until(() => link.shown >= studio.wishes);
    const moved = Math.max(...before.map((v, i) => Math.abs(v - view.skins[0].positions[i]))), size = view.size;
    studio.setMethod(1, 'dqs');
    await until(() => studio.frames[1]);
    studio.setLook({ colour: 'stretch' });
    return { rest, moved, size, bent: drawn(), faults, trouble: studio.trouble, gl: Boolean(document.createElement('canvas').getContext('webgl2')), webp: (await new Promise(r => document.createElement('canvas').toBlob(b => r(b?.type), 'image/webp'))) };
  }`);
  if (shown.gl) assert.ok(shown.rest > 2000 && shown.bent > 2000, `${shown.rest} pixels of the character`);
  assert.ok(shown.moved > 0.05 * shown.size, 'a joint turns and the skin follows');
  assert.match(shown.trouble, shown.gl ? /^$/ : /no WebGL 2/);
  assert.deepEqual(shown.faults, []);
  // a forearm is dragged with the mouse itself, as a person does
  const arm = await browser.run(`() => { const { studio, view } = peltStudio, { skeleton } = studio, n = name => skeleton.names.indexOf(name); studio.setMethod(1, ''); studio.skeleton.setEdits(new Map()); studio.posed(); const p = view.onScreen(skeleton.head(n('LeftLowerArm')).lerp(skeleton.head(n('LeftHand')), 0.55)), b = view.renderer.domElement.getBoundingClientRect(); return [Math.round(p.x + b.left), Math.round(p.y + b.top)]; }`);
  const move = (dx, dy) => ({ type: 'pointerMove', duration: 60, x: arm[0] + dx, y: arm[1] + dy, origin: 'viewport' });
  await browser.say('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [move(0, 0), { type: 'pointerDown', button: 0 }, move(-8, -40), move(-16, -80), move(-25, -120), { type: 'pointerUp', button: 0 }] }] });
  const dragged = await browser.run(`async () => { const { studio, link } = peltStudio; for (let i = 0; i < 1500 && link.shown < studio.wishes; i++) await new Promise(r => setTimeout(r, 20)); return { joint: studio.skeleton.names[studio.selected], edited: studio.skeleton.edited, faults }; }`);
  assert.deepEqual(dragged, { joint: 'LeftLowerArm', edited: true, faults: [] });
  if (picture) writeFileSync(picture, Buffer.from((await browser.say('WebDriver:TakeScreenshot', { full: false })).value, 'base64'));
  await browser.run('() => { setTimeout(() => peltStudio.link.quit(), 0); }');
  assert.equal(await new Promise(resolve => { command.removeAllListeners('exit'); command.on('exit', resolve); }), 0, 'Quit ends the command');
  console.log(`firefox ${capabilities.browserVersion}: ${((Date.now() - began) / 1000).toFixed(1)} s${shown.gl ? '' : ', which has no WebGL here: all but the picture'}${shown.webp === 'image/webp' ? '' : '; it writes no WebP'}`);
} finally {
  await Promise.race([browser?.say('Marionette:Quit', { flags: ['eForceQuit'] }).catch(() => undefined), wait(3000)]);
  program.kill('SIGKILL');
  screen?.kill();
  command.removeAllListeners('exit');
  command.kill('SIGKILL');
  await wait(200);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
