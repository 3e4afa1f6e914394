// Muscles on the skeleton: spindles as the rig places them, swollen as the joint bends, their ends dragged with the mouse.
import { Matrix4, Mesh, MeshBasicMaterial, Quaternion, type Raycaster, SphereGeometry, LatheGeometry, Vector2, Vector3, Group } from 'three';
import type { Muscle, Place } from './rig';
import type { Studio } from './studio';
import type { View } from './view';

const UP = new Vector3(0, 1, 0);

/** A spindle of length and radius 1 along y. */
function spindle(): LatheGeometry {
  return new LatheGeometry(Array.from({ length: 13 }, (_, i) => new Vector2(Math.max(Math.sin(Math.PI * i / 12), 0.02), i / 12)), 14);
}

export class Muscles {
  private group = new Group();
  private shapes: Mesh[] = [];
  private ends: Mesh[] = [];
  private body = new MeshBasicMaterial({ color: 0xb03a2e, transparent: true, opacity: 0.45, depthTest: false });
  private knob = new MeshBasicMaterial({ color: 0xffd34d, depthTest: false });
  chosen = 0;

  constructor(private studio: Studio, private view: View) {
    view.over.add(this.group);
    studio.on(['rig', 'tool', 'pose', 'frame', 'character'], () => this.update());
  }

  private rest: { of: unknown; worlds: Matrix4[]; size: number } = { of: null, worlds: [], size: 1 };
  private restWorlds(): Matrix4[] {
    const { skeleton, character } = this.studio;
    if (this.rest.of !== skeleton && skeleton && character) {
      const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
      for (let i = 0; i < character.rest.length; i += 3) { p.fromArray(character.rest, i); low.min(p); high.max(p); }
      this.rest = { of: skeleton, worlds: skeleton.worldsOf(skeleton.rest), size: low.distanceTo(high) };
    }
    return this.rest.worlds;
  }

  /** Where a bone ends in the rest pose: at the first joint below, or at its tip. */
  private restEnd(node: number): Vector3 {
    const { skeleton } = this.studio, rest = this.restWorlds(), below = skeleton!.bonesBelow(node)[0], tip = skeleton!.tips.get(node);
    return below !== undefined ? new Vector3().setFromMatrixPosition(rest[below]) : tip ? tip.clone().applyMatrix4(rest[node]) : new Vector3().setFromMatrixPosition(rest[node]);
  }

  /** A place in the pose that is seen. */
  at(place: Place): Vector3 | null {
    const { skeleton } = this.studio, node = skeleton?.names.indexOf(place.bone) ?? -1, rest = this.restWorlds();
    if (node < 0) return null;
    const head = new Vector3().setFromMatrixPosition(rest[node]), offset = new Vector3().fromArray(place.offset ?? [0, 0, 0]).multiplyScalar(this.rest.size);
    return head.lerp(this.restEnd(node), place.along ?? 0).add(offset).applyMatrix4(rest[node].clone().invert()).applyMatrix4(skeleton!.world[node]);
  }

  /** Brings a place to where the mouse has it: along its bone as far as it goes, the rest as an offset. */
  move(place: Place, to: Vector3): void {
    const { skeleton } = this.studio, node = skeleton!.names.indexOf(place.bone), rest = this.restWorlds();
    const there = to.clone().applyMatrix4(skeleton!.world[node].clone().invert()).applyMatrix4(rest[node]);
    const head = new Vector3().setFromMatrixPosition(rest[node]), bone = this.restEnd(node).sub(head), length = bone.lengthSq();
    const along = length > 0 ? Math.min(Math.max(there.clone().sub(head).dot(bone) / length, 0), 1) : 0;
    const offset = there.sub(head.addScaledVector(bone, along)).divideScalar(this.rest.size);
    place.along = Number(along.toFixed(4));
    place.offset = offset.toArray().map(v => Number(v.toFixed(4)));
  }

  /** How far the driver is bent away from rest, in degrees. */
  private bend(muscle: Muscle): number {
    const { skeleton } = this.studio, node = skeleton!.names.indexOf(muscle.driver), above = node >= 0 ? skeleton!.parents[node] : -1;
    if (node < 0) return 0;
    const turn = (worlds: Matrix4[]) => {
      const own = new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(worlds[node]));
      return above >= 0 ? new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(worlds[above])).invert().multiply(own) : own;
    };
    return turn(this.restWorlds()).angleTo(turn(skeleton!.world)) * 180 / Math.PI;
  }

  radius(muscle: Muscle): number {
    const [low, high] = muscle.angles ?? [0, 120], t = Math.min(Math.max((this.bend(muscle) - low) / (high - low || 1), 0), 1);
    return muscle.radius * (1 + ((muscle.swell ?? 1.4) - 1) * t) * this.rest.size;
  }

  private update(): void {
    const { studio, view } = this, list = studio.skeleton && studio.tool === 'muscle' ? studio.rig.file.muscles ?? [] : [];
    while (this.shapes.length > list.length) this.group.remove(this.shapes.pop()!, this.ends.pop()!, this.ends.pop()!);
    list.forEach((muscle, i) => {
      const a = this.at(muscle.from), b = this.at(muscle.to);
      if (this.shapes.length <= i) {
        this.shapes.push(new Mesh(spindle(), this.body));
        this.ends.push(new Mesh(new SphereGeometry(1, 12, 8), this.knob), new Mesh(new SphereGeometry(1, 12, 8), this.knob));
        this.group.add(this.shapes[i], this.ends[2 * i], this.ends[2 * i + 1]);
      }
      const shape = this.shapes[i], along = a && b ? b.clone().sub(a) : null, length = along?.length() ?? 0;
      shape.visible = this.ends[2 * i].visible = this.ends[2 * i + 1].visible = length > 0;
      if (!a || !b || !along || !(length > 0)) return;
      const r = this.radius(muscle), knob = view.size * (i === this.chosen ? 0.009 : 0.006);
      shape.position.copy(a);
      shape.quaternion.setFromUnitVectors(UP, along.divideScalar(length));
      shape.scale.set(r, length, r);
      this.ends[2 * i].position.copy(a);
      this.ends[2 * i + 1].position.copy(b);
      this.ends[2 * i].scale.setScalar(knob);
      this.ends[2 * i + 1].scale.setScalar(knob);
    });
    view.dirty = true;
  }

  /** The end under the mouse. */
  hit(ray: Raycaster): { place: Place; at: Vector3; muscle: number } | null {
    if (this.studio.tool !== 'muscle') return null;
    this.group.updateMatrixWorld(true);
    const found = ray.intersectObjects(this.ends, false)[0], i = found ? this.ends.indexOf(found.object as Mesh) : -1;
    if (i < 0) return null;
    const muscle = this.studio.rig.file.muscles![i >> 1];
    return { place: i & 1 ? muscle.to : muscle.from, at: this.ends[i].position.clone(), muscle: i >> 1 };
  }
}
