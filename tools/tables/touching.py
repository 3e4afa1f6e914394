"""Tables of skin that touches skin."""
import json
import re
import subprocess
import sys

from .work import ROOT, SHARED, number, run, table


def touch_many(work):
    """Random single skins playing random clips: how often what is shown had to stay behind."""
    rows = []
    command = ("/usr/bin/python3", "tools/test_many.py", "--pelt", work.pelt, "--seeds", 200, "--first", 201, "--each", 1, "--dress", "none", "--vertices", 800,
               "--frames", "0:20", "--limit", 200, "--jobs", 2)  # a quarter of an hour of one core, more than half of it to make 75 bipeds
    out = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=ROOT).stdout  # exit code 1: some bake failed, and has no row
    for line in out.splitlines():
        m = re.match(r"(\w+) +touch: (\d+) clips, (\d+) frames, (\d+) stayed behind in (\d+) clips; largest lag ([\d.]+) .*; longest ([\d.]+) s .*; "
                     r"frozen (\d+); crossing pairs at most (\d+), in (\d+) clips", line)
        if m:
            rows.append([f"`{m[1]}`", m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10]])
    return table(["", "clips", "frames", "stayed behind", "in so many clips", "largest lag, of the size", "longest time until it caught up, s",
                  "frozen substeps", "crossing pairs, worst frame", "in so many clips"], rows)


def touch_all(work):
    """Every clip of the characters at hand, built-in ones and random ones, by three methods: half an hour of one core."""
    command = ("/usr/bin/python3", "tools/test_touching.py", "--pelt", work.pelt, "--jobs", 2, "--markdown")
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, cwd=ROOT)  # exit code 1: something is short, and the table says what
    print(done.stdout, file=sys.stderr)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    if not lines:
        raise RuntimeError("tools/test_touching.py did not end")
    return lines


OFF = ("--set", "give-way=off", "--set", "touch=off")
GIVEN = ("--set", "touch=off")


def figures(report):
    q, gave = report["quality"], report.get("give_way")
    turned = f", {max(g['most_deg'] for g in gave):.0f}°" if gave else ""
    return f"{q['self_intersections_new']} ({q['deep_pairs']}), {q['inverted']}, {q['volume_ratio_min']:.3f}, {number(q['stretch_max'])}, {number(q['jitter'], 2)}{turned}"


def gives_way(work):
    """A body that its clip drives into itself: without anything, with joints that give way, and with the last word. Five minutes of one core."""
    biped, hand = work.character("biped", 2500), work.character("hand", 2500)
    plays = [("biped, `bend`, `tracking`", biped, "bend", "tracking", "0:45"), ("biped, `bend`, `projective`", biped, "bend", "projective", "0:36"),
             ("biped, `bend`, `layered`", biped, "bend", "layered", "0:36"), ("hand, `fist`, `tracking`", hand, "fist", "tracking", "0:45"),
             ("hand, `fist`, `projective`", hand, "fist", "projective", "0:45"), ("biped, `walk`, `tracking`", biped, "walk", "tracking", "0:45")]
    rows = []
    for label, path, clip, method, frames in plays:
        made = [work.report(path, clip, method, "--frames", frames, *how) for how in (OFF, GIVEN, ())]
        points = f"{made[0]['mesh']['welded']:,}".replace(",", " ")
        rows.append([f"{label}, frames {frames.replace(':', ' to ')}, {points} vertices"] + [figures(r) for r in made])
    return table(["crossing pairs (deep), inverted, least volume, longest edge, jitter, farthest turn given", "`give-way=off`, `touch=off`", "`touch=off`", "default"], rows)


# the lively clip of each, by the first word that one of its clips has of run, attack, jump...; `range` where it has none
PIECES = [("RobotExpressive.glb", "Running"), ("Q-Cyberpunk.glb", "CharacterArmature|Run"), ("Q-Frog.glb", "FrogArmature|Frog_Attack"),
          ("Q-PlatformerCharacter.glb", "CharacterArmature|Run"), ("KayKitKnight.glb", "Running_A"), ("XRHandGlove.gltf", "range")]


def pieces(work):
    """Characters of many pieces, what crosses in the worst of 16 frames and is not near what crosses at rest: two minutes of one core."""
    ways = (("lbs",), ("lbs", "--set", "give-way=on"), ("tracking", "--set", "give-way=off"), ("tracking",))
    rows = []
    for name, clip in PIECES:
        path = SHARED / "data/corpus" / name
        rows.append([name.split(".")[0]] + [str(work.report(path, clip, *way, "--frames", "0:15")["quality"]["crossings_new"]) for way in ways])
    return table(["", "`lbs`", "`lbs`, `give-way=on`", "`tracking`, `off`", "`tracking`, `auto`"], rows)


DRESSED = 30
KINDS = ("biped", "beast", "arm", "biped", "hand", "beast", "biped", "cylinder")  # as tools/test_many.py


def dressed(work):
    """Thirty random dressed characters, a random clip each: nine minutes of one core, most of it to make them."""
    ways = (("lbs",), ("tracking", "--set", "give-way=off"), ("tracking",))
    found = []
    for index in range(DRESSED):
        path, kind, seed = work.folder / "dressed.glb", KINDS[index % len(KINDS)], 3101 + index
        run(work.pelt, "make", kind, "--seed", seed, "--dress", "all", "--vertices", 3500, "--clip", "random", "-q", "-o", path)
        found.append([])
        for method, *how in ways:
            out = work.folder / "dressed.json"
            run(work.pelt, "bake", path, "-m", method, "--fps", 10, "--frames", "8:16", "--report", out, "-q", *how)
            found[-1].append(json.loads(out.read_text())["quality"])
        print(f"  {kind} {seed}: {', '.join(str(q['deep_pairs']) for q in found[-1])}", file=sys.stderr)
    by = list(zip(*found))
    count = lambda value: f"{value:,}".replace(",", " ")
    return table([f"{DRESSED} random dressed characters", "`lbs`", "`tracking`, `off`", "`tracking`, `auto`"], [
        ["deep pairs in the worst frame, in sum"] + [count(sum(q["deep_pairs"] for q in one)) for one in by],
        ["have more of them than with `off`", "", "", str(sum(a["deep_pairs"] > b["deep_pairs"] for a, b in zip(by[2], by[1])))],
        ["worse than `lbs` by the verdict", ""] + [str(sum(q["verdict_worse"] for q in one)) for one in by[1:]],
        ["have a third of the deep pairs of `lbs` or less", ""] + [str(sum(3 * q["deep_pairs"] <= lbs["deep_pairs"] for q, lbs in zip(one, by[0]))) for one in by[1:]]])


def held(work):
    """How fast a held pose still moves, as the test `touch/held` prints it: a minute of one core."""
    done = subprocess.run([work.pelt.parent / "tests/test_touch_held"], capture_output=True, text=True, cwd=work.folder)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    speeds = re.findall(r"^(\w+) (\w+) ([\w=-]*): ([\d.e+-]+) sizes a second$", done.stdout, re.M)
    ways = dict.fromkeys(f"`{method}`" + (f", `{setting}`" if setting else "") for method, _, setting, _ in speeds)
    cell = lambda clip, way: next((v.replace("e-0", "e-") for m, c, s, v in speeds if c == clip and f"`{m}`" + (f", `{s}`" if s else "") == way), "–")
    return table(["sizes a second"] + list(ways), [[what] + [cell(clip, way) for way in ways] for what, clip in (("biped, crouch", "bend"), ("hand, fist", "fist"))])
