// Opens the page of `pelt studio` as a person would. Usage: node studio.mjs path/to/pelt [part...]; PELT_SHARED names a folder with
// characters (its data/ are dropped). Needs playwright-core, axe-core and Debian's chromium.
import assert from 'node:assert/strict';
import { Desk } from './studio_desk.mjs';

const parts = {
  /** Opens, plays, scrubs; no error, no request elsewhere, every control has a name. */
  async open(desk) {
    const page = await desk.open();
    const first = await desk.probe();
    assert.equal(first.label, 'biped');
    assert.ok(first.points > 1000 && first.drawn > 2000, `${first.drawn} pixels of the character`);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => peltStudio.studio.time > 0.3);
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

  /** Every character beside the checkout can be dropped and posed. */
  async drop(desk) {
    const files = desk.characters();
    if (!files.length) return;
    const page = await desk.open();
    for (const file of files) {
      await desk.dropFile(file);
      await page.waitForFunction(label => peltStudio.studio.character?.label === label && peltStudio.studio.frames[0], file.name, { timeout: 30000 });
      const seen = await desk.probe();
      assert.ok(seen.drawn > 300, `${file.name}: ${seen.drawn} pixels`);
      assert.equal(seen.trouble, '');
    }
    await desk.dropFile({ name: 'broken.glb', bytes: Buffer.from('glTF, but not really') });
    await page.waitForFunction(() => peltStudio.studio.trouble.includes('broken.glb'));
    assert.equal((await desk.probe()).label, files.at(-1).name, 'the character before stays');
    desk.errors.length = 0; // the refusal was wanted
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
    assert.equal(await ask('/talk', { host, cookie, upgrade: 'websocket', connection: 'Upgrade' }), 405);
    assert.equal(await ask('/../../etc/passwd', { host, cookie }), 404);
    assert.equal(await ask('/', { host, cookie }, 'PUT', 'x'), 405);
    const other = await page.context().newPage();
    await other.goto(`http://${host}/`);
    await page.waitForFunction(() => peltStudio.studio.link === 'elsewhere');
    await page.getByRole('button', { name: 'Use it here' }).click();
    await other.waitForFunction(() => peltStudio.studio.link === 'elsewhere');
    await other.close();
    desk.errors.length = 0; // 403 and 405 above were wanted, and are no fault of the page
  },

  /** A thousand malformed requests: each refused, the page lives on. */
  async malformed(desk) {
    const page = await desk.open();
    const bad = await page.evaluate(async () => {
      let random = 12345, good = 0;
      const next = () => (random = (random * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
      for (let i = 0; i < 1000; i++) {
        const words = new Uint32Array(2 + Math.floor(next() * 20)).map(() => next() < 0.6 ? Math.floor(next() * 12) : Math.floor(next() * 4294967295));
        if (words[0] === 1) words[0] = 2; // not a Hello: none may be taken for a conversation
        const answer = await fetch('/talk', { method: 'POST', body: words });
        if (answer.status !== 400) good++;
      }
      return good;
    });
    assert.equal(bad, 0);
    await page.evaluate(() => peltStudio.studio.seek(0.5, true));
    await desk.settled();
    desk.errors.length = 0;
  },

  /** The command ends: the page says so. */
  async lost(desk) {
    const page = await desk.open();
    await desk.kill();
    await page.getByText('The command does not answer').waitFor({ timeout: 15000 });
    desk.errors.length = 0;
  },
};

const [pelt, ...chosen] = process.argv.slice(2);
for (const [name, part] of Object.entries(parts)) {
  if (chosen.length && !chosen.includes(name)) continue;
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
