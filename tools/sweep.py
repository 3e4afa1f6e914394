#!/usr/bin/env python3
"""What breaks when a tuning constant is halved or doubled: tries each constant of src/*/constants.def in a sweep build.

Usage: tools/sweep.py [ROOM...] [--constant NAME] [--pelt build-sweep/pelt] [--jobs N] [--write]
  ROOM...        only these rooms: tracking, contact, ...; all that have a table by default
  --constant N   only this one
  --pelt FILE    a command built with `cmake --preset sweep` (`make sweep` builds it)
  --jobs N       bakes side by side (default: 2)
  --write        put the tables into docs/constants.md, each between its markers; otherwise they are printed

A run bakes the room's plays (built-in characters, below) with the constant times 1/2 and times 2, and says which measures of the
report left what the run with the constant as it is has, whether the bake took more or less processor time, and by how much the skin moved (99th percentile and farthest point, as shares of the size).
"nothing seen" is an answer too: these plays do not reach the constant, or it hardly matters."""
import argparse
import array
import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "constants.md"
BEND = ("biped", "--vertices", "1500")
DRESSED = ("biped", "--vertices", "1500", "--seed", "5", "--dress", "all")
# A room's plays: what is made, the clip, frames, and the bake's options
PLAYS = {
    "methods/implicit": [(BEND, "bend", 20, ("-m", "implicit"))],
    "methods/tracking": [(BEND, "bend", 14, ("-m", "tracking")), (("cylinder", "--vertices", "1200"), "twist", 10, ("-m", "tracking"))],
    "methods/projective": [(BEND, "bend", 14, ("-m", "projective")), (("cylinder", "--vertices", "1200"), "twist", 10, ("-m", "projective"))],
    "methods/layered": [(BEND, "bend", 10, ("-m", "layered")), (("cylinder", "--vertices", "1200"), "twist", 8, ("-m", "layered"))],
    "field": [(BEND, "bend", 14, ("-m", "tracking"))],
    "touch": [(BEND, "bend", 14, ("-m", "tracking")), (("hand", "--vertices", "1200"), "fist", 12, ("-m", "tracking"))],
    "contact": [(BEND, "bend", 14, ("-m", "lbs", "--set", "give-way=on")),
                (("hand", "--vertices", "700"), "grasp", 16, ("-m", "lbs", "--scene", "examples/scenes/grasp.json"))],
    "body": [(DRESSED, "bend", 3, ("-m", "tracking")), (DRESSED, "walk", 3, ("-m", "projective"))],
}
# measure of the report -> how far it must go to be told: (share of itself, amount)
TOLD = {"deep_pairs": (0.1, 3), "crossing_pairs": (0.1, 5), "inverted": (0.1, 2), "stretch_max": (0.05, 0.05),
        "volume_ratio_min": (0, 0.005), "jitter": (0.15, 0.001)}
WORDS = {"deep_pairs": "deep pairs", "crossing_pairs": "crossing pairs", "inverted": "inverted", "stretch_max": "stretch",
         "volume_ratio_min": "volume", "jitter": "jitter"}


def constants(room):
    """Rows of a room's table: name, value, unit, why."""
    text = (ROOT / "src" / room / "constants.def").read_text()
    joined = re.sub(r'"\s*\n\s*"', "", text)
    pattern = r'PELT_CONSTANT\(\s*(\w+)\s*,\s*([^,]+?)\s*,\s*"([^"]*)"\s*,\s*"((?:[^"\\]|\\.)*)"\s*\)'
    rows = re.findall(pattern, joined)
    if len(rows) != len(re.findall(r"^PELT_CONSTANT\(", text, re.M)):
        raise SystemExit(f"sweep.py: a row of src/{room}/constants.def is not of the form PELT_CONSTANT(NAME, value, \"unit\", \"why\")")
    return rows


def points(path):
    """Points of every frame of a .pc2, in one row."""
    data = path.read_bytes()
    numbers = array.array("f", data[32:])
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)], struct.unpack_from("<i", data, 16)[0]


def size_of(first):
    return math.dist([min(p[k] for p in first) for k in range(3)], [max(p[k] for p in first) for k in range(3)])


class Sweep:
    def __init__(self, pelt, folder):
        self.pelt, self.folder = pelt, pathlib.Path(folder)

    def character(self, made):
        path = self.folder / ("-".join(made) + ".glb")
        if not path.exists():
            subprocess.run([self.pelt, "make", *made, "-q", "-o", path], check=True)
        return path

    def bake(self, play, name, factor):
        """Report, points and seconds of processor time of a play with a constant changed; None where the bake fails."""
        made, clip, frames, options = play
        out = self.folder / f"{abs(hash((play, name, factor)))}"
        environment = dict(os.environ, PELT_SWEEP=f"{name}={factor}" if name else "")
        command = [self.pelt, "bake", self.character(made), "--clip", clip, "--frames", f"0:{frames}", "--threads", "1", "-q",
                   "-o", f"{out}.pc2", "--report", f"{out}.json", *options]
        with open(f"{out}.err", "w+") as errors:
            run = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().strip().splitlines()
        if run.returncode:
            return None, f"fails: {said[-1][:80] if said else run.returncode}"
        answer = json.loads(pathlib.Path(f"{out}.json").read_text()), points(pathlib.Path(f"{out}.pc2")), used.ru_utime
        pathlib.Path(f"{out}.pc2").unlink()
        return answer, None

    def differences(self, play, base, name, factor):
        """What a changed constant changes in a play, in words."""
        now, failure = self.bake(play, name, factor)
        if failure:
            return failure
        words = []
        for key, (share, amount) in TOLD.items():
            a, b = base[0]["quality"].get(key), now[0]["quality"].get(key)
            if a is not None and b is not None and abs(b - a) > max(share * abs(a), amount):
                words.append(f"{WORDS[key]} {a:.3g} → {b:.3g}")
        a, b = base[2], now[2]
        if b > 1.25 * a or b < a / 1.25:
            words.append(f"time {b / a:.2g}×")
        (before, count), (after, _) = base[1], now[1]
        size = size_of(before[:count])
        far = sorted(math.dist(p, q) / size for p, q in zip(before, after))
        if far[-1] > 1e-6:
            words.append(f"moved {far[len(far) * 99 // 100]:.1g}, at most {far[-1]:.1g}")
        return ", ".join(words)

    def row(self, room, bases, constant):
        name, value, unit, why = constant
        why = why.replace("|", "\\|")
        cells = []
        for factor in (0.5, 2):
            found = []
            for play, base in zip(PLAYS[room], bases):
                words = self.differences(play, base, name, factor)
                if words:
                    found.append(f"{play[0][0]} {play[1]}: {words}")
            cells.append("; ".join(found) or "nothing seen")
        return f"| `{name}` | {value.rstrip('f')} | {unit} | {why} | {cells[0]} | {cells[1]} |"


def table(sweep, room, only, jobs):
    rows = [c for c in constants(room) if not only or c[0] == only]
    if not rows:
        return None
    bases = []
    for play in PLAYS[room]:
        base, failure = sweep.bake(play, None, 1)
        if failure:
            raise SystemExit(f"sweep.py: {room}: {' '.join(play[0])} {play[1]}: {failure}")
        bases.append(base)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        lines = list(pool.map(lambda c: sweep.row(room, bases, c), rows))
    head = "| constant | value | unit | why | halved | doubled |\n|---|---|---|---|---|---|"
    return head + "\n" + "\n".join(lines) + "\n"


def write(room, text):
    page = PAGE.read_text()
    begin, end = f"<!-- sweep {room} -->\n", f"<!-- end of {room} -->"
    if begin not in page:
        page = page.rstrip("\n") + f"\n\n## {room.split('/')[-1]}\n\n{begin}{end}\n"
    before, rest = page.split(begin, 1)
    PAGE.write_text(before + begin + text + end + rest.split(end, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", nargs="*")
    parser.add_argument("--constant")
    parser.add_argument("--pelt", default=str(ROOT / "build-sweep" / "pelt"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    found = [p.parent.relative_to(ROOT / "src").as_posix() for p in sorted((ROOT / "src").rglob("constants.def"))]
    rooms = [r for r in found if not asked.room or r.split("/")[-1] in asked.room]
    for room in rooms:
        if room not in PLAYS:
            raise SystemExit(f"sweep.py: say in PLAYS what to play for {room}")
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(str(pathlib.Path(asked.pelt).resolve()), folder)
        for room in rooms:
            text = table(sweep, room, asked.constant, asked.jobs)
            if text and asked.write:
                write(room, text)
            elif text:
                print(f"{room}\n{text}")


if __name__ == "__main__":
    main()
