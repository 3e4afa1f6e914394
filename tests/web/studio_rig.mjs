// The studio's tests of what a person makes there: rigs, clips of one's own, a hand that closes, objects from files, films.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Opens sections of the panel by their titles, and shuts all others. */
export const sections = (page, ...titles) => page.evaluate(titles => document.querySelectorAll('aside details').forEach(d => { d.open = titles.includes(d.querySelector('summary').textContent); }), titles);
export const select = (page, joint) => page.evaluate(name => peltStudio.studio.select(peltStudio.studio.skeleton.names.indexOf(name)), joint);
/** The kinds of files that are baked. */
export const files = (page, ...endings) => page.evaluate(endings => document.querySelectorAll('.kinds input').forEach(box => { if (box.checked !== endings.includes(box.nextSibling.textContent.split(' ')[0])) box.click(); }), endings);
const rigOf = page => page.evaluate(() => JSON.parse(peltStudio.studio.rig.text() || '{}'));

async function dragBy(page, at, [dx, dy]) {
  const box = await at.boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 4; i++) await page.mouse.move(x + dx * i / 4, y + dy * i / 4);
  await page.mouse.up();
}

/**
 * So many frames of the solver of 1/30 s each: a quick machine makes more, shorter ones, a slow one takes longer by the clock. Drawing is left out in these tests, as software
 * GL draws slowly.
 */
const frames = (page, count) => page.evaluate(async count => {
  const { link } = peltStudio, from = link.fetched, until = performance.now() + count * 1000 / 30;
  while (link.fetched < from + count || performance.now() < until) await new Promise(r => setTimeout(r, 3));
}, count);

export async function download(page, act) {
  const waiting = page.waitForEvent('download', { timeout: 60000 });
  await act();
  const got = await waiting;
  return { name: got.suggestedFilename(), bytes: readFileSync(await got.path()) };
}

export const rigParts = {
  /** An operator is drawn, a muscle placed, a region and numbers painted; what is saved is the rig `pelt bake` reads, and bakes are the same. */
  async rig(desk) {
    const page = await desk.open({ height: 700 });
    await page.evaluate(() => peltStudio.link.say({ is: 'Builtin', name: 'arm', vertices: 900 }));
    await page.waitForFunction(() => globalThis.peltStudio?.studio.character?.label === 'arm' && peltStudio.studio.frames[0], null, { timeout: 60000 });
    await page.getByLabel('Method', { exact: true }).selectOption('tracking');
    const plain = await desk.settled();
    await sections(page, 'Rig', 'Operator');
    await select(page, 'Forearm');
    await page.getByLabel('Operator', { exact: true }).selectOption('own');
    await dragBy(page, page.getByRole('slider', { name: 'Profile point 4 of 6' }), [-18, 4]);
    await page.getByRole('slider', { name: 'Controller point 1 of 2' }).press('ArrowLeft');
    let rig = await rigOf(page);
    assert.equal(rig.joints.Forearm.operator, 'own 1');
    assert.ok(rig.operators['own 1'].closed[3][0] < 0.47, `the profile follows the mouse: ${rig.operators['own 1'].closed[3]}`);
    assert.equal(rig.operators['own 1'].controller[0][0], 89);

    await sections(page, 'Rig', 'Muscles');
    await page.getByRole('button', { name: 'Muscle at the joint' }).click();
    const end = await page.evaluate(() => { const { muscles, studio, view } = peltStudio, p = view.onScreen(muscles.at(studio.rig.file.muscles[0].from)), b = view.renderer.domElement.getBoundingClientRect(); return [p.x + b.left, p.y + b.top]; });
    const was = (await rigOf(page)).muscles[0].from;
    await desk.drag(end, [end[0] + 12, end[1] + 6]);
    rig = await rigOf(page);
    assert.notDeepEqual(rig.muscles[0].from, was, 'its end was dragged');
    assert.equal(rig.muscles[0].driver, 'Forearm');
    await page.getByLabel('Swells to').fill('2.2');

    await sections(page, 'Rig', 'Paint');
    await page.getByRole('button', { name: 'Region of the joint' }).click();
    const there = await desk.onScreen('Forearm', 'Hand', 0.8).catch(() => desk.onScreen('Forearm'));
    await desk.drag(there, [there[0] + 10, there[1] + 4]);
    rig = await rigOf(page);
    const count = rig.regions[0].points.length;
    assert.ok(count > 5, `${count} points painted`);
    await page.getByLabel('Paint', { exact: true }).selectOption('firmness');
    await desk.drag(there, [there[0] + 4, there[1]]);
    await page.getByLabel('Paint', { exact: true }).selectOption('fat');
    await desk.drag(there, [there[0] + 4, there[1]]);
    await page.getByLabel('Paint', { exact: true }).selectOption('stiffness');
    await desk.drag(there, [there[0] + 4, there[1]]);
    const painted = (await rigOf(page)).joints.Forearm.stiffness;
    assert.ok(painted > 0 && painted !== 25, 'stiffness of the joint under the brush');
    await sections(page, 'Rig', 'Stiffness of joints');
    await page.getByRole('spinbutton', { name: 'Forearm' }).fill('25');
    await page.getByRole('spinbutton', { name: 'Forearm' }).press('Enter');
    await page.getByRole('spinbutton', { name: 'Forearm' }).blur();
    rig = await rigOf(page);
    assert.equal(rig.joints.Forearm.stiffness, 25);
    assert.deepEqual(rig.painted.map(p => p.what), ['firmness', 'fat']);
    const all = await page.evaluate(() => peltStudio.studio.character.welds.length);
    for (const { what, points, values } of rig.painted) { // points under the brush, not bones: full in its middle, less at its rim
      assert.ok(points.length > 5 && points.length < 0.2 * all && values.length === points.length, `${what}: ${points.length} of ${all} points`);
      assert.ok(new Set(values).size > 3 && Math.max(...values) <= (what === 'fat' ? 0.45 : 2) && Math.max(...values) > (what === 'fat' ? 0.4 : 1.7), `${what}: ${values}`);
    }
    assert.equal(await page.evaluate(() => peltStudio.studio.trouble), '');
    await page.evaluate(() => peltStudio.studio.seek(1, true));
    const bent = await desk.settled();
    assert.ok(desk.apart(bent.sample, plain.sample) > 0.01 * plain.size);

    await sections(page, 'Rig', 'Bake and measure');
    const saved = await download(page, () => page.getByRole('button', { name: 'Save rig' }).click());
    assert.equal(saved.name, 'arm.rig.json');
    writeFileSync(join(desk.folder, saved.name), saved.bytes);
    await files(page, '.pc2');
    const baked = await download(page, () => page.getByRole('button', { name: 'Bake…' }).click());
    await page.getByRole('button', { name: 'Copy command' }).click();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(line, 'pelt bake arm.glb -m tracking --clip bend --rig arm.rig.json -o arm-tracking.pc2');
    assert.ok(baked.bytes.equals(await desk.run(line)), 'byte for byte what the command makes of the saved rig');

    await page.getByRole('button', { name: 'Undo of the rig' }).click();
    assert.equal((await rigOf(page)).joints.Forearm.stiffness, painted);
    const refusal = await page.evaluate(async () => (await peltStudio.link.say({ is: 'Rig', epoch: peltStudio.studio.character.epoch, json: '{"joints": {"Forearm": {"operator": "../secret.json"}}}' })).find(m => m.is === 'Refusal')?.text);
    assert.match(refusal, /is a file/, 'a page names no files');
    await desk.accessible();
  },

  /** Poses are put by and keyed; the clip is played by the page, put into the character, and baked by the command as it was seen. */
  async keyed(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('lbs');
    await page.evaluate(() => peltStudio.studio.setClip(-1));
    const rest = await desk.settled();
    await sections(page, 'Pose', 'Clip of your own');
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByLabel('Seconds').fill('1');
    await page.getByLabel('Seconds').press('Enter');
    await page.getByLabel('Time in the clip').fill('1');
    const [x, y] = await desk.onScreen('LeftLowerArm', 'LeftHand', 0.55);
    await desk.drag([x, y], [x - 20, y - 90]);
    const bent = await desk.settled();
    assert.ok(desk.apart(bent.sample, rest.sample) > 0.05 * rest.size);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.keyboard.press('a');
    assert.ok(desk.apart((await desk.settled()).sample, bent.sample) < 1e-3 * rest.size, 'the key holds the pose');
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    const half = await desk.settled();
    assert.ok(desk.apart(half.sample, bent.sample) > 0.01 * rest.size && desk.apart(half.sample, rest.sample) > 0.01 * rest.size, 'between the keys');
    await page.getByRole('button', { name: 'Put into the character' }).click();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.clip >= 0 && peltStudio.studio.character.clip_names.split('\n')[peltStudio.studio.clip] === 'mine' && peltStudio.studio.frames[0]);
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    assert.ok(desk.apart((await desk.settled()).sample, half.sample) < 2e-3 * rest.size, 'the file\'s clip moves as the page played it');
    const whole = await desk.bake('lbs', 30, ['--clip', 'mine']), shown = await page.evaluate(() => { peltStudio.studio.seek(1, true); });
    assert.equal(shown, undefined);
    await desk.settled();
    const last = await page.evaluate(() => Array.from(peltStudio.view.skins[0].positions));
    assert.ok(desk.apart(whole, last) < 4e-5 * desk.size, 'and pelt bake makes the same');
    await page.keyboard.press('Shift+X');
    await page.getByRole('button', { name: 'pose 1', exact: true }).click();
    await page.evaluate(() => peltStudio.studio.seek(0, true));
    assert.ok(desk.apart((await desk.settled()).sample, bent.sample) < 2e-3 * rest.size, 'a pose put by comes back');
    await desk.accessible();
  },

  /** A ball before a palm: the hand closes on it by a slider, lifts it, and friction holds it; with no friction it falls. */
  async grasp(desk) {
    const page = await desk.open();
    await page.evaluate(() => { peltStudio.view.draw = () => undefined; return peltStudio.link.say({ is: 'Builtin', name: 'hand', vertices: 1500 }); });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.character?.label === 'hand' && peltStudio.studio.frames[0], null, { timeout: 60000 });
    await page.evaluate(() => { peltStudio.studio.setMethod(0, 'lbs'); peltStudio.studio.setClip(-1); });
    await desk.settled();
    await sections(page, 'World', 'Close a hand');
    await page.evaluate(() => peltStudio.grip.learn()); // what the file's clips tell of closing
    const height = () => page.evaluate(() => peltStudio.studio.objects.origins[1] / peltStudio.view.size);
    const slide = async (name, most, steps) => { for (let i = 1; i <= steps; i++) { await page.getByRole('slider', { name, exact: true }).fill(String(most * i / steps)); await frames(page, 2); } };
    await page.getByRole('button', { name: 'Ball before the palm' }).click();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects);
    await frames(page, 3);
    const start = await height();
    await slide('Close', 1, 16);
    await frames(page, 6);
    assert.ok(await page.evaluate(() => peltStudio.studio.objects.contacts.length / 6) >= 3, 'fingers push the ball');
    await slide('Lift', 0.2, 14);
    await frames(page, 8);
    const lifted = await height();
    assert.ok(lifted > start + 0.1, `the ball rose by ${lifted - start} of the size`);
    await page.getByRole('slider', { name: 'Friction' }).fill('0');
    await page.waitForFunction(high => peltStudio.studio.objects.origins[1] / peltStudio.view.size < high - 0.2, lifted); // nothing but friction held it
  },

  /** A soft cube is taken with the mouse, led through the air, and thrown. */
  async soft(desk) {
    const page = await desk.open();
    await page.evaluate(() => peltStudio.studio.setMethod(0, 'lbs'));
    const rest = await desk.settled();
    await sections(page, 'World');
    await page.getByRole('button', { name: 'Soft cube' }).click();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts.length === 2);
    await page.evaluate(() => { peltStudio.view.draw(); peltStudio.view.draw = () => undefined; });
    const centre = () => page.evaluate(() => Array.from(peltStudio.studio.objects.origins)), at = () => page.evaluate(() => { const { studio, view } = peltStudio, p = view.onScreen(view.centre.clone().fromArray(studio.objects.origins)), b = view.renderer.domElement.getBoundingClientRect(); return [p.x + b.left, p.y + b.top]; });
    const from = await at(), start = await centre();
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.held.object === 0);
    for (let i = 1; i <= 10; i++) { await page.mouse.move(from[0] - 8 * i, from[1] - 8 * i); await frames(page, 1); }
    await page.waitForFunction(() => Math.abs(peltStudio.studio.objects.origins[1] - peltStudio.studio.held.at[1]) < 0.02 * peltStudio.view.size);
    const led = await centre();
    assert.ok(led[1] > start[1] - 0.05 * rest.size && led[0] < start[0] - 0.1 * rest.size, `led from ${start} to ${led}`);
    await page.evaluate(async ([x, y]) => { // moved on with every frame, and let go in the swing
      const { studio, view } = peltStudio, canvas = view.renderer.domElement, event = (kind, at) => canvas.dispatchEvent(new PointerEvent(kind, { clientX: at, clientY: y, button: 0, buttons: 1, pointerId: 1, bubbles: true }));
      let moves = 0;
      await new Promise(resolve => studio.on(['objects'], () => { if (moves > 6) return; event('pointermove', x - 14 * ++moves); if (moves > 6) { event('pointerup', x - 14 * moves); resolve(); } }));
    }, [from[0] - 80, from[1] - 80]);
    await page.mouse.up();
    await frames(page, 1);
    const thrown = await centre();
    await frames(page, 4);
    const flown = await centre();
    assert.ok(flown[0] < thrown[0] - 0.02 * rest.size, `it flies on: ${thrown} to ${flown}`);
    assert.equal(await page.evaluate(() => peltStudio.studio.trouble), '');
  },

  /** An object from a file falls; a broken one is refused with a story. */
  async object(desk) {
    const page = await desk.open();
    await page.evaluate(() => { peltStudio.view.draw = () => undefined; peltStudio.studio.setMethod(0, 'lbs'); });
    await desk.settled();
    await sections(page, 'World');
    const cube = 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n';
    await page.getByLabel('An object from a file').setInputFiles({ name: 'crate.obj', mimeType: 'text/plain', buffer: Buffer.from(cube) });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts[0] >= 8);
    const from = await page.evaluate(() => peltStudio.studio.objects.origins[1]);
    await page.waitForFunction(from => peltStudio.studio.objects.origins[1] < from - 0.05 * peltStudio.view.size, from);
    await page.getByText('rigid crate.obj').waitFor();
    const low = await page.evaluate(() => peltStudio.studio.objects.origins[1]);
    for (const name of ['Box', 'Fixed box']) await page.getByRole('button', { name, exact: true }).click();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts.length === 6);
    assert.ok(await page.evaluate(() => peltStudio.studio.objects.origins[1]) < low + 1e-3, 'one more leaves the others where they are');
    await page.getByRole('button', { name: 'Remove object 2' }).click();
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts.length === 4);
    assert.ok(await page.evaluate(() => peltStudio.studio.objects.origins[1]) < low + 1e-3, 'and so does one less');
    await page.evaluate(() => peltStudio.studio.setWorld({ things: peltStudio.studio.world.things.slice(0, 1) }));
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.waitForFunction(low => peltStudio.studio.objects.origins[1] > low + 0.02 * peltStudio.view.size, low);
    await page.getByLabel('An object from a file').setInputFiles({ name: 'flat.obj', mimeType: 'text/plain', buffer: Buffer.from('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n') });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.trouble.includes('flat.obj'));
  },

  /** A film of the clip, frame by frame, and a picture. */
  async film(desk) {
    const page = await desk.open({ width: 520, height: 360 });
    await page.evaluate(() => { document.body.classList.remove('folded'); peltStudio.studio.setMethod(0, 'lbs'); });
    await desk.settled();
    await sections(page, 'Look');
    await page.getByLabel('Film', { exact: true }).first().selectOption('10');
    const film = await download(page, () => page.getByRole('button', { name: 'Film', exact: true }).click());
    assert.equal(film.name, 'biped.webp');
    let shots = 0;
    for (let at = 12; at + 8 <= film.bytes.length; at += 8 + film.bytes.readUInt32LE(at + 4) + (film.bytes.readUInt32LE(at + 4) & 1)) if (film.bytes.toString('latin1', at, at + 4) === 'ANMF') shots++;
    assert.equal(shots, 20, 'a picture for each tenth of a second');
    const played = await page.evaluate(async data => { const decoder = new ImageDecoder({ data: Uint8Array.from(atob(data), c => c.charCodeAt(0)), type: 'image/webp' }); await decoder.completed; await decoder.tracks.ready; return decoder.tracks.selectedTrack.frameCount; }, film.bytes.toString('base64'));
    assert.equal(played, 20, 'and the browser plays it');
    const picture = await download(page, () => page.getByRole('button', { name: 'Picture of what is seen' }).click());
    assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
  },
};
