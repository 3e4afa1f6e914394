#!/usr/bin/env python3
"""Measures of a clip by several methods, as curves over its frames: volume, longest edge, deep pairs, in OUT.svg.

    python3 plot_measures.py hero.glb OUT [CLIP] [METHOD...]"""
import sys

import pelt

SHOWN = (("volume_ratio_min", "volume, of the rest's"), ("stretch_max", "longest edge, of its rest length"), ("deep_pairs", "pairs that cross deeply"))
COLOURS = ("#999", "#c33", "#37a", "#2a7", "#a6c", "#c80")
WIDE, HIGH = 640, 150


def measured(character, clip, method):
    """Measures of every frame, by name."""
    number = list(character.clips).index(clip)
    frames = []
    with pelt.Skin(character, method) as skin, pelt.Pose(character) as pose, pelt.Measure(character) as measure:
        for frame in range(character.clip_frames(number, 10)):
            pose.from_clip(number, frame / 10)
            skin.step(pose, 1 / 10)
            frames.append(measure.frame(pose, skin.positions))
        print("%-10s %s" % (method, measure.verdict))
    return {name: [f[name] for f in frames] for name, _ in SHOWN}


def curve(values, low, high, colour):
    """A polyline of values within their row; NaN: nothing is drawn."""
    scale = (HIGH - 50) / ((high - low) or 1)
    points = ["%.1f,%.1f" % (50 + i * (WIDE - 70) / max(len(values) - 1, 1), HIGH - 20 - (v - low) * scale)
              for i, v in enumerate(values) if v == v]
    return '<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>' % (colour, " ".join(points))


def row(at, words, name, curves):
    finite = [v for c in curves.values() for v in c[name] if v == v] or [0]
    low, high = min(finite), max(finite)
    lines = [curve(c[name], low, high, colour) for c, colour in zip(curves.values(), COLOURS)]
    text = '<text x="50" y="18">%s</text><text x="4" y="34">%.3g</text><text x="4" y="%d">%.3g</text>' % (words, high, HIGH - 18, low)
    return '<g transform="translate(0,%d)">%s%s</g>' % (at, text, "".join(lines))


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    with pelt.Character.load(sys.argv[1]) as character:
        clip = sys.argv[3] if len(sys.argv) > 3 else next(iter(character.clips))
        curves = {m: measured(character, clip, m) for m in sys.argv[4:] or ("lbs", "dqs")}
    rows = [row(24 + i * HIGH, words, name, curves) for i, (name, words) in enumerate(SHOWN)]
    legend = "".join('<text x="%d" y="16" fill="%s">%s</text>' % (50 + 90 * i, c, m) for i, (m, c) in enumerate(zip(curves, COLOURS)))
    with open(sys.argv[2] + ".svg", "w") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">%s%s</svg>\n'
                  % (WIDE, 24 + HIGH * len(SHOWN), legend, "".join(rows)))


if __name__ == "__main__":
    main()
