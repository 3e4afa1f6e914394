// Opens the page of `pelt compare` as a person would: wipes, flips, hovers a plot; no error, no request, no missing label.
// Usage: node compare.mjs page.html [screenshot.png]. Needs playwright-core and Debian's chromium.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';

const require = createRequire(process.env.PELT_WEB_MODULES + '/');
const { chromium } = require('playwright-core');
const [page_path, screenshot] = process.argv.slice(2);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
for (const colorScheme of ['light', 'dark']) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
  const errors = [], requests = [];
  page.on('console', m => m.type() === 'error' && errors.push(m.text()));
  page.on('pageerror', e => errors.push(String(e)));
  page.on('request', r => !/^(data|file):/.test(r.url()) && requests.push(r.url()));
  await page.goto(pathToFileURL(page_path).href);

  // the wipe shows two methods and follows slider and pointer
  const wipe = page.locator('.wipe');
  const at = () => wipe.evaluate(e => parseFloat(e.style.getPropertyValue('--at')));
  assert.equal(await at(), 50);
  const slider = page.getByLabel('Wipe between the two pictures');
  await slider.fill('20');
  assert.equal(await at(), 20);
  const box = await wipe.boundingBox();
  await page.mouse.click(box.x + 0.75 * box.width, box.y + 0.5 * box.height);
  assert.ok(Math.abs(await at() - 75) < 1.5);
  const sources = () => wipe.evaluate(e => [...e.querySelectorAll('img')].map(i => i.src));
  const [under, over] = await sources();
  assert.ok(under.startsWith('data:image/webp') && over.startsWith('data:image/webp') && under !== over);
  assert.ok(await wipe.evaluate(e => [...e.querySelectorAll('img')].every(i => i.complete && i.naturalWidth > 0)));

  // another frame, another picture
  const frames = await page.getByLabel('frame', { exact: true }).locator('option').allTextContents();
  if (frames.length > 1) {
    await page.getByLabel('frame', { exact: true }).selectOption(frames[1]);
    assert.notEqual((await sources())[0], under);
  }

  // the key flips between the two
  const shown = () => wipe.evaluate(e => getComputedStyle(e.querySelector('.over')).visibility);
  await page.locator('h1').click();
  await page.keyboard.press('f');
  assert.equal(await shown(), 'visible');
  await page.keyboard.press('f');
  assert.equal(await shown(), 'hidden');
  await page.keyboard.press('f');
  assert.equal(await shown(), 'visible');
  await page.keyboard.press('Escape');

  // plots tell their values, by pointer and by keys
  const plot = page.locator('.plot').first(), values = plot.locator('output');
  await plot.locator('svg').scrollIntoViewIfNeeded();
  await plot.locator('svg').hover();
  assert.match(await values.textContent(), /^frame \d+: \S+ [\d.]+/);
  await plot.locator('svg').focus();
  await page.keyboard.press('ArrowRight');
  assert.match(await values.textContent(), /^frame \d+:/);

  // everything that should have a name has one
  const bare = await page.evaluate(() => {
    const named = e => e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim();
    return [...document.querySelectorAll('img:not([alt]), img[alt=""]')].concat(
      [...document.querySelectorAll('select, input, button, a')].filter(e => !named(e)),
      [...document.querySelectorAll('svg')].filter(e => !e.getAttribute('aria-label')),
      [...document.querySelectorAll('th:not([scope])')]).map(e => e.outerHTML.slice(0, 120));
  });
  assert.deepEqual(bare, []);
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(e => e.id));
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scrolling');
  if (screenshot)
    await page.screenshot({ path: screenshot.replace('.png', `-${colorScheme}.png`), fullPage: true });
  assert.deepEqual(errors, []);
  assert.deepEqual(requests, []);
  await page.close();
}
await browser.close();
console.log('the page works, light and dark');
