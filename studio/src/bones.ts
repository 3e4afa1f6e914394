// The skeleton on top of the skin. It follows the hand at once, however far behind the skin is.
import { BufferGeometry, Color, Float32BufferAttribute, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';
import type { Studio } from './studio';
import type { View } from './view';

const UP = new Vector3(0, 1, 0);
const colours = { plain: new Color(0x2f6f8f), edited: new Color(0xb86a10), selected: new Color(0xe8590c), pinned: new Color(0x7a3fb0) };

/** A bone: a slim double pyramid of length 1 along y, thickest near its head. */
function boneShape(): BufferGeometry {
  const w = 0.07, y = 0.12, p = [[0, 0, 0], [w, y, 0], [0, y, w], [-w, y, 0], [0, y, -w], [0, 1, 0]], at: number[] = [];
  for (let k = 0; k < 4; k++) {
    const a = p[1 + k], b = p[1 + (k + 1) % 4];
    at.push(...p[0], ...a, ...b, ...p[5], ...b, ...a);
  }
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute(at, 3));
}

export class Bones {
  private links: InstancedMesh | null = null;
  private joints: InstancedMesh | null = null;
  private parts: { from: number; to: number; tip: Vector3 | null }[] = []; // bones: to a joint below, or to a tip

  constructor(private studio: Studio, private view: View) {
    studio.on(['character'], () => this.rebuild());
    studio.on(['pose', 'frame', 'select', 'look'], () => this.update());
  }

  private shown: unknown = null;
  private rebuild(): void {
    const { skeleton } = this.studio;
    if (!skeleton || skeleton === this.shown) return;
    this.shown = skeleton;
    for (const old of [this.links, this.joints]) {
      if (!old) continue;
      this.view.over.remove(old);
      old.geometry.dispose();
      old.dispose();
    }
    this.parts = [];
    for (const node of skeleton.bones) {
      const below = skeleton.bonesBelow(node), tip = skeleton.tips.get(node);
      for (const child of below) this.parts.push({ from: node, to: child, tip: null });
      if (!below.length && tip) this.parts.push({ from: node, to: -1, tip });
    }
    const make = (shape: BufferGeometry, count: number, opacity: number) => {
      const mesh = new InstancedMesh(shape, new MeshBasicMaterial({ transparent: true, opacity, depthTest: false }), Math.max(count, 1));
      mesh.count = count;
      mesh.frustumCulled = false;
      this.view.over.add(mesh);
      return mesh;
    };
    this.links = make(boneShape(), this.parts.length, 0.45);
    this.joints = make(new SphereGeometry(1, 12, 8), skeleton.bones.length, 0.85);
    this.update();
  }

  private update(): void {
    const { skeleton, look, selected, pins } = this.studio;
    if (!skeleton || !this.links || !this.joints) return;
    this.links.visible = this.joints.visible = look.bones;
    const plain = look.colour === 'clay' || look.colour === 'file'; // colours that tell something are not to be covered
    (this.links.material as MeshBasicMaterial).opacity = plain ? 0.45 : 0.12;
    (this.joints.material as MeshBasicMaterial).opacity = plain ? 0.85 : 0.5;
    const a = new Vector3(), b = new Vector3(), along = new Vector3(), turn = new Quaternion(), m = new Matrix4();
    const colour = (node: number) => node === selected ? colours.selected : pins.has(node) ? colours.pinned : skeleton.isEdited(node) ? colours.edited : colours.plain;
    this.parts.forEach((part, i) => {
      skeleton.head(part.from, a);
      if (part.tip) b.copy(part.tip).applyMatrix4(skeleton.world[part.from]);
      else skeleton.head(part.to, b);
      const length = along.subVectors(b, a).length();
      turn.setFromUnitVectors(UP, length > 0 ? along.divideScalar(length) : UP);
      this.links!.setMatrixAt(i, m.compose(a, turn, b.set(length, length, length)));
      this.links!.setColorAt(i, colour(part.from));
    });
    skeleton.bones.forEach((node, i) => {
      const radius = this.view.size * (node === selected ? 0.0075 : 0.0045);
      this.joints!.setMatrixAt(i, m.compose(skeleton.head(node, a), turn.identity(), b.set(radius, radius, radius)));
      this.joints!.setColorAt(i, colour(node));
    });
    for (const mesh of [this.links, this.joints]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.view.dirty = true;
  }

  /** The joint nearest to a place on the canvas, within some pixels; -1: none. */
  near(x: number, y: number, within = 9): number {
    const { skeleton, look } = this.studio;
    if (!skeleton || !look.bones) return -1;
    let best = within, found = -1;
    for (const node of skeleton.bones) {
      const p = this.view.onScreen(skeleton.head(node), x), far = Math.hypot(p.x - x, p.y - y);
      if (far < best) { best = far; found = node; }
    }
    return found;
  }
}
