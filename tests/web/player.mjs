// The three.js player in a real browser: a distilled file, its joints posed by its clips with the curves of helpers and
// correctives taken out, so that the rules alone move them; every point of every frame where `pelt bake -m lbs` of the file puts
// it, to 1e-4 of the size. The same again for the file as any viewer plays it, by its own curves. How far that is from the method's
// own bake is what the report says, to 1e-4 of the size; the file is clean by Khronos' validator; the page shows its pictures.
// Usage: node player.mjs X.glb CLIP FPS [screenshot.png]; beside it are X.drivers.json, X.json (the report, whose clips are looked
// at FPS times a second), X.html, X.pc2 (`pelt bake -m lbs` of it) and X.method.pc2 (the method's bake of the source).
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import assert from 'node:assert/strict';

const require = createRequire(process.env.PELT_WEB_MODULES + '/');
const { chromium } = require('playwright-core');
const [model, clip, fps, screenshot] = process.argv.slice(2);
const beside = end => model.replace(/\.[^.]*$/, end);
const here = path.dirname(fileURLToPath(import.meta.url));
const folders = { modules: path.join(process.env.PELT_WEB_MODULES, 'node_modules'), players: path.join(here, '../../players'), data: path.dirname(path.resolve(model)) };
const base = path.basename(model);
const page_text = `<!doctype html><meta charset="utf-8"><title>player</title><canvas width="480" height="480"></canvas>
<script type="importmap">{"imports": {"three": "/modules/three/build/three.module.js", "three/": "/modules/three/"}}</script>
<script type="module">
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { PeltDrivers } from '/players/three/pelt-drivers.js';
const gltf = await new GLTFLoader().loadAsync('/data/${base}');
const rules = await (await fetch('/data/${base.replace(/\.[^.]*$/, '')}.drivers.json')).json();
const drivers = await PeltDrivers.create(gltf, rules);
const helpers = new Set(drivers.helpers.map(helper => helper.object.name));
const rest = new Map(drivers.helpers.map(({ object }) => [object, object.clone(false)]));
// in the order of the cache: meshes, the nodes that show each, their primitives
const known = object => gltf.parser.associations.get(object) ?? {};
const meshes = [];
gltf.scene.traverse(object => object.isMesh && meshes.push({ object, mesh: known(object).meshes, primitive: known(object).primitives ?? 0,
  node: known(object).nodes ?? known(object.parent).nodes }));
meshes.sort((a, b) => a.mesh - b.mesh || a.node - b.node || a.primitive - b.primitive);
window.play = (clip, time, live) => {
  const whole = gltf.animations.find(animation => animation.name === clip) ?? gltf.animations[0];
  const tracks = whole.tracks.filter(track => !live || !(helpers.has(track.name.split('.')[0]) || track.name.includes('morphTargetInfluences')));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  for (const { object } of drivers.helpers) live ? object.rotation.set(1, 2, 3) : object.copy(rest.get(object), false); // the rules do it all
  for (const { object } of meshes) object.morphTargetInfluences?.fill(0);
  const action = mixer.clipAction(new THREE.AnimationClip('x', whole.duration, tracks));
  action.setLoop(THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  if (live) drivers.update();
  gltf.scene.updateMatrixWorld(true);
  const out = [], p = new THREE.Vector3();
  for (const { object } of meshes) {
    if (object.isSkinnedMesh) object.skeleton.update();
    for (let i = 0; i < object.geometry.attributes.position.count; i++)
      out.push(...object.getVertexPosition(i, p).applyMatrix4(object.matrixWorld).toArray());
  }
  return out;
};
window.draw = () => {
  const renderer = new THREE.WebGLRenderer({ canvas: document.querySelector('canvas'), preserveDrawingBuffer: true });
  const box = new THREE.Box3().setFromObject(gltf.scene, true), size = box.getSize(new THREE.Vector3()).length();
  const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(40, 1, size / 100, 10 * size);
  scene.background = new THREE.Color(0xffffff);
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x444444, 3));
  box.getCenter(camera.position).add(new THREE.Vector3(0.2, 0.1, 1).multiplyScalar(1.4 * size));
  camera.lookAt(box.getCenter(new THREE.Vector3()));
  renderer.render(scene, camera);
  const gl = renderer.getContext(), pixels = new Uint8Array(480 * 480 * 4);
  gl.readPixels(0, 0, 480, 480, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return { error: gl.getError(), drawn: pixels.reduce((n, v, i) => n + (i % 4 === 0 && v < 250), 0) };
};
window.ready = { helpers: drivers.helpers.length, correctives: drivers.correctives.length };
</script>`;

const types = { '.js': 'text/javascript', '.json': 'application/json', '.glb': 'model/gltf-binary', '.gltf': 'model/gltf+json' };
const server = createServer(async (request, response) => {
  try {
    const parts = decodeURIComponent(new URL(request.url, 'http://x').pathname).split('/').slice(1);
    if (parts[0] === '') return response.setHeader('content-type', 'text/html').end(page_text);
    const file = path.join(folders[parts[0]], ...parts.slice(1));
    response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream').end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise(resolve => server.once('listening', resolve));

// PC2: "POINTCACHE2\0", version, points, start, rate, samples; then floats
const bytes = await readFile(beside('.pc2')), points = bytes.readInt32LE(16), frames = bytes.readInt32LE(28);
const frame = (file, f) => new Float32Array(file.buffer.slice(file.byteOffset + 32 + 12 * points * f, file.byteOffset + 32 + 12 * points * (f + 1)));
const baked = f => frame(bytes, f);
const method = await readFile(beside('.method.pc2'));
const told = JSON.parse(await readFile(beside('.json'))).errors.find(set => set.poses === clip);
assert.equal(told.count, frames);

const { validateBytes } = require('gltf-validator');
const { issues } = await validateBytes(new Uint8Array(await readFile(model)));
assert.deepEqual([issues.numErrors, issues.numWarnings], [0, 0], JSON.stringify(issues.messages.slice(0, 5)));

const distance = (a, b) => {
  let most = 0;
  for (let i = 0; i < a.length; i += 3) most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  return most;
};
const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
baked(0).forEach((v, i) => { low[i % 3] = Math.min(low[i % 3], v); high[i % 3] = Math.max(high[i % 3], v); });
const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
try {
  const page = await browser.newPage(), errors = [];
  page.on('console', m => m.type() === 'error' && !/favicon/.test(m.location().url) && errors.push(m.text()));
  page.on('pageerror', e => errors.push(String(e)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.ready, null, { timeout: 60000 }).catch(() => assert.fail(errors.join('\n')));
  let live = 0, curves = 0, moved = 0, largest = 0, square = 0;
  for (let f = 0; f < frames; f++) {
    const play = rules => page.evaluate(([c, t, l]) => window.play(c, t, l), [clip, f / Number(fps), rules]);
    const shown = await play(true);
    assert.equal(shown.length, 3 * points);
    live = Math.max(live, distance(shown, baked(f)));
    const played = await play(false), truth = frame(method, f);
    curves = Math.max(curves, distance(played, baked(f)));
    largest = Math.max(largest, distance(played, truth));
    square += played.reduce((sum, v, i) => sum + (v - truth[i]) ** 2, 0);
    moved = Math.max(moved, distance(baked(f), baked(0)));
  }
  const { helpers, correctives } = await page.evaluate(() => window.ready);
  console.log(`three.js: ${helpers} helpers, ${correctives} correctives, ${points} points, ${frames} frames; largest distance by the rules ${(live / size).toExponential(1)}, by the curves ${(curves / size).toExponential(1)} of the size (moves ${(moved / size).toFixed(2)})`);
  assert.ok(moved > 0.05 * size, 'the clip moves the character');
  assert.ok(live <= 1e-4 * size && curves <= 1e-4 * size);
  const rms = Math.sqrt(square / (points * frames));
  console.log(`from the method: RMS ${rms.toExponential(3)}, largest ${largest.toExponential(3)}; the report says ${told.distilled.rms.toExponential(3)}, ${told.distilled.largest.toExponential(3)}`);
  assert.ok(Math.abs(rms - told.distilled.rms) <= 1e-4 * size && Math.abs(largest - told.distilled.largest) <= 1e-4 * size);
  const { error, drawn } = await page.evaluate(() => window.draw());
  assert.equal(error, 0);
  assert.ok(drawn > 2000, `${drawn} pixels show the character`);
  if (screenshot) await page.locator('canvas').screenshot({ path: screenshot });
  await page.goto('file://' + path.resolve(beside('.html')));
  const pictures = await page.$$eval('figure img', images => images.map(image => image.complete && image.naturalWidth > 0));
  assert.ok(pictures.length >= 20 && pictures.every(Boolean), `${pictures.length} pictures of the worst poses`);
  assert.deepEqual(errors, []);
} finally {
  await browser.close();
  server.close();
}
