// The studio's tests of what comes from files and goes into them: materials, .gltf with its files, projects; and of what the file's
// clips and a rig tell of joints.
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from './png.mjs';
import { Desk } from './studio_desk.mjs';
import { download, sections, select } from './studio_rig.mjs';

/** A PNG of one colour, 2 by 2. */
function png([r, g, b, a = 255]) {
  const chunk = (name, bytes) => { const head = Buffer.from(name, 'latin1'), out = Buffer.alloc(12 + bytes.length); out.writeUInt32BE(bytes.length); head.copy(out, 4); bytes.copy(out, 8); out.writeUInt32BE(crc32(out.subarray(4, 8 + bytes.length)), 8 + bytes.length); return out; };
  const head = Buffer.alloc(13), row = Buffer.from([0, r, g, b, a, r, g, b, a]);
  head.writeUInt32BE(2, 0); head.writeUInt32BE(2, 4); head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat([row, row]))), chunk('IEND', Buffer.alloc(0))]);
}

const openGlb = bytes => { const length = bytes.readUInt32LE(12); return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), bin: bytes.subarray(28 + length) }; };
function closeGlb(json, bin) {
  const text = Buffer.from(JSON.stringify(json)), spaced = Buffer.concat([text, Buffer.alloc(-text.length & 3, 32)]), head = Buffer.alloc(20), second = Buffer.alloc(8);
  [0x46546c67, 2, 28 + spaced.length + bin.length, spaced.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
  second.writeUInt32LE(bin.length); second.writeUInt32LE(0x004e4942, 4);
  return Buffer.concat([head, spaced, second, bin]);
}

/** The character with another material; `pictures` become images and textures of the same numbers, `colours` vertex colours. */
function clothed(bytes, material, { pictures = [], colours, more = {} } = {}) {
  const { json, bin } = openGlb(bytes), parts = [bin];
  let size = bin.length;
  const add = buffer => { const padded = Buffer.concat([buffer, Buffer.alloc(-buffer.length & 3)]); json.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: buffer.length }); parts.push(padded); size += padded.length; return json.bufferViews.length - 1; };
  json.images = pictures.map(colour => ({ bufferView: add(png(colour)), mimeType: 'image/png' }));
  json.textures = pictures.map((_, source) => ({ source, sampler: 0 }));
  json.samplers = [{ wrapS: 33071, wrapT: 33648, magFilter: 9728 }];
  json.materials = [material];
  for (const mesh of json.meshes) for (const p of mesh.primitives) {
    p.material = 0;
    if (!colours) continue;
    const count = json.accessors[p.attributes.POSITION].count;
    json.accessors.push({ bufferView: add(Buffer.from(Array.from({ length: count }, () => colours).flat())), componentType: 5121, normalized: true, count, type: 'VEC4' });
    p.attributes.COLOR_0 = json.accessors.length - 1;
  }
  json.buffers = [{ byteLength: size }];
  return closeGlb({ ...json, ...more }, Buffer.concat(parts));
}

/** The mean colour of what is seen of the skin, 0 to 255. */
const seen = page => page.evaluate(() => {
  const { studio, view } = peltStudio, canvas = view.renderer.domElement, copy = document.createElement('canvas'), { bones, ground } = studio.look, sum = [0, 0, 0, 0];
  copy.width = canvas.width; copy.height = canvas.height;
  studio.setLook({ bones: false, ground: false });
  view.dirty = true;
  view.draw();
  const pen = copy.getContext('2d');
  pen.drawImage(canvas, 0, 0);
  studio.setLook({ bones, ground });
  const data = pen.getImageData(0, 0, copy.width, copy.height).data;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 60) { for (let k = 0; k < 3; k++) sum[k] += data[i + k]; sum[3]++; }
  return { colour: sum.slice(0, 3).map(v => Math.round(v / sum[3])), pixels: sum[3] };
});

export const fileParts = {
  /** Materials as the file has them: what the page makes of each, and what is seen of it. */
  async materials(desk) {
    const page = await desk.open({ width: 600, height: 400 }), plain = desk.make('make', 'cylinder', '--vertices', '500', '--uv', '-o', 'plain.glb');
    const wear = async (name, material, more) => {
      await desk.dropFile({ name, bytes: clothed(plain, material, more) });
      await desk.shown(name);
      await page.waitForFunction(() => globalThis.peltStudio?.view.dress);
      await page.evaluate(() => { peltStudio.studio.select(-1); peltStudio.studio.setLook({ colour: 'file' }); });
      return page.evaluate(() => {
        const { view } = peltStudio, m = view.dress.materials[view.dress.groups[0].material], map = t => t && { channel: t.channel, offset: t.offset.toArray(), repeat: t.repeat.toArray(), rotation: t.rotation, srgb: t.colorSpace === 'srgb', wrap: [t.wrapS, t.wrapT], near: t.magFilter };
        return { type: m.type, metalness: m.metalness, roughness: m.roughness, side: m.side, transparent: m.transparent, opacity: m.opacity, alphaTest: m.alphaTest, emissive: m.emissive?.toArray(), strength: m.emissiveIntensity, bumps: m.normalScale?.toArray(), coloured: m.vertexColors,
          base: map(m.map), metal: map(m.metalnessMap), rough: map(m.roughnessMap), normal: map(m.normalMap), shine: map(m.emissiveMap), occlusion: map(m.aoMap), dim: m.aoMapIntensity, around: Boolean(m.envMap), tones: m.gradientMap?.image.data[0], look: peltStudio.studio.look.colour };
      });
    };
    const turned = { offset: [0.25, 0.5], rotation: 0.5, scale: [2, 3], texCoord: 0 };
    const full = await wear('full.glb', {
      doubleSided: true, emissiveFactor: [0, 0.5, 0], emissiveTexture: { index: 3 }, normalTexture: { index: 2, scale: 0.7 }, occlusionTexture: { index: 1, strength: 0.4 }, extensions: { KHR_materials_emissive_strength: { emissiveStrength: 3 } },
      pbrMetallicRoughness: { metallicFactor: 0.9, roughnessFactor: 0.3, baseColorTexture: { index: 0, extensions: { KHR_texture_transform: turned } }, metallicRoughnessTexture: { index: 1 } },
    }, { pictures: [[200, 100, 50], [255, 128, 255], [128, 128, 255], [255, 255, 255]] });
    assert.deepEqual([full.type, full.metalness, full.roughness, full.side, full.transparent, full.look], ['MeshStandardMaterial', 0.9, 0.3, 2, false, 'file']);
    assert.deepEqual(full.base, { channel: 0, offset: [0.25, 0.5], repeat: [2, 3], rotation: 0.5, srgb: true, wrap: [1001, 1002], near: 1003 });
    assert.ok(full.metal && full.rough && full.normal && full.shine && full.occlusion && full.around);
    assert.deepEqual([full.metal.srgb, full.normal.srgb, full.occlusion.srgb, full.shine.srgb, full.dim, full.strength], [false, false, false, true, 0.4, 3]);
    assert.deepEqual([full.emissive, full.bumps], [[0, 0.5, 0], [0.7, -0.7]]);
    const glow = (await seen(page)).colour;
    assert.ok(glow[1] > 200 && glow[1] > glow[0] + 20, `it shines green: ${glow}`);

    const unlit = await wear('unlit.glb', { extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, 1], baseColorTexture: { index: 0 } } }, { pictures: [[220, 30, 60]] });
    assert.equal(unlit.type, 'MeshBasicMaterial');
    assert.ok(desk.apart((await seen(page)).colour, [220, 30, 60]) <= 8, `the very colour of the picture: ${(await seen(page)).colour}`);

    const holes = await wear('mask.glb', { alphaMode: 'MASK', alphaCutoff: 0.6, pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }, { pictures: [[90, 90, 90, 140]] });
    assert.deepEqual([holes.alphaTest, holes.transparent], [0.6, false]);
    assert.equal((await seen(page)).pixels, 0, 'what is thinner than the cut-off is not there');
    const glass = await wear('blend.glb', { alphaMode: 'BLEND', pbrMetallicRoughness: { baseColorFactor: [0.2, 0.4, 0.9, 0.5] } });
    assert.deepEqual([glass.transparent, glass.opacity], [true, 0.5]);
    await page.keyboard.press('i');
    await page.keyboard.press('i');
    assert.equal(await page.evaluate(() => peltStudio.view.dress.materials[0].opacity), 0.5, 'seen through and back: as it was');

    const painted = await wear('painted.glb', { extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: {} }, { colours: [0, 255, 0, 255] });
    assert.equal(painted.coloured, true);
    assert.ok(desk.apart((await seen(page)).colour, [0, 255, 0]) <= 8, `vertex colours: ${(await seen(page)).colour}`);
    await page.evaluate(() => peltStudio.studio.setLook({ colour: 'stretch' }));
    assert.ok(desk.apart((await seen(page)).colour, [0, 255, 0]) > 60, 'a heat map wears its own');

    const toon = await wear('toon.vrm', { pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, 1] }, extensions: { VRMC_materials_mtoon: { shadeColorFactor: [0.5, 0.5, 0.5] } } });
    assert.deepEqual([toon.type, toon.tones], ['MeshToonMaterial', 127]);
    const older = await wear('older.vrm', { extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: {} }, { more: { extensions: { VRM: { materialProperties: [{ shader: 'VRM/MToon', vectorProperties: { _ShadeColor: [0.2, 0.2, 0.2, 1] } }] } } } });
    assert.deepEqual([older.type, older.tones], ['MeshToonMaterial', 51]);
  },

  /** A .gltf dropped with its files is the character it would be as one; with a file missing the page says which. */
  async gltf(desk) {
    const page = await desk.open(), { json, bin } = openGlb(desk.make('make', 'cylinder', '--vertices', '500', '--uv', '-o', 'plain.glb'));
    json.buffers = [{ uri: 'numbers.bin', byteLength: bin.length }];
    json.images = [{ uri: 'maps/paint.png' }];
    json.textures = [{ source: 0 }];
    json.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }];
    for (const mesh of json.meshes) for (const p of mesh.primitives) p.material = 0;
    const main = { name: 'tube.gltf', bytes: Buffer.from(JSON.stringify(json)) };
    await desk.dropFiles([main]);
    await page.waitForFunction(() => globalThis.peltStudio?.studio.trouble.includes('numbers.bin'));
    await desk.dropFiles([main, { name: 'numbers.bin', bytes: bin }, { name: 'paint.png', bytes: png([10, 200, 30]) }]);
    await desk.shown('tube.gltf');
    await page.waitForFunction(() => globalThis.peltStudio?.view.dress?.materials[0].map && peltStudio.studio.look.colour === 'file');
    assert.equal((await desk.probe()).trouble, '');
  },

  /** Smooth edges by software: of each character as large as it is, whichever was there first. */
  async edges(desk) {
    const page = await desk.open(), large = desk.make('make', 'biped', '--vertices', '33000', '-o', 'large.glb');
    const edges = () => page.evaluate(() => { const { renderer, boot } = peltStudio.view; return [boot.software, renderer.getContext().getContextAttributes().antialias, renderer.getPixelRatio()]; });
    const [software, samples, fine] = await edges();
    assert.deepEqual([samples, fine], software ? [false, 2] : [true, 1]);
    await page.evaluate(() => { peltStudio.view.draw = () => undefined; peltStudio.studio.setMethod(0, 'lbs'); });
    await desk.dropFile({ name: 'large.glb', bytes: large });
    await desk.shown('large.glb');
    assert.deepEqual(await edges(), [software, samples, 1]);
    await page.evaluate(() => peltStudio.link.say({ is: 'Builtin', name: 'hand', vertices: 1500 }));
    await desk.shown('hand');
    assert.deepEqual(await edges(), [software, samples, fine]);
  },

  /** Reaching stays within what the clips do and 20° beyond; without the limits it goes farther. */
  async limits(desk) {
    const page = await desk.open();
    await page.getByLabel('Method', { exact: true }).selectOption('lbs');
    await desk.settled();
    /** How far beyond its limits the worst joint of the arm is, rad, after the hand was pulled to places all around the shoulder. */
    const beyond = () => page.evaluate(() => {
      const { studio, hand } = peltStudio, { skeleton } = studio, node = skeleton.names.indexOf('LeftHand'), shoulder = skeleton.head(skeleton.names.indexOf('LeftUpperArm'));
      let worst = -9;
      for (let i = 0; i < 24; i++) {
        const at = shoulder.clone();
        at.x += 0.5 * Math.sin(2.4 * i); at.y += 0.5 * Math.cos(2.4 * i); at.z += 0.4 * Math.sin(1.1 * i);
        hand.reachFor(node, at);
        for (const [bone, limits] of skeleton.limits) {
          if (!/^Left(Upper|Lower)Arm$/.test(skeleton.names[bone])) continue;
          const rest = skeleton.turn(0).fromArray(skeleton.rest, bone * 10 + 3), now = rest.clone().fromArray(skeleton.local, bone * 10 + 3), turn = rest.invert().multiply(now);
          const sign = turn.w < 0 ? -1 : 1, long = Math.hypot(turn.x, turn.y, turn.z), scale = long > 1e-9 ? sign * 2 * Math.atan2(long, Math.abs(turn.w)) / long : 0;
          [turn.x, turn.y, turn.z].forEach((v, k) => { worst = Math.max(worst, limits[k] - v * scale, v * scale - limits[3 + k]); });
        }
      }
      return worst;
    });
    const held = await beyond();
    assert.ok(held < 0.35 + 1e-3, `${held} rad beyond what the clips do`);
    await page.keyboard.press('Shift+X');
    await page.getByLabel('Reaching keeps to what the clips do').uncheck();
    const free = await beyond();
    assert.ok(free > held + 0.2, `${free} rad where nothing holds it`);
  },

  /** Everything in one file: `pelt studio that.pelt.json` shows the same pose, methods, world, rig and view. */
  async reopen(desk) {
    const page = await desk.open();
    await page.evaluate(() => { const { studio } = peltStudio; studio.setMethod(0, 'dqs'); studio.seek(0.4, true); studio.speed = 0.5; studio.loop = false; });
    await page.getByLabel('Other method').selectOption('lbs');
    await desk.settled();
    const [x, y] = await desk.onScreen('LeftLowerArm', 'LeftHand', 0.55);
    await desk.drag([x, y], [x - 25, y - 60]);
    await page.evaluate(() => { const { studio, hand } = peltStudio; hand.togglePin(studio.skeleton.names.indexOf('RightFoot')); });
    await page.evaluate(() => peltStudio.studio.setClip(0));
    await sections(page, 'Pose', 'World', 'Rig', 'Stiffness of joints', 'Clip of your own');
    await select(page, 'LeftLowerArm');
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('spinbutton', { name: 'LeftLowerArm', exact: true }).fill('31');
    await page.getByRole('spinbutton', { name: 'LeftLowerArm', exact: true }).press('Enter');
    const pyramid = 'v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n';
    await page.getByLabel('An object from a file').setInputFiles({ name: 'pyramid.obj', mimeType: 'text/plain', buffer: Buffer.from(pyramid) });
    await page.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts[0] === 4);
    await page.evaluate(() => peltStudio.studio.setWorld({ on: false, gravity: 3 }));
    await page.evaluate(() => { const { view, studio } = peltStudio; view.side('left'); studio.setLook({ colour: 'stretch', wire: true, compare: 'ghost' }); });
    const state = page => page.evaluate(() => {
      const { studio, view } = peltStudio, { skeleton } = studio;
      return { slots: studio.slots.map(s => [s.method, s.settings]), clip: studio.clip, speed: studio.speed, loop: studio.loop, edits: [...skeleton.copyEdits()].map(([n, t]) => [n, ...t]), pins: [...studio.pins], poses: studio.poses,
        rig: studio.rig.text(), look: studio.look, camera: view.camera.position.toArray().map(v => v.toFixed(4)), label: studio.character.label,
        world: { ...studio.world, things: studio.world.things.map(t => ({ ...t, surface: t.surface && [Array.from(t.surface.vertices), Array.from(t.surface.triangles)] })) } };
    });
    const before = await desk.settled(), said = await state(page);
    assert.ok(said.edits.length && said.world.things[0].surface[0].length === 12 && said.rig.includes('31'));
    await page.waitForTimeout(500);
    await page.reload();
    await page.waitForFunction(() => window.peltStudio?.view.ready && peltStudio.studio.world.things.length && peltStudio.studio.skeleton.edited);
    await desk.settled();
    assert.deepEqual(await state(page), said, 'a reload keeps all of it');
    const saved = await download(page, () => page.keyboard.press('Control+s'));
    assert.equal(saved.name, 'biped.pelt.json');
    const file = join(desk.folder, saved.name);
    writeFileSync(file, saved.bytes);

    const again = new Desk(desk.pelt);
    try {
      const other = await again.open({ args: [file] });
      await other.waitForFunction(() => globalThis.peltStudio?.studio.world.things.length && peltStudio.studio.skeleton.edited, null, { timeout: 60000 });
      const after = await again.settled();
      assert.deepEqual(await state(other), said);
      assert.ok(desk.apart(after.sample, before.sample) < 2e-3 * before.size, 'the same skin');
      await other.evaluate(() => peltStudio.studio.setWorld({ on: true }));
      await other.waitForFunction(() => globalThis.peltStudio?.studio.objects?.counts[0] === 4, null, { timeout: 60000 });
      assert.deepEqual(again.errors, []);
    } finally {
      await again.close();
    }
  },

  /** A joint that is painted stiff gives way less to what pushes the limb. */
  async stiff(desk) {
    const page = await desk.open();
    await page.evaluate(() => { peltStudio.view.draw = () => undefined; peltStudio.studio.setMethod(0, 'lbs'); peltStudio.studio.setClip(-1); });
    await desk.settled();
    await sections(page, 'Rig', 'Stiffness of joints');
    await select(page, 'LeftLowerArm');
    const box = page.getByRole('spinbutton', { name: 'LeftLowerArm', exact: true });
    /** How far the forearm turns, rad, when a fixed box stands in it. */
    const gives = async stiffness => {
      await box.fill(String(stiffness));
      await box.press('Enter');
      await page.waitForFunction(value => peltStudio.studio.rig.file.joints?.LeftLowerArm?.stiffness === value, stiffness);
      return page.evaluate(async () => {
        const { studio, view, link } = peltStudio, { skeleton } = studio, n = name => skeleton.names.indexOf(name), node = n('LeftLowerArm');
        studio.setWorld({ on: false, things: [] });
        const sleep = ms => new Promise(resolve => setTimeout(resolve, ms)), turn = () => skeleton.turn(n('LeftUpperArm')).invert().multiply(skeleton.turn(node));
        const quiet = async () => { while (studio.rig.waiting || link.inFlight || link.asked !== studio.wishes) await sleep(10); };
        await quiet();
        const before = turn(), at = skeleton.head(node).lerp(skeleton.head(n('LeftHand')), 0.8), size = 0.1 * view.size;
        studio.setWorld({ on: true, ground: false, gravity: 0, friction: 0, things: [{ kind: 0, shape: 2, size: [size, size, size], position: [at.x, at.y - 0.5 * size, at.z], density: 1 }] });
        let angle = 0, still = 0;
        for (const seen = link.fetched; still < 5;) { // until it has given way as far as it will, however long the frames are
          const frame = link.fetched;
          while (link.fetched === frame) await sleep(5);
          const now = turn().angleTo(before);
          still = link.fetched > seen + 12 && Math.abs(now - angle) < 1e-2 * now + 1e-6 ? still + 1 : 0;
          angle = now;
        }
        studio.setWorld({ on: false, things: [] });
        await quiet();
        return angle;
      });
    };
    const soft = await gives(1), firm = await gives(100000);
    assert.ok(soft > 0.05, `a loose forearm turns by ${soft} rad`);
    assert.ok(firm < 0.1 * soft, `a stiff one by ${firm}`);
  },
};
