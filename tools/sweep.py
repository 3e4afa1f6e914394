#!/usr/bin/env python3
"""What breaks when a tuning constant is halved or doubled: tries each constant of src/*/constants.def in a sweep build.

Usage: tools/sweep.py [ROOM...] [--old] [--write] [--constant NAME] [--pelt build-sweep/pelt] [--jobs N]
       tools/sweep.py [ROOM...] --cost | --list | --check
  ROOM...        only these rooms: tracking, contact, ...; all by default
  --old          only rooms whose table in docs/constants.md is old
  --write        put the tables into docs/constants.md, each between its markers; otherwise rows are printed. A run that is stopped goes
                 on where it was: rows are kept beside the command until their table is whole
  --constant N   only this one; printed, for a table is written whole
  --pelt FILE    a command built with `cmake --preset sweep` (`make sweep` builds it)
  --jobs N       bakes side by side (default: 2)
  --cost         runs every play once and says what a whole run would take of one core, a line a room
  --list         says of each room's table whether it is current
  --check        what `make lint` asks: says which tables are old and which constants they lack, exit code 1 where there are any

A whole run takes half an hour of one core (contact 6 min, body 5, projective 5, layered, touch and tracking 3 each, all others 4 together); twice that on
a machine with other work, where times are taken again.

A run bakes the room's plays (built-in characters, below; those of `distil` are distilled) with the constant times 1/2 and times 2, and
says which measures of the report left what the run with the constant as it is has, whether it took more or less processor time, and by
how much the skin moved (99th percentile and farthest point, as shares of the size; where a single byte differs it says so).
Where a room's plays show nothing, harder ones are tried one after another (HARDER). "nothing seen" is an answer too: not a byte of what
these bake differs.

A table is old when its room's constants.def changes, its plays do, or the goldens of the methods that they use (and the sources of rooms
that no golden has): its marker tells a hash of these, the commit and the machine, as those of tools/measured.py do."""
import argparse
import array
import concurrent.futures
import hashlib
import itertools
import json
import math
import operator
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tables import pages
from tables.depends import Table
from tables.work import ROOT

UNSEEN = "nothing seen"
PAGE = ROOT / "docs" / "constants.md"
LEAST_MOVED = 1e-6  # of the size: beyond it a row says how far
BLANK = "<!-- measured {}, commit ?, machine ?, of none, body none -->\n"  # a marker for tables.pages to fill
BEND = ("biped", "--vertices", "1500")
HAND = ("hand", "--vertices", "700")
DRESSED = ("arm", "--vertices", "700", "--seed", "5", "--dress", "all")  # on a body of its own, whose making is most of a play
CLOTHED = (("biped", "--vertices", "2500", "--seed", "5", "--dress", "all"), "bend", "20:26", ("-m", "tracking", "--set", "body-vertices=1500"))
TOUCHES = ("biped", "--vertices", "1500", "--clip", "touches")
GIVES = ("-m", "lbs", "--set", "give-way=on")
SCENE = lambda name, *more: ("-m", "lbs", "--scene", f"examples/scenes/{name}.json", *more)


def bent(method):
    """Flesh on flesh: the frames in which the biped crouches down and a hand closes to a fist, the first of them settled; and a twist. A second of one core."""
    return [(BEND, "bend", "20:28", ("-m", method)), (HAND, "fist", "10:20", ("-m", method)), (("cylinder", "--vertices", "600"), "twist", "0:10", ("-m", method))]


# A room's plays: what is made, the clip, frames (from A to B), and the bake's options. Without frames the clip is one that `pelt distil` does not see
PLAYS = {
    "character": [(BEND, "bend", "16:24", ("-m", "lbs", "--set", "weights=auto")), (("hand", "--vertices", "1200"), "fist", "10:16", ("-m", "lbs", "--set", "weights=auto"))],
    "methods/implicit": [(BEND, "bend", "10:28", ("-m", "implicit")), (HAND, "fist", "6:20", ("-m", "implicit"))],
    "methods/tracking": bent("tracking"),
    "methods/projective": bent("projective"),
    "methods/layered": bent("layered"),
    "field": bent("tracking")[:2],
    "touch": [(TOUCHES, "touches", "0:8", ("-m", "tracking", "--fps", "6")), (HAND, "fist", "10:20", ("-m", "tracking"))],
    "contact": [(BEND, "bend", "14:28", GIVES), (TOUCHES, "touches", "0:8", GIVES + ("--fps", "6")), (HAND, "grasp", "0:50", SCENE("grasp"))],
    "bake": [(TOUCHES, "touches", "0:8", ("-m", "tracking", "--fps", "6")), (HAND, "grasp", "0:60", ("-m", "tracking")),
             (HAND, "grasp", "0:44", ("-m", "tracking", "--scene", "examples/scenes/grasp.json"))],
    "distil": [(("arm", "--vertices", "500"), "bend", None, ("-m", "dqs", "--poses", "40", "--held-out", "16")),
               (("arm", "--vertices", "500"), "bend", None, ("-m", "tracking", "--poses", "10", "--held-out", "4", "--no-clips"))],
    "body": [(DRESSED, "bend", "0:3", ("-m", "tracking", "--set", "body-vertices=700")), (DRESSED, "twist", "0:3", ("-m", "projective", "--set", "body-vertices=700"))],
    "remesh": [(DRESSED, "bend", "0:2", ("-m", "tracking", "--set", "body-vertices=700"))],
}
# Plays of constants whose names begin so, besides: what only a quality, a variant or a body of its own reaches
MORE_PLAYS = {
    "contact": [("SOFT_|STIFF_", (HAND, "grasp", "0:40", SCENE("squeeze"))),
                (r".*_FINAL$", (HAND, "grasp", "0:30", SCENE("grasp", "--set", "quality=final"))),
                ("WEIGH|WORTH_|REACH_|HELD_REACH|WAY_|GATE_|ENOUGH_LESS", CLOTHED)],
    "bake": [("PIECES_", CLOTHED)],
    "body": [("LEAN_|PARTED_|LIMIT_|CROSSINGS_|CARRY_|TRIAL_CLIP", CLOTHED)],
    "methods/implicit": [("SMOOTHER_", (BEND, "bend", "10:28", ("-m", "implicit", "--set", "blend=smoother")))],
    "methods/tracking": [("BLEND_", (BEND, "bend", "20:28", ("-m", "tracking", "--set", "blend=smoother")))],
    "methods/projective": [("STORED_", (BEND, "bend", "14:28", ("-m", "projective", "--set", "collisions=pairs"))),
                           ("LINE_", (BEND, "bend", "20:28", ("-m", "projective", "--set", "bones=line"))),
                           ("LAYER_|LEAN_|TURN_LEVELS|MOST_LE|PIN_", (DRESSED, "twist", "0:2", ("-m", "projective", "--set", "body-vertices=700")))],
    "methods/layered": [(r".*_PREVIEW$", (BEND, "bend", "20:26", ("-m", "layered", "--set", "quality=preview"))),
                        (r".*_FINAL$", (HAND, "fist", "10:16", ("-m", "layered", "--set", "quality=final"))),
                        (r".*_COARSE$", (DRESSED, "bend", "0:2", ("-m", "layered", "--set", "body-vertices=700")))],
}
RANDOM = lambda kind, seed, *more: (kind, "--vertices", "700", "--seed", str(seed), "--clip", "random", *more)
SKIN, WORN = ("--dress", "none"), ("--dress", "all")
FAST = ("--fps", "8")  # long ways between frames


def thrown(method, hand, biped):
    """A hand and a biped that nobody looked at, thrown to the limits of their joints."""
    return [(RANDOM("hand", 5, *SKIN), "random", f"0:{hand}", ("-m", method) + FAST), (RANDOM("biped", 223, *SKIN), "random", f"0:{biped}", ("-m", method) + FAST)]


# What is tried of a constant of which the plays above show nothing, one after another: characters that nobody looked at, played to the limits of their
# joints, what stands still after it moved, bad weights, walls and what falls
HARDER = {
    "character": [(RANDOM("beast", 3, *WORN), "random", "0:4", ("-m", "lbs", "--set", "weights=auto") + FAST)],
    "methods/implicit": [(RANDOM("hand", 5, *SKIN), "random", "0:24", ("-m", "implicit") + FAST)],
    "methods/tracking": thrown("tracking", 20, 14) + [(HAND, "grasp", "0:60", ("-m", "tracking")), (TOUCHES, "touches", "0:40", ("-m", "tracking"))],
    "methods/projective": thrown("projective", 24, 16) + [(CLOTHED[0], "bend", "22:24", ("-m", "projective", "--set", "body-vertices=1500")),
                                                           (HAND, "grasp", "0:30", ("-m", "projective", "--scene", "examples/scenes/squeeze.json"))],
    "methods/layered": thrown("layered", 10, 8) + [(RANDOM("beast", 3, *WORN), "random", "0:3", ("-m", "layered", "--set", "body-vertices=700") + FAST)],
    "field": [(RANDOM("beast", 3, *SKIN), "random", "0:16", ("-m", "tracking") + FAST), (("arm", "--vertices", "700"), "bend", "0:12", ("-m", "tracking", "--rig", "examples/rigs/biceps.json"))],
    "touch": [(RANDOM("hand", 5, *SKIN), "random", "0:16", ("-m", "layered") + FAST), (RANDOM("biped", 223, *SKIN), "random", "0:16", ("-m", "projective") + FAST)],
    "contact": [(RANDOM("biped", 223, *SKIN), "random", "0:24", GIVES + FAST), (("biped", "--vertices", "700"), "walk", "6:30", SCENE("push_wall")),
                (HAND, "grasp", "0:50", SCENE("drop", "--set", "quality=final")), (("biped", "--vertices", "700"), "walk", "0:30", SCENE("kick_heavy")),
                (("biped", "--vertices", "700"), "walk", "0:30", SCENE("uneven_ground")), (("biped", "--vertices", "800", "--seed", "5"), "bend", "14:30", GIVES), CLOTHED],
    "bake": [(RANDOM("hand", 5, *SKIN), "random", "0:16", ("-m", "layered") + FAST)],
    "distil": [(("hand", "--vertices", "500"), "fist", None, ("-m", "dqs", "--poses", "40", "--held-out", "16", "--no-clips"))],
    "body": [(RANDOM("beast", 3, *WORN, "--weights", "one-joint"), "random", "0:3", ("-m", "tracking", "--set", "body-vertices=700") + FAST)],
    "remesh": [(RANDOM("beast", 3, *WORN), "random", "0:1", ("-m", "tracking", "--set", "body-vertices=700") + FAST)],
}
# What no golden tells the code of: the tables of these rooms are as old as their sources
NO_GOLDEN = {room: (f"src/{room}",) for room in ("body", "character", "distil", "remesh", "touch")}
ROOMS = [p.parent.relative_to(ROOT / "src").as_posix() for p in sorted((ROOT / "src").rglob("constants.def"))]
if set(ROOMS) ^ set(PLAYS) | set(ROOMS) ^ set(HARDER):
    raise SystemExit("sweep.py: say in PLAYS and in HARDER what to play for each room that has a constants.def, and for no other")
# measure of the report -> how far it must go to be told: (share of itself, amount)
TOLD = {"deep_pairs": (0.1, 3), "inverted": (0.1, 2), "stretch_max": (0.05, 0.05),
        "volume_ratio_min": (0, 0.005), "jitter": (0.15, 0.001), "held_out_rms": (0.03, 0), "held_out_largest": (0.05, 0),
        "unseen_rms": (0.03, 0), "unseen_largest": (0.05, 0), "worse": (0, 0.5)}
WORDS = {"deep_pairs": "deep pairs", "inverted": "inverted", "stretch_max": "stretch",
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
    for name, _, unit, why in rows:
        if not unit.strip() or not why.strip():
            raise SystemExit(f"sweep.py: src/{room}/constants.def: {name} has no {'reason' if unit.strip() else 'unit'}")
    return rows


def plays_of(room):
    return PLAYS[room] + [play for _, play in MORE_PLAYS.get(room, [])] + HARDER[room]


class Swept(Table):
    """A room's table of docs/constants.md."""

    def __init__(self, room):
        methods = tuple(dict.fromkeys(play[3][play[3].index("-m") + 1] for play in plays_of(room)))
        super().__init__("constants.md", None, goldens=methods + (("contact",) if room == "contact" else ()), rooms=(f"src/{room}/constants.def",) + NO_GOLDEN.get(room, ()))
        self.room = room

    def key(self, tree=ROOT):
        return hashlib.sha256((super().key(tree) + repr(MORE_PLAYS.get(self.room)) + repr(plays_of(self.room))).encode()).hexdigest()[:12]


def name_of(room):
    return "constants-" + room.split("/")[-1]


TABLES = {name_of(room): Swept(room) for room in ROOMS}


def axes(data):
    """x, y and z of all points of all frames of a .pc2, each in one row, and how many points a frame has."""
    numbers = array.array("f", data[32:])
    return [numbers[k::3] for k in range(3)], struct.unpack_from("<i", data, 16)[0]


def moved(before, now):
    """How far skin moved between two .pc2, in words; nothing where they are the same to the last byte."""
    if before == now:
        return []
    (a, count), (b, _) = axes(before), axes(now)
    size = math.hypot(*(max(x[:count]) - min(x[:count]) for x in a))
    far = sorted(map(math.hypot, *(map(operator.sub, x, y) for x, y in zip(a, b))))
    most, usual = far[-1] / size, far[len(far) * 99 // 100] / size
    return [f"moved {usual:.1g}, at most {most:.1g}" if most > LEAST_MOVED else f"moved by less than {LEAST_MOVED:.0e}"]


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
               ["bake", self.character(made), "--clip", clip, "--frames", frames, "-o", f"{out}.pc2"]
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
        answer = report["quality"], pathlib.Path(f"{out}.pc2").read_bytes(), used.ru_utime
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
            words += moved(base[1], now[1])
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

    def row(self, room, constant):
        cells = self.cells(room, constant, first_plays(room, constant))
        for play in HARDER[room] if faint(cells) else []:
            more = self.cells(room, constant, [play])
            cells = more if not faint(more) or cells == [UNSEEN] * 2 else cells
            if not faint(cells):
                break
        return f"{opening(constant)}{cells[0]} | {cells[1]} |"


def faint(cells):
    """Nothing seen, or nothing but that something moved."""
    return all(re.search(r": moved by less than [^,]*$", told) for cell in cells if cell != UNSEEN for told in cell.split("; "))


def first_plays(room, constant):
    return PLAYS[room] + [play for form, play in MORE_PLAYS.get(room, []) if re.match(form, constant[0])]


def told_as(play):
    """Its character and clip, in words, and what is special about it."""
    made, clip, _, options = play
    seed = f" of seed {made[made.index('--seed') + 1]}" if "--seed" in made else ""
    special = ["dressed"] if "all" in made else []
    special += [f"scene {pathlib.Path(value).stem}" if option == "--scene" else value for option, value in zip(options, options[1:])
                if option == "--scene" or option == "--set" and not value.startswith("body-vertices")]
    return f"{made[0]}{seed} {clip}" + (f" ({' '.join(special)})" if special else "")


def unlike(a, b):
    """Times that differ by more than the same work on a machine with other work does: by a third, seen again and again."""
    return b > 1.5 * a or b < a / 1.5


def opening(constant):
    """What a row of the page begins with: all that the table of the sources says."""
    name, value, unit, why = constant
    return f"| `{name}` | {value.rstrip('f')} | " + unit.replace("|", "\\|") + " | " + why.replace("|", "\\|") + " | "


def section(room):
    """A room's table of the page: its marker, and what stands up to the other one."""
    name = re.escape(name_of(room))
    return re.search(rf"(<!-- measured {name}, [^\n]*-->\n)(.*?)<!-- end of {name} -->", PAGE.read_text(), re.S)


def rows_of(room):
    """name -> row, of the page's table of a room."""
    found = section(room)
    return {name: line for line, name in re.findall(r"^(\| `(\w+)` .*)$", found[2], re.M)} if found else {}


def missing(room):
    """Constants whose row the page lacks, or that changed since it was written."""
    there = rows_of(room)
    return [c[0] for c in constants(room) if not there.get(c[0], "").startswith(opening(c))]


def state(room):
    """What is wrong with a room's table; empty where it is current."""
    lacks, gone = missing(room), sorted(set(rows_of(room)) - {c[0] for c in constants(room)})
    said = [pages.state(name_of(room), TABLES[name_of(room)]), f"lacks {' '.join(lacks)}" if lacks else "", f"has {' '.join(gone)}, which are gone" if gone else ""]
    return "; ".join(s for s in said if s)


def line(room, wrong):
    return f"docs/constants.md: {name_of(room)}: " + (f"{wrong} (make sweep SWEEP=\"{room.split('/')[-1]}\")" if wrong else "current")


class Kept:
    """Rows of a run that is not at its end yet, in a file beside the command: good for this very command, these plays and these constants."""

    def __init__(self, room, pelt):
        self.path = pelt.parent / "swept" / f"{name_of(room)}.json"
        self.of = [TABLES[name_of(room)].key(), hashlib.sha256(pelt.read_bytes()).hexdigest()]
        there = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.rows = there["rows"] if there.get("of") == self.of else {}

    def add(self, name, row):
        self.rows[name] = row
        self.path.parent.mkdir(exist_ok=True)
        whole = self.path.with_suffix(".new")
        whole.write_text(json.dumps({"of": self.of, "rows": self.rows}))
        whole.replace(self.path)

    def drop(self):
        self.path.unlink(missing_ok=True)


def try_rows(sweep, room, chosen, jobs):
    """(name, row) of each, as they are found."""
    for play in PLAYS[room] if chosen else []:  # before the threads start: each once
        sweep.base(room, play)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ahead = {pool.submit(sweep.row, room, c): c[0] for c in chosen}
        try:
            for done in concurrent.futures.as_completed(ahead):
                yield ahead[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def write(room, rows, made_at):
    """A room's table, whole."""
    blank, name = BLANK.format(name_of(room)), name_of(room)
    if "told" not in pages.MARK:
        blank = blank.replace(", body none", "")
    page, found = PAGE.read_text(), section(room)
    PAGE.write_text(page[:found.start()] + blank + page[found.end(1):] if found else page.rstrip("\n") + f"\n\n## {room.split('/')[-1]}\n\n{blank}<!-- end of {name} -->\n")
    pages.write(name, TABLES[name], ["| constant | value | unit | why | halved | doubled |", "|---|---|---|---|---|---|"] + [rows[c[0]] for c in constants(room)], made_at)


def made_at():
    """The commit, and whether what the command is made of is not as it has it: the page may be, a run writes it."""
    made_of = ["src", "cli", "import", "include", "cmake", "tests/golden", "examples", "CMakeLists.txt", "tools/sweep.py"]
    changed = subprocess.run(["git", "status", "--porcelain", "--", *made_of], capture_output=True, text=True, cwd=ROOT).stdout.strip()
    return pages.commit().removesuffix("-dirty") + ("-dirty" if changed else "")


def costs(sweep, rooms):
    """What a whole run takes of one core: every play once, times how often it is played; harder ones where the page tells that they were needed."""
    whole = 0
    for room in rooms:
        seconds = {}
        for play in plays_of(room):
            if str(play) not in seconds:
                seconds[str(play)] = sweep.base(room, play)[2]
        unseen = [c for c in constants(room) if rows_of(room).get(c[0], "").endswith(f"{UNSEEN} | {UNSEEN} |")]
        took = sum(2 * seconds[str(play)] for c in constants(room) for play in first_plays(room, c)) + sum(2 * seconds[str(play)] for _ in unseen for play in HARDER[room])
        whole += took
        print(f"{room}: {len(constants(room))} constants, {len(unseen)} of which nothing was seen: {took / 60:.1f} min; plays of {', '.join(f'{s:.2f}' for s in seconds.values())} s", flush=True)
    print(f"in all {whole / 60:.0f} min")


def known_to(pelt, room):
    there = pelt.read_bytes()
    for name in [f"/{room}/constants.def"] + [c[0] for c in constants(room)]:
        if name.encode() + b"\0" not in there:
            raise SystemExit(f"sweep.py: {pelt} does not know {name}: build it anew (cmake --preset sweep)")


def sweep_room(sweep, room, asked):
    kept = Kept(room, sweep.pelt)
    known = kept.rows if asked.write else {}
    chosen = [c for c in constants(room) if c[0] not in known and asked.constant in (None, c[0])]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for name, row in try_rows(sweep, room, chosen, asked.jobs):
        if asked.write:
            kept.add(name, row)
        else:
            print(room, row, sep="\n", flush=True)
    if asked.write:
        write(room, kept.rows, made_at())
        kept.drop()
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(f"{room}: {len(chosen)} constants, {took / 60:.1f} min of one core", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", nargs="*")
    parser.add_argument("--constant")
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--pelt", default=str(ROOT / "build-sweep" / "pelt"))
    parser.add_argument("--jobs", type=int, default=2)
    for flag in ("--write", "--cost", "--list", "--check"):
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_args()
    if asked.write and asked.constant:
        parser.error("--constant prints a row: --write writes tables whole")
    rooms = [r for r in ROOMS if not asked.room or r in asked.room or r.split("/")[-1] in asked.room]
    if asked.list or asked.check:
        wrong = {room: state(room) for room in rooms}
        for room in rooms:
            if asked.list or wrong[room]:
                print(line(room, wrong[room]))
        sys.exit(1 if asked.check and any(wrong.values()) else 0)
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(pathlib.Path(asked.pelt).resolve(), folder)
        for room in rooms:
            known_to(sweep.pelt, room)
        if asked.cost:
            return costs(sweep, rooms)
        for room in rooms:
            if not asked.old or state(room):
                sweep_room(sweep, room, asked)


if __name__ == "__main__":
    main()
