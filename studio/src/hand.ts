// What the mouse does on the character: choose a joint, turn it by its skin or its rings, pull a limb by reaching.
import { Object3D, Plane, Quaternion, Raycaster, Sphere, Vector2, Vector3 } from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Studio } from './studio';
import type { View } from './view';
import type { Bones } from './bones';
import { castRay, type Hit, type SkinView } from './skin';
import type { Things } from './things';
import { keepPins, reach } from './ik';
import type { Muscles } from './muscles';
import type { Place } from './rig';
import { dab } from './brush';

interface Drag { node: number; grabbed: Vector3; held: Vector3; start: Quaternion; centre: Vector3; plane: Plane; moved: boolean; from: Vector2 }

export class Hand {
  private ray = new Raycaster();
  private drag: Drag | null = null;
  private grip: { plane: Plane; offset: Vector3; place?: Place } | null = null; // an object, skin that is poked, or the end of a muscle
  private painting = false;

  private rings: TransformControls;
  private handle = new Object3D();
  private ringing = false;

  constructor(private studio: Studio, private view: View, private bones: Bones, private things: Things, private muscles: Muscles) {
    const canvas = view.renderer.domElement;
    this.rings = new TransformControls(view.camera, canvas);
    this.rings.setMode('rotate');
    this.rings.setSpace('local');
    this.rings.setSize(0.7);
    this.rings.setColors(0xd0453c, 0x4a9a3f, 0x3a6fc4, 0xe8a00c);
    this.rings.showE = false;
    view.over.add(this.handle, this.rings.getHelper());
    this.rings.addEventListener('change', () => { view.dirty = true; });
    this.rings.addEventListener('objectChange', () => this.ring());
    this.rings.addEventListener('dragging-changed', event => {
      this.ringing = Boolean(event.value);
      view.orbit.enabled = !this.ringing;
      if (this.ringing) studio.history.mark();
      else this.place();
    });
    canvas.addEventListener('pointerdown', event => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', event => this.move(event));
    canvas.addEventListener('pointerup', () => this.up());
    canvas.addEventListener('pointercancel', () => this.up());
    studio.on(['select', 'pose', 'frame', 'tool', 'character', 'look', 'slots'], () => this.place());
  }

  /** The rings sit on the selected joint. */
  private place(): void {
    const { skeleton, selected, tool } = this.studio;
    if (this.ringing) return;
    this.rings.enabled = !this.view.split; // they know the whole canvas only
    if (!skeleton || selected < 0 || tool !== 'turn') {
      this.rings.detach();
      this.view.dirty = true;
      return;
    }
    skeleton.head(selected, this.handle.position);
    skeleton.turn(selected, this.handle.quaternion);
    this.handle.updateMatrixWorld();
    if (this.rings.object !== this.handle) this.rings.attach(this.handle);
    this.view.dirty = true;
  }

  private ring(): void {
    const { skeleton, selected } = this.studio;
    if (!skeleton || selected < 0 || !this.ringing) return;
    skeleton.setTurn(selected, this.handle.quaternion);
    keepPins(skeleton, this.pinned(), selected);
    this.studio.posed();
  }

  private half: number | null = null; // where something was taken hold of: side by side, all of a drag belongs to that half
  private aim(event: PointerEvent): Vector2 {
    const box = this.view.renderer.domElement.getBoundingClientRect();
    const at = new Vector2(event.clientX - box.left, event.clientY - box.top);
    this.view.aim(this.ray, at.x, at.y, this.half ?? at.x);
    return at;
  }

  /** Capture: the camera's own controls come after, and are kept off when the hand has hold of the character. */
  private down(event: PointerEvent): void {
    const { studio, view } = this, { skeleton, character } = studio;
    if (event.button !== 0 || !skeleton || !character) return;
    if (this.rings.enabled && this.rings.object && this.rings.axis) return; // the mouse is over a ring
    this.half = null;
    const at = this.aim(event), skin = this.seen(at.x), hit = skin ? castRay(character, skin.positions, this.ray.ray.origin, this.ray.ray.direction) : null;
    this.half = at.x;
    if (this.take(hit, skin)) {
      view.renderer.domElement.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
      return;
    }
    const joint = this.bones.near(at.x, at.y);
    let node = joint;
    if (node < 0 && hit) node = character.point_nodes[hit.point];
    if (node < 0) return;
    view.orbit.enabled = false;
    const grabbed = joint >= 0 ? this.outside(joint) : hit!.at;
    const turned = joint >= 0 && studio.tool === 'turn' ? this.turner(joint) : node;
    this.drag = {
      node: turned, grabbed, held: grabbed.clone().applyMatrix4(skeleton.world[turned].clone().invert()), start: skeleton.turn(turned), centre: skeleton.head(turned), moved: false, from: at,
      plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), grabbed),
    };
    studio.select(node);
    view.renderer.domElement.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  }

  /** An object of the world is taken in hand, or with the poke tool the skin itself. */
  private take(hit: Hit | null, skin: SkinView | null): boolean {
    const { studio, view } = this;
    const thing = this.things.hit(this.ray);
    const end = this.muscles.hit(this.ray);
    const facing = (place: Vector3) => new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), place);
    if (end) {
      studio.rig.mark();
      this.muscles.chosen = end.muscle;
      this.grip = { plane: facing(end.at), offset: new Vector3(), place: end.place };
    } else if (hit && studio.tool === 'paint') {
      studio.rig.mark();
      this.painting = true;
      dab(studio, hit.at, skin!.positions, view.size);
    } else if (thing && (!hit || thing.distance < hit.distance)) {
      this.grip = { plane: facing(thing.at), offset: thing.origin.clone().sub(thing.at) };
      studio.held = { object: thing.object, at: thing.origin.toArray() };
    } else if (hit && studio.tool === 'poke') {
      const point = new Vector3().fromArray(skin!.positions, hit.point * 3);
      this.grip = { plane: facing(hit.at), offset: point.clone().sub(hit.at) };
      studio.poked = { ...studio.poked, point: hit.point, at: point.toArray() };
    } else
      return false;
    view.orbit.enabled = false;
    studio.wishes++;
    return true;
  }

  private carry(grip: NonNullable<Hand['grip']>): void {
    const { studio } = this, place = new Vector3();
    if (!this.ray.ray.intersectPlane(grip.plane, place)) return;
    place.add(grip.offset);
    if (grip.place) {
      this.muscles.move(grip.place, place);
      studio.rig.changed();
      return;
    }
    if (studio.held.object >= 0) studio.held.at = place.toArray();
    else studio.poked.at = place.toArray();
    studio.wishes++;
  }

  private seen(x: number) {
    const { look, slots } = this.studio, width = this.view.renderer.domElement.clientWidth;
    const line = this.view.split ? 0.5 : look.compare === 'wipe' && slots[1].method ? look.wipe : 1;
    return (this.half ?? x) > line * width ? this.view.skins[1] : this.view.skins[0];
  }

  private outside(joint: number): Vector3 { return this.studio.skeleton!.head(joint); }

  /** Dragging a joint's dot turns the bone that ends there: the one above it. */
  private turner(joint: number): number {
    const above = this.studio.skeleton!.boneAbove(joint);
    return above >= 0 ? above : joint;
  }

  private move(event: PointerEvent): void {
    const { drag, studio } = this;
    if (this.grip) {
      this.aim(event);
      this.carry(this.grip);
    }
    if (this.painting) {
      const skin = this.seen(this.aim(event).x), hit = skin ? castRay(studio.character!, skin.positions, this.ray.ray.origin, this.ray.ray.direction) : null;
      if (hit) dab(studio, hit.at, skin!.positions, this.view.size);
    }
    if (!drag || !studio.skeleton) return;
    const at = this.aim(event);
    if (!drag.moved) {
      if (at.distanceTo(drag.from) < 3) return;
      drag.moved = true;
      studio.history.mark();
    }
    if (studio.tool === 'reach') this.pull(drag);
    else this.turn(drag);
    studio.posed();
  }

  /** The grabbed place follows the mouse on a sphere around the joint; beyond its rim, on the plane through its centre. */
  private turn(drag: Drag): void {
    const { ray } = this.ray, arm = drag.grabbed.clone().sub(drag.centre), target = new Vector3();
    const facing = new Plane().setFromNormalAndCoplanarPoint(this.view.camera.getWorldDirection(new Vector3()), drag.centre);
    const front = arm.dot(this.view.camera.getWorldDirection(new Vector3())) <= 0;
    const hit = front ? ray.intersectSphere(new Sphere(drag.centre, arm.length()), target) : null;
    if (!hit && !ray.intersectPlane(facing, target)) return;
    const turn = new Quaternion().setFromUnitVectors(arm.clone().normalize(), target.sub(drag.centre).normalize());
    this.studio.skeleton!.setTurn(drag.node, turn.multiply(drag.start));
    keepPins(this.studio.skeleton!, this.pinned(), drag.node);
  }

  private pull(drag: Drag): void {
    const target = new Vector3();
    if (this.ray.ray.intersectPlane(drag.plane, target)) this.reachFor(drag.node, target, drag.held);
  }

  /** Pulls a joint, or a place that moves with it (in its own space), to a place in the world. */
  reachFor(node: number, target: Vector3, held = new Vector3()): void {
    const skeleton = this.studio.skeleton!;
    reach(skeleton, node, held.clone().applyMatrix4(skeleton.world[node]), target, this.studio.pins, this.studio.limits);
    keepPins(skeleton, this.pinned(), node);
  }

  /** Pinned joints stay where they are though this one moved. */
  keep(node: number): void { keepPins(this.studio.skeleton!, this.pinned(), node); }

  private places = new Map<number, Vector3>();
  /** Where the pinned joints are held. */
  private pinned(): Map<number, Vector3> {
    const { pins, skeleton } = this.studio;
    for (const node of this.places.keys()) if (!pins.has(node)) this.places.delete(node);
    for (const node of pins) if (!this.places.has(node)) this.places.set(node, skeleton!.head(node));
    return this.places;
  }

  private up(): void {
    this.half = null;
    if (this.painting) {
      this.painting = false;
      this.view.orbit.enabled = true;
    }
    if (this.grip) {
      this.grip = null;
      this.studio.held.object = this.studio.poked.point = -1;
      this.studio.wishes++;
      this.view.orbit.enabled = true;
    }
    if (!this.drag) return;
    this.drag = null;
    this.view.orbit.enabled = true;
    this.place();
  }

  togglePin(node: number): void {
    const { pins, skeleton } = this.studio;
    if (!skeleton || node < 0) return;
    if (pins.has(node)) { pins.delete(node); this.places.delete(node); }
    else { pins.add(node); this.places.set(node, skeleton.head(node)); }
    this.studio.tell('select', 'pose');
  }
}
