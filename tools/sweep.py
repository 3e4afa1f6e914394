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
  --cost         runs every play twice and says what a whole run would take of one core, a line a room
  --list         says of each room's table whether it is current
  --check        what `make lint` asks: says which tables are old and which constants they lack, exit code 1 where there are any

A whole run takes half an hour of one core (contact 9 min, body 7, touch 4, layered and projective 3 each, all others 9 together); twice that on
a machine with other work, where times are taken again.

A run bakes the room's plays (built-in characters, below; those of `distil` are distilled, some only made) with the constant times 1/2 and times 2 (of a
cosine its angle, from the nearer of 0 and 180 degrees) and says which measures of the report left what the run with the constant as it is has, whether it took more or less processor time, and by
how much the skin moved (99th percentile and farthest point, as shares of the size; where a single byte differs it says so). Where the skin is
the same to the last byte it says whether objects of the scene move otherwise, whether a distilled file differs, or else what the report or
the command tells. Where a room's plays show nothing, harder ones are tried one after another (HARDER). "nothing seen" is an answer too: not
a byte of what these make differs. Above the tables stands how many have that answer.

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
import shutil
import struct
import subprocess
import sys
import tempfile
import typing

sys.dont_write_bytecode = True
from tables import pages
from tables.depends import Table
from tables.work import ROOT

UNSEEN = "nothing seen"
PAGE = ROOT / "docs" / "constants.md"
COUNTED, COUNTED_END = "<!-- counted by tools/sweep.py -->", "<!-- end of what is counted -->"
ENDLESS_S = 120  # of processor time: a play takes some seconds
LEAST_MOVED = 1e-6  # of the size: beyond it a row says how far
BLANK = "<!-- measured {}, commit ?, machine ?, of none, body none -->\n"  # a marker for tables.pages to fill
BEND = ("biped", "--vertices", "1500")
HAND = ("hand", "--vertices", "700")
DRESSED = ("arm", "--vertices", "700", "--seed", "5", "--dress", "all")  # on a body of its own, whose making is most of a play
CLOTHED = (("biped", "--vertices", "2500", "--seed", "5", "--dress", "all"), "bend", "20:26", ("-m", "tracking", "--set", "body-vertices=1500"))
TOUCHES = ("biped", "--vertices", "1500", "--clip", "touches")
GIVES = ("-m", "lbs", "--set", "give-way=on")
MAKING = lambda *made: (made, None, None, ())
SCENE = lambda name, *more: ("-m", "lbs", "--scene", f"examples/scenes/{name}.json", *more)
STAGED = lambda name, *more: ("-m", "lbs", "--scene", f"tools/sweep/{name}.json", *more)  # what no picture shows
CROWDS = (200, 300)  # small things that fly at a hand: scenes that are written where they are played


def crowd(count):
    """Of a scene: boxes in a sheet that comes down on a hand."""
    things = [{"name": str(i), "shape": "box", "size": [0.006] * 3, "position": [0.012 * (i % 20) - 0.12, 0.012 * (i // 20), 0.06], "velocity": [0, 0, -0.5]} for i in range(count)]
    return {"gravity": [0, 0, 0], "objects": things}


def bent(method):
    """Flesh on flesh: the frames in which the biped crouches down and a hand closes to a fist, the first of them settled; and a twist. A second of one core."""
    return [(BEND, "bend", "20:28", ("-m", method)), (HAND, "fist", "10:20", ("-m", method)), (("cylinder", "--vertices", "600"), "twist", "0:10", ("-m", method))]


# A room's plays: what is made, the clip, frames (from A to B), and the bake's options. Without frames the clip is one that `pelt distil` does not see;
# without a clip the making itself is played
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
    "remesh": [(DRESSED, "bend", "0:2", ("-m", "tracking", "--set", "body-vertices=700")), MAKING("hand", "--vertices", "700")],
    "measure": [(BEND, "bend", "20:28", ("-m", "lbs")), (BEND, "bend", "20:28", ("-m", "tracking"))],
    "geometry": [(BEND, "bend", "20:24", ("-m", "tracking")), CLOTHED, (TOUCHES, "touches", "0:8", GIVES + ("--fps", "6"))],
}
RANDOM = lambda kind, seed, *more: (kind, "--vertices", "700", "--seed", str(seed), "--clip", "random", *more)
SKIN, WORN = ("--dress", "none"), ("--dress", "all")
FAST = ("--fps", "8")  # long ways between frames
AUTO = ("-m", "lbs", "--set", "weights=auto")
SPOILED = RANDOM("arm", 5, *WORN, "--weights", "one-joint")
# Plays of constants whose names begin so, besides: what only a quality, a variant or a body of its own reaches
MORE_PLAYS = {
    "contact": [("SOFT_|STIFF_", (HAND, "grasp", "0:40", SCENE("squeeze"))),
                (r".*_FINAL$", (HAND, "grasp", "0:30", SCENE("grasp", "--set", "quality=final"))),
                ("WEIGH|WORTH_|REACH_|HELD_REACH|WAY_|GATE_|ENOUGH_LESS", CLOTHED),
                ("GATE_", (RANDOM("hand", 5, *WORN), "random", "0:8", ("-m", "tracking", "--set", "body-vertices=700") + FAST))],
    "bake": [("PIECES_", CLOTHED)],
    "body": [("LEAN_|PARTED_|LIMIT_|CROSSINGS_|CARRY_|TRIAL_CLIP", CLOTHED),
             ("BODY_VERTICES_DEAR", (("hand", "--vertices", "700", "--seed", "3", "--dress", "all"), "bend", "0:0", ("-m", "layered"))),
             ("BODY_FINEST", (("cylinder", "--vertices", "25000"), "bend", "0:0", ("-m", "tracking", "--set", "body-vertices=700")))],
    "methods/implicit": [("SMOOTHER_", (BEND, "bend", "10:28", ("-m", "implicit", "--set", "blend=smoother")))],
    "methods/tracking": [("BLEND_", (BEND, "bend", "20:28", ("-m", "tracking", "--set", "blend=smoother")))],
    "methods/projective": [("STORED_", (BEND, "bend", "14:28", ("-m", "projective", "--set", "collisions=pairs"))),
                           ("LINE_", (BEND, "bend", "20:28", ("-m", "projective", "--set", "bones=line"))),
                           ("LAYER_|LEAN_|TURN_LEVELS|MOST_LE|PIN_", (DRESSED, "twist", "0:2", ("-m", "projective", "--set", "body-vertices=700")))],
    "methods/layered": [(r".*_PREVIEW$", (BEND, "bend", "20:26", ("-m", "layered", "--set", "quality=preview"))),
                        (r".*_FINAL$", (HAND, "fist", "10:16", ("-m", "layered", "--set", "quality=final"))),
                        (r".*_COARSE$", (DRESSED, "bend", "0:2", ("-m", "layered", "--set", "body-vertices=700")))],
}


def thrown(method, hand, biped):
    """A hand and a biped that nobody looked at, thrown to the limits of their joints."""
    return [(RANDOM("hand", 5, *SKIN), "random", f"0:{hand}", ("-m", method) + FAST), (RANDOM("biped", 223, *SKIN), "random", f"0:{biped}", ("-m", method) + FAST)]


# What is tried of a constant of which the plays above show nothing, one after another: characters that nobody looked at, played to the limits of their
# joints, what stands still after it moved, bad weights, walls and what falls
HARDER = {
    "character": [(RANDOM("beast", 3, *WORN), "random", "0:4", AUTO + FAST), (RANDOM("hand", 5, *WORN), "random", "0:4", AUTO + FAST),
                  (RANDOM("biped", 9, *WORN, "--weights", "none"), "random", "0:4", AUTO + FAST), (RANDOM("arm", 3, *SKIN, "--weights", "missing"), "random", "0:6", ("-m", "lbs") + FAST),
                  (("biped", "--vertices", "700", "--seed", "5"), "walk", "0:6", ("-m", "lbs", "--motion", ("biped", "--vertices", "700")))],
    "methods/implicit": [(RANDOM("hand", 5, *SKIN), "random", "0:24", ("-m", "implicit") + FAST), (RANDOM("biped", 223, *SKIN), "random", "0:10", ("-m", "implicit") + FAST), (RANDOM("beast", 3, *WORN), "random", "0:6", ("-m", "implicit") + FAST)],
    "methods/tracking": thrown("tracking", 20, 14) + [(HAND, "grasp", "0:60", ("-m", "tracking")), (TOUCHES, "touches", "0:40", ("-m", "tracking"))] +
                        [(RANDOM("beast", 3, *SKIN), "random", "0:8", ("-m", "tracking") + FAST), (SPOILED, "random", "0:4", ("-m", "tracking") + FAST)],
    "methods/projective": thrown("projective", 24, 16) + [(CLOTHED[0], "bend", "22:24", ("-m", "projective", "--set", "body-vertices=1500")),
                                                           (HAND, "grasp", "0:30", ("-m", "projective", "--scene", "examples/scenes/squeeze.json")),
                                                           (RANDOM("beast", 3, *SKIN), "random", "0:8", ("-m", "projective") + FAST), (SPOILED, "random", "0:4", ("-m", "projective") + FAST)],
    "methods/layered": thrown("layered", 10, 8) + [(RANDOM("beast", 3, *WORN), "random", "0:3", ("-m", "layered", "--set", "body-vertices=700") + FAST), (HAND, "fist", "10:14", ("-m", "layered", "--set", "continuous=on")),
                                                       (RANDOM("arm", 3, *SKIN), "random", "0:8", ("-m", "layered") + FAST), (HAND, "stretch", "0:12", ("-m", "layered")), (HAND, "grasp", "44:60", ("-m", "layered"))],
    "field": [(RANDOM("beast", 3, *SKIN), "random", "0:16", ("-m", "tracking") + FAST), (("arm", "--vertices", "700"), "bend", "0:12", ("-m", "tracking", "--rig", "examples/rigs/biceps.json")),
              (RANDOM("hand", 9, *WORN), "random", "0:8", ("-m", "tracking", "--set", "parts=all") + FAST), (SPOILED, "random", "0:4", ("-m", "tracking") + FAST), (("biped", "--vertices", "700", "--seed", "5"), "bend", "10:20", ("-m", "tracking", "--set", "samples=90"))],
    "touch": [(RANDOM("hand", 5, *SKIN), "random", "0:16", ("-m", "layered") + FAST), (RANDOM("biped", 223, *SKIN), "random", "0:16", ("-m", "projective") + FAST),
              (RANDOM("biped", 223, *SKIN), "random", "0:16", ("-m", "tracking") + FAST), (HAND, "grasp", "0:60", ("-m", "tracking")), (RANDOM("hand", 3, *SKIN), "random", "0:12", ("-m", "tracking", "--fps", "4")),
              (RANDOM("hand", 7, *WORN), "random", "0:6", ("-m", "tracking", "--set", "touch=on") + FAST), (HAND, "grasp", "0:44", ("-m", "tracking", "--scene", "examples/scenes/grasp.json"))],
    "contact": [(RANDOM("biped", 223, *SKIN), "random", "0:24", GIVES + FAST), (("biped", "--vertices", "700"), "walk", "6:30", SCENE("push_wall")),
                (HAND, "grasp", "0:50", SCENE("drop", "--set", "quality=final")), (("biped", "--vertices", "700"), "walk", "0:30", SCENE("kick_heavy")),
                (("biped", "--vertices", "700"), "walk", "0:30", SCENE("uneven_ground")), (("biped", "--vertices", "800", "--seed", "5"), "bend", "14:30", GIVES), CLOTHED] +
               [(HAND, "fist", "0:20", STAGED("inside")), (HAND, "fist", "0:36", STAGED("thrown")), (HAND, "grasp", "0:40", STAGED("jam")), (HAND, "fist", "0:16", STAGED("thrown", "--set", "quality=final"))] +
               [(HAND, "fist", "0:8", ("-m", "lbs", "--scene", f"crowd{n}.json")) for n in CROWDS] +
               [(HAND, "grasp", "10:30", ("-m", "projective", "--scene", "examples/scenes/grasp.json")), (RANDOM("biped", 9, *WORN), "random", "0:16", GIVES + FAST), (RANDOM("beast", 3, *WORN), "random", "0:12", GIVES + FAST),
                (RANDOM("hand", 5, *WORN), "random", "0:16", GIVES + FAST), (RANDOM("biped", 7, *WORN), "random", "0:10", ("-m", "lbs", "--scene", "examples/scenes/push_wall.json") + FAST)],
    "bake": [(RANDOM("hand", 5, *SKIN), "random", "0:16", ("-m", "layered") + FAST), (HAND, "grasp", "30:60", ("-m", "layered")), (TOUCHES, "touches", "0:20", ("-m", "tracking")), (HAND, "grasp", "0:40", ("-m", "tracking", "--scene", "tools/sweep/jam.json")),
             (TOUCHES, "touches", "0:8", GIVES + ("--fps", "6"))],
    "distil": [(("hand", "--vertices", "500"), "fist", None, ("-m", "dqs", "--poses", "40", "--held-out", "16", "--no-clips")), (("hand", "--vertices", "500"), "fist", None, ("-m", "dqs", "--poses", "20", "--held-out", "8")),
               (("arm", "--vertices", "500"), "bend", None, ("-m", "layered", "--poses", "5", "--held-out", "2", "--no-clips")), (("cylinder", "--vertices", "500"), "bend", None, ("-m", "dqs", "--poses", "30")),
               (("arm", "--vertices", "1300"), "bend", None, ("-m", "dqs", "--poses", "16", "--held-out", "4", "--no-clips", "--error", "0.0005")),
               (("arm", "--vertices", "500"), "bend", None, ("-m", "dqs", "--poses", "30", "--held-out", "8", "--no-clips", "--helpers", "60")),
               (("cylinder", "--vertices", "500"), "twist", None, ("-m", "projective", "--poses", "6", "--held-out", "2"))],
    "body": [(RANDOM("beast", 3, *WORN, "--weights", "one-joint"), "random", "0:3", ("-m", "tracking", "--set", "body-vertices=700") + FAST),
             (SPOILED, "random", "0:4", ("-m", "lbs") + FAST), (("hand", "--vertices", "700", "--seed", "3", *SKIN, "--weights", "one-joint"), "bend", "0:1", ("-m", "lbs")),
             (("biped", "--vertices", "700", "--seed", "3", *WORN, "--weights", "one-joint"), "bend", "0:1", ("-m", "lbs")), (RANDOM("biped", 9, *WORN, "--weights", "one-joint"), "random", "0:1", ("-m", "lbs")),
             (RANDOM("hand", 3, *WORN), "random", "0:4", ("-m", "tracking", "--set", "body-vertices=700") + FAST), (RANDOM("biped", 9, *WORN), "random", "0:4", ("-m", "tracking", "--set", "body-vertices=700", "--set", "touch=on") + FAST),
             (RANDOM("biped", 223, *WORN, "--weights", "none"), "random", "0:3", ("-m", "tracking", "--set", "body-vertices=700", "--set", "weights=auto") + FAST),
             (("cylinder", "--vertices", "500"), "bend", "0:3", ("-m", "tracking")), (("cylinder", "--vertices", "500"), "bend", "0:3", ("-m", "tracking", "--set", "body=proxy"))],
    "remesh": [(RANDOM("beast", 3, *WORN), "random", "0:1", ("-m", "tracking", "--set", "body-vertices=700") + FAST), MAKING("arm", "--vertices", "700", "--seed", "5"), MAKING("hand", "--vertices", "2500", "--seed", "3")],
    "measure": [(HAND, "fist", "10:20", ("-m", "dqs")), CLOTHED, (SPOILED, "random", "0:4", ("-m", "tracking") + FAST), (RANDOM("beast", 3, *WORN), "random", "0:4", ("-m", "implicit") + FAST),
                (("cylinder", "--vertices", "600"), "twist", "0:10", ("-m", "dqs")), (("biped", "--vertices", "700"), "walk", "6:30", SCENE("push_wall"))],
    "geometry": [(HAND, "fist", "10:20", ("-m", "tracking"))],
}
# What no golden tells the code of: the tables of these rooms are as old as their sources
NO_GOLDEN = {room: (f"src/{room}",) for room in ("body", "character", "distil", "geometry", "measure", "remesh", "touch")}
ROOMS = [p.parent.relative_to(ROOT / "src").as_posix() for p in sorted((ROOT / "src").rglob("constants.def"))]
if set(ROOMS) ^ set(PLAYS) | set(ROOMS) ^ set(HARDER):
    raise SystemExit("sweep.py: say in PLAYS and in HARDER what to play for each room that has a constants.def, and for no other")
FAINT = re.compile(r": (?:moved by less than [^,]*|the (?:file|report) differs)$")  # of what is told of a play: a harder one may tell more
TIMES = re.compile(r"(?:^|_)(?:ms|ns|s|mb)(?:_|$)")  # of a report, which no two runs have alike
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


def halved_or_doubled(constant, factor):
    """Half or twice what a constant says. What a cosine says is an angle: from the nearer of 0 and 180 degrees, and at most to the other one."""
    value = eval(re.sub(r"(?<=[\d.])f\b", "", constant[1]), {})
    if not constant[2].startswith("cosine"):
        return value * factor
    squared = constant[2].startswith("cosine squared")
    angle = math.acos(math.sqrt(value) if squared else abs(value))
    cosine = math.cos(min(factor * angle, math.pi / 2 if squared else math.pi))
    return cosine * cosine if squared else math.copysign(1, value) * cosine


def plays_of(room):
    return PLAYS[room] + [play for _, play in MORE_PLAYS.get(room, [])] + HARDER[room]


class Swept(Table):
    """A room's table of docs/constants.md."""

    def __init__(self, room):
        options = [play[3] for play in plays_of(room)]
        methods = tuple(dict.fromkeys(said[said.index("-m") + 1] for said in options if said))
        files = tuple(dict.fromkeys(value for said in options for value in said if isinstance(value, str) and (ROOT / value).is_file()))
        super().__init__("constants.md", None, goldens=methods + (("contact",) if room == "contact" else ()), rooms=(f"src/{room}/constants.def",) + files + NO_GOLDEN.get(room, ()))
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


def timeless(report):
    """A report without what no two runs have alike."""
    if isinstance(report, dict):
        return {key: timeless(value) for key, value in report.items() if not TIMES.search(key)}
    return [timeless(value) for value in report] if isinstance(report, list) else report


class Played(typing.NamedTuple):
    """What a play made."""
    measures: dict
    skin: bytes  # a .pc2; of a distilled file nothing
    files: list  # what else was written
    told: str  # all the report and the command say but times
    seconds: float  # of processor time


class Sweep:
    def __init__(self, pelt, folder):
        self.pelt, self.folder, self.bases = pelt, pathlib.Path(folder), {}
        self.runs = itertools.count()
        for count in CROWDS:
            (self.folder / f"crowd{count}.json").write_text(json.dumps(crowd(count)))

    def character(self, made):
        path = self.folder / ("-".join(made) + ".glb")
        if not path.exists():
            subprocess.run([self.pelt, "make", *made, "-q", "-o", path], check=True)
        return path

    def found(self, value):
        """An option's value, where it names a file: one of the checkout, one that was written here, or a character that is made."""
        if isinstance(value, tuple):
            return self.character(value)
        return next((folder / value for folder in (ROOT, self.folder) if value.endswith(".json") and (folder / value).is_file()), value)

    def work(self, play):
        """What is to be done, and where it is to be written."""
        made, clip, frames, options = play
        if not clip:
            return ["make", *made, "-o", "out.glb"]
        if not frames:
            return ["distil", self.character(made), "--unseen", clip, "-o", "out.glb", "--report", "out.json"]
        objects = ["-o", "out.glb", "--morph-per-frame"] if "--scene" in options else []  # the skin's file does not hold them
        return ["bake", self.character(made), "--clip", clip, "--frames", frames, "-o", "out.pc2", "--report", "out.json", *objects]

    def play(self, room, play, name, value):
        """What a play with a constant changed makes, or nothing and how it fails."""
        _, clip, frames, options = play
        out = self.folder / str(next(self.runs))
        out.mkdir()
        environment = dict(os.environ, PELT_SWEEP=f"/{room}/constants.def:{name}={value!r}" if name else "")
        command = [self.pelt, *self.work(play), "--threads", "1", "-q", *(self.found(value) for value in options)]
        with open(out / "err", "w+") as errors:
            run = subprocess.Popen(["/bin/sh", "-c", f'ulimit -t {ENDLESS_S}; exec "$@"', "sh", *command], cwd=out, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().strip()
        if used.ru_utime + used.ru_stime > ENDLESS_S - 2:
            return None, f"does not end within {ENDLESS_S} s"
        if run.returncode:
            return None, f"fails: {said.splitlines()[-1][:80] if said else run.returncode}"
        report = json.loads((out / "out.json").read_text()) if clip else {}
        skin = (out / "out.pc2").read_bytes() if frames else b""
        files = [path.read_bytes() for path in sorted(out.glob("out*")) if path.name not in ("out.json", "out.pc2")]
        shutil.rmtree(out)
        measures = report.get("quality") or (distilled(report) if clip else {})
        return Played(measures, skin, files, json.dumps(timeless(report)) + said, used.ru_utime), None

    def differences(self, room, play, base, name, value):
        """What a changed constant changes in a play, in words."""
        now, failure = self.play(room, play, name, value)
        if failure:
            return failure
        words = []
        for key, (share, amount) in TOLD.items():
            a, b = base.measures.get(key), now.measures.get(key)
            if a is not None and b is not None and abs(b - a) > max(share * abs(a), amount):
                words.append(f"{WORDS[key]} {a:.3g} → {b:.3g}")
        seconds = now.seconds
        for _ in range(2):  # two more runs of either, in turns: what other work on the machine does is no answer
            if not unlike(base.seconds, seconds):
                break
            seconds = min(seconds, self.play(room, play, name, value)[0].seconds)
            base = base._replace(seconds=min(base.seconds, self.play(room, play, None, None)[0].seconds))
        else:
            words.append(f"time {seconds / max(base.seconds, 0.01):.2g}×")
        self.bases[room, play] = base
        return ", ".join(words + moved(base.skin, now.skin) or words + otherwise(play, base, now))

    def base(self, room, play):
        """A play with all constants as they are, once: and once more, for what equal runs do not make alike would be no answer."""
        if (room, play) not in self.bases:
            (base, failure), (again, _) = self.play(room, play, None, None), self.play(room, play, None, None)
            if failure:
                raise SystemExit(f"sweep.py: {room}: {' '.join(play[0])} {play[1]}: {failure}")
            if base._replace(seconds=0) != again._replace(seconds=0):
                raise SystemExit(f"sweep.py: {room}: {' '.join(play[0])} {play[1]}: two equal runs differ")
            self.bases[room, play] = base._replace(seconds=min(base.seconds, again.seconds))
        return self.bases[room, play]

    def cells(self, room, constant, plays):
        """What halving and doubling it changes in these plays."""
        cells = []
        for factor in (0.5, 2):
            found = []
            for play in plays:
                words = self.differences(room, play, self.base(room, play), constant[0], halved_or_doubled(constant, factor))
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


def otherwise(play, base, now):
    """What differs though the skin does not, in words: the most telling of it alone."""
    if base.files != now.files:
        return ["the file differs" if not play[2] else "objects move otherwise"]
    return ["the report differs"] if base.told != now.told else []


def faint(cells):
    """Nothing seen, or nothing but a trace."""
    return all(FAINT.search(told) for cell in cells if cell != UNSEEN for told in cell.split("; "))


def first_plays(room, constant):
    return PLAYS[room] + [play for form, play in MORE_PLAYS.get(room, []) if re.match(form, constant[0])]


def told_as(play):
    """Its character and clip, in words, and what is special about it."""
    made, clip, _, options = play
    seed = f" of seed {made[made.index('--seed') + 1]}" if "--seed" in made else ""
    special = ["dressed"] if "all" in made else []
    special += [f"weights {made[made.index('--weights') + 1]}"] if "--weights" in made else []
    special += [f"{option[2:]} {pathlib.Path(value).stem}" if option != "--set" else value for option, value in zip(options, options[1:])
                if option in ("--scene", "--rig") or option == "--set" and not value.startswith("body-vertices")]
    return f"{made[0]}{seed} {clip or 'made'}" + (f" ({' '.join(special)})" if special else "")


def unlike(a, b):
    """Times that differ by more than the same work on a machine with other work does: by a third, seen again and again. What takes less than a tenth
    of a second either way is told by the processor's clock too coarsely."""
    return max(a, b) > 0.1 and (b > 1.5 * a or b < a / 1.5)


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
    count()


def counts():
    """How many constants have no answer, by room, as the page's rows say; of how many of these the reason says that they are bounds."""
    lines, all_of = ["| room | constants | nothing seen | of these bounds |", "|---|---|---|---|"], [0, 0, 0]
    for room in ROOMS:
        rows = list(rows_of(room).values())
        unseen = [row for row in rows if row.endswith(f"{UNSEEN} | {UNSEEN} |")]
        of = [len(rows), len(unseen), sum(bool(re.search(r"\bbound\b", row)) for row in unseen)]
        all_of = list(map(operator.add, all_of, of))
        lines.append(f"| {room.split('/')[-1]} | {of[0]} | {of[1]} | {of[2]} |")
    return "\n".join([COUNTED, ""] + lines + [f"| all | {all_of[0]} | {all_of[1]} | {all_of[2]} |", "", COUNTED_END])


def count():
    """Puts them where the page has them."""
    page = PAGE.read_text()
    begin, end = page.index(COUNTED), page.index(COUNTED_END) + len(COUNTED_END)
    if page[begin:end] != counts():
        PAGE.write_text(page[:begin] + counts() + page[end:])


def made_at():
    """The commit, and whether what the command is made of is not as it has it: the page may be, a run writes it."""
    made_of = ["src", "cli", "import", "include", "cmake", "tests/golden", "examples", "CMakeLists.txt", "tools/sweep.py", "tools/sweep"]
    changed = subprocess.run(["git", "status", "--porcelain", "--", *made_of], capture_output=True, text=True, cwd=ROOT).stdout.strip()
    return pages.commit().removesuffix("-dirty") + ("-dirty" if changed else "")


def costs(sweep, rooms):
    """What a whole run takes of one core: every play once, times how often it is played; harder ones where the page tells that they were needed."""
    whole = 0
    for room in rooms:
        seconds = {}
        for play in plays_of(room):
            if str(play) not in seconds:
                seconds[str(play)] = sweep.base(room, play).seconds
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
        miscounted = counts() not in PAGE.read_text()
        if miscounted:
            print("docs/constants.md: what is counted above its tables is not what they say (tools/sweep.py writes it with any of them)")
        sys.exit(1 if asked.check and (miscounted or any(wrong.values())) else 0)
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
