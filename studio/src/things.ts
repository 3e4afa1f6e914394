// The world around the character: its objects on the screen, the forces where they touch, and the panel that makes them.
import { ArrowHelper, BufferAttribute, BufferGeometry, Group, Mesh, MeshStandardMaterial, type Raycaster, Vector3 } from 'three';
import type { Studio, Thing } from './studio';
import type { View } from './view';
import type { Link } from './link';
import { extent, readShape } from './shapes';
import { slider } from './rig_panel';
import { button, check, h } from './ui';

const MOST = 16;

export class Things {
  private group = new Group();
  private arrows = new Group();
  private meshes: Mesh[] = [];
  private materials = [0x8d8d92, 0xd08a2e, 0x6f9e5a].map(color => new MeshStandardMaterial({ color, roughness: 0.55, }));
  private flat = [0x8d8d92, 0xd08a2e].map(color => new MeshStandardMaterial({ color, roughness: 0.55, flatShading: true }));

  constructor(private studio: Studio, private view: View) {
    view.scene.add(this.group);
    view.over.add(this.arrows);
    studio.on(['objects'], () => this.update());
  }

  private update(): void {
    const { objects, world } = this.studio, count = objects ? objects.counts.length / 2 : 0;
    while (this.meshes.length > count) this.drop(this.meshes.pop()!);
    let at = 0, first = 0;
    for (let i = 0; i < count; i++) {
      const vertices = objects!.counts[2 * i], triangles = objects!.counts[2 * i + 1];
      const mesh = this.meshes[i] ??= this.make(), { geometry } = mesh;
      const { kind, shape } = world.things[i] ?? { kind: 0, shape: 1 };
      mesh.material = shape === 2 && kind < 2 ? this.flat[kind] : this.materials[kind];
      if (geometry.attributes.position?.count !== vertices || geometry.index?.count !== triangles * 3) {
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(vertices * 3), 3));
        geometry.setIndex(new BufferAttribute(Uint32Array.from(objects!.triangles.subarray(first, first + triangles * 3)), 1));
      }
      (geometry.attributes.position.array as Float32Array).set(objects!.positions.subarray(at, at + vertices * 3));
      geometry.attributes.position.needsUpdate = true;
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
      at += vertices * 3;
      first += triangles * 3;
    }
    this.showForces();
    this.view.dirty = true;
  }

  private make(): Mesh {
    const mesh = new Mesh(new BufferGeometry(), this.materials[0]);
    mesh.castShadow = mesh.receiveShadow = true;
    this.group.add(mesh);
    return mesh;
  }

  private drop(mesh: Mesh): void {
    this.group.remove(mesh);
    mesh.geometry.dispose();
  }

  /** Arrows of the largest forces; a length of a tenth of the size is the largest of them. */
  private showForces(): void {
    const { objects, world } = this.studio, contacts = world.forces ? objects?.contacts ?? [] : [];
    for (const arrow of this.arrows.children as ArrowHelper[]) arrow.dispose();
    this.arrows.clear();
    const list: { at: Vector3; force: Vector3 }[] = [];
    for (let i = 0; i < contacts.length; i += 6)
      list.push({ at: new Vector3(contacts[i], contacts[i + 1], contacts[i + 2]), force: new Vector3(contacts[i + 3], contacts[i + 4], contacts[i + 5]) });
    list.sort((a, b) => b.force.lengthSq() - a.force.lengthSq());
    const most = list[0]?.force.length() ?? 1;
    for (const { at, force } of list.slice(0, 40)) {
      const length = 0.1 * this.view.size * Math.sqrt(force.length() / most);
      this.arrows.add(new ArrowHelper(force.clone().normalize(), at, length, 0xb8308f, 0.3 * length, 0.18 * length));
    }
  }

  /** The first object on a ray. */
  hit(ray: Raycaster): { object: number; distance: number; at: Vector3; origin: Vector3 } | null {
    const { objects } = this.studio, found = objects ? ray.intersectObjects(this.meshes, false)[0] : undefined;
    if (!found) return null;
    const object = this.meshes.indexOf(found.object as Mesh);
    return { object, distance: found.distance, at: found.point, origin: new Vector3().fromArray(objects!.origins, object * 3) };
  }
}

const shapeName = (t: Thing): string => t.name ?? ['object', 'ball', 'box', '', 'cylinder'][t.shape];
const SURFACES = 8;

/** A closed surface from a file becomes an object, a seventh of the character's size. */
async function addFile(studio: Studio, link: Link, file: File, add: (thing: Partial<Thing>) => void, size: number): Promise<void> {
  try {
    const shape = await readShape(file), taken = new Set(studio.world.things.filter(t => t.shape === 0).map(t => t.size[0]));
    const number = [...Array(SURFACES).keys()].find(n => !taken.has(n));
    if (number === undefined) throw new Error(`${SURFACES} objects from files are the most.`);
    const said = await link.say({ is: 'Mesh', number, vertices: shape.vertices, triangles: shape.triangles });
    if (!said.some(m => m.is === 'Refusal')) add({ kind: 1, shape: 0, size: [number, 0.14 * size / (extent(shape) || 1), 1], name: file.name, surface: shape });
  } catch (fault) {
    studio.complain(fault instanceof Error ? fault.message : String(fault));
  }
}

export function worldPanel(studio: Studio, view: View, link: Link): Node[] {
  const on = check('Touches a world', value => studio.setWorld({ on: value })), ground = check('Ground', value => studio.setWorld({ ground: value, on: true }));
  const forces = check('Forces as arrows', value => { studio.world.forces = value; studio.tell('objects'); });
  const gravity = slider('Gravity, m/s²', 0, 20, 0.1, value => studio.setWorld({ gravity: value }));
  const reach = slider('Poke reach, of the size', 0.01, 0.3, 0.01, value => { studio.poked.reach = value; });
  const list = h('ul', { class: 'things' });
  const add = (kind: number, shape: number, more: Partial<Thing> = {}) => {
    const { size, centre } = view, r = size * (shape === 1 ? 0.05 : 0.09), { things } = studio.world;
    if (things.length >= MOST) { studio.complain(`${MOST} objects are the most.`); return; }
    const side = (things.length % 3 - 1) * 0.16 * size, front = studio.character?.faces_back ? -1 : 1;
    const place = new Vector3(centre.x + side, centre.y + 0.1 * size, centre.z + front * 0.22 * size), origins = studio.objects?.origins ?? [], other = new Vector3();
    const taken = things.map((t, i) => ({ at: 3 * i < origins.length ? [...origins.slice(3 * i, 3 * i + 3)] : t.position, r: t.shape === 0 ? 0.1 * size : Math.hypot(...t.size) / (t.shape === 1 ? 1.7 : 2) }));
    while (taken.some(({ at, r: wide }) => other.fromArray(at).distanceTo(place) < wide + 0.9 * r)) place.y += r; // above what is there
    const thing: Thing = { kind, shape, size: [r, r, r], position: place.toArray(), density: kind === 2 ? 0.2 : 0.3, ...more };
    studio.setWorld({ on: true, things: [...things, thing] });
  };
  const picker = h('input', { type: 'file', accept: '.obj,.glb', class: 'unseen', tabindex: -1, 'aria-label': 'An object from a file', change: () => { const file = picker.files?.[0]; if (file) void addFile(studio, link, file, thing => add(1, 0, thing), view.size); picker.value = ''; } });
  const friction = slider('Friction', 0, 2, 0.05, value => studio.setWorld({ friction: value })), firm = slider('Joints, times as firm', 0.1, 20, 0.1, value => studio.setWorld({ firm: value }));
  const update = () => {
    const { world } = studio;
    friction.set(world.friction);
    firm.set(world.firm);
    on.set(world.on);
    ground.set(world.ground);
    forces.set(world.forces);
    gravity.set(world.gravity);
    reach.set(studio.poked.reach);
    list.replaceChildren(...world.things.map((t, i) => h('li', {}, `${['fixed', 'rigid', 'soft'][t.kind]} ${shapeName(t)}`,
      button(`Remove object ${i + 1}`, () => studio.setWorld({ things: world.things.filter(other => other !== t) }), { icon: 'close' }))));
  };
  studio.on(['world'], update);
  update();
  return [
    h('p', { class: 'hint' }, 'Objects can be taken and thrown with the mouse; the skeleton gives way to them before the skin is made. Where there is a world, time goes on.'),
    on.row, ground.row, forces.row, gravity.row, friction.row, firm.row,
    h('div', { class: 'buttons wrap' }, picker, button('Ball', () => add(1, 1)), button('Box', () => add(1, 2)), button('Soft cube', () => add(2, 2)), button('Fixed box', () => add(0, 2)), button('From a file…', () => picker.click()),
      button('Start over', () => { studio.cut = true; studio.wishes++; })),
    list, reach.row,
  ];
}
