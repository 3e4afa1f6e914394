#!/usr/bin/env python3
"""What breaks when a tuning constant is halved or doubled: tries each constant of src/*/constants.def in a sweep build.

Usage: tools/sweep.py [ROOM...] [--constant NAME] [--missing] [--unseen] [--pelt build-sweep/pelt] [--jobs N] [--write]
       tools/sweep.py --check
  ROOM...        only these rooms: tracking, contact, ...; all that have a table by default
  --constant N   only this one
  --missing      only those that docs/constants.md lacks, has with another value, unit or reason, or tells of what this script would not
  --unseen       only those of which nothing was seen, by the plays of HARDER alone: what they show takes that place
  --pelt FILE    a command built with `cmake --preset sweep` (`make sweep` builds it)
  --jobs N       bakes side by side (default: 2)
  --write        put the rows into docs/constants.md, each table between its markers; otherwise they are printed
  --check        what `make lint` asks: says which constants docs/constants.md lacks, exit code 1 where there are any

A run bakes the room's plays (built-in characters, below; those of `distil` are distilled) with the constant times 1/2 and times 2, and
says which measures of the report left what the run with the constant as it is has, whether it took more or less processor time, and by
how much the skin moved (99th percentile and farthest point, as shares of the size).
Where a room's plays show nothing, harder ones are tried (HARDER). "nothing seen" is an answer too: these do not reach the constant
either, or it hardly matters."""
import argparse
import array
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNSEEN = "nothing seen"
PAGE = ROOT / "docs" / "constants.md"
BEND = ("biped", "--vertices", "1500")
DRESSED = ("arm", "--vertices", "700", "--seed", "5", "--dress", "all")  # on a body of its own, whose making is most of a play
CLOTHED = (("biped", "--vertices", "2500", "--seed", "5", "--dress", "all"), "bend", "20:26", ("-m", "tracking", "--set", "body-vertices=1500"))
TOUCHES = ("biped", "--vertices", "1500", "--clip", "touches")
# A room's plays: what is made, the clip, frames (how many from the first, or which), and the bake's options. Without frames the clip is one that `pelt distil` does not see
PLAYS = {
    "character": [(BEND, "bend", 14, ("-m", "lbs", "--set", "weights=auto")), (("hand", "--vertices", "1200"), "fist", 8, ("-m", "lbs", "--set", "weights=auto"))],
    "methods/implicit": [(BEND, "bend", 20, ("-m", "implicit"))],
    "methods/tracking": [(BEND, "bend", 14, ("-m", "tracking")), (("cylinder", "--vertices", "1200"), "twist", 10, ("-m", "tracking"))],
    "methods/projective": [(BEND, "bend", 14, ("-m", "projective")), (("cylinder", "--vertices", "1200"), "twist", 10, ("-m", "projective"))],
    "methods/layered": [(BEND, "bend", 10, ("-m", "layered")), (("cylinder", "--vertices", "1200"), "twist", 8, ("-m", "layered"))],
    "field": [(BEND, "bend", 14, ("-m", "tracking"))],
    "touch": [(TOUCHES, "touches", 6, ("-m", "tracking", "--fps", "4")), (("hand", "--vertices", "1200"), "fist", 4, ("-m", "tracking", "--fps", "5"))],
    "contact": [(BEND, "bend", 14, ("-m", "lbs", "--set", "give-way=on")), (TOUCHES, "touches", 8, ("-m", "lbs", "--set", "give-way=on", "--fps", "6")),
                (("hand", "--vertices", "700"), "grasp", 16, ("-m", "lbs", "--scene", "examples/scenes/grasp.json"))],
    "bake": [(TOUCHES, "touches", 8, ("-m", "tracking", "--fps", "6")), (("hand", "--vertices", "700"), "grasp", 60, ("-m", "tracking")),
             (("hand", "--vertices", "700"), "grasp", 44, ("-m", "tracking", "--scene", "examples/scenes/grasp.json"))],
    "distil": [(("arm", "--vertices", "500"), "bend", None, ("-m", "dqs", "--poses", "40", "--held-out", "16")),
               (("arm", "--vertices", "500"), "bend", None, ("-m", "tracking", "--poses", "10", "--held-out", "4", "--no-clips"))],
    "body": [(DRESSED, "bend", 3, ("-m", "tracking", "--set", "body-vertices=700")), (DRESSED, "twist", 3, ("-m", "projective", "--set", "body-vertices=700"))],
    "remesh": [(DRESSED, "bend", 2, ("-m", "tracking", "--set", "body-vertices=700"))],
}
GRASP = (("hand", "--vertices", "700"), "grasp")
# Plays of constants whose names begin so, besides: what only a quality, a variant or a body of its own reaches
MORE_PLAYS = {
    "contact": [("SOFT_[YPD]", GRASP + (30, ("-m", "lbs", "--scene", "examples/scenes/squeeze.json"))),
                (r".*_FINAL$", GRASP + (16, ("-m", "lbs", "--scene", "examples/scenes/grasp.json", "--set", "quality=final"))),
                ("WEIGH|REACH_|HELD_REACH|WAY_|GATE_|ENOUGH_LESS", CLOTHED)],
    "bake": [("PIECES_", CLOTHED)],
    "body": [("LEAN_|PARTED_|LIMIT_|CROSSINGS_|CARRY_|TRIAL_CLIP", CLOTHED)],
    "methods/projective": [("STORED_", (BEND, "bend", 6, ("-m", "projective", "--set", "collisions=pairs"))),
                           ("LINE_", (BEND, "bend", 6, ("-m", "projective", "--set", "bones=line"))),
                           ("LAYER_|LEAN_|TURN_LEVELS|MOST_LE|PIN_", (DRESSED, "twist", 2, ("-m", "projective", "--set", "body-vertices=700")))],
    "methods/layered": [(r".*_PREVIEW$", (BEND, "bend", 6, ("-m", "layered", "--set", "quality=preview"))),
                        (r".*_FINAL$", (BEND, "bend", 6, ("-m", "layered", "--set", "quality=final"))),
                        (r".*_COARSE$", (DRESSED, "bend", 2, ("-m", "layered", "--set", "body-vertices=700")))],
}
RANDOM = lambda kind, seed, *more: (kind, "--vertices", "700", "--seed", str(seed), "--clip", "random", *more)
SKIN, WORN = ("--dress", "none"), ("--dress", "all")
FAST = ("--fps", "8")  # long ways between frames
# What is tried of a constant of which the plays above show nothing: characters that nobody looked at, played to the limits of their joints, bad weights,
# walls and what falls
HARDER = {
    "character": [(RANDOM("beast", 3, *WORN), "random", 4, ("-m", "lbs", "--set", "weights=auto") + FAST)],
    "methods/implicit": [(RANDOM("hand", 5, *SKIN), "random", 24, ("-m", "implicit") + FAST)],
    "methods/tracking": [(RANDOM("hand", 5, *SKIN), "random", 20, ("-m", "tracking") + FAST), (RANDOM("biped", 223, *SKIN), "random", 14, ("-m", "tracking") + FAST)],
    "methods/projective": [(RANDOM("hand", 5, *SKIN), "random", 24, ("-m", "projective") + FAST), (RANDOM("biped", 223, *SKIN), "random", 16, ("-m", "projective") + FAST)],
    "methods/layered": [(RANDOM("hand", 5, *SKIN), "random", 10, ("-m", "layered") + FAST), (RANDOM("beast", 3, *WORN), "random", 3, ("-m", "layered", "--set", "body-vertices=700") + FAST)],
    "field": [(RANDOM("beast", 3, *SKIN), "random", 16, ("-m", "tracking") + FAST), (("arm", "--vertices", "700"), "bend", 12, ("-m", "tracking", "--rig", "examples/rigs/biceps.json"))],
    "touch": [(RANDOM("hand", 5, *SKIN), "random", 16, ("-m", "layered") + FAST), (RANDOM("biped", 223, *SKIN), "random", 16, ("-m", "projective") + FAST)],
    "contact": [(RANDOM("biped", 223, *SKIN), "random", 24, ("-m", "lbs", "--set", "give-way=on") + FAST), (("biped", "--vertices", "700"), "walk", "6:30", ("-m", "lbs", "--scene", "examples/scenes/push_wall.json")),
                (("hand", "--vertices", "700"), "grasp", 50, ("-m", "lbs", "--scene", "examples/scenes/drop.json", "--set", "quality=final"))],
    "bake": [(RANDOM("hand", 5, *SKIN), "random", 16, ("-m", "layered") + FAST)],
    "distil": [(("hand", "--vertices", "500"), "fist", None, ("-m", "dqs", "--poses", "40", "--held-out", "16", "--no-clips"))],
    "body": [(RANDOM("beast", 3, *WORN, "--weights", "one-joint"), "random", 3, ("-m", "tracking", "--set", "body-vertices=700") + FAST)],
    "remesh": [(RANDOM("beast", 3, *WORN), "random", 1, ("-m", "tracking", "--set", "body-vertices=700") + FAST)],
}
# measure of the report -> how far it must go to be told: (share of itself, amount)
TOLD = {"deep_pairs": (0.1, 3), "crossing_pairs": (0.1, 5), "inverted": (0.1, 2), "stretch_max": (0.05, 0.05),
        "volume_ratio_min": (0, 0.005), "jitter": (0.15, 0.001), "held_out_rms": (0.03, 0), "held_out_largest": (0.05, 0),
        "unseen_rms": (0.03, 0), "unseen_largest": (0.05, 0), "worse": (0, 0.5)}
WORDS = {"deep_pairs": "deep pairs", "crossing_pairs": "crossing pairs", "inverted": "inverted", "stretch_max": "stretch",
         "volume_ratio_min": "volume", "jitter": "jitter", "held_out_rms": "held out, ‰ of the size", "held_out_largest": "largest, ‰",
         "unseen_rms": "unseen, ‰", "unseen_largest": "largest unseen, ‰", "worse": "poses worse than the original weights"}


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


def distilled(report):
    """The errors of a distilled skin, under the names of TOLD."""
    rows = {e["poses"]: e for e in report["errors"]}
    found = {}
    for of, row in (("held_out", rows.get("held out")), ("unseen", next((e for e in report["errors"] if e["clip"] and not e["seen"]), None))):
        if row:
            found[of + "_rms"] = 1000 * row["distilled"]["rms_share"]
            found[of + "_largest"] = 1000 * row["distilled"]["largest_share"]
    found["worse"] = rows["held out"]["worse_than_original"]
    return found


class Sweep:
    def __init__(self, pelt, folder):
        self.pelt, self.folder, self.bases = pelt, pathlib.Path(folder), {}
        self.runs = itertools.count()

    def character(self, made):
        path = self.folder / ("-".join(made) + ".glb")
        if not path.exists():
            subprocess.run([self.pelt, "make", *made, "-q", "-o", path], check=True)
        return path

    def play(self, room, play, name, factor):
        """Measures, points and seconds of processor time of a play with a constant changed; None where it fails."""
        made, clip, frames, options = play
        out = self.folder / str(next(self.runs))
        environment = dict(os.environ, PELT_SWEEP=f"/{room}/constants.def:{name}={factor}" if name else "")
        work = ["distil", self.character(made), "--unseen", clip, "-o", f"{out}.glb"] if frames is None else \
               ["bake", self.character(made), "--clip", clip, "--frames", frames if isinstance(frames, str) else f"0:{frames}", "-o", f"{out}.pc2"]
        command = [self.pelt, *work, "--threads", "1", "-q", "--report", f"{out}.json", *options]
        with open(f"{out}.err", "w+") as errors:
            run = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().strip().splitlines()
        if run.returncode:
            return None, f"fails: {said[-1][:80] if said else run.returncode}"
        report = json.loads(pathlib.Path(f"{out}.json").read_text())
        if frames is None:
            return (distilled(report), None, used.ru_utime), None
        answer = report["quality"], points(pathlib.Path(f"{out}.pc2")), used.ru_utime
        pathlib.Path(f"{out}.pc2").unlink()
        return answer, None

    def differences(self, room, play, base, name, factor):
        """What a changed constant changes in a play, in words."""
        now, failure = self.play(room, play, name, factor)
        if failure:
            return failure
        words = []
        for key, (share, amount) in TOLD.items():
            a, b = base[0].get(key), now[0].get(key)
            if a is not None and b is not None and abs(b - a) > max(share * abs(a), amount):
                words.append(f"{WORDS[key]} {a:.3g} → {b:.3g}")
        for _ in range(2):  # two more runs of either, in turns: what other work on the machine does is no answer
            if not unlike(base[2], now[2]):
                break
            now = now[:2] + (min(now[2], self.play(room, play, name, factor)[0][2]),)
            base[2] = min(base[2], self.play(room, play, None, 1)[0][2])
        else:
            words.append(f"time {now[2] / base[2]:.2g}×")
        if base[1]:
            (before, count), (after, _) = base[1], now[1]
            size = size_of(before[:count])
            far = sorted(math.dist(p, q) / size for p, q in zip(before, after))
            if far[-1] > 1e-6:
                words.append(f"moved {far[len(far) * 99 // 100]:.1g}, at most {far[-1]:.1g}")
        return ", ".join(words)

    def base(self, room, play):
        """A play with all constants as they are, once."""
        if (room, play) not in self.bases:
            base, failure = self.play(room, play, None, 1)
            if failure:
                raise SystemExit(f"sweep.py: {room}: {' '.join(play[0])} {play[1]}: {failure}")
            self.bases[room, play] = list(base)
        return self.bases[room, play]

    def cells(self, room, constant, plays):
        """What halving and doubling it changes in these plays."""
        cells = []
        for factor in (0.5, 2):
            found = []
            for play in plays:
                words = self.differences(room, play, self.base(room, play), constant[0], factor)
                if words:
                    found.append(f"{told_as(play)}: {words}")
            cells.append("; ".join(found) or UNSEEN)
        return cells

    def row(self, room, constant, unseen):
        """`unseen`: the room's own plays showed nothing, as the page says."""
        plays = PLAYS[room] + [play for form, play in MORE_PLAYS.get(room, []) if re.match(form, constant[0])]
        cells = [UNSEEN] * 2 if unseen else self.cells(room, constant, plays)
        for play in HARDER[room] if cells == [UNSEEN] * 2 else []:
            if (cells := self.cells(room, constant, [play])) != [UNSEEN] * 2:
                break
        return f"{opening(constant)}{cells[0]} | {cells[1]} |"


def told_as(play):
    """Its character and clip, in words."""
    seed = f" of seed {play[0][play[0].index('--seed') + 1]}" if "--seed" in play[0] and play[1] == "random" else ""
    return f"{play[0][0]}{seed} {play[1]}"


def unlike(a, b):
    """Times that differ by more than the same work on a machine with other work does: by a third, seen again and again."""
    return b > 1.5 * a or b < a / 1.5


def opening(constant):
    """What a row of the page begins with: all that the table of the sources says."""
    name, value, unit, why = constant
    return f"| `{name}` | {value.rstrip('f')} | " + unit.replace("|", "\\|") + " | " + why.replace("|", "\\|") + " | "


def rows_of(room):
    """name -> row, of the page's table of a room."""
    found = re.search(rf"<!-- sweep {room} -->\n(.*?)<!-- end of {room} -->", PAGE.read_text(), re.S)
    return {name: line for line, name in re.findall(r"^(\| `(\w+)` .*)$", found.group(1), re.M)} if found else {}


def stale(row):
    """Whether a row tells what this script does not: a time, of two digits, that differs by no more than the same work does."""
    return any(0.675 < float(time) < 1.45 for time in re.findall(r"time ([\d.e+-]+)×", row))


def missing(room):
    """Constants whose row the page lacks, that changed since it was written, or whose row is none of this script's."""
    there = rows_of(room)
    return [c for c in constants(room) if not there.get(c[0], "").startswith(opening(c)) or stale(there[c[0]])]


def unseen(room):
    """Constants of which nothing was seen."""
    there = rows_of(room)
    return [c for c in constants(room) if there.get(c[0]) == f"{opening(c)}{UNSEEN} | {UNSEEN} |"]


def gone(room):
    """Names that the page still has."""
    return sorted(set(rows_of(room)) - {c[0] for c in constants(room)})


def try_rows(sweep, room, chosen, jobs, again):
    """(name, new row) of each, as they are found. `again`: only by harder plays."""
    for play in ([] if again else PLAYS[room]) + HARDER[room] if chosen else []:  # before the threads start: each once
        sweep.base(room, play)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip((c[0] for c in chosen), pool.map(lambda c: sweep.row(room, c, again), chosen))


def write(room, new):
    """Puts new rows into the page's table of a room; the others stay, those of constants that are gone do not."""
    rows = {**rows_of(room), **new}
    head = "| constant | value | unit | why | halved | doubled |\n|---|---|---|---|---|---|\n"
    text = head + "".join(rows[c[0]] + "\n" for c in constants(room) if c[0] in rows)
    page = PAGE.read_text()
    begin, end = f"<!-- sweep {room} -->\n", f"<!-- end of {room} -->"
    if begin not in page:
        page = page.rstrip("\n") + f"\n\n## {room.split('/')[-1]}\n\n{begin}{end}\n"
    before, rest = page.split(begin, 1)
    PAGE.write_text(before + begin + text + end + rest.split(end, 1)[1])


def check(rooms):
    """What the page lacks, or has too much, a line a room."""
    wrong = []
    for room in rooms:
        for names, what in (([c[0] for c in missing(room)], f"missing, or not as src/{room}/constants.def has them"), (gone(room), "gone")):
            if names:
                wrong.append(f"docs/constants.md: {room}: {what}: {' '.join(names)} (make sweep SWEEP=\"{room.split('/')[-1]} --missing\")")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", nargs="*")
    parser.add_argument("--constant")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--pelt", default=str(ROOT / "build-sweep" / "pelt"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    found = [p.parent.relative_to(ROOT / "src").as_posix() for p in sorted((ROOT / "src").rglob("constants.def"))]
    rooms = [r for r in found if not asked.room or r.split("/")[-1] in asked.room]
    for room in rooms:
        if room not in PLAYS or room not in HARDER:
            raise SystemExit(f"sweep.py: say in PLAYS and in HARDER what to play for {room}")
    if asked.check:
        wrong = check(rooms)
        print("\n".join(wrong), end="\n" if wrong else "")
        sys.exit(1 if wrong else 0)
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(str(pathlib.Path(asked.pelt).resolve()), folder)
        known = pathlib.Path(asked.pelt).read_bytes()
        for room in rooms:
            for name in [f"/{room}/constants.def"] + [c[0] for c in constants(room)]:
                if name.encode() + b"\0" not in known:
                    raise SystemExit(f"sweep.py: {asked.pelt} does not know {name}: build it anew (cmake --preset sweep)")
            chosen = [c for c in (missing(room) if asked.missing else unseen(room) if asked.unseen else constants(room)) if not asked.constant or c[0] == asked.constant]
            if asked.write and gone(room):
                write(room, {})
            for name, row in try_rows(sweep, room, chosen, asked.jobs, asked.unseen):
                if asked.write:  # one by one: a sweep that is stopped goes on with --missing
                    write(room, {name: row})
                else:
                    print(room, row, sep="\n")


if __name__ == "__main__":
    main()
