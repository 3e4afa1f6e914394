// Where the camera stands to see a character whole: the same for the first picture and for all that follow. Plain numbers.
export type Place = [number, number, number];
export interface Framing { low: Place; high: Place; centre: Place; size: number; offset: Place; near: number; far: number }

export const FOV = 35; // degrees, upwards

export function frameOf(points: ArrayLike<number>, facesBack: boolean, aspect: number): Framing {
  const low: Place = [Infinity, Infinity, Infinity], high: Place = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    const k = i % 3, v = points[i];
    if (v < low[k]) low[k] = v;
    if (v > high[k]) high[k] = v;
  }
  const [wide, tall, deep] = high.map((v, k) => v - low[k]), size = Math.max(Math.hypot(wide, tall, deep), 1e-6), half = Math.tan(FOV * Math.PI / 360);
  const away = 1.12 * Math.max(tall / (2 * half), Math.max(wide, 0.6 * deep) / (2 * half * aspect)) + deep / 2;
  const to: Place = [0.28, 0.12, facesBack ? -1 : 1], long = Math.hypot(...to);
  return { low, high, centre: low.map((v, k) => (v + high[k]) / 2) as Place, size, offset: to.map(v => v / long * away) as Place, near: size / 200, far: size * 50 };
}

/** From the world to the picture, by columns, for a camera at `offset` of the centre that looks at it, upright. */
export function lookMatrix({ centre, offset, near, far }: Framing, aspect: number): Float32Array {
  const unit = (v: Place) => { const long = Math.hypot(...v); return v.map(x => x / long) as Place; };
  const z = unit(offset), x = unit([z[2], 0, -z[0]]), y: Place = [z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]];
  const eye = centre.map((v, k) => v + offset[k]), dot = (a: Place) => a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2];
  const up = 1 / Math.tan(FOV * Math.PI / 360), over = up / aspect, depth = (far + near) / (near - far), shift = 2 * far * near / (near - far), out: number[] = [];
  for (let k = 0; k < 3; k++) out.push(over * x[k], up * y[k], depth * z[k], -z[k]);
  out.push(-over * dot(x), -up * dot(y), -depth * dot(z) + shift, dot(z));
  return Float32Array.from(out);
}
