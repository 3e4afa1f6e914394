"""apart.py A.pc2 B.pc2 MOST SIZE: largest distance, over every frame, of a point of one from its pair in the other, as a share of SIZE (points are paired by their way over
three frames: converters order and split points as they like); both ways. Exit 1 above MOST."""
import array, struct, sys

def read(path):
    raw = open(path, "rb").read(); n, _, _, frames = struct.unpack_from("<iffi", raw, 16); a = array.array("f"); a.frombytes(raw[32:])
    return n, frames, a

(n, f, a), (m, g, b) = read(sys.argv[1]), read(sys.argv[2])
most, size = float(sys.argv[3]), float(sys.argv[4])
if f != g: sys.exit(f"FAILED: {f} frames and {g}")
probe = sorted({0, f // 2, f - 1})
def key(data, count, p): return [data[3 * (k * count + p) + i] for k in probe for i in range(3)]
def cell(v, h): return tuple(int(x // h) for x in v[:3])
worst = 0
for (p, x), (q, y) in (((n, a), (m, b)), ((m, b), (n, a))):
    h = max(size / 50, 1e-9); grid = {}
    keys = [key(y, q, i) for i in range(q)]
    for i, k in enumerate(keys): grid.setdefault(cell(k, h), []).append(i)
    for i in range(p):
        k = key(x, p, i); c = cell(k, h)
        near = [j for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dz in (-1, 0, 1) for j in grid.get((c[0] + dx, c[1] + dy, c[2] + dz), ())]
        if not near: sys.exit(f"FAILED: point {i} has no pair within {h:g}")
        j = min(near, key=lambda j: sum((s - t) ** 2 for s, t in zip(k, keys[j])))
        for frame in range(f):
            d = max(abs(x[3 * (frame * p + i) + c] - y[3 * (frame * q + j) + c]) for c in range(3)) / size
            worst = d if d > worst else worst
print(f"{worst:.2g} of the size, {n} and {m} points, {f} frames")
if not worst <= most: sys.exit(f"FAILED: {worst:g} of the size, at most {most:g}")
