// The figures of the studio: start, what the page adds to a step, large skins, the bundle. Usage: node studio_times.mjs path/to/pelt
// [--minutes N] (of random posing, 1 by default), or [--posing N] (that alone); prints a table in Markdown. Wants a quiet machine. A frame's way through the page is told without drawing, as software GL, which
// is all a machine without a graphics card has, draws on the same cores; drawing is told apart.
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { Desk, endure, malform, shut } from './studio_desk.mjs';

const [pelt, how = '--minutes', minutes = '1'] = process.argv.slice(2), rows = [], alone = how === '--posing';
const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))];
const row = (name, wanted, got) => { rows.push([name, wanted, got]); process.stderr.write(`${name}: ${got}\n`); };
const ms = v => `${v.toFixed(v < 10 ? 1 : 0)} ms`;

/** A command and a browser that were never run: until the address is printed, the first picture drawn, all of the page there. */
async function start() {
  const printed = [], first = [], whole = [], browser = [], work = [];
  for (let i = 0; i < 5; i++) {
    await shut();
    const desk = new Desk(pelt), warm = performance.now();
    await desk.browse();
    browser.push(performance.now() - warm);
    await desk.page.exposeFunction('firstPicture', () => work.push(desk.cpu() - idle));
    await desk.page.addInitScript(() => { new PerformanceObserver(list => { if (list.getEntriesByName('first-contentful-paint').length) window.firstPicture(); }).observe({ entryTypes: ['paint'] }); });
    const began = Date.now(), idle = desk.cpu();
    await desk.spawn([]);
    printed.push(Date.now() - began);
    await desk.page.goto(desk.address, { waitUntil: 'commit' });
    await desk.page.waitForFunction(() => window.peltStudio?.view.ready && peltStudio.studio.frames[0]);
    const marks = await desk.page.evaluate(() => ({ first: performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime, whole: performance.timeOrigin + performance.getEntriesByName('pelt-page-ready')[0].startTime }));
    first.push(marks.first - began);
    whole.push(marks.whole - began);
    await desk.close();
  }
  row('from the command to its address', '', ms(at(printed, 0.5)));
  row('to the first picture, a browser with an empty profile running', '1500 ms', ms(at(first, 0.5)));
  row('processor time of command and browser until then', '', ms(at(work, 0.5)));
  row('to the whole page, lit and shadowed', '', ms(at(whole, 0.5)));
  row('such a browser itself takes to start', '', ms(at(browser, 0.5)));
}

/** From a move of the mouse to positions and normals in the page, less the step. */
async function mouse(name, { file, builtin, joint, towards, method }) {
  const desk = new Desk(pelt), page = await desk.open({ args: file ? [file(desk)] : [] });
  if (builtin) { await page.evaluate(name => peltStudio.link.say({ is: 'Builtin', name, vertices: 0 }), builtin); await desk.shown(builtin); }
  await page.evaluate(method => { peltStudio.view.draw = () => undefined; peltStudio.studio.setMethod(0, method); }, method);
  await page.waitForFunction(() => globalThis.peltStudio?.studio.slots[0].status?.state === 2 && peltStudio.studio.frames[0]?.serial === peltStudio.studio.slots[0].status.serial, null, { timeout: 600000 });
  const from = await desk.onScreen(joint, towards, 0.5);
  const found = await page.evaluate(async ([x, y]) => {
    const { studio, view, link } = peltStudio, canvas = view.renderer.domElement, added = [], steps = [], sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
    canvas.setPointerCapture = () => undefined; // events of our own have no pointer to capture
    const event = (kind, dx) => canvas.dispatchEvent(new PointerEvent(kind, { clientX: x + dx, clientY: y - dx / 2, button: 0, buttons: 1, pointerId: 1, bubbles: true }));
    let told = () => undefined;
    studio.on(['frame'], () => told());
    event('pointerdown', 0);
    for (let i = 1; i <= 130; i++) {
      while (link.inFlight) await sleep(1);
      await sleep(3);
      const seen = new Promise(resolve => { told = resolve; }), began = performance.now(), wish = studio.wishes;
      event('pointermove', 5 + 20 * Math.sin(i / 9));
      if (studio.wishes === wish) throw new Error('the mouse moves nothing');
      await seen;
      view.skins[0].freshen();
      if (i > 10) { added.push(performance.now() - began - studio.frames[0].step_ms); steps.push(studio.frames[0].step_ms); } // the first ones warm it up
    }
    event('pointerup', 0);
    return { points: studio.character.welds.length, added, steps };
  }, from);
  row(`mouse to skin, ${name}, ${found.points} points: the page adds (median, 95th; the step itself)`, '15, 40 ms', `${ms(at(found.added, 0.5))}, ${ms(at(found.added, 0.95))} (${ms(at(found.steps, 0.5))})`);
  await desk.close();
}

/** A clip of a large character plays: frames a second, what the page's own script takes of each, and drawing apart. */
async function large() {
  const desk = new Desk(pelt), page = await desk.open({ args: [made('biped', 100000)(desk)] });
  await page.evaluate(() => peltStudio.studio.setMethod(0, 'lbs'));
  await page.waitForFunction(() => globalThis.peltStudio?.studio.slots[0].status?.method === 'lbs' && peltStudio.studio.slots[0].status.state === 2, null, { timeout: 600000 });
  const found = await page.evaluate(async () => {
    const { studio, view, link } = peltStudio, draw = view.draw.bind(view), sleep = ms => new Promise(resolve => setTimeout(resolve, ms)), gl = view.renderer.getContext();
    const info = gl.getExtension('WEBGL_debug_renderer_info'), out = { points: studio.character.welds.length, by: gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) };
    const rate = async () => { await sleep(1000); const from = link.fetched, began = performance.now(); await sleep(5000); return (link.fetched - from) * 1000 / (performance.now() - began); };
    const skin = view.skins[0], set = skin.set.bind(skin);
    let script = 0, frames = 0;
    skin.set = frame => { const began = performance.now(), changed = set(frame); if (changed) { skin.freshen(); script += performance.now() - began; frames++; } return changed; };
    view.draw = () => undefined;
    studio.play(true);
    out.rate = await rate();
    out.script = script / frames;
    out.step = studio.frames[0].step_ms;
    skin.set = set;
    view.draw = draw;
    out.drawnRate = await rate();
    studio.play(false);
    const times = [], pixel = new Uint8Array(4);
    for (let i = 0; i < 9; i++) { const began = performance.now(); view.dirty = true; view.draw(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); times.push(performance.now() - began); }
    out.picture = times.sort((a, b) => a - b)[4];
    return out;
  });
  row(`lbs, ${found.points} points, a clip plays: frames a second that reach the page with their normals`, '30', found.rate.toFixed(0));
  row('of each: positions and normals in the page; the step', '', `${ms(found.script)}; ${ms(found.step)}`);
  row(`the same with drawing, by ${found.by.replace(/^ANGLE \((.*)\)$/, '$1').slice(0, 60)}; one picture`, '', `${found.drawnRate.toFixed(0)} a second; ${ms(found.picture)}`);
  await desk.close();
}

async function bundle() {
  const desk = new Desk(pelt), page = await desk.open();
  const bytes = await page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter(e => !/\/(talk|character|project)$/.test(e.name)).reduce((sum, e) => sum + e.encodedBodySize, 0));
  row('the page\'s files, compressed', '300 KB', `${(bytes / 1000).toFixed(0)} KB`);
  await desk.close();
}

const made = (name, vertices) => desk => { const file = join(desk.folder, `${name}.glb`); execFileSync(pelt, ['make', name, '--vertices', vertices, '-q', '-o', file]); return file; };
const arm = { joint: 'LeftLowerArm', towards: 'LeftHand' };
async function all() {
  await bundle();
  await start();
  await mouse('`lbs`, biped', { file: made('biped', 13000), method: 'lbs', ...arm });
  await mouse('`tracking`, arm', { builtin: 'arm', method: 'tracking', joint: 'Forearm', towards: 'Hand' });
  await mouse('`projective`, biped', { file: made('biped', 13000), method: 'projective', ...arm });
  await large();
  {
    const desk = new Desk(pelt), page = await desk.open(), { passed, fine } = await malform(page, 1000);
    row('1000 malformed requests: refused; a good one afterwards', '1000; 200', `${1000 - passed.length}; ${fine}`);
    await desk.close();
  }
}
if (!alone) await all();
{
  const desk = new Desk(pelt), { poses, command, page } = await endure(desk, Number(minutes), 'lbs');
  row(`random posing, ${minutes} min, ${poses} poses: memory of the command; of the page, from time to time`, 'no growth', `${command.map(v => v.toFixed(1)).join(' ')}; ${page.map(v => v.toFixed(1)).join(' ')} MB`);
  await desk.close();
}
await shut();
console.log(['| | wanted | measured |', '|---|---|---|', ...rows.map(r => `| ${r.join(' | ')} |`)].join('\n'));
