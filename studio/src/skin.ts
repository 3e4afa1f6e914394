// One skin on the screen: positions from the wire, normals made here, colours of what is measured.
import { BufferAttribute, BufferGeometry, Group, Mesh, type Material, type Vector3 } from 'three';
import type { Character, Frame } from 'messages';

export class SkinView {
  readonly group = new Group();
  readonly geometry = new BufferGeometry();
  readonly mesh: Mesh;
  positions = new Float32Array();
  normals = new Float32Array();
  colours = new Float32Array();
  readonly heat: BufferAttribute; // colours of what is measured, where the file's are not worn
  private frame: Frame | null = null;
  private sums = new Float32Array();
  private corners: Int32Array; // of triangles: where their numbers begin
  private to: Int32Array; // of points: where the numbers of the normal begin that they share
  private ends: Int32Array; // the same of the triangles' corners
  private stale = true;

  constructor(character: Character, material: Material) {
    const count = character.groups.length;
    this.positions = character.rest.slice();
    this.normals = new Float32Array(count * 3);
    this.sums = new Float32Array(count * 3);
    this.colours = new Float32Array(count * 3).fill(1);
    this.corners = character.triangles.map(c => c * 3);
    this.to = character.groups.map(g => g * 3);
    this.ends = character.triangles.map(c => this.to[c]);
    this.geometry.setIndex(new BufferAttribute(Uint32Array.from(character.triangles), 1));
    this.geometry.setAttribute('position', new BufferAttribute(this.positions, 3));
    this.geometry.setAttribute('normal', new BufferAttribute(this.normals, 3));
    this.heat = new BufferAttribute(this.colours, 3);
    this.geometry.setAttribute('color', this.heat);
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  /** True: it changed. */
  set(frame: Frame): boolean {
    if (frame === this.frame || frame.positions.length !== this.positions.length) return false;
    this.frame = frame;
    const { box, positions: values } = frame, out = this.positions;
    const sx = (box[3] - box[0]) / 65535, sy = (box[4] - box[1]) / 65535, sz = (box[5] - box[2]) / 65535;
    for (let i = 0; i < values.length; i += 3) {
      out[i] = box[0] + values[i] * sx;
      out[i + 1] = box[1] + values[i + 1] * sy;
      out[i + 2] = box[2] + values[i + 2] * sz;
    }
    this.geometry.attributes.position.needsUpdate = true;
    this.stale = true;
    return true;
  }

  /** Before a picture: normals of the positions there are. */
  freshen(): void {
    if (this.stale) this.makeNormals();
    this.stale = false;
  }

  /** Area-weighted over points that share a normal in the file, so that sharp edges stay sharp. */
  private makeNormals(): void {
    const { corners, ends, to, positions: p, normals: out } = this, sums = this.sums.fill(0);
    for (let t = 0; t < corners.length; t += 3) {
      const a = corners[t], b = corners[t + 1], c = corners[t + 2], ax = p[a], ay = p[a + 1], az = p[a + 2];
      const ux = p[b] - ax, uy = p[b + 1] - ay, uz = p[b + 2] - az, vx = p[c] - ax, vy = p[c + 1] - ay, vz = p[c + 2] - az;
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const i = ends[t], j = ends[t + 1], k = ends[t + 2];
      sums[i] += nx; sums[i + 1] += ny; sums[i + 2] += nz;
      sums[j] += nx; sums[j + 1] += ny; sums[j + 2] += nz;
      sums[k] += nx; sums[k + 1] += ny; sums[k + 2] += nz;
    }
    for (let i = 0, at = 0; i < to.length; i++, at += 3) {
      const g = to[i], x = sums[g], y = sums[g + 1], z = sums[g + 2], scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
      out[at] = x * scale; out[at + 1] = y * scale; out[at + 2] = z * scale;
    }
    this.geometry.attributes.normal.needsUpdate = true;
  }

  coloured(): void { this.heat.needsUpdate = true; }

  dispose(): void {
    this.geometry.dispose();
  }
}

export interface Hit { point: number; distance: number; at: Vector3 }

/** The first point of the skin on a ray: the corner nearest to where it hits. */
export function castRay(character: Character, positions: Float32Array, origin: Vector3, direction: Vector3): Hit | null {
  const { triangles } = character, p = positions;
  const { x: ox, y: oy, z: oz } = origin, { x: dx, y: dy, z: dz } = direction;
  let best = Infinity, found = -1;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t] * 3, b = triangles[t + 1] * 3, c = triangles[t + 2] * 3;
    const e1x = p[b] - p[a], e1y = p[b + 1] - p[a + 1], e1z = p[b + 2] - p[a + 2];
    const e2x = p[c] - p[a], e2y = p[c + 1] - p[a + 1], e2z = p[c + 2] - p[a + 2];
    const px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
    const det = e1x * px + e1y * py + e1z * pz;
    if (det > -1e-20 && det < 1e-20) continue;
    const tx = ox - p[a], ty = oy - p[a + 1], tz = oz - p[a + 2], u = (tx * px + ty * py + tz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = ty * e1z - tz * e1y, qy = tz * e1x - tx * e1z, qz = tx * e1y - ty * e1x, v = (dx * qx + dy * qy + dz * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const far = (e2x * qx + e2y * qy + e2z * qz) / det;
    if (far > 0 && far < best) {
      best = far;
      found = triangles[t + (u > v && u > 1 - u - v ? 1 : v > 1 - u - v ? 2 : 0)];
    }
  }
  return found < 0 ? null : { point: found, distance: best, at: origin.clone().addScaledVector(direction, best) };
}
