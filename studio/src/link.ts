// The conversation with the command: the page pulls, one frame in flight, and always asks for the newest it wants to see.
import type { Frame, Message } from 'messages';
import { decode, encode, type Say } from './wire';
import type { Studio } from './studio';
import { Skeleton } from './skeleton';
import { MADE } from './keyed';

const IDLE_MS = 1000, PREPARING_MS = 120, LONGEST_STEP_S = 0.1;
const PACE_MS = 14; // frames are not asked for faster than screens show them

const wishOf = (epoch: number, method: string, settings: Record<string, string>): string => JSON.stringify([epoch, method, settings]);

export class Link {
  private number = 0;
  private asked = -1; // the wish that was asked for last
  private inFlight = false;
  private taking = 1;
  private last = { time: 0, at: 0, heard: 0, asked: 0 };
  private sent: string[] = ['', '']; // what each slot was asked for
  private describing = false;
  fetched = 0; // frames, to count them a second
  rate = 0; // of the last second
  took = 0; // ms from a wish to its skin
  shown = -1; // the wish whose skin is in the page

  constructor(private studio: Studio, private tab: number) {
    studio.onWish = () => this.hurry();
    studio.on(['slots'], () => void this.askMethods());
    studio.on(['world', 'rig'], () => void this.askWorld());
    studio.rig.send = json => void this.askRig(json);
  }

  /** Says something at once, beside the frame that may be in flight. */
  async say(...messages: Say[]): Promise<Message[]> {
    const body = encode([{ is: 'Hello', tab: this.tab, take: this.taking }, ...messages]);
    let answer: Response;
    try {
      answer = await fetch('/talk', { method: 'POST', body });
    } catch {
      this.lose('lost');
      return [];
    }
    if (!answer.ok) {
      this.studio.complain(answer.status === 403 ? 'The command does not know this browser any more: open the address it printed.' : await answer.text());
      return [];
    }
    const said = decode(await answer.arrayBuffer());
    this.last.heard = performance.now();
    this.taking = 0; // heard: from now on another tab may take over
    if (this.studio.link === 'lost') this.found();
    said.forEach(message => this.hear(message));
    return said;
  }

  private lose(how: 'lost' | 'elsewhere'): void {
    if (this.studio.link === 'ended' || this.studio.link === how) return;
    this.studio.link = how;
    this.studio.play(false);
    this.studio.tell('link');
  }

  private found(): void {
    this.studio.link = 'on';
    this.sent = ['', ''];
    this.studio.tell('link');
  }

  takeOver(): void {
    this.taking = 1;
    this.studio.link = 'on';
    this.studio.tell('link');
    void this.start();
  }

  async quit(): Promise<void> {
    this.studio.link = 'ended';
    await this.say({ is: 'Quit', sure: 1 });
    this.studio.tell('link');
  }

  async start(): Promise<void> {
    await this.say({ is: 'Ask', what: 1, node: -1 }, { is: 'Ask', what: 0, node: -1 });
  }

  /** The first words were said before this part of the page was there. */
  begin(said: Message[]): void {
    this.last.heard = performance.now();
    this.taking = 0;
    said.forEach(message => this.hear(message));
  }

  private hear(message: Message): void {
    const studio = this.studio;
    switch (message.is) {
      case 'State':
        if (message.elsewhere) this.lose('elsewhere');
        else if (studio.character && message.epoch !== studio.character.epoch && !this.describing) void this.describe();
        break;
      case 'Slot':
        if (studio.slots[message.slot].status?.serial !== message.serial || studio.slots[message.slot].status?.state !== message.state
          || message.state === 1) {
          studio.slots[message.slot].status = message;
          studio.tell('slots');
        }
        break;
      case 'Methods':
        studio.catalogue = JSON.parse(message.json);
        studio.tell('catalogue');
        break;
      case 'Character':
        this.number = 0;
        this.asked = -1;
        this.sent = ['', ''];
        studio.character = message;
        studio.skeleton = new Skeleton(message);
        studio.frames = [null, null];
        studio.clip = message.clip_seconds.length > 1 ? 0 : -1;
        studio.time = 0;
        studio.cut = true;
        studio.selected = -1;
        studio.pins.clear();
        studio.world = { ...studio.world, on: false, things: [] };
        studio.objects = null;
        studio.held.object = studio.poked.point = -1;
        studio.rig.clear();
        studio.keyed.keys = [];
        studio.history.clear();
        studio.wishes++;
        studio.tell('character', 'slots', 'clock', 'select', 'pose', 'world', 'objects', 'poses');
        break;
      case 'Frame':
        this.show(message);
        break;
      case 'Objects':
        if (message.trouble && message.trouble !== studio.objects?.trouble) studio.complain(message.trouble);
        if (message.epoch === studio.character?.epoch && studio.world.on) { studio.objects = message; studio.tell('objects'); }
        break;
      case 'Inside':
        studio.inside = message;
        studio.tell('inside');
        break;
      case 'Baking':
        studio.baking = message;
        studio.tell('baking');
        break;
      case 'Refusal':
        studio.complain(message.text);
        break;
    }
  }

  private async describe(): Promise<void> {
    this.describing = true;
    await this.say({ is: 'Ask', what: 0, node: -1 });
    this.describing = false;
  }

  private show(frame: Frame): void {
    const studio = this.studio;
    if (frame.epoch !== studio.character?.epoch) return;
    studio.frames[frame.slot] = frame;
    if (frame.slot === 0) {
      this.fetched++;
      if (frame.transforms.length) studio.skeleton?.setBase(frame.transforms, this.edited);
    }
    studio.tell('frame');
  }

  /** Changes an option without a new prepare; false: that does not do. */
  setLive(slot: number, key: string, value: string): boolean {
    const { studio } = this, state = studio.slots[slot], live = studio.method(slot)?.options.find(o => o.name === key)?.live;
    if (!live || state.status?.state !== 2 || !studio.character) return false;
    this.sent[slot] = wishOf(studio.character.epoch, state.method, state.settings);
    void this.say({ is: 'Set', epoch: studio.character.epoch, slot, key, value });
    studio.wishes++;
    return true;
  }

  private worldSent = '';
  private async askWorld(): Promise<void> {
    const { studio } = this, { world, character } = studio;
    if (!character) return;
    const objects = Float32Array.from(world.things.flatMap(t => [t.kind, t.shape, ...t.size, ...t.position, t.density]));
    const stiff = this.stiff(), height = this.floor(), key = JSON.stringify([character.epoch, world.on, world.ground, world.gravity, world.friction, world.firm, objects.join(), [...stiff]]);
    if (key === this.worldSent) return;
    this.worldSent = key;
    await this.say({
      is: 'Scene', epoch: character.epoch, on: world.on ? 1 : 0, ground: world.ground ? 1 : 0, height, gravity: world.gravity, objects, friction: world.friction, firm: world.firm,
      nodes: Int32Array.from(stiff.keys()), stiffness: Float32Array.from(stiff.values()),
    });
  }

  /** Joints whose stiffness the rig tells. */
  private stiff(): Map<number, number> {
    const { rig, skeleton } = this.studio, out = new Map<number, number>();
    for (const [name, joint] of Object.entries(rig.file.joints ?? {})) {
      const node = skeleton?.names.indexOf(name) ?? -1;
      if (joint.stiffness !== undefined && node >= 0) out.set(node, joint.stiffness);
    }
    return out;
  }

  private async askRig(json: string): Promise<void> {
    const { studio } = this;
    if (!studio.character) return;
    const said = await this.say({ is: 'Rig', epoch: studio.character.epoch, json });
    studio.rig.sent();
    if (!said.some(m => m.is === 'Refusal')) studio.complain('');
    studio.wishes++;
    studio.tell('rig');
  }

  /** Where the ground is: the picture knows. */
  floor: () => number = () => 0;

  /** Asks each slot for what the page wants of it, once. */
  private async askMethods(): Promise<void> {
    const { studio } = this, epoch = studio.character?.epoch;
    if (!epoch) return;
    const wishes: Say[] = [];
    studio.slots.forEach((slot, i) => {
      const settings = Object.entries(slot.settings).map(([key, value]) => `${key}=${value}`).join('\n');
      const wish = wishOf(epoch, slot.method, slot.settings);
      if (wish === this.sent[i]) return;
      this.sent[i] = wish;
      if (!slot.method) studio.frames[i] = null;
      wishes.push({ is: 'Method', epoch, slot: i, name: slot.method, settings });
    });
    if (wishes.length) await this.say(...wishes);
  }

  /** Called with every picture: moves the clock and keeps the conversation going. */
  tick(now: number): void {
    const { studio } = this;
    const passed = Math.min(Math.max(now - this.last.at, 0) / 1000, 0.25);
    this.last.at = Math.max(now, this.last.at); // a picture's time may lie before that of an answer that came since
    if (studio.playing && studio.duration > 0) this.advance(passed * studio.speed);
    if (studio.link === 'elsewhere' || studio.link === 'ended') return;
    studio.behind_ms = this.inFlight && studio.wishes !== this.asked ? now - this.askedAt : 0;
    const preparing = studio.slots.some(s => s.status?.state === 1);
    const fresh = studio.slots.some((s, i) => s.method && s.status?.state === 2 && studio.frames[i]?.serial !== s.status.serial);
    if (!this.inFlight && studio.character && (studio.wishes !== this.asked || fresh || (studio.dynamic && !preparing && studio.link === 'on'))
      && (studio.link === 'on' || now - this.last.heard > IDLE_MS))
      void this.pull(now);
    else if (!this.inFlight && now - this.last.heard > (preparing || studio.baking?.state === 1 ? PREPARING_MS : IDLE_MS)) {
      this.last.heard = now;
      void this.say({ is: 'Ask', what: 3, node: -1 });
    }
  }

  private askedAt = 0;
  private edited: number[] = []; // nodes the hand had changed when the frame in flight was asked for

  /** What the hand changes is asked for when its event ends, not with the next picture. While a clip plays the clock asks. */
  private soon = false;
  private hurry(): void {
    if (this.soon || this.inFlight || this.studio.playing) return;
    this.soon = true;
    queueMicrotask(() => {
      this.soon = false;
      if (!this.inFlight && this.studio.character && this.studio.link === 'on' && this.studio.wishes !== this.asked) void this.pull(performance.now());
    });
  }

  private advance(seconds: number): void {
    const { studio } = this, time = studio.time + seconds;
    if (time <= studio.duration) studio.seek(time);
    else if (studio.loop) studio.seek(time % studio.duration);
    else {
      studio.seek(studio.duration);
      studio.play(false);
    }
  }

  private async pull(now: number): Promise<void> {
    const { studio } = this, wish = studio.wishes;
    this.inFlight = true;
    this.asked = wish;
    this.askedAt = now;
    const jump = studio.time - this.last.time, passed = Math.min((now - this.last.asked) / 1000, 1 / 30);
    const dt = Math.min(Math.max(studio.playing ? jump : passed, 0), LONGEST_STEP_S);
    this.last.asked = now;
    const cut = studio.cut || Math.abs(jump) > 0.5;
    studio.cut = false;
    this.last.time = studio.time;
    this.number++;
    const made = studio.clip === MADE, edits = studio.skeleton!.list(made ? studio.keyed.at(studio.time, studio.skeleton!) : undefined);
    this.edited = studio.skeleton!.editedNodes;
    const said = await this.say({
      is: 'Want', epoch: studio.character!.epoch, number: this.number, clip: made ? -1 : studio.clip, time_s: studio.time, dt_s: dt,
      restart: cut ? 1 : 0, nodes: edits.nodes, transforms: edits.transforms,
      held: studio.held.object, held_at: Float32Array.from(studio.held.at), poked: studio.poked.point, poked_at: Float32Array.from(studio.poked.at), reach: studio.poked.reach,
      inside: studio.probe.lines ? 1 : 0, section: studio.probe.section, cut: studio.probe.cut,
    });
    if (!said.some(m => m.is === 'Frame')) { // it takes longer, or has no skin yet: ask again
      if (this.asked === wish && studio.link !== 'lost') this.asked = -1;
      studio.cut ||= cut;
      if (!said.length) await new Promise(resolve => setTimeout(resolve, IDLE_MS));
    } else {
      this.shown = wish;
      this.took = performance.now() - now;
    }
    this.inFlight = false;
    if (this.shown !== wish) return;
    if (studio.wishes !== wish) this.hurry();
    if (studio.playing && performance.now() - now > PACE_MS) this.tick(performance.now()); // late already: not one picture later still
  }
}
