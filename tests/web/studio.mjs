// Opens the page of `pelt studio` as a person would. Usage: node studio.mjs path/to/pelt [part...]; PELT_SHARED names a folder with
// characters (its data/ are dropped). Needs playwright-core, axe-core and Debian's chromium.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import http from 'node:http';
import { spawn } from 'node:child_process';
import { Desk, endure, malform, shut } from './studio_desk.mjs';
import { fileParts } from './studio_files.mjs';
import { download, files, rigParts, sections } from './studio_rig.mjs';

/** The entries of a zip that are stored as they are, every size in its 64-bit form. */
function unzipped(bytes) {
  const out = new Map();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const names = bytes.readUInt16LE(at + 26), extra = bytes.readUInt16LE(at + 28), from = at + 30 + names + extra, size = Number(bytes.readBigUInt64LE(at + 30 + names + 4));
    out.set(bytes.toString('utf8', at + 30, at + 30 + names), bytes.subarray(from, from + size));
    at = from + size;
  }
  return out;
}

const parts = {
  /** Opens, plays, scrubs; no error, no request elsewhere, every control has a name. */
  async open(desk) {
    const page = await desk.open();
    const first = await desk.probe();
    assert.equal(first.label, 'biped');
    assert.ok(first.points > 1000 && first.drawn > 2000, `${first.drawn} pixels of the character`);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => globalThis.peltStudio?.studio.time > 0.3);
    await page.getByLabel('Time in the clip').fill('1');
    await page.waitForFunction(() => Math.abs(peltStudio.studio.time - 1) < 0.5 && peltStudio.studio.playing, null); // it goes on playing from there
    await page.keyboard.press('Space');
    assert.equal(await page.evaluate(() => peltStudio.studio.playing), false);
    const at = await page.evaluate(() => peltStudio.studio.frame);
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => peltStudio.studio.frame), at + 1);
    const moved = await desk.settled();
    assert.ok(desk.apart(moved.sample, first.sample) > 0.05 * moved.size, 'the clip moves the skin');
    await desk.accessible();
  },

  /** What the page shows is what the library makes: positions against `pelt bake`. */
  async truth(desk) {
    const page = await desk.open();
    const wanted = await desk.bake('lbs', 30);
    await page.getByLabel('Method', { exact: true }).selectOption('lbs');
    await page.evaluate(() => peltStudio.studio.seek(1, true));
    await desk.settled();
    const shown = await page.evaluate(() => Array.from(peltStudio.view.skins[0].positions));
    const worst = wanted.reduce((most, v, i) => Math.max(most, Math.abs(v - shown[i])), 0);
    assert.equal(shown.length, wanted.length);
    assert.ok(worst < 4e-5 * desk.size, `${worst} from the cache of pelt bake`);
  },

  /** What the page bakes is what `pelt bake` writes; its command line is that command; measures are drawn over time. */
  async bake(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('dqs');
    await desk.settled();
    await page.getByText('Bake and measure').click();
    await files(page, '.pc2');
    const { name, bytes } = await download(page, () => page.getByRole('button', { name: 'Bake…' }).click());
    assert.equal(name, 'biped-dqs.pc2');
    await page.getByRole('button', { name: 'Copy command' }).click();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(line, 'pelt bake biped.glb -m dqs --clip bend -o biped-dqs.pc2');
    assert.ok(bytes.equals(await desk.run(line)), 'byte for byte the file of that command');
    await files(page, '.gltf', '.pc2', '.obj'); // several files come as one zip
    await page.evaluate(() => { window.shares = []; peltStudio.studio.on(['baking'], () => { const { baking } = peltStudio.studio; if (baking?.state === 1) shares.push([baking.share, document.querySelector('.progress progress[aria-label="Baking"]').closest('div').hidden]); }); });
    const zipped = await download(page, () => page.getByRole('button', { name: 'Bake…' }).click()), entries = unzipped(zipped.bytes);
    assert.equal(zipped.name, 'biped-dqs.zip');
    await page.getByRole('button', { name: 'Copy command' }).click();
    const longer = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(longer, 'pelt bake biped.glb -m dqs --clip bend -o biped-dqs.gltf -o biped-dqs.pc2 -o biped-dqs.obj');
    await desk.run(longer);
    const made = readdirSync(desk.folder).filter(one => one.startsWith('biped-dqs')).sort();
    assert.ok(made.length > 40, `${made}`);
    assert.deepEqual([...entries.keys()].sort(), made);
    for (const one of made) assert.ok(entries.get(one).equals(readFileSync(join(desk.folder, one))), `${one}: byte for byte`);
    assert.ok(await page.evaluate(() => shares.some(([share, hidden]) => share > 0 && share < 1 && !hidden)), 'the bar was seen to move');
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.locator('.plots svg[role=img]').first().waitFor({ timeout: 60000 });
    const plots = page.locator('.plots svg[role=img]'), present = () => plots.first().locator('line').getAttribute('x1');
    assert.ok(await plots.count() > 5);
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    const half = await present();
    await page.evaluate(() => peltStudio.studio.seek(1.5, true));
    assert.ok(Number(await present()) > 2 * Number(half), 'the present frame goes along');
    await page.evaluate(() => { // in the page itself: a bake may be over before it is asked from outside
      const { studio } = peltStudio, cancel = () => [...document.querySelectorAll('button')].find(one => one.textContent === 'Cancel' && one.offsetParent);
      studio.on(['baking'], () => { if (studio.baking?.state === 1 && !window.cancelled) { window.cancelled = Boolean(cancel()); cancel()?.click(); } });
    });
    await page.getByRole('button', { name: 'Bake…' }).click();
    await page.waitForFunction(() => window.cancelled && globalThis.peltStudio?.studio.baking?.state === 0);
    await desk.accessible();
  },

  /** Every character beside the checkout can be dropped and posed. */
  async drop(desk) {
    const files = desk.characters();
    if (!files.length) { console.log('skipped: characters to drop are not beside this checkout'); return; }
    const page = await desk.open();
    for (const file of files) {
      await desk.dropFile(file);
      await desk.shown(file.name);
      const seen = await desk.probe();
      assert.ok(seen.drawn > 300, `${file.name}: ${seen.drawn} pixels`);
      assert.equal(seen.trouble, '');
    }
    await desk.dropFile({ name: 'broken.glb', bytes: Buffer.from('glTF, but not really') });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.trouble.includes('broken.glb'));
    assert.equal((await desk.probe()).label, files.at(-1).name, 'the character before stays');
    desk.errors.length = 0; // the refusal was wanted
  },

  /** A forearm is dragged and the skin folds; undo, redo, mirror, reach, pins, copy and paste; a reload loses nothing. */
  async pose(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('lbs');
    const rest = await desk.settled(), height = name => desk.head(name).then(p => p[1]);
    const before = await desk.gap('LeftUpperArm', 'LeftHand');
    const [x, y] = await desk.onScreen('LeftLowerArm', 'LeftHand', 0.55);
    await desk.drag([x, y], [x - 25, y - 130]);
    const bent = await desk.settled();
    assert.equal(await page.evaluate(() => peltStudio.studio.skeleton.names[peltStudio.studio.selected]), 'LeftLowerArm');
    assert.ok(await desk.gap('LeftUpperArm', 'LeftHand') < 0.6 * before, 'the fold closes: the hand comes to the upper arm');
    assert.ok(desk.apart(bent.sample, rest.sample) > 0.05 * rest.size, 'and the skin with it');
    assert.notEqual(bent.drawn, rest.drawn);

    await page.keyboard.press('Control+z');
    assert.ok(desk.apart((await desk.settled()).sample, rest.sample) < 1e-3 * rest.size, 'undone');
    await page.keyboard.press('Control+Shift+Z');
    assert.ok(desk.apart((await desk.settled()).sample, bent.sample) < 1e-3 * rest.size, 'redone');

    const left = await desk.head('LeftHand');
    await page.keyboard.press('m');
    await desk.settled();
    const right = await desk.head('RightHand');
    assert.ok(desk.apart([-left[0], left[1], left[2]], right) < 0.02 * rest.size, `mirrored: ${left} and ${right}`);

    await page.keyboard.press('Control+c');
    await page.keyboard.press('Shift+X');
    assert.ok(desk.apart((await desk.settled()).sample, rest.sample) < 1e-3 * rest.size, 'reset');
    await page.keyboard.press('Control+v');
    await page.waitForFunction(() => globalThis.peltStudio?.studio.skeleton.edited);
    await desk.settled();
    assert.ok(desk.apart(await desk.head('RightHand'), right) < 1e-3 * rest.size, 'pasted');

    await page.keyboard.press('Shift+X');
    assert.ok(await desk.gap('LeftUpperArm', 'LeftHand') > 0.9 * before, 'the skeleton is back at once, before the skin is');
    await desk.settled();
    await page.keyboard.press('r');
    const hand = await desk.onScreen('RightHand'), arm = await desk.gap('RightUpperArm', 'RightLowerArm'), was = await height('RightHand');
    await desk.drag(hand, [hand[0] + 20, hand[1] - 90]);
    const got = await desk.onScreen('RightHand');
    assert.ok(Math.hypot(got[0] - hand[0] - 20, got[1] - hand[1] + 90) < 8, `the hand is under the mouse: ${got}`);
    assert.ok(await height('RightHand') > was + 0.1 * rest.size);
    assert.ok(Math.abs(await desk.gap('RightUpperArm', 'RightLowerArm') - arm) < 1e-3 * rest.size, 'and no bone is longer');

    await page.evaluate(() => { const { studio, hand } = peltStudio; hand.togglePin(studio.skeleton.names.indexOf('LeftFoot')); });
    const foot = await desk.head('LeftFoot'), hips = await desk.onScreen('Hips');
    await desk.drag(hips, [hips[0], hips[1] + 14]);
    assert.ok(await height('Hips') < -0.01 * rest.size + (await page.evaluate(() => peltStudio.studio.skeleton.worldsOf(peltStudio.studio.skeleton.rest)[0].elements[13])), 'the hips are down');
    assert.ok(desk.apart(await desk.head('LeftFoot'), foot) < 0.01 * rest.size, 'the pinned foot stands');

    const posed = await desk.settled();
    await page.waitForTimeout(500); // it is kept a moment after the last change
    await page.reload();
    await page.waitForFunction(() => window.peltStudio?.studio.frames[0] && peltStudio.studio.skeleton.edited);
    assert.ok(desk.apart((await desk.settled()).sample, posed.sample) < 2e-3 * rest.size, 'as before the reload');
  },

  /** Without a mouse: a joint is found by name, chosen, turned, undone; the clip is played. */
  async keyboard(desk) {
    const page = await desk.open();
    await page.evaluate(() => peltStudio.studio.setMethod(0, 'lbs'));
    const rest = await desk.settled(), was = await desk.head('LeftHand');
    await page.getByLabel('Find').focus();
    await page.keyboard.type('leftlowerarm');
    await page.waitForFunction(() => document.querySelectorAll('.joints button').length === 1);
    for (let i = 0; i < 4 && !await page.evaluate(() => document.activeElement.matches('.joints button')); i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => globalThis.peltStudio?.studio.skeleton.names[peltStudio.studio.selected] === 'LeftLowerArm');
    for (const key of ['Shift+ArrowUp', 'Shift+ArrowUp', 'Shift+ArrowLeft', '[']) await page.keyboard.press(key);
    const angle = await page.evaluate(() => { const { skeleton, selected } = peltStudio.studio, rest = skeleton.turn(0).fromArray(skeleton.rest, selected * 10 + 3); return rest.angleTo(skeleton.turn(0).fromArray(skeleton.local, selected * 10 + 3)) * 180 / Math.PI; });
    assert.ok(angle > 5 && angle < 21, `four presses of 5° about three axes: ${angle}°`);
    assert.ok(desk.apart((await desk.settled()).sample, rest.sample) > 0.005 * rest.size, 'and the skin follows');
    while (await page.evaluate(() => peltStudio.studio.history.canUndo)) await page.keyboard.press('Control+z');
    assert.ok(desk.apart(await desk.head('LeftHand'), was) < 1e-4 * rest.size, 'undone');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => peltStudio.studio.selected), -1);
  },

  /** Controls that no other part takes in hand: the clip list, speed, loop, the space bar after a click, rings, live options, names, the file's own ghost, the wipe's line. */
  async controls(desk) {
    const page = await desk.open({ height: 700 });
    const rest = await desk.settled();
    await sections(page, 'Skin', 'Compare', 'Look');
    await page.getByRole('combobox', { name: 'Clip', exact: true }).selectOption({ label: 'fist' });
    await page.getByLabel('Speed').selectOption('2');
    await page.getByRole('button', { name: 'Loop' }).click();
    await page.getByRole('button', { name: 'front' }).click();
    await page.keyboard.press('Space'); // not the button that was pressed last
    await page.waitForFunction(() => !peltStudio.studio.playing && peltStudio.studio.time === peltStudio.studio.duration); // it plays, and ends without a loop
    for (const [name, frame] of [['First frame', 0], ['Frame ahead', 1], ['Frame ahead', 2], ['Frame back', 1]]) {
      await page.getByRole('button', { name, exact: true }).click();
      assert.equal(await page.evaluate(() => peltStudio.studio.frame), frame, name);
    }
    await page.getByRole('combobox', { name: 'Clip', exact: true }).selectOption('-1');

    await page.evaluate(() => peltStudio.studio.select(peltStudio.studio.skeleton.names.indexOf('LeftLowerArm')));
    await page.getByLabel('Names of joints').check();
    await page.waitForFunction(() => document.querySelector('.names .selected')?.textContent === 'LeftLowerArm' && document.querySelectorAll('.names span:not([hidden])').length > 8);
    const [tag, joint] = [await page.locator('.names .selected').boundingBox(), await desk.onScreen('LeftLowerArm')];
    assert.ok(Math.abs(tag.x - joint[0]) < 20 && Math.abs(tag.y + tag.height / 2 - joint[1]) < 12, `the name is at its joint: ${JSON.stringify(tag)}, ${joint}`);
    await page.getByLabel('Names of joints').uncheck();
    await page.waitForFunction(() => document.querySelector('.names').hidden);

    const ring = await page.evaluate(async () => { // where a ring is on the screen: the mouse over it names its axis
      const { view, hand } = peltStudio, canvas = view.renderer.domElement, box = canvas.getBoundingClientRect(), at = view.onScreen(hand.handle.position);
      for (let r = 20; r < 160; r += 4) for (let k = 0; k < 40; k++) {
        const x = at.x + r * Math.cos(k * Math.PI / 20), y = at.y + r * Math.sin(k * Math.PI / 20);
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x + box.left, clientY: y + box.top, pointerId: 1, pointerType: 'mouse', bubbles: true }));
        if (!/^[XYZ]$/.test(hand.rings.axis ?? '')) continue;
        const tip = view.onScreen(hand.handle.position.clone().set(...['X', 'Y', 'Z'].map(n => n === hand.rings.axis ? 0.05 * view.size : 0)).applyQuaternion(hand.handle.quaternion).add(hand.handle.position)).sub(at).normalize();
        return { x: x + box.left, y: y + box.top, axis: hand.rings.axis, dx: -tip.y, dy: tip.x }; // across the axis
      }
      return null;
    });
    assert.ok(ring, 'the rings can be taken');
    await desk.drag([ring.x, ring.y], [ring.x + 40 * ring.dx, ring.y + 40 * ring.dy]);
    const turned = await page.evaluate(() => { const { skeleton, selected } = peltStudio.studio, own = skeleton.turn(0).fromArray(skeleton.rest, selected * 10 + 3).invert().multiply(skeleton.turn(0).fromArray(skeleton.local, selected * 10 + 3)); return [own.x, own.y, own.z].map(Math.abs); });
    const about = 'XYZ'.indexOf(ring.axis);
    assert.ok(turned[about] > 0.02 && turned.every((v, k) => k === about || v < 1e-3), `about ${ring.axis} alone: ${turned}`);
    await page.keyboard.press('Shift+X');

    await page.getByText('Options (').first().click();
    const serial = await page.evaluate(() => peltStudio.studio.slots[0].status.serial);
    await page.getByLabel('smooth', { exact: true }).fill('12'); // live: no new prepare
    await page.getByLabel('smooth', { exact: true }).press('Enter');
    const still = await desk.settled();
    assert.deepEqual(await page.evaluate(() => { const { settings, status } = peltStudio.studio.slots[0]; return { settings, serial: status.serial, text: status.text }; }), { settings: { smooth: '12' }, serial, text: '' });
    assert.ok(desk.apart(still.sample, rest.sample) < 0.02 * rest.size);

    await page.getByLabel('Other method').selectOption({ label: 'file\'s own skin' });
    await desk.settled();
    assert.deepEqual(await page.evaluate(() => [peltStudio.studio.slots[1].method, peltStudio.studio.slots[1].settings.weights, peltStudio.studio.look.compare]), ['lbs', 'file', 'ghost']);
    assert.equal(await page.getByLabel('Other method').inputValue(), 'own');
    await page.getByLabel('Shown').selectOption('wipe');
    const line = await page.locator('.wipe').boundingBox();
    await desk.drag([line.x + 8, line.y + 60], [line.x - 92, line.y + 60]);
    const moved = await page.locator('.wipe').boundingBox();
    assert.ok(Math.abs(moved.x - line.x + 100) < 3, `the line follows the mouse: ${line.x} to ${moved.x}`);
    await page.getByLabel('Shown').selectOption('side');
    await page.getByRole('button', { name: 'whole' }).click(); // a shin is dragged in the right half; then, with nothing beside it, in the whole
    for (const half of [1, 0]) {
      if (!half) await page.getByLabel('Other method').selectOption('');
      await page.evaluate(() => { peltStudio.studio.select(-1); peltStudio.studio.skeleton.setEdits(new Map()); peltStudio.studio.posed(); });
      await desk.settled();
      const at = await page.evaluate(half => { const { studio, view } = peltStudio, { skeleton } = studio, box = view.renderer.domElement.getBoundingClientRect(), n = name => skeleton.names.indexOf(name), p = view.onScreen(skeleton.head(n('LeftLowerLeg')).lerp(skeleton.head(n('LeftFoot')), 0.55), half * (box.width - 1)); return [p.x + box.left, p.y + box.top]; }, half);
      const before = await desk.gap('LeftUpperLeg', 'LeftFoot');
      await desk.drag(at, [at[0] + 60, at[1] - 40]);
      assert.equal(await page.evaluate(() => peltStudio.studio.skeleton.names[peltStudio.studio.selected]), 'LeftLowerLeg', half ? 'side by side' : 'alone again');
      assert.ok(await desk.gap('LeftUpperLeg', 'LeftFoot') < 0.95 * before, 'the leg is bent');
    }
    await page.keyboard.press('Shift+X');
    await page.getByLabel('Method', { exact: true }).selectOption('layered');
    await page.getByText('Options (').first().click();
    assert.equal(await page.getByLabel('collide', { exact: true }).first().evaluate(box => box.tagName), 'SELECT', 'what is true or false is no number');
    await desk.accessible();
  },

  /** The command itself: a port of one's own, taken ones told, Ctrl-C, Quit. */
  async command(desk) {
    const port = await new Promise(resolve => { const probe = http.createServer().listen(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => resolve(port)); }); });
    const page = await desk.open({ args: ['--port', String(port)] });
    assert.equal(Number(new URL(desk.address).port), port);
    const run = args => new Promise(resolve => { let text = ''; const one = spawn(desk.pelt, ['studio', '--no-open', ...args]); one.stderr.on('data', data => { text += data; }); one.on('exit', code => resolve({ code, text })); });
    const taken = await run(['--port', String(port)]), missing = await run(['nowhere.glb']);
    assert.ok(taken.code > 0 && taken.text.includes(String(port)), `a taken port is told: ${taken.text}`);
    assert.ok(missing.code > 0 && missing.text.includes('nowhere.glb'), missing.text);
    const ended = new Promise(resolve => { desk.command.removeAllListeners('exit'); desk.command.on('exit', resolve); });
    await page.getByRole('button', { name: 'Quit' }).click();
    assert.equal(await ended, 0, 'Quit ends it');
    await desk.spawn([]);
    const stopped = new Promise(resolve => { desk.command.removeAllListeners('exit'); desk.command.on('exit', resolve); });
    desk.command.kill('SIGINT');
    assert.equal(await stopped, 0, 'and so does Ctrl-C');
  },

  /** Two methods under a wipe, ghosts, colours. */
  async look(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('dqs');
    await page.getByLabel('Other method').selectOption('lbs');
    await page.evaluate(() => peltStudio.studio.seek(1, true));
    await desk.settled();
    assert.equal(await page.evaluate(() => peltStudio.studio.look.compare), 'wipe');
    const far = await page.evaluate(() => { const [a, b] = peltStudio.view.skins.map(s => s.positions); return a.reduce((m, v, i) => Math.max(m, Math.abs(v - b[i])), 0); });
    assert.ok(far > 0.001, 'the two skins differ');
    const wiped = async at => { await page.getByLabel('Wipe').fill(String(at)); return desk.pixels(); };
    assert.notDeepEqual(await wiped(0.02), await wiped(0.98), 'the wipe shows one or the other');
    for (const how of ['side', 'ghost']) {
      await page.getByLabel('Shown').selectOption(how);
      assert.ok((await desk.probe()).drawn > 1000);
    }
    const colours = () => page.evaluate(() => { const c = peltStudio.view.skins[0].colours; let low = 9, high = -9; for (let i = 0; i < c.length; i += 3) { const v = c[i] - c[i + 2]; low = Math.min(low, v); high = Math.max(high, v); } return high - low; });
    for (const colour of ['stretch', 'distance', 'fold', 'normals']) {
      await page.getByLabel('Colour').selectOption(colour);
      assert.ok(await colours() > 0.1, `${colour} shows something`);
    }
    await page.evaluate(() => peltStudio.studio.select(peltStudio.studio.skeleton.names.indexOf('LeftLowerArm')));
    await page.getByLabel('Colour').selectOption('weights');
    await page.waitForFunction(() => { const c = peltStudio.view.skins[0].colours; return c.some((v, i) => i % 3 === 0 && v > 0.6); });
    await page.evaluate(() => peltStudio.studio.setClip(peltStudio.studio.character.clip_names.split('\n').indexOf('fist'))); // fingers on the palm
    await page.evaluate(() => peltStudio.studio.seek(1, true));
    await desk.settled();
    await page.getByLabel('Colour').selectOption('touch');
    assert.ok(await colours() > 0.3, 'skin that touches is told from skin that does not');
    await page.getByLabel('Colour').selectOption('clay');
    await desk.settled();
    const plain = await desk.pixels();
    for (const name of ['Wireframe', 'See through', 'Bones', 'Ground']) { // each is seen, and goes away again
      await page.getByLabel(name, { exact: true }).first().click();
      assert.ok(desk.apart(await desk.pixels(), plain) > 3, `${name} is seen`);
      await page.getByLabel(name, { exact: true }).first().click();
      assert.ok(desk.apart(await desk.pixels(), plain) <= 3, `${name} is gone`);
    }
    await page.getByText('Inside', { exact: true }).click();
    await page.getByLabel('Section').selectOption('3');
    await page.getByLabel('Method', { exact: true }).selectOption('implicit');
    await page.waitForFunction(() => globalThis.peltStudio?.studio.inside?.section.some(v => v > peltStudio.studio.inside.iso), null, { timeout: 60000 }); // the field is inside somewhere
    await page.getByLabel('Section').selectOption('0');
    await page.getByLabel('Colour').selectOption('file');
    for (const key of ['w', 'i', 'b', 'g']) await page.keyboard.press(key);
    assert.ok((await desk.probe()).drawn > 0);
    await desk.accessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await desk.accessible();
  },

  /** The inside: layers of one method, tetrahedra of another, fields of two; times of their stages. */
  async inside(desk) {
    const page = await desk.open();
    await page.evaluate(() => peltStudio.link.say({ is: 'Builtin', name: 'cylinder', vertices: 600 }));
    await desk.shown('cylinder');
    await sections(page, 'Inside', 'Times', 'Skin');
    const show = async method => { // flesh that moves by itself never comes to rest
      await page.getByLabel('Method', { exact: true }).selectOption(method);
      await page.waitForFunction(method => { const { status } = peltStudio.studio.slots[0]; return status.method === method && status.state === 2 && peltStudio.studio.frames[0]?.serial === status.serial; }, method);
      await page.evaluate(() => peltStudio.studio.seek(1, true));
    };
    const found = {};
    await page.getByLabel('What the method solves on').check();
    for (const method of ['layered', 'projective']) {
      await show(method);
      await page.waitForFunction(() => globalThis.peltStudio?.studio.inside?.lines.length > 900);
      found[method] = await page.evaluate(() => peltStudio.studio.inside.lines.length / 9);
    }
    assert.notEqual(found.layered, found.projective);
    await page.getByLabel('What the method solves on').uncheck();
    await page.getByLabel('Section').selectOption('3');
    for (const method of ['implicit', 'tracking']) {
      await page.evaluate(() => { peltStudio.studio.inside = null; });
      await show(method);
      await page.waitForFunction(() => globalThis.peltStudio?.studio.inside?.section.some(v => v > peltStudio.studio.inside.iso));
    }
    for (const stage of ['step, ms', 'frames a second', 'from wish to skin, ms', 'fields ms', 'project ms', 'relax ms']) await page.locator('.plot span', { hasText: new RegExp(`^${stage}$`) }).waitFor();
  },

  /** A ball falls on the ground, is taken, lifted and thrown; the skin is pulled and springs back; an option is changed live. */
  async world(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('lbs');
    const rest = await desk.settled(), floor = await page.evaluate(() => peltStudio.view.floor);
    await page.getByText('World', { exact: true }).click();
    await page.getByRole('button', { name: 'Ball' }).click();
    const height = () => page.evaluate(() => peltStudio.studio.objects?.origins[1]);
    await page.waitForFunction(floor => peltStudio.studio.objects?.origins[1] < floor + 0.055 * peltStudio.view.size, floor, { timeout: 60000 });
    assert.ok(await height() > floor + 0.045 * rest.size, 'it lies on the ground, not in it');
    assert.ok(await page.evaluate(() => peltStudio.studio.objects.contacts.length > 0), 'which pushes back');
    const arrows = await desk.pixels();
    await page.getByLabel('Forces as arrows').uncheck();
    assert.ok(desk.apart(await desk.pixels(), arrows) > 1, 'and an arrow says so');
    await page.getByLabel('Forces as arrows').check();
    const ball = await page.evaluate(() => { const { studio, view } = peltStudio, p = view.onScreen(view.centre.clone().fromArray(studio.objects.origins)), b = view.renderer.domElement.getBoundingClientRect(); return [p.x + b.left, p.y + b.top]; });
    await page.mouse.move(...ball);
    await page.mouse.down();
    for (let i = 1; i <= 8; i++) await page.mouse.move(ball[0] - 6 * i, ball[1] - 15 * i);
    await page.waitForFunction(() => globalThis.peltStudio?.studio.held.object === 0 && Math.abs(peltStudio.studio.objects.origins[1] - peltStudio.studio.held.at[1]) < 0.01 * peltStudio.view.size);
    const lifted = await height();
    assert.ok(lifted > floor + 0.15 * rest.size, 'it is lifted');
    await page.mouse.up();
    await page.waitForFunction(high => peltStudio.studio.objects.origins[1] < high - 0.05 * peltStudio.view.size, lifted);
    await page.getByLabel('Touches a world').uncheck();

    await page.keyboard.press('k');
    const [x, y] = await desk.onScreen('Spine');
    await page.mouse.move(x + 20, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y);
    await page.waitForFunction(() => globalThis.peltStudio?.studio.poked.point >= 0);
    const pulled = await desk.settled(), point = await page.evaluate(() => ({ i: peltStudio.studio.poked.point, at: peltStudio.studio.poked.at, p: Array.from(peltStudio.view.skins[0].positions.slice(peltStudio.studio.poked.point * 3, peltStudio.studio.poked.point * 3 + 3)) }));
    assert.ok(desk.apart(point.at, point.p) < 0.01 * rest.size, 'the skin is at the mouse');
    await page.mouse.up();
    assert.ok(desk.apart((await desk.settled()).sample, rest.sample) < 0.01 * rest.size, 'and springs back');
    assert.ok(pulled.drawn > 0);
  },

  /** Options come from the library; a change prepares anew beside the skin that is shown; a wrong one is refused with a story. */
  async options(desk) {
    const page = await desk.open();
    await desk.settled();
    await page.getByText('Options (').first().click();
    const serial = await page.evaluate(() => peltStudio.studio.slots[0].status.serial);
    await page.getByLabel('slide', { exact: true }).fill('0.5');
    await page.getByLabel('slide', { exact: true }).press('Enter');
    await page.waitForFunction(s => peltStudio.studio.slots[0].status.serial > s, serial);
    assert.ok(await page.evaluate(() => peltStudio.studio.frames[0] !== null), 'the skin before is still there');
    await desk.settled();
    assert.deepEqual(await page.evaluate(() => peltStudio.studio.slots[0].settings), { slide: '0.5' });
    await page.evaluate(() => peltStudio.studio.setMethod(0, 'tracking', { slide: '7' }));
    await page.waitForFunction(() => globalThis.peltStudio?.studio.slots[0].status.state === 3);
    assert.match(await page.locator('.progress.failed').first().textContent(), /slide/);
    await page.getByRole('button', { name: 'As the library has it' }).first().click();
    await desk.settled();
  },

  /** A solver that takes 200 ms a step: the joint follows the mouse at once, and no task of the page is long. */
  async slow(desk) {
    const page = await desk.open({ args: ['--slow', '200'], width: 520, height: 360 });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.slots[0].status?.state === 2);
    await page.evaluate(() => { window.tasks = []; new PerformanceObserver(list => tasks.push(...list.getEntries().map(e => e.duration))).observe({ entryTypes: ['longtask'] }); });
    const ahead = await page.evaluate(async () => {
      const { studio } = peltStudio, node = studio.skeleton.names.indexOf('LeftLowerArm'), turn = studio.skeleton.turn(node);
      const until = performance.now() + 20000; // pictures may be rare on a busy machine, and the page tells with each
      let most = 0, behind = 0;
      for (let i = 0; i < 30 || (behind <= 100 && performance.now() < until); i++) {
        await new Promise(resolve => setTimeout(resolve, 16));
        turn.y += i < 30 ? 0.02 : 0.0001;
        studio.skeleton.setTurn(node, turn.normalize());
        studio.posed();
        most = Math.max(most, studio.skeleton.turn(node).angleTo(turn));
        behind = Math.max(behind, studio.behind_ms);
      }
      return { most, behind };
    });
    assert.ok(ahead.most < 1e-3, 'the skeleton follows at once');
    assert.ok(ahead.behind > 100, 'the skin is behind, and the page knows');
    const [x, y] = await desk.onScreen('LeftLowerArm', 'LeftHand', 0.55), seen = [];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= 4; i++) { // the bone, drawn out as far as the mouse is, points at it when the skin is not there yet
      await page.mouse.move(x - 3 * i, y - 10 * i);
      seen.push(await page.evaluate(([mx, my]) => {
        const { studio, view, link } = peltStudio, { skeleton } = studio, box = view.renderer.domElement.getBoundingClientRect(), n = name => skeleton.names.indexOf(name);
        const at = share => view.onScreen(skeleton.head(n('LeftLowerArm')).lerp(skeleton.head(n('LeftHand')), share)), off = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2].map(s => { const p = at(s); return Math.hypot(p.x + box.left - mx, p.y + box.top - my); });
        return { off: Math.min(...off), late: link.shown !== studio.wishes };
      }, [x - 3 * i, y - 10 * i]));
    }
    await page.mouse.up();
    assert.ok(seen.filter(s => s.late).length >= 3, 'the skin is late');
    assert.ok(seen.every(s => s.off < 10), `the joint's ghost follows the mouse: ${seen.map(s => s.off.toFixed(0))} pixels`);
    const tasks = await page.evaluate(() => window.tasks);
    console.log(`slow: ${tasks.length} tasks over 50 ms${tasks.length ? `, the longest ${Math.max(...tasks)} ms` : ''}`);
    assert.ok(tasks.every(ms => ms < desk.longTask), `a task of ${Math.max(...tasks)} ms`);
  },

  /** Doors: no cookie, a wrong name, another origin, a used address, a second tab. */
  async doors(desk) {
    const page = await desk.open(), { port } = new URL(desk.address);
    const ask = (path, headers = {}, method = 'GET', body) => desk.raw(Number(port), path, headers, method, body);
    const cookie = (await page.context().cookies()).map(c => `${c.name}=${c.value}`).join('; ');
    const cookies = await page.context().cookies();
    assert.ok(cookies[0].httpOnly && cookies[0].sameSite === 'Strict');
    const host = `127.0.0.1:${port}`, origin = `http://${host}`;
    assert.equal(await ask('/', { host }), 403, 'no cookie: another user of the machine');
    assert.equal(await ask('/', { host, cookie }), 200);
    assert.equal(await ask('/', { host: `rebound.example:${port}`, cookie }), 421);
    assert.equal(await ask(new URL(desk.address).pathname, { host }), 403, 'the address was used');
    assert.equal(await ask('/talk', { host, cookie, origin: 'http://evil.example' }, 'POST', 'x'), 403);
    assert.equal(await ask('/talk', { host, cookie }, 'POST', 'x'), 403);
    assert.equal(await ask('/talk', { host, cookie, origin }, 'POST', 'x'), 400);
    assert.equal(await ask('/upload', { host, cookie, origin: 'null' }, 'POST', 'x'), 403);
    assert.equal(await ask('/talk', { host, cookie, origin, 'content-length': 99999999999 }, 'POST'), 413);
    assert.equal(await ask('/upload', { host, cookie, origin, 'content-length': 2 ** 30 + 1 }, 'POST'), 413, 'told before a byte of it is read');
    assert.equal(await ask('/upload', { host, cookie, origin, 'transfer-encoding': 'chunked' }, 'POST', 'x'), 411, 'a length is wanted');
    assert.equal(await ask('/talk', { host, cookie, upgrade: 'websocket', connection: 'Upgrade' }), 405);
    assert.equal(await ask('/../../etc/passwd', { host, cookie }), 404);
    assert.equal(await ask('/', { host, cookie }, 'PUT', 'x'), 405);
    const other = await page.context().newPage();
    await other.goto(`http://${host}/`);
    await page.waitForFunction(() => globalThis.peltStudio?.studio.link === 'elsewhere');
    await page.getByRole('button', { name: 'Use it here' }).click();
    await other.waitForFunction(() => globalThis.peltStudio?.studio.link === 'elsewhere');
    await other.close();
    desk.errors.length = 0; // 403 and 405 above were wanted, and are no fault of the page
  },

  /** A page of another origin, in the same browser, which sends the cookie along: it reads nothing and says nothing. A rebound name is no host. */
  async strangers(desk) {
    const page = await desk.open(), { port } = new URL(desk.address), stranger = http.createServer((_, answer) => { answer.setHeader('content-type', 'text/html'); answer.end('<!doctype html><title>elsewhere</title>'); });
    await new Promise(resolve => stranger.listen(0, '127.0.0.1', resolve));
    const other = await page.context().newPage(), epoch = await page.evaluate(() => peltStudio.studio.character.epoch);
    for (const name of ['127.0.0.1', 'localhost']) {
      await other.goto(`http://${name}:${stranger.address().port}/`);
      const got = await other.evaluate(async from => {
        const tried = async (path, how) => { try { const answer = await fetch(from + path, { credentials: 'include', ...how }); return answer.type === 'opaque' ? 'opaque' : `read ${answer.status}`; } catch { return 'refused'; } };
        const element = (tag, path) => new Promise(resolve => { const e = document.createElement(tag); e.onload = () => resolve('loaded'); e.onerror = () => resolve('refused'); e.src = from + path; document.body.append(e); });
        const socket = new Promise(resolve => { const s = new WebSocket(from.replace('http', 'ws') + '/talk'); s.onopen = () => resolve('open'); s.onerror = () => resolve('refused'); });
        return [await tried('/character'), await tried('/character', { mode: 'no-cors' }), await tried('/talk', { method: 'POST', body: 'x' }), await element('script', '/studio.js'), await element('img', '/icon.svg'), await socket,
          await tried('/upload', { method: 'POST', body: 'x', mode: 'no-cors' })];
      }, `http://127.0.0.1:${port}`);
      assert.deepEqual([...new Set(got.slice(0, 6))], ['refused'], `${name}: ${got}`);
      assert.notEqual(got[6], 'read 204');
    }
    const answer = await other.goto(`http://rebound.example:${port}/`);
    assert.equal(answer.status(), 421, 'a name that was made to point here');
    await other.close();
    stranger.close();
    assert.equal(await page.evaluate(() => peltStudio.studio.character.epoch), epoch, 'the character stays');
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    await desk.settled();
    desk.errors.length = 0;
  },

  /** A thousand malformed requests, each one slip away from a good one: refused, and the page lives on. */
  async malformed(desk) {
    const page = await desk.open();
    await desk.settled();
    const seen = await malform(page, 1000);
    assert.deepEqual(seen, { passed: [], fine: 200 });
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    await desk.settled();
    desk.errors.length = 0;
  },

  /** Only by name: minutes of random posing (PELT_MINUTES); neither the page nor the command grows. */
  async endure(desk) {
    const { poses, frames, command, page } = await endure(desk, Number(process.env.PELT_MINUTES ?? 1), process.env.PELT_METHOD ?? 'lbs');
    console.log(`endure: ${poses} poses, ${frames} frames; command ${command.map(v => v.toFixed(1)).join(' ')} MB, page ${page.map(v => v.toFixed(1)).join(' ')} MB`);
    for (const list of [command, page]) { // an allocator settles at first; what grows goes on growing
      const first = list[0], middle = list[list.length >> 1], last = list.at(-1);
      assert.ok(last < first + 8 && last < middle + 3, `${list} MB`);
    }
  },

  /** The command ends: the page says so. */
  async lost(desk) {
    const page = await desk.open();
    await desk.kill();
    await page.getByText('The command does not answer').waitFor({ timeout: 60000 });
    desk.errors.length = 0;
  },
};

const [pelt, ...chosen] = process.argv.slice(2);
for (const [name, part] of Object.entries({ ...parts, ...rigParts, ...fileParts })) {
  if (chosen.length ? !chosen.includes(name) : name === 'endure') continue;
  const desk = new Desk(pelt), began = Date.now();
  try {
    await part(desk);
    assert.deepEqual(desk.errors, [], 'the page wrote errors');
    assert.deepEqual(desk.elsewhere, [], 'the page asked elsewhere');
  } catch (fault) {
    await desk.page?.screenshot({ path: `studio-${name}.png` }).catch(() => undefined);
    console.error(`${name}: failed`);
    throw fault;
  } finally {
    await desk.close();
  }
  console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
await shut();
