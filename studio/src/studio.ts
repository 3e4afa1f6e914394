// The state of the page and who wants to know of it. Everything a person can change goes through here.
import type { Baking, Character, Frame, Inside, Objects, Slot } from 'messages';
import { Skeleton } from './skeleton';
import { History } from './history';
import { Rig } from './rig';
import { Keyed, MADE } from './keyed';
import type { Shape } from './shapes';

export interface OptionInfo { name: string; value: string; help: string; choices?: string; least?: number; most?: number; common: number; live: number }
export interface MethodInfo { name: string; summary: string; dynamic: number; options: OptionInfo[] }
export interface Catalogue { version: string; default: string; methods: MethodInfo[]; characters: string[] }

/** A slot as the page wants it, and as the command has it. */
export interface SlotState { method: string; settings: Record<string, string>; status: Slot | null }

export type Tool = 'turn' | 'reach' | 'poke' | 'paint' | 'muscle';
/** What the brush paints: points of a region, or a number of the bone under it. */
export type Brush = 'region' | 'stiffness' | 'firmness' | 'skin' | 'fat' | 'muscle';
/** kind 0 fixed, 1 rigid, 2 soft; shape 0 mesh (size: its number and scale), 1 ball, 2 box, 4 cylinder; density against water's. */
export interface Thing { kind: number; shape: number; size: number[]; position: number[]; density: number; name?: string; surface?: Shape }
export interface World { on: boolean; ground: boolean; gravity: number; friction: number; firm: number; things: Thing[]; forces: boolean }
export type Compare = 'off' | 'wipe' | 'side' | 'ghost';
export type Colour = 'file' | 'clay' | 'stretch' | 'distance' | 'fold' | 'touch' | 'weights' | 'normals' | 'rig';
export interface Look { compare: Compare; wipe: number; colour: Colour; wire: boolean; bones: boolean; inside: boolean; ground: boolean; names: boolean }

export type Topic = 'character' | 'catalogue' | 'slots' | 'pose' | 'frame' | 'clock' | 'select' | 'look' | 'tool' | 'trouble' | 'link' | 'history' | 'world' | 'objects' | 'baking' | 'inside' | 'rig' | 'poses';

export class Studio {
  character: Character | null = null;
  skeleton: Skeleton | null = null;
  catalogue: Catalogue | null = null;
  slots: SlotState[] = [{ method: 'lbs', settings: {}, status: null }, { method: '', settings: {}, status: null }];
  frames: (Frame | null)[] = [null, null];
  clip = -1;
  time = 0;
  playing = false;
  loop = true;
  speed = 1;
  readonly fps = 30;
  selected = -1;
  tool: Tool = 'turn';
  pins = new Set<number>();
  coloured = false; // a person chose the colours: no file changes them
  look: Look = { compare: 'off', wipe: 0.5, colour: 'clay', wire: false, bones: true, inside: false, ground: true, names: false };
  world: World = { on: false, ground: true, gravity: 9.81, friction: 0.6, firm: 1, things: [], forces: true };
  objects: Objects | null = null;
  baking: Baking | null = null;
  inside: Inside | null = null;
  probe = { lines: false, section: 0, cut: 0 }; // what is wanted of the inside
  held = { object: -1, at: [0, 0, 0] };
  poked = { point: -1, at: [0, 0, 0], reach: 0.06 };
  trouble = '';
  link: 'on' | 'lost' | 'elsewhere' | 'ended' = 'on';
  behind_ms = 0;
  cut = true; // the next wish is no motion from the last one
  onWish: () => void = () => undefined;
  private wished = 0;
  /** Counts changes of what is to be seen; the conversation hears of each at once. */
  get wishes(): number { return this.wished; }
  set wishes(count: number) { this.wished = count; this.onWish(); }
  limits = true; // reaching holds to what the file's clips do
  brush = { what: 'region' as Brush, radius: 0.04, value: 1, erase: false, region: 0 };
  poses: { name: string; text: string }[] = [];
  readonly keyed = new Keyed();
  readonly rig = new Rig(this);
  readonly history = new History(this);
  private listeners = new Map<Topic, (() => void)[]>();

  on(topics: Topic[], listener: () => void): void {
    for (const topic of topics)
      this.listeners.set(topic, [...this.listeners.get(topic) ?? [], listener]);
  }

  tell(...topics: Topic[]): void {
    for (const topic of topics)
      for (const listener of this.listeners.get(topic) ?? [])
        listener();
  }

  get duration(): number { return this.clip === MADE ? this.keyed.seconds : this.clip >= 0 ? this.character?.clip_seconds[this.clip] ?? 0 : 0; }
  get lastFrame(): number { return Math.round(this.duration * this.fps); }
  get frame(): number { return Math.round(this.time * this.fps); }
  method(slot: number): MethodInfo | undefined { return this.catalogue?.methods.find(m => m.name === this.slots[slot].method); }
  /** Something moves by itself: the page goes on asking. */
  get dynamic(): boolean { return this.world.on || this.slots.some(s => this.catalogue?.methods.find(m => m.name === s.method)?.dynamic); }

  seek(time: number, cut = false): void {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.cut ||= cut;
    this.wishes++;
    this.tell('clock');
  }

  setClip(clip: number): void {
    this.clip = clip;
    this.time = 0;
    this.cut = true;
    this.wishes++;
    this.tell('clock', 'character');
  }

  play(on: boolean): void {
    if (on && this.clip === -1 && this.character)
      this.setClip(0);
    if (on && !this.loop && this.time >= this.duration)
      this.seek(0, true);
    this.playing = on;
    this.tell('clock');
  }

  select(node: number): void {
    if (node === this.selected) return;
    this.selected = node;
    this.tell('select');
  }

  /** The pose was changed by hand: seen at once on the skeleton, and asked of the solver. */
  posed(): void {
    this.wishes++;
    this.tell('pose');
  }

  setLook(change: Partial<Look>): void {
    Object.assign(this.look, change);
    this.tell('look');
  }

  setMethod(slot: number, method: string, settings: Record<string, string> = {}): void {
    this.slots[slot] = { ...this.slots[slot], method, settings };
    this.wishes++;
    this.tell('slots');
  }

  setWorld(change: Partial<World>): void {
    Object.assign(this.world, change);
    if (!this.world.on) this.objects = null;
    this.wishes++;
    this.tell('world', 'objects');
  }

  complain(text: string): void {
    this.trouble = text;
    this.tell('trouble');
  }
}
