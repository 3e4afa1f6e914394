// What an artist adds to the character, as the rig file has it (docs/rig.md): edited here, sent as text, saved as the file that the command reads.
import type { Studio } from './studio';

export type Pair = [number, number];
/** Profiles are control points in the square (f1, f2); the controller is d over the angle in degrees. */
export interface Operator { open: Pair[]; closed: Pair[]; reach: number; controller: Pair[] }
export interface Layers { projection?: number[]; stiffness?: number[]; density?: number[] }
export interface RigJoint { operator?: string; controller?: Pair[]; limits?: unknown; stiffness?: number; crush?: number; firmness?: number; layers?: Layers }
export interface Place { bone: string; along?: number; offset?: number[] }
export interface Muscle { name: string; from: Place; to: Place; radius: number; driver: string; angles?: number[]; swell?: number }
export interface Region { name: string; bone: string; points?: number[]; owners?: string[]; centre?: Place; radius?: number; falloff?: number }
/** Numbers of the flesh on points of the skin. */
export interface Painted { what: 'firmness' | 'skin' | 'fat' | 'muscle'; points: number[]; values: number[] }
export interface RigFile { version: 1; painted?: Painted[]; operators?: Record<string, Operator>; joints?: Record<string, RigJoint>; muscles?: Muscle[]; regions?: Region[]; [more: string]: unknown }

export const builtins: Record<string, Operator> = {
  contact: { open: [[0.5, 0], [0.5, 0.1], [0.5, 0.2], [0.5, 0.3], [0.5, 0.4], [0.5, 0.5]], closed: [[0.5, 0], [0.5, 0.1], [0.5, 0.2], [0.5, 0.3], [0.5, 0.4], [0.5, 0.5]], reach: 1, controller: [[90, 0], [150, 1]] },
  bulge: { open: [[0.5, 0], [0.5, 0.1], [0.5, 0.2], [0.5, 0.3], [0.5, 0.4], [0.5, 0.5]], closed: [[0.5, 0], [0.5, 0.07], [0.5, 0.15], [0.43, 0.2], [0.36, 0.25], [0.36, 0.36]], reach: 1, controller: [[30, 0], [120, 1]] },
  union: { open: [[0.5, 0], [0.5, 0.1], [0.5, 0.2], [0.5, 0.3], [0.5, 0.4], [0.5, 0.5]], closed: [[0.5, 0], [0.5, 0.1], [0.5, 0.2], [0.5, 0.3], [0.5, 0.4], [0.5, 0.5]], reach: 0, controller: [[90, 0], [150, 1]] },
};
export const LAYERS = ['skin', 'fat', 'muscle'];
const USUAL = [0.15, 0.45, 0.8]; // depths where fat, muscle and the bone's interface begin, for a bone nobody spoke of
const WAIT_MS = 350; // after the last change, before the slots are prepared anew

export class Rig {
  file: RigFile = { version: 1 };
  private timer = 0;
  private past: string[] = [];
  private future: string[] = [];
  /** Tells the command; set by the link. */
  send: (json: string) => void = () => undefined;
  constructor(private studio: Studio) {}

  /** As it is saved and sent; nothing where nothing was added. */
  text(): string {
    const file = tidied(this.file);
    return Object.keys(file).every(key => key === 'version') ? ''
      : JSON.stringify(file, null, 1).replace(/\[[-\d.,\s]*\]/g, list => list.replace(/\s+/g, '')); // numbers in a row
  }

  joint(name: string): RigJoint { return this.file.joints?.[name] ?? {}; }

  /** Before a change that undo of the rig goes back to. */
  mark(): void {
    this.past.push(this.text());
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }
  undo(): void { this.move(this.past, this.future); }
  redo(): void { this.move(this.future, this.past); }
  get canUndo(): boolean { return this.past.length > 0; }
  get canRedo(): boolean { return this.future.length > 0; }
  private move(from: string[], to: string[]): void {
    const text = from.pop();
    if (text === undefined) return;
    to.push(this.text());
    this.file = text ? JSON.parse(text) : { version: 1 };
    this.changed();
  }

  setJoint(name: string, change: Partial<RigJoint>): void {
    const joints = this.file.joints ??= {};
    joints[name] = { ...joints[name], ...change };
    this.changed();
  }

  /** The operator of a joint, for editing: its own, made from the one it had. */
  own(name: string): Operator {
    const known = this.joint(name).operator ?? 'contact', mine = this.file.operators?.[known];
    if (mine) return mine;
    let n = 1;
    while (this.file.operators?.[`own ${n}`]) n++;
    const made: Operator = structuredClone(builtins[known] ?? builtins.contact);
    if (this.joint(name).controller) { made.controller = structuredClone(this.joint(name).controller!); }
    (this.file.operators ??= {})[`own ${n}`] = made;
    this.setJoint(name, { operator: `own ${n}`, controller: undefined });
    return made;
  }
  shown(name: string): Operator {
    const { operator = 'contact', controller } = this.joint(name), found = this.file.operators?.[operator] ?? builtins[operator] ?? builtins.contact;
    return controller ? { ...found, controller } : found;
  }

  /** What is painted of a kind, by point. */
  paint(what: Painted['what']): Map<number, number> {
    const entry = this.file.painted?.find(p => p.what === what);
    return new Map(entry?.points.map((p, i) => [p, entry.values[i]]));
  }
  setPaint(what: Painted['what'], values: Map<number, number>): void {
    const points = [...values.keys()].sort((a, b) => a - b), others = this.file.painted?.filter(p => p.what !== what) ?? [];
    this.file.painted = points.length ? [...others, { what, points, values: points.map(p => values.get(p)!) }] : others;
    this.changed();
  }
  /** How firm the flesh of a bone is, or how thick a layer of it, where nothing is painted. */
  ofBone(name: string, what: Painted['what']): number {
    const { firmness, layers } = this.joint(name), layer = LAYERS.indexOf(what), p = [0, ...layers?.projection ?? USUAL];
    return layer < 0 ? firmness ?? 1 : p[layer + 1] - p[layer];
  }

  changed(): void {
    this.studio.tell('rig');
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(this.text()), WAIT_MS);
  }
  get waiting(): boolean { return this.timer !== 0; }
  sent(): void { this.timer = 0; }

  load(text: string): void {
    const file: RigFile = text ? JSON.parse(text) : { version: 1 };
    if (typeof file !== 'object' || file === null || Array.isArray(file)) throw new Error('That is no rig.');
    this.mark();
    this.file = file;
    this.changed();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.file = { version: 1 };
    this.past = [];
    this.future = [];
    this.studio.tell('rig');
  }
}

/** Without what says nothing: empty joints, empty lists, operators no joint calls. */
function tidied(from: RigFile): RigFile {
  const file = structuredClone(from), joints = file.joints ?? {};
  for (const [name, joint] of Object.entries(joints)) {
    for (const key of Object.keys(joint) as (keyof RigJoint)[]) if (joint[key] === undefined) delete joint[key];
    if (!Object.keys(joint).length) delete joints[name];
  }
  const used = new Set(Object.values(joints).map(j => j.operator));
  for (const name of Object.keys(file.operators ?? {})) if (!used.has(name)) delete file.operators![name];
  file.regions = file.regions?.filter(r => r.points?.length || r.owners?.length || r.centre);
  for (const key of ['operators', 'joints', 'muscles', 'regions', 'painted'] as const) {
    const part = file[key];
    if (part === undefined || !Object.keys(part).length) delete file[key];
  }
  return file;
}
