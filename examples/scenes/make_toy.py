#!/usr/bin/env python3
"""Makes toy.obj: a toy of 1 500 triangles, 25 around and 30 rings, closed, outward, about 8 cm high, standing on y = 0."""
import math

AROUND, RINGS, HEIGHT = 25, 30, 0.08
# height (share) and radius (m) of the body, turned about y
PROFILE = [(0.0, 0.0160), (0.04, 0.0185), (0.2, 0.0225), (0.4, 0.0225), (0.55, 0.0175), (0.62, 0.0150), (0.7, 0.0175), (0.8, 0.0190),
           (0.9, 0.0155), (0.96, 0.0095), (1.0, 0.0040)]
# bumps on it: angle (degrees, 0 = front), height, how far out (m), width in angle (degrees) and height
BUMPS = [(0, 0.30, 0.0050, 55, 0.16),  # belly
         (0, 0.77, 0.0085, 26, 0.055),  # snout
         (62, 0.44, 0.0085, 20, 0.09), (-62, 0.44, 0.0085, 20, 0.09),  # paws
         (35, 0.06, 0.0080, 22, 0.07), (-35, 0.06, 0.0080, 22, 0.07),  # feet
         (75, 0.93, 0.0100, 26, 0.050), (-75, 0.93, 0.0100, 26, 0.050),  # ears
         (180, 0.14, 0.0070, 22, 0.06)]  # tail


def body(h):
    for (a, ra), (b, rb) in zip(PROFILE, PROFILE[1:]):
        if h <= b:
            t = (h - a) / (b - a)
            return ra + (rb - ra) * t * t * (3 - 2 * t)
    return PROFILE[-1][1]


def radius(angle, h):
    r = body(h)
    for at, height, out, wide, tall in BUMPS:
        turn = (angle - at + 180) % 360 - 180
        r += out * math.exp(-(turn / wide) ** 2 - ((h - height) / tall) ** 2)
    return r


points, faces = [], []
for ring in range(RINGS):
    h = ring / (RINGS - 1)
    for k in range(AROUND):
        angle = 360 * (k + 0.5 * (ring % 2)) / AROUND
        a, r = math.radians(angle), radius(angle, h)
        points.append((r * math.sin(a), h * HEIGHT, r * math.cos(a)))
low, high = len(points), len(points) + 1
points += [(0, 0, 0), (0, HEIGHT + 0.0006, 0)]
for k in range(AROUND):
    n = (k + 1) % AROUND
    faces += [(low, n, k), (high, (RINGS - 1) * AROUND + k, (RINGS - 1) * AROUND + n)]
    for ring in range(RINGS - 1):
        a, b = ring * AROUND + k, ring * AROUND + n
        c, d = a + AROUND, b + AROUND
        faces += [(a, b, c), (b, d, c)] if ring % 2 == 0 else [(a, b, d), (a, d, c)]
with open('toy.obj', 'w') as out:
    out.write('# made by make_toy.py\n')
    out.writelines('v %.5f %.5f %.5f\n' % p for p in points)
    out.writelines('f %d %d %d\n' % tuple(i + 1 for i in f) for f in faces)
