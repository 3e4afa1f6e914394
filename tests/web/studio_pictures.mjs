// The pictures and the film of docs/studio.md, from the running page. Usage: node studio_pictures.mjs path/to/pelt OUT (PNG files).
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { Desk, shut } from './studio_desk.mjs';

const [pelt, out] = process.argv.slice(2), desk = new Desk(pelt);
mkdirSync(out, { recursive: true });
const page = await desk.open({ width: 1000, height: 620 });
const shot = name => page.screenshot({ path: join(out, name + '.png') });
let shots = 0;

/** A frame of the film: what was asked is on the screen, and the mouse is seen. */
async function film(x, y, pressed = false) {
  await page.waitForFunction(() => !peltStudio.link.inFlight || peltStudio.studio.world.on, null, { timeout: 5000 }).catch(() => undefined);
  await page.evaluate(({ x, y, pressed }) => {
    let dot = document.getElementById('mouse');
    if (!dot) {
      dot = document.body.appendChild(document.createElement('div'));
      dot.id = 'mouse';
      Object.assign(dot.style, { position: 'fixed', width: '18px', height: '18px', margin: '-9px', borderRadius: '50%', border: '2px solid #fff', pointerEvents: 'none', boxShadow: '0 0 3px #000', zIndex: 9 });
    }
    dot.style.left = `${x}px`;
    dot.style.top = `${y}px`;
    dot.style.background = pressed ? '#e8590c' : '#0008';
  }, { x, y, pressed });
  await page.screenshot({ path: join(out, `film-${String(shots++).padStart(3, '0')}.png`) });
}

async function dragged(from, to, steps) {
  await page.mouse.move(...from);
  await film(...from);
  await page.mouse.down();
  for (let i = 1; i <= steps; i++) {
    const s = i / steps, at = [from[0] + (to[0] - from[0]) * s, from[1] + (to[1] - from[1]) * s];
    await page.mouse.move(...at);
    await film(...at, true);
  }
  await page.mouse.up();
}

async function press(target) {
  const box = await target.boundingBox(), at = [box.x + box.width / 2, box.y + box.height / 2];
  await film(...at);
  await target.click();
  await film(...at, true);
}

// a forearm folds; beside it linear blending, under a wipe
await desk.settled();
await page.evaluate(() => { const { view } = peltStudio; view.camera.position.lerp(view.orbit.target, 0.3); view.camera.position.y += 0.15; view.orbit.target.y += 0.2; view.orbit.update(); });
const arm = await desk.onScreen('LeftLowerArm', 'LeftHand', 0.6);
await dragged(arm, [arm[0] - 75, arm[1] - 190], 14);
await desk.settled();
await shot('studio-turn');
await page.getByLabel('Other method').selectOption('lbs');
await desk.settled();
await page.evaluate(() => peltStudio.studio.setLook({ bones: false }));
for (let i = 0; i <= 12; i++) { await page.evaluate(w => peltStudio.studio.setLook({ wipe: w }), 0.85 - 0.4 * i / 12); await film(704 * (0.85 - 0.4 * i / 12), 310, true); }
await page.evaluate(() => { peltStudio.studio.select(-1); peltStudio.studio.setLook({ colour: 'stretch' }); });
await shot('studio-wipe');
for (let i = 0; i < 4; i++) await film(704 * 0.45, 310);
// another hand reaches, with bones
await page.evaluate(() => { const { studio } = peltStudio; studio.setMethod(1, ''); studio.setLook({ colour: 'clay', compare: 'off', bones: true }); studio.tool = 'reach'; studio.tell('tool'); });
const hand = await desk.onScreen('RightHand');
await dragged(hand, [hand[0] + 60, hand[1] - 170], 12);
await dragged([hand[0] + 60, hand[1] - 170], [hand[0] - 20, hand[1] - 90], 8);
// the skin is poked
await page.keyboard.press('k');
await page.evaluate(() => { const { studio } = peltStudio; studio.select(-1); studio.setLook({ bones: false }); });
const belly = await desk.onScreen('Spine');
await dragged([belly[0] + 30, belly[1]], [belly[0] + 95, belly[1] - 15], 7);
for (let i = 0; i < 3; i++) await film(belly[0] + 95, belly[1] - 15);
// a ball is taken and thrown
await page.keyboard.press('f');
await page.getByText('World', { exact: true }).click();
await press(page.getByRole('button', { name: 'Ball' }));
await press(page.getByRole('button', { name: 'Box', exact: true }));
for (let i = 0; i < 9; i++) { await page.waitForTimeout(150); await film(820, 480); }
const ball = await page.evaluate(() => { const { studio, view } = peltStudio, p = view.onScreen(view.centre.clone().fromArray(studio.objects.origins)), b = view.renderer.domElement.getBoundingClientRect(); return [p.x + b.left, p.y + b.top]; });
await dragged(ball, [ball[0] + 90, ball[1] - 230], 9);
await shot('studio-world');
for (let i = 0; i < 7; i++) { await page.waitForTimeout(120); await film(ball[0] + 90, ball[1] - 230); }
// the clip plays; dark
await page.evaluate(() => { const { studio } = peltStudio; studio.setWorld({ on: false, things: [] }); studio.skeleton.setEdits(new Map()); studio.tool = 'turn'; studio.tell('tool'); });
for (let i = 0; i <= 12; i++) { await page.evaluate(t => peltStudio.studio.seek(t), i / 12); await film(20 + 480 * i / 12, 568, true); }
await page.emulateMedia({ colorScheme: 'dark' });
await page.evaluate(() => { peltStudio.studio.setLook({ bones: true }); peltStudio.studio.select(peltStudio.studio.skeleton.names.indexOf('LeftLowerArm')); });
await desk.settled();
await page.waitForTimeout(300);
await page.evaluate(() => { document.getElementById('mouse').remove(); });
await shot('studio-dark');
// a rig by hand: an operator's curves and a muscle
await page.emulateMedia({ colorScheme: 'light' });
await page.setViewportSize({ width: 1280, height: 800 });
await page.evaluate(() => { document.querySelectorAll('aside details').forEach(d => { d.open = ['Rig', 'Operator', 'Muscles', 'Paint'].includes(d.querySelector('summary').textContent); }); peltStudio.view.frameAll(); });
await page.getByLabel('Operator', { exact: true }).selectOption('own');
await page.getByRole('button', { name: 'Muscle at the joint' }).click();
await desk.settled();
await shot('studio-rig');
console.log(`${shots} frames of film`);
await desk.close();
await shut();
