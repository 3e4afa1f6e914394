// The picture: camera, light, ground, the two skins and how they are compared.
import {
  AmbientLight, Color, DirectionalLight, GridHelper, HemisphereLight, Matrix4, Mesh, MeshStandardMaterial, OrthographicCamera, PerspectiveCamera,
  PlaneGeometry, type Raycaster, Scene, ShadowMaterial, Vector2, Vector3, WebGLRenderer, PCFShadowMap, type Material, type Texture,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Studio } from './studio';
import { SkinView } from './skin';
import { paint } from './paint';
import { noPicture } from './no_picture';
import { FOV, frameOf } from './framing';
import type { Boot } from './boot';
import { dressed, type Dress, type Worn } from './materials';
import { surroundings } from './surroundings';

const SLOW_MS = 40, SHADOW_MS = 300;
const MANY = 60000; // triangles

export class View {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(FOV, 1, 0.01, 100);
  readonly renderer: WebGLRenderer;
  readonly orbit: OrbitControls;
  readonly over = new Scene(); // drawn on top: skeleton and handles
  skins: (SkinView | null)[] = [null, null];
  size = 1;
  centre = new Vector3();
  dirty = true;
  dress: Dress | null = null; // the file's own materials
  after: () => void = () => undefined; // a picture was drawn
  private clay = material(0xc79a7b);
  private other = material(0x7f9cc0);
  private ghost = new MeshStandardMaterial({ color: 0x7f9cc0, transparent: true, opacity: 0.35, depthWrite: false, roughness: 0.8 });
  private heat = new MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
  private ground = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.28 }));
  private grid = new GridHelper(1, 1);
  private sun = new DirectionalLight(0xffffff, 2.2);

  constructor(private studio: Studio, private holder: HTMLElement, private boot: Boot) {
    this.renderer = make(studio, boot);
    this.refine();
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.autoClear = false;
    if (boot.gl) this.renderer.debug.checkShaderErrors = false; // each question would wait for the driver
    this.renderer.domElement.setAttribute('aria-label', 'The character: drag its skin to turn a joint, drag beside it to look around');
    this.renderer.domElement.setAttribute('role', 'img');
    this.renderer.domElement.tabIndex = 0;
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.addEventListener('change', () => { this.dirty = true; });
    this.light();
    new ResizeObserver(() => this.resize()).observe(holder);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.theme());
    studio.on(['character'], () => this.rebuild());
    studio.on(['frame'], () => this.refresh());
    studio.on(['look', 'slots'], () => this.restyle());
    studio.on(['rig'], () => { if (studio.look.colour === 'rig') this.recolour(); });
    this.resize();
    this.theme();
  }

  private light(): void {
    const sky = new HemisphereLight(0xffffff, 0x8d8577, 1.5);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.normalBias = 0.02;
    this.ground.rotation.x = -Math.PI / 2;
    this.ground.receiveShadow = true;
    this.scene.add(sky, this.sun, this.sun.target, this.ground);
    this.over.add(new AmbientLight(0xffffff, 3));
  }

  private theme(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.scene.remove(this.grid);
    this.grid.dispose();
    this.grid = new GridHelper(1, 20, dark ? 0x55585c : 0xa8a39a, dark ? 0x3a3d41 : 0xc3beb5);
    this.scene.add(this.grid);
    (this.ground.material as ShadowMaterial).opacity = dark ? 0.5 : 0.28;
    this.place();
    this.dirty = true;
  }

  private resize(): void {
    const width = Math.max(this.holder.clientWidth, 1), height = Math.max(this.holder.clientHeight, 1);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /** Pixels of the picture for one of the page. Software draws twice as many each way for smooth edges, as cheaply as by samples, but not of large skins: those would take three times as long. */
  private fine = 0;
  private refine(): void {
    const { character } = this.studio, fine = this.boot.software && !(character && character.triangles.length > 3 * MANY) ? 2 : Math.min(devicePixelRatio, 2);
    if (fine !== this.fine) this.renderer.setPixelRatio(this.fine = fine);
  }

  /** Another character: skins made anew, the camera moved to see it whole. */
  private shown = 0;
  private rebuild(): void {
    const { character } = this.studio;
    if (!character || character.epoch === this.shown) return;
    this.shown = character.epoch;
    this.drop(0);
    this.drop(1);
    this.dress?.dispose();
    this.dress = null;
    this.refine();
    this.frameAll();
    this.skins[0] = new SkinView(character, this.clay);
    this.scene.add(this.skins[0].group);
    void dressed(character).then(dress => {
      if (this.studio.character?.epoch !== character.epoch) { dress?.dispose(); return; }
      this.dress = dress;
      const { look, coloured } = this.studio;
      if (!coloured && ['clay', 'file'].includes(look.colour)) look.colour = dress?.rich ? 'file' : 'clay'; // as it was meant to be seen
      this.studio.tell('look');
    });
    this.restyle();
  }

  private drop(slot: number): void {
    const skin = this.skins[slot];
    if (!skin) return;
    this.scene.remove(skin.group);
    skin.dispose();
    this.skins[slot] = null;
  }

  frameAll(): void {
    const { character } = this.studio;
    if (!character) return;
    const { low, centre, size, offset, near, far } = frameOf(this.skins[0]?.positions ?? character.rest, Boolean(character.faces_back), this.camera.aspect / (this.split ? 2 : 1));
    this.size = size;
    this.centre.set(...centre);
    this.floor = low[1];
    this.camera.near = near;
    this.camera.far = far;
    this.camera.updateProjectionMatrix();
    this.look(new Vector3(...offset));
    this.place();
  }

  floor = 0;
  look(offset: Vector3): void {
    this.orbit.target.copy(this.centre);
    this.camera.position.copy(this.centre).add(offset);
    this.orbit.update();
    this.dirty = true;
  }

  /** From a side, at the distance there is. */
  side(name: string): void {
    const sides: Record<string, [number, number, number]> = { front: [0, 0, 1], back: [0, 0, -1], left: [1, 0, 0], right: [-1, 0, 0], top: [0, 1, 0.001] };
    const far = this.camera.position.distanceTo(this.orbit.target) * (this.studio.character?.faces_back && name !== 'top' ? -1 : 1);
    this.camera.position.copy(this.orbit.target).add(new Vector3(...sides[name]).multiplyScalar(far));
    this.orbit.update();
    this.dirty = true;
  }

  private place(): void {
    const { size } = this;
    this.ground.scale.setScalar(size * 12);
    this.ground.position.set(this.centre.x, this.floor, this.centre.z);
    this.grid.scale.setScalar(size * 4);
    this.grid.position.set(this.centre.x, this.floor - size * 0.001, this.centre.z);
    this.sun.position.copy(this.centre).add(new Vector3(0.9, 1.7, this.studio.character?.faces_back ? -1.3 : 1.3).multiplyScalar(size)); // it shines on the face
    this.sun.target.position.copy(this.centre);
    const camera = this.sun.shadow.camera as OrthographicCamera;
    camera.left = camera.bottom = -size * 0.8;
    camera.right = camera.top = size * 0.8;
    camera.near = size * 0.1;
    camera.far = size * 5;
    camera.updateProjectionMatrix();
  }

  /** New positions. */
  private refresh(): void {
    const { frames, character, slots } = this.studio;
    if (!character) return;
    if (frames[1] && slots[1].method && !this.skins[1]) {
      this.skins[1] = new SkinView(character, this.other);
      this.scene.add(this.skins[1].group);
      this.restyle();
    }
    let changed = false;
    frames.forEach((frame, i) => { if (frame && this.skins[i]?.set(frame)) changed = true; });
    this.stale ||= changed; // normals and colours are made for pictures, and pictures may be fewer than frames
    this.dirty ||= changed;
  }
  private stale = false;

  /** Metals show what is around them: made when the first is worn. */
  private around: Texture | null = null;
  private surround(materials: Worn[]): void {
    if (!(this.renderer instanceof WebGLRenderer)) return;
    this.around ??= surroundings(this.renderer);
    for (const m of materials) if (m instanceof MeshStandardMaterial && !m.envMap) { m.envMap = this.around; m.envMapIntensity = 0.45; m.needsUpdate = true; }
  }

  recolour(): void {
    paint(this.studio, this);
    this.dirty = true;
  }

  restyle(): void {
    const { look, slots } = this.studio;
    if (!slots[1].method) this.drop(1);
    this.ground.visible = this.grid.visible = look.ground;
    const heated = !['clay', 'file'].includes(look.colour);
    this.skins.forEach((skin, i) => {
      if (!skin) return;
      const plain: Material | Material[] = look.colour === 'file' && this.dress ? this.dress.materials : i ? this.other : this.clay;
      const material = i && look.compare === 'ghost' ? this.ghost : heated ? this.heat : plain;
      skin.geometry.clearGroups();
      if (Array.isArray(material)) {
        this.dress!.groups.forEach(g => skin.geometry.addGroup(g.start, g.count, g.material));
        Object.entries(this.dress!.attributes).forEach(([name, attribute]) => skin.geometry.setAttribute(name, attribute));
        this.surround(this.dress!.materials);
      } else
        skin.geometry.setAttribute('color', skin.heat);
      skin.mesh.material = material;
      skin.mesh.castShadow = !(i && look.compare === 'ghost');
    });
    const through = look.inside;
    for (const m of [this.clay, this.other, this.heat, ...this.dress?.materials ?? []] as Worn[]) {
      const own = { transparent: false, opacity: 1, depthWrite: true, ...m.userData }, wasThrough = m.transparent;
      m.wireframe = look.wire;
      m.transparent = through || own.transparent;
      m.opacity = through ? 0.35 * own.opacity : own.opacity;
      m.depthWrite = !through && own.depthWrite;
      if (wasThrough !== m.transparent) m.needsUpdate = true;
    }
    this.recolour();
  }

  /** Shadows are drawn anew with every picture; where pictures come slowly, a few times a second and when all is still. */
  private last = { drawn: 0, shadow: 0, pace: 0, settle: 0 };
  private castShadows(): void {
    const { last, renderer } = this, now = performance.now(), since = now - last.drawn;
    last.pace = since < 500 ? 0.8 * last.pace + 0.2 * since : 0;
    last.drawn = now;
    clearTimeout(last.settle);
    renderer.shadowMap.needsUpdate = last.pace < SLOW_MS || now - last.shadow > SHADOW_MS;
    if (renderer.shadowMap.needsUpdate) last.shadow = now;
    else last.settle = window.setTimeout(() => { last.pace = 0; this.dirty = true; }, SHADOW_MS);
  }

  ready = false; // the programs are there; until then the skin is sketched
  private warming = false;
  /** Lets the browser make its programs beside everything else. */
  private warm(): void {
    const { renderer, boot } = this;
    if (!this.warming) {
      this.warming = true;
      void Promise.all([renderer.compileAsync(this.scene, this.camera), renderer.compileAsync(this.over, this.camera)]).then(() => this.touch()).finally(() => {
        this.ready = this.dirty = true;
        if (boot.gl) boot.sketch.dispose();
      });
    }
    this.camera.updateMatrixWorld();
    const look = new Matrix4().multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    boot.sketch.draw(this.studio.character!, this.skins[0]!.positions, look.elements);
  }

  /** The first use of a program waits for all that is being drawn: now, while nothing is, and not when a joint is first selected. */
  private async touch(): Promise<void> {
    if (!this.boot.gl) return;
    for (const program of this.renderer.info.programs ?? []) {
      program.getUniforms();
      await new Promise(resolve => setTimeout(resolve));
    }
  }

  /** Draws when something changed. */
  draw(): void {
    if (!this.dirty) return;
    this.dirty = false;
    if (!this.ready || !this.boot.gl) {
      if (this.skins[0]) this.warm();
      return;
    }
    if (this.stale) this.recolour();
    this.stale = this.dirty = false;
    this.skins.forEach(skin => skin?.freshen());
    this.castShadows();
    const { renderer, studio } = this, { compare, wipe } = studio.look, size = renderer.getSize(new Vector2());
    const two = this.skins[1] !== null && studio.slots[1].method !== '';
    renderer.setScissorTest(false);
    renderer.clear();
    const half = (x: number, w: number, show: [boolean, boolean], view?: [number, number]) => {
      this.skins.forEach((skin, i) => skin && (skin.group.visible = show[i]));
      renderer.setScissorTest(true);
      renderer.setScissor(x, 0, w, size.y);
      renderer.setViewport(view ? view[0] : 0, 0, view ? view[1] : size.x, size.y);
      renderer.render(this.scene, this.camera);
      renderer.clearDepth();
      renderer.render(this.over, this.camera);
    };
    if (two && compare === 'wipe') {
      const at = Math.round(size.x * wipe);
      half(0, at, [true, false]);
      half(at, size.x - at, [false, true]);
    } else if (two && compare === 'side') {
      const at = Math.round(size.x / 2);
      this.camera.aspect = at / size.y;
      this.camera.updateProjectionMatrix();
      half(0, at, [true, false], [0, at]);
      half(at, size.x - at, [false, true], [at, size.x - at]);
      this.camera.aspect = size.x / size.y;
      this.camera.updateProjectionMatrix();
    } else
      half(0, size.x, [true, two && compare === 'ghost']);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, size.x, size.y);
    this.after();
    if (!performance.getEntriesByName('pelt-page-ready').length) performance.mark('pelt-page-ready');
  }

  /** A picture of what is seen, as a PNG. */
  async picture(): Promise<Blob | null> {
    this.dirty = true;
    this.draw();
    return new Promise(resolve => this.renderer.domElement.toBlob(resolve));
  }

  /** Two skins stand side by side. */
  get split(): boolean { return this.skins[1] !== null && this.studio.slots[1].method !== '' && this.studio.look.compare === 'side'; }

  /** Does something with the camera as it is for the part of the canvas around x: all of it, or a half. */
  private within<T>(x: number, act: (left: number, width: number, height: number) => T): T {
    const { camera } = this, size = this.renderer.getSize(new Vector2()), middle = Math.round(size.x / 2), [left, right] = !this.split ? [0, size.x] : x < middle ? [0, middle] : [middle, size.x];
    const whole = camera.aspect, turn = (aspect: number) => { if (camera.aspect !== aspect) { camera.aspect = aspect; camera.updateProjectionMatrix(); } };
    turn((right - left) / size.y);
    const out = act(left, right - left, size.y);
    turn(whole);
    return out;
  }

  /** The ray through a place on the canvas; side by side, that of the half around `half`. */
  aim(ray: Raycaster, x: number, y: number, half = x): void {
    this.within(half, (left, width, height) => ray.setFromCamera(new Vector2((x - left) / width * 2 - 1, 1 - y / height * 2), this.camera));
  }

  /** Where a place in the world is on the canvas, in CSS pixels; side by side, in the half around `half`. */
  onScreen(place: Vector3, half = 0): Vector2 {
    return this.within(half, (left, width, height) => { const p = place.clone().project(this.camera); return new Vector2(left + (p.x + 1) / 2 * width, (1 - p.y) / 2 * height); });
  }
}

function make(studio: Studio, { canvas, gl }: Boot): WebGLRenderer {
  if (gl) return new WebGLRenderer({ canvas, context: gl, antialias: true, alpha: true });
  queueMicrotask(() => studio.complain('This browser has no WebGL 2: the picture is a plain one. All else works.'));
  return noPicture(canvas);
}

function material(colour: number): MeshStandardMaterial {
  return new MeshStandardMaterial({ color: new Color(colour), roughness: 0.72, metalness: 0 });
}
