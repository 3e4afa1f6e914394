// Everything in one file, and what survives a reload.
import type { Studio, Thing } from './studio';
import type { Link } from './link';
import type { View } from './view';
import { saveAs, upload } from './files';
import { PER_NODE, type Edits } from './skeleton';
import type { Key } from './keyed';

interface Saved {
  pelt: 'project'; version: 1; label: string; clip: number; time: number; speed: number; loop: boolean;
  slots: { method: string; settings: Record<string, string> }[];
  look: Studio['look']; camera: { position: number[]; target: number[] };
  edits: Record<string, number[]>; pins: string[]; character?: string;
  rig?: string; poses?: { name: string; text: string }[]; keyed?: { keys: Key[]; seconds: number; name: string }; world?: Omit<Studio['world'], 'forces' | 'things'> & { things: (Omit<Thing, 'surface'> & { surface?: { vertices: string; triangles: string } })[] };
}

const KEPT = 'pelt-studio';

export class Project {
  private timer = 0;
  private restored = false;
  constructor(private studio: Studio, private link: Link, private view: View) {
    studio.on(['pose', 'slots', 'look', 'clock', 'character', 'select', 'rig', 'poses', 'world'], () => this.keep());
  }

  /** After the first words with the command: a project from the command line, or what this browser had here before a reload. */
  async begin(): Promise<void> {
    const given = await fetch('/project').catch(() => null);
    const kept = sessionStorage.getItem(KEPT);
    const state: (Saved & { epoch: number; from: number }) | null = kept ? JSON.parse(kept) : null;
    if (state && state.epoch === this.studio.character?.epoch && state.from === this.started) this.restore(state);
    else if (given?.status === 200) await this.load(await given.text());
    else if (this.studio.catalogue) this.studio.setMethod(0, this.studio.catalogue.default);
    this.restored = true;
  }

  /** Which run of the command this is: its port and the epoch alone could be another's. */
  private get started(): number { return Number(location.port); }

  private keep(): void {
    if (!this.restored) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const state = { ...this.state(), epoch: this.studio.character?.epoch, from: this.started };
      try {
        sessionStorage.setItem(KEPT, JSON.stringify(state));
      } catch { // more than a browser keeps: without the objects from files
        sessionStorage.setItem(KEPT, JSON.stringify({ ...state, world: { ...state.world, things: state.world!.things.filter(t => !t.surface) } }));
      }
    }, 300);
  }

  private state(): Saved {
    const { studio, view } = this, { skeleton } = studio, edits: Record<string, number[]> = {};
    for (const [node, t] of skeleton?.copyEdits() ?? []) edits[`${node} ${skeleton!.names[node]}`] = Array.from(t);
    return {
      pelt: 'project', version: 1, label: studio.character?.label ?? '', clip: studio.clip, time: studio.time, speed: studio.speed, loop: studio.loop,
      slots: studio.slots.map(({ method, settings }) => ({ method, settings })), look: { ...studio.look },
      camera: { position: view.camera.position.toArray(), target: view.orbit.target.toArray() }, edits,
      pins: [...studio.pins].map(node => skeleton!.names[node]), rig: studio.rig.text(), poses: studio.poses,
      keyed: { keys: studio.keyed.keys, seconds: studio.keyed.seconds, name: studio.keyed.name },
      world: { ...studio.world, things: studio.world.things.map(t => ({ ...t, surface: t.surface && { vertices: packed(t.surface.vertices), triangles: packed(t.surface.triangles) } })) },
    };
  }

  private restore(saved: Saved): void {
    const { studio, view } = this, { skeleton } = studio, edits: Edits = new Map();
    for (const [key, t] of Object.entries(saved.edits)) {
      const node = Number(key.split(' ')[0]);
      if (node < (skeleton?.parents.length ?? 0) && t.length === PER_NODE) edits.set(node, Float32Array.from(t));
    }
    skeleton?.setEdits(edits);
    Object.assign(studio.keyed, saved.keyed);
    studio.poses = saved.poses ?? [];
    studio.clip = Math.min(saved.clip, (studio.character?.clip_seconds.length ?? 0) - 1);
    studio.time = Math.min(saved.time, studio.duration);
    studio.speed = saved.speed;
    studio.loop = saved.loop;
    studio.cut = true;
    for (const name of saved.pins) { const node = skeleton?.names.indexOf(name) ?? -1; if (node >= 0) studio.pins.add(node); }
    saved.slots.forEach((slot, i) => studio.setMethod(i, slot.method, slot.settings));
    if (saved.rig) studio.rig.load(saved.rig);
    if (saved.world) void this.restoreWorld(saved.world);
    studio.coloured = true;
    studio.setLook(saved.look);
    view.camera.position.fromArray(saved.camera.position);
    view.orbit.target.fromArray(saved.camera.target);
    view.orbit.update();
    studio.posed();
    studio.tell('clock', 'select', 'character', 'poses');
  }

  /** Surfaces from files first: the command may not know them. */
  private async restoreWorld(saved: NonNullable<Saved['world']>): Promise<void> {
    const things: Thing[] = saved.things.map(t => ({ ...t, surface: t.surface && { vertices: new Float32Array(unpacked(t.surface.vertices)), triangles: new Int32Array(unpacked(t.surface.triangles)) } }));
    const surfaces = things.flatMap(t => t.surface ? [{ is: 'Mesh' as const, number: t.size[0], ...t.surface }] : []);
    if (surfaces.length) await this.link.say(...surfaces);
    this.studio.setWorld({ ...saved, things });
  }

  /** One file with the character in it. */
  async save(): Promise<void> {
    const answer = await fetch('/character');
    const state = this.state();
    if (answer.status === 200) state.character = await toBase64(await answer.blob());
    else this.studio.complain('The character came from several files, or from another format: the saved file has the pose and the settings, not the character.');
    saveAs(new Blob([JSON.stringify(state)], { type: 'application/json' }), `${state.label.replace(/\.[a-z]+$/i, '') || 'character'}.pelt.json`);
  }

  async open(file: File): Promise<void> { await this.load(await file.text()); }

  private async load(text: string): Promise<void> {
    let saved: Saved;
    try {
      saved = JSON.parse(text);
      if (saved.pelt !== 'project') throw new Error();
    } catch {
      this.studio.complain('That is no project of pelt studio.');
      return;
    }
    if (saved.character) {
      if (!await upload(this.studio, this.link, unpacked(saved.character), saved.label)) return;
    }
    this.restore(saved);
  }
}

/** Numbers as text, bit for bit. */
function packed(list: Float32Array | Int32Array): string {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
const unpacked = (text: string): ArrayBuffer => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1]);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
