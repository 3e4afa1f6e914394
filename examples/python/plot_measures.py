#!/usr/bin/env python3
"""Measures of a clip by several methods, as curves over its frames: volume, longest edge, deep pairs.

    python3 plot_measures.py hero.glb bend measures.svg [METHOD...]
Needs matplotlib (Debian: python3-matplotlib)."""
import sys

import pelt

SHOWN = (("volume_ratio_min", "volume, of the rest's"), ("stretch_max", "longest edge, of its rest length"), ("deep_pairs", "pairs that cross deeply"))


def measured(character, clip, method):
    """Measures of every frame, by name."""
    number = list(character.clips).index(clip)
    frames = []
    with pelt.Skin(character, method) as skin, pelt.Pose(character) as pose, pelt.Measure(character) as measure:
        for frame in range(character.clip_frames(number, 30)):
            pose.from_clip(number, frame / 30)
            skin.step(pose, 1 / 30)
            frames.append(measure.frame(pose, skin.positions))
        print("%-10s %s" % (method, measure.verdict))
    return {name: [f[name] for f in frames] for name, _ in SHOWN}


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    path, clip, out = sys.argv[1:4]
    try:
        from matplotlib import pyplot
    except ImportError:
        raise SystemExit("matplotlib is not installed (Debian: apt-get install python3-matplotlib)")
    with pelt.Character.load(path) as character:
        curves = {m: measured(character, clip, m) for m in sys.argv[4:] or ("lbs", "tracking")}
    figure, rows = pyplot.subplots(len(SHOWN), sharex=True, figsize=(7, 7))
    for row, (name, words) in zip(rows, SHOWN):
        for method, values in curves.items():
            row.plot(values[name], label=method)
        row.set_title(words, fontsize=9)
    rows[0].legend()
    rows[-1].set_xlabel("frame")
    figure.tight_layout()
    figure.savefig(out)


if __name__ == "__main__":
    main()
