// The plainest picture of a skin, drawn by this script itself into a flat canvas: it is there long before the browser's 3D is, which takes the longest of
// all to start. Light is reckoned at points and blended over triangles.
import type { Character } from 'messages';

const SUN = [0.39, 0.73, 0.56], CLAY = [222, 172, 144];

export class Sketch {
  private canvas = document.createElement('canvas');

  constructor(private holder: HTMLElement) {
    this.canvas.className = 'sketch';
    this.canvas.setAttribute('aria-hidden', 'true');
    holder.append(this.canvas);
  }

  /** `look`: from the world to the picture, by columns. */
  draw({ triangles, groups }: Character, points: ArrayLike<number>, look: ArrayLike<number>): void {
    const { canvas, holder } = this, ratio = Math.min(devicePixelRatio, 2), width = Math.round(holder.clientWidth * ratio), height = Math.round(holder.clientHeight * ratio), pen = canvas.getContext('2d');
    if (!pen || !width || !height) return;
    canvas.width = width;
    canvas.height = height;
    const picture = pen.createImageData(width, height), paper: Paper = { width, height, colours: new Uint32Array(picture.data.buffer), depth: new Float32Array(width * height).fill(1) };
    const seen = project(points, look, width, height), light = lit(points, triangles, groups);
    for (let t = 0; t < triangles.length; t += 3) fill(paper, seen, light, triangles[t], triangles[t + 1], triangles[t + 2]);
    pen.putImageData(picture, 0, 0);
  }

  dispose(): void { this.canvas.remove(); }
}

interface Paper { width: number; height: number; colours: Uint32Array; depth: Float32Array }

/** Places in the picture and their depth, 3 numbers a point; none where it lies behind the camera. */
function project(points: ArrayLike<number>, m: ArrayLike<number>, width: number, height: number): Float32Array {
  const out = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i], y = points[i + 1], z = points[i + 2], w = m[3] * x + m[7] * y + m[11] * z + m[15];
    out[i] = w > 0 ? ((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) * width / 2 : NaN;
    out[i + 1] = (1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * height / 2;
    out[i + 2] = (m[2] * x + m[6] * y + m[10] * z + m[14]) / w;
  }
  return out;
}

/** How light each point is, by the mean normal of its triangles and of those of points that share its normal. */
function lit(p: ArrayLike<number>, triangles: ArrayLike<number>, groups: ArrayLike<number>): Float32Array {
  const sums = new Float32Array(p.length), out = new Float32Array(p.length / 3);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t] * 3, b = triangles[t + 1] * 3, c = triangles[t + 2] * 3;
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2], vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (let k = 0; k < 3; k++) { const to = groups[triangles[t + k]] * 3; sums[to] += nx; sums[to + 1] += ny; sums[to + 2] += nz; }
  }
  for (let i = 0; i < out.length; i++) {
    const g = 3 * groups[i], x = sums[g], y = sums[g + 1], z = sums[g + 2], long = Math.sqrt(x * x + y * y + z * z) || 1;
    out[i] = 0.5 + 0.16 * y / long + 0.34 * Math.max((x * SUN[0] + y * SUN[1] + z * SUN[2]) / long, 0);
  }
  return out;
}

/** Every pixel whose middle lies in the triangle, where nothing is nearer. */
function fill({ width, height, colours, depth }: Paper, p: Float32Array, light: Float32Array, i: number, j: number, k: number): void {
  const ax = p[3 * i], ay = p[3 * i + 1], bx = p[3 * j], by = p[3 * j + 1], cx = p[3 * k], cy = p[3 * k + 1], area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (!(area * area > 0)) return; // seen edge-on, or behind the camera
  const x0 = Math.max(Math.ceil(Math.min(ax, bx, cx) - 0.5), 0), x1 = Math.min(Math.floor(Math.max(ax, bx, cx) - 0.5), width - 1);
  const y0 = Math.max(Math.ceil(Math.min(ay, by, cy) - 0.5), 0), y1 = Math.min(Math.floor(Math.max(ay, by, cy) - 0.5), height - 1);
  for (let y = y0; y <= y1; y++)
    for (let x = x0; x <= x1; x++) {
      const u = ((bx - x - 0.5) * (cy - y - 0.5) - (by - y - 0.5) * (cx - x - 0.5)) / area, v = ((cx - x - 0.5) * (ay - y - 0.5) - (cy - y - 0.5) * (ax - x - 0.5)) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const far = u * p[3 * i + 2] + v * p[3 * j + 2] + w * p[3 * k + 2], at = y * width + x;
      if (!(far < depth[at])) continue;
      const shade = u * light[i] + v * light[j] + w * light[k];
      depth[at] = far;
      colours[at] = (0xff000000 | CLAY[2] * shade << 16 | CLAY[1] * shade << 8 | CLAY[0] * shade) >>> 0;
    }
}
