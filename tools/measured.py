#!/usr/bin/env python3
"""Tables nobody types: bakes, measures and writes the tables of docs/ between their markers.

Usage: tools/measured.py [TABLE...] [--pelt build/pelt] [--list] [--check] [--runs N] [--results FILE.csv]
       tools/measured.py [TABLE...] --kept-since COMMIT
  TABLE...      only these; all by default (`make measured`). Tables of times want a quiet machine
  --list        names the tables: page, what they need, whether they are current
  --check       exit code 1 where a table is older than what it speaks of and could be made here (`make lint`)
  --runs N      times are medians of N runs (default 5)
  --results F   times from this file of `pelt bench -o F`, in place of running `pelt bench`
  --kept-since C  tables that were current at commit C and are old now stay as they are and count as current, where every source they
                depend on compiles to the same assembly as at C: a constant got a name, nothing else. Measures nothing. Needs the build
                folder of --pelt for its compile commands

A table stands in its page as
    <!-- measured NAME, commit C, machine M, of K -->
    ...
    <!-- end of NAME -->
K is a hash of what the table depends on: the goldens of the methods it speaks of (their bytes on built-in characters) or, for
times and for characters that are not part of the project, the sources of the rooms that make them, without comments and layout.
A table that was made of sources nobody can get again (its commit is unknown to git, or was dirty) counts as old. Tables that need ../shared (characters that are not part of the project) are kept where it is
absent, and so is one that needs another program built by hand (PELT_PEER, see tools/compare_peer.py)."""
import argparse
import array
import csv
import hashlib
import io
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
BEFORE = "f48f728"  # the house before it was put in order: left column of the table `house`


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or " ", text, flags=re.S)


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, cwd=ROOT, **options).stdout


class Work:
    """What tables are made with: the command, a folder, and every bake once."""

    def __init__(self, pelt, options, folder):
        self.pelt, self.results, self.runs, self.folder = pelt, options.results, options.runs, pathlib.Path(folder)
        self.reports, self.groups = {}, {}

    def character(self, name, vertices):
        path = self.folder / f"{name}-{vertices}.glb"
        if not path.exists():
            run(self.pelt, "make", name, "--vertices", vertices, "-q", "-o", path)
        return path

    def report(self, path, clip, method, *options):
        key = (str(path), clip, method) + options
        if key not in self.reports:
            out = self.folder / f"{len(self.reports)}.json"
            print(f"  {pathlib.Path(path).name} {clip} {method} {' '.join(options)}", file=sys.stderr)
            run(self.pelt, "bake", path, "-m", method, "--clip", clip, "--report", out, "-q", *options)
            self.reports[key] = json.loads(out.read_text())
        return self.reports[key]

    def bench_only(self, rows):
        """The rows of `pelt bench` that hold a text each, [(group, text)], and the machine's own: all in one go, run by run."""
        print(f"  bench: {len(rows)} rows, {self.runs} runs", file=sys.stderr)
        groups, texts = dict.fromkeys(group for group, _ in rows), [argument for _, text in rows for argument in ("--only", text)]
        found = pathlib.Path(self.results).read_text() if self.results else run(self.pelt, "bench", *groups, *texts, "--runs", self.runs, "--csv")
        return list(csv.DictReader(io.StringIO(found)))

    def bench(self, group, pattern=""):
        """Rows of a group of `pelt bench` whose name holds the pattern."""
        if group not in self.groups:
            print(f"  bench {group}", file=sys.stderr)
            text = pathlib.Path(self.results).read_text() if self.results else run(self.pelt, "bench", group, "--runs", self.runs, "--csv")
            self.groups[group] = list(csv.DictReader(io.StringIO(text)))
        return [r for r in self.groups[group] if r["group"] == group and re.search(pattern, r["name"])]


def table(header, rows):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(r) + " |" for r in rows]


def number(value, digits=3):
    if value is None:
        return "–"
    value = float(value)
    return "0" if value == 0 else f"{value:.{digits}g}" if abs(value) < 1 else f"{value:.{digits - 1}f}" if abs(value) < 10 else f"{value:,.0f}".replace(",", " ")


# ---- quality ----

def crossing(q):
    return f"{q['self_intersections']} / {q['deep_pairs']} / {number(q['depth'], 2)}, {q['volume_ratio_min']:.2f}, {q['stretch_p99']:.2f}"


def builtin_bends(work):
    rigs = [("bulge.json", "hand"), ("biceps.json", "arm"), ("painted.json", "arm")]
    who = [("cylinder", 2500), ("arm", 4000), ("hand", 4000)]
    rows = []
    for method in ("lbs", "dqs", "implicit", "tracking"):
        rows.append([method] + [crossing(work.report(work.character(*w), "bend", method)["quality"]) for w in who])
    for rig, on in rigs:
        rows.append([f"tracking, `{rig}`"] + [
            crossing(work.report(work.character(*w), "bend", "tracking", "--rig", f"examples/rigs/{rig}")["quality"]) if w[0] == on else ""
            for w in who])
    return table(["", "cylinder, bend", "arm, bend", "hand, fist"], rows)


REAL = [("cylinder, bend by 160°", "cylinder2.glb", "bend"), ("cylinder, twist by 180°", "cylinder2.glb", "twist"),
        ("arm, bend by 140°", "arm.glb", "bend"), ("hand, fist", "hand.glb", "bend"),
        ("MakeHuman body, squat and fists", "makehuman-cc0.glb", "bend")]


def real_bends(method, wanted):
    """Deep pairs, depth, volume, stretch, loop and jitter of a method on characters of ../shared, `lbs` in brackets."""
    def make(work):
        rows = []
        for label, name, clip in REAL:
            q = work.report(SHARED / "data" / name, clip, method)["quality"]
            lbs = q["lbs"]
            rows.append([label, f"{q['deep_pairs']} ({lbs['deep_pairs']})", f"{number(q['depth'], 2)} ({number(lbs['depth'], 2)})",
                         f"{q['volume_ratio_min']:.3f} ({lbs['volume_ratio_min']:.3f})", f"{q['stretch_p99']:.2f}", str(q["inverted"]),
                         number(q["loop_error"], 2), number(q["jitter"], 2), wanted.get(label, "")])
        return table(["character, clip", "deep pairs (`lbs`)", "depth, of the size", "least volume", "stretch p99", "inverted", "loop", "jitter", "wanted"], rows)
    return make


WANTED_TRACKING = {"cylinder, bend by 160°": "4 deep, .001, volume .85, stretch 1.7, 0 inverted", "cylinder, twist by 180°": "0 deep, volume .99, stretch 1.6",
                   "arm, bend by 140°": "2 deep, .001, volume .96, stretch 1.5, loop .003", "hand, fist": "10 deep, .002, volume .95, stretch 1.8",
                   "MakeHuman body, squat and fists": "20 deep, .002, volume .96, jitter .01"}
WANTED_LAYERED = {"arm, bend by 140°": "4 deep, .004, volume within 0.9 %", "hand, fist": "25 deep, .004", "MakeHuman body, squat and fists": "40 deep, .004"}
WANTED_PROJECTIVE = {"hand, fist": "25 deep", "MakeHuman body, squat and fists": "40 deep"}


def grasp(work):
    methods = ["lbs", "dqs", "implicit", "tracking", "projective", "layered"]
    pushed, risen = [], []
    for method in methods:
        r = work.report(work.character("hand", 1500), "grasp", method, "--scene", "examples/scenes/grasp.json", "--frames", "0:50", "--no-measure")
        frames = [f["contact"] for f in r["per_frame"]]
        pushed.append(f"{100 * max(f['pushed'] for f in frames):.2g} %")
        risen.append(f"{frames[-1]['objects']['ball'][1] - frames[0]['objects']['ball'][1]:.3f}")
    return table([""] + methods, [["pushed"] + pushed, ["risen"] + risen])


# ---- times ----

def bench(group, pattern=""):
    def make(work):
        rows = []
        for r in work.bench(group, pattern):
            wanted = number(r["wanted"]) if float(r["wanted"]) else ""
            paper = number(r["paper"]) if float(r["paper"]) else ""
            rows.append([r["name"], f"{number(r['value'])} {r['unit']}", wanted, paper, r["note"]])
        return table(["", "measured", "wanted", "paper", ""], rows)
    return make


def peer(work):
    """Beside the authors' later code, where it was built by hand: PELT_PEER runs it, PELT_PEER_DATA is the folder of its body."""
    return run(sys.executable, ROOT / "tools" / "compare_peer.py", "--peer", os.environ["PELT_PEER"], "--library", work.pelt.parent / "libpelt.so", os.environ["PELT_PEER_DATA"]).splitlines()


# What the tool is to be, in two threads: group and text of a row of `pelt bench`, what it took when this list was made, what is wanted
SPEED = [("tracking", "13.3k/45), 0.05 rad, 2 threads", "70, worst 277", "25, worst 60"), ("tracking", "16.4k/43), 0.05 rad, 2 threads", "88", "32"),
         ("tracking", "31.7k/21), 0.05 rad, 2 threads", "140, worst 541", "60, worst 120"), ("tracking", "13.3k/45), 0.05 rad, implicit", "3.4 times", "1.5 times"),
         ("tracking", "LeftLowerArm alone", "8 to 10", "3"), ("tracking", "RightUpperLeg alone", "8 to 10", "3"), ("tracking", "Spine alone", "8 to 10", "3"),
         ("projective", "800 vertices, 1 thread", "two threads 1.0 times one", "1.5 times"), ("projective", "800 vertices, 2 threads", "two threads 1.0 times one", "1.5 times"),
         ("projective", "bend, a frame in contact, collisions=all", "107", "30"), ("layered", "walk step, 2 threads", "30", "18"), ("layered", "squat step, 2 threads", "36 to 66", "24"),
         ("layered", "squat shape matching iteration, 2 threads", "1.2", "0.8"), ("layered", "cost per particle", "", "within 20 %"),
         ("projective", "4651 vertices, 2 threads", "2.4", "1.8"), ("contact", "grasp closing", "7.9", "3"), ("contact", "deep start", "100", "15"),
         ("field", "cylinder, 1 thread", "97", "50"), ("field", "gradient, biped, 1 thread", "303", "90"), ("see", "all measures of a frame", "50", "20")]


def timed(*command):
    began = time.perf_counter()
    run(*command)
    return time.perf_counter() - began


def spread(values, unit):
    """The median, and beside it the least and the most where there are several."""
    values = sorted(values)
    middle = f"{number(values[len(values) // 2])} {unit}"
    return middle + (f" ({number(values[0])} to {number(values[-1])})" if len(values) > 1 else "")


def peak_mb(*command):
    """Seconds and MB at most of a command."""
    out = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource,subprocess,sys,time; t=time.perf_counter(); subprocess.run(sys.argv[1:], check=True); "
                          "print(time.perf_counter() - t, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)", *[str(c) for c in command]],
                         check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    return float(out[-2]), float(out[-1])


def human_frames(work, human, *options):
    """Mean and worst frame of the 13k human's squat by layered, ms."""
    out = work.folder / "speed.json"
    run(work.pelt, "bake", human, "-m", "layered", "--clip", "bend", "--report", out, "--no-measure", "-q", *options)
    frames = [f["step_ms"] for f in json.loads(out.read_text())["per_frame"]]
    return sum(frames) / len(frames), max(frames)


def speed(work):
    rows, found = [], work.bench_only([(group, text) for group, text, _, _ in SPEED])
    for group, text, before, wanted in SPEED:
        for r in (r for r in found if r["group"] == group and text in r["name"] and "cold" not in r["name"]):
            low, high = r.get("low") or r["value"], r.get("high") or r["value"]
            runs = f" ({number(low)} to {number(high)})" if int(r.get("runs") or 1) > 1 else ""
            rows.append([f"{group}: {r['name']}", f"{number(r['value'])} {r['unit']}{runs}", before, wanted, r["note"].split(";")[0]])
    human = SHARED / "data" / "makehuman-cc0.glb"
    for quality, before, wanted in (("default", "1100", "300"), ("preview", "", "100")):
        frames = [human_frames(work, human, *(["--set", "quality=preview"] if quality == "preview" else [])) for _ in range(work.runs)]
        rows.append([f"layered: 13k human, squat, a frame of 1/30 s, quality {quality}", spread([mean for mean, _ in frames], "ms"), before, wanted,
                     "worst " + spread([worst for _, worst in frames], "ms")])
    rows.append(["`pelt compare` of the 13k human, six methods, 60 frames", f"{timed(work.pelt, 'compare', human, '-q', '-o', work.folder / 'speed'):.0f} s", "", "90 s", "one run"])
    large = work.character("biped", 34000)
    seconds, mb = peak_mb(work.pelt, "bake", large, "-m", "lbs", "--clip", "walk", "--fps", 299.5, "-q", "-o", work.folder / "speed.glb")
    rows.append(["`.glb` of 600 frames of 34k vertices by `lbs`", f"{seconds:.1f} s, {mb:.0f} MB", "", "10 s, 1 500 MB", "one run"])
    rows.append(["`pelt demo`: what `make demo` does after the build", spread([timed(work.pelt, "demo", "-o", work.folder / f"demo-{k}") for k in range(work.runs)], "s"), "", "45 s", ""])
    rows.append(["this machine", ", ".join(f"{number(r['value'])} {r['unit']}" for r in found if r["group"] == "machine"), "", "", "multiply-add and memory, one thread, of the same run"])
    return table(["two threads", "measured", "before", "wanted", ""], rows)


def layered_steps(work):
    counts = [5, 10, 20, 40]
    rows = []
    for step in ("2.5", "5", "10", "20"):
        found = {r["name"]: r["note"] for r in work.bench("layered-steps", f"^{re.escape(step)} ms")}
        off = {name: float(re.search(r"off by ([\d.e+-]+)", note).group(1)) for name, note in found.items()}
        rows.append([f"step {step} ms"] + [next((f"{100 * v:.2g} %" for name, v in off.items() if name.endswith(f", {c} iterations")), "–") for c in counts])
    return table(["mean distance, share of the size"] + [f"{c} iterations" for c in counts], rows)


# ---- the house ----

def house_of(tree, build):
    text = run(sys.executable, ROOT / "tools" / "house.py", tree, *(["--build", build] if build else []))
    return {line[:48].strip(): line[48:].strip() for line in text.splitlines()}


def house(work):
    """The tree before and now; libpelt.so of now is that beside the command. What the old library was, and how long `make test` took where it
    last ran whole, stays as the page has it."""
    before = work.folder / "before"
    before.mkdir()
    archive = subprocess.run(["git", "archive", BEFORE], check=True, capture_output=True, cwd=ROOT).stdout
    subprocess.run(["tar", "-x", "-C", before], input=archive, check=True)
    then, now = house_of(before, None), house_of(ROOT, work.pelt.parent)
    page = (ROOT / "docs" / "architecture.md").read_text()
    for key, value in re.findall(r"^\| (`make test`[^|]*) \|[^|]*\| (\d+) \|", page, re.M):
        now[key] = value if now.get(key, "not measured") == "not measured" else now[key]
    for key, value in re.findall(r"^\| ([^|]*libpelt\.so[^|]*) \| (\d+) \|", page, re.M):
        then.setdefault(key, value)
    titles = list(dict.fromkeys(list(now) + list(then)))
    plain = [t for t in titles if re.match(r"^[a-z/]+$", t) and t != "lines"]
    rows = [["lines of `src/`", then["lines"], now["lines"]]]
    rows += [[f"of `{t}`", then.get(t, ""), now.get(t, "")] for t in sorted(plain)]
    structs = lambda one: ", ".join(f"`{t.split(' (')[0]}` {v}" for t, v in one.items() if re.match(r"^\w+ \([a-z/]+\)$", t))
    rows.append(["fields of the largest structs", structs(then), structs(now)])
    for key in ("functions over 6 parameters", "the most parameters", "turns back on the way of the data", "sources that no test of their room tries", "sources with a test of their own name", "externals without a prefix",
                "externals that nothing outside their file uses",
                "type names used in more than one room", "libraries that libpelt.so brings (ldd)", "code and tables of libpelt.so, kB", "`make test` in seconds, as it last ran here"):
        both = [next(((t, v) for t, v in one.items() if t.startswith(key)), ("", "")) for one in (then, now)]
        count = lambda pair: pair[1] + (", of" + pair[0].split(", of")[1] if ", of" in pair[0] else "")
        rows.append([key, count(both[0]), count(both[1])])
    return table(["", f"before ({BEFORE})", "now"], rows)


def goldens_moved(work):
    """Every commit that changed tests/golden/goldens.txt: which of them moved, by how much, and what the commit says of it. How far a
    golden moved is told by its probes, as tests/golden/goldens.c tells it: the farthest and the mean of all, shares of the size."""
    path, rows = "tests/golden/goldens.txt", []
    form = re.compile(r"^([a-z]+-[a-z-]+) ([0-9a-f]{16}) (\d+ points \d+ frames), size (\S+)\n((?: .*\n)+)", re.M)

    def at(commit):
        text = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True, text=True, cwd=ROOT).stdout
        return {name: (hash_, of, float(size), [[float(x) for x in line.split()[2:]] for line in probes.splitlines()])
                for name, hash_, of, size, probes in form.findall(text)}

    def amount(was, now):
        if was[1] != now[1] or len(was[3]) != len(now[3]):
            return "another mesh or clip"
        far = [math.dist(p, q) / now[2] for p, q in zip(was[3], now[3])]
        return f"{100 * max(far):.2g} ({100 * sum(far) / len(far):.2g})" if max(far) > 0 else "elsewhere than at its probes"

    for entry in run("git", "log", "--date=short", "--format=%h%x1f%ad%x1f%s%x1f%b%x1e", "--", path).split("\x1e")[:-1]:
        commit, date, subject, body = entry.strip("\n").split("\x1f")
        before, after = at(commit + "^"), at(commit)
        moved = [name for name in after if name in before and before[name][0] != after[name][0]]
        new = [name for name in after if name not in before]
        which = ", ".join(moved) or ("none" if new or len(before) > len(after) else "the probes alone")
        by = "; ".join(f"{name} {amount(before[name], after[name])}" for name in moved)
        sentences = re.split(r"(?<=[.:;])\s+(?=[A-Z])", " ".join(body.split()))
        said = " ".join(s for s in sentences if re.search(r"\bgoldens?\b", s, re.I))
        rows.append([f"{commit}, {date}", which + (f"; new: {', '.join(new)}" if new else ""), by, (subject + (". " + said if said else "")).replace("|", "\\|")])
    return table(["commit", "goldens that moved", "by how much: the farthest probe (the mean of all), % of the size", "what and why, as it says itself"], rows)


def evaluate(work):
    command = ("/usr/bin/python3", "tests/measure/compare_evaluate.py", "--pelt", work.pelt, "--shared", SHARED, "--all", "--markdown")
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=ROOT)
    if done.returncode > 1:  # 1: rows that differ, and say so
        raise RuntimeError(done.stderr)
    return [line for line in done.stdout.splitlines() if line.startswith("|")]


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


def corpus(work):
    """Characters that people made: the strict figures, and what a frame costs; one clip each, its middle six frames."""
    kept = work.folder / "corpus.json"
    subprocess.run(["/usr/bin/python3", "tools/test_corpus.py", "--pelt", str(work.pelt), "--frames", "6", "--clips", "1", "--keep", str(kept)], cwd=ROOT,
                   stdout=subprocess.DEVNULL, check=False)
    found = {}
    for r in json.loads(kept.read_text()):
        found.setdefault(r["name"], {})[r["method"]] = r
    rows = []
    for name, by in found.items():
        cells = []
        for method in ("tracking", "projective", "layered"):
            r = by[method]
            cells.append((f"{r['costs']['ms']:.0f} ms" if r["costs"] else "failed") + (": " + "; ".join(w for _, w in r["wrong"]) if r["wrong"] else ""))
        costs = [r["costs"] for r in by.values() if r["costs"]]
        rows.append([name] + cells + [f"{max(c['prepare_s'] for c in costs):.1f}", f"{max(c['mb'] for c in costs):.0f}"] if costs else [name] + cells + ["", ""])
    good = [f"**{sum(not r[m]['wrong'] for r in found.values())} of {len(found)}**" for m in ("tracking", "projective", "layered")]
    return table(["", "`tracking` (25 ms)", "`projective` (15 ms)", "`layered` (120 ms)", "prepare, s (3)", "MB (300)"], rows + [["nothing missed"] + good + ["", ""]])


def implicit_body(work):
    """`implicit` on the file's own points and on the body beneath them: what a made body is worth to a method without a state."""
    clips = [("KayKitKnight", "Running_A"), ("Q-Cyberpunk", "CharacterArmature|Run"), ("Q-Frog", "FrogArmature|Frog_Attack"),
             ("Q-PlatformerCharacter", "CharacterArmature|Run"), ("Mannequiny", "run_root.001"), ("Q-Trex", "Armature|TRex_Run"), ("VRM-Polydancer", "bend")]
    rows = []
    for name, clip in clips:
        path, frames = SHARED / "data/corpus" / f"{name}.glb", ("--frames", "4:15")
        found = [work.report(path, clip, *how, *frames)["quality"] for how in (("lbs",), ("implicit", "--set", "body=file"), ("implicit",))]
        rows.append([name] + [" / ".join(figure(q) for q in found) for figure in (lambda q: str(q["torn"]), lambda q: str(q["inverted"]),
                    lambda q: str(q["crossings_new"]), lambda q: f"{q['volume_ratio_min']:.2f}", lambda q: f"{q['stretch_max']:.1f}")])
    return table(["`lbs` / `implicit`, `body=file` / `implicit`", "torn edges", "inverted", "new crossings", "least volume", "longest stretch"], rows)


def blender_cost(work):
    text = run("tools/measure-blender.sh", work.pelt.parent)
    return [line for line in text.splitlines() if line.startswith("|")]


def studio_times(work):
    text = run("tools/measure-studio.sh", work.pelt)
    return [line for line in text.splitlines() if line.startswith("|")]


def studio_memory(work):
    text = run("tools/measure-studio.sh", work.pelt, "--posing", "10")
    return [line for line in text.splitlines() if line.startswith("|")]


BUDGETS = (("weights", 0, 0), ("and helpers", -1, 0), ("and 16", -1, 16), ("and 64", -1, 64))


def distil_budgets(work):
    """What a budget gives: every built-in character and two real ones by tracking, one of them by dqs too; a plot of it in docs/figures."""
    subjects = [(f"{name}, tracking", "tracking", work.character(name, 1500), 120) for name in ("cylinder", "arm", "hand", "biped", "beast")] + [
                ("frog (real), tracking", "tracking", SHARED / "data/corpus/Q-Frog.glb", 60),
                ("arm (real), tracking", "tracking", SHARED / "data/arm.glb", 120), ("arm (real), dqs", "dqs", SHARED / "data/arm.glb", 120)]
    lines = ["| character | original weights | " + " | ".join(f"{name}{' correctives' if name[-1].isdigit() else ''}" for name, _, _ in BUDGETS) + " |",
             "|---|---|" + "---|" * len(BUDGETS)]
    curves = []
    for subject, method, path, poses in subjects:
        cells, curve = [], []
        for name, helpers, correctives in BUDGETS:
            out = work.folder / "distil.json"
            print(f"  {subject} {name}", file=sys.stderr)
            run(work.pelt, "distil", path, "-m", method, "--poses", poses, "--held-out", poses // 4, "--no-clips", "--samples", work.folder / f"{subject}.samples", "--helpers", helpers,
                "--correctives", correctives, "--report", out, "-q")
            report = json.loads(out.read_text())
            held = report["errors"][0]
            if not cells:
                cells.append("{:.3f} / {:.2f}".format(100 * held["original"]["rms_share"], 100 * held["original"]["p99_share"]))
                curve.append(100 * held["original"]["rms_share"])
            cells.append("{:.3f} / {:.2f}, {} kB".format(100 * held["distilled"]["rms_share"], 100 * held["distilled"]["p99_share"], round(report["bytes"] / 1000)))
            curve.append(100 * held["distilled"]["rms_share"])
        lines.append(f"| {subject}, {report['points']} points, {report['joints']} joints, {poses} poses | " + " | ".join(cells) + " |")
        curves.append((subject, curve))
    (ROOT / "docs/figures/distil-budgets.svg").write_text(budget_plot(curves))
    return lines


def distil_ways(work):
    """How far a method is from itself: the same poses of a clip, reached by other steps. No rule of a pose alone comes nearer."""
    path, every = work.character("biped", 2951), 15
    frames = {}
    for fps in (15, 30, 60, 120):
        out = work.folder / "ways.pc2"
        run(work.pelt, "bake", path, "-m", "tracking", "--clip", "bend", "--fps", fps, "-o", out, "-q")
        data = out.read_bytes()
        points, count = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
        rows = array.array("f", data[32:])
        frames[fps] = [rows[3 * points * i:3 * points * (i + 1)] for i in range(0, count, fps // every)]
    rows = []
    for fps in (15, 30, 60):
        off = sorted(math.dist(a[i:i + 3], b[i:i + 3]) for a, b in zip(frames[fps], frames[120]) for i in range(0, len(a), 3))
        rms = math.sqrt(sum(d * d for d in off) / len(off))
        rows.append([f"{fps} frames a second", f"{1000 * rms:.1f}", f"{1000 * off[len(off) * 99 // 100]:.0f}", f"{1000 * off[-1]:.0f}"])
    return table(["`bend` by tracking, against 120 a second, mm", "RMS", "p99", "largest"], rows)


def budget_plot(curves):
    """Root mean square, % of the size, by the original weights and over budgets, on a scale of powers: a line a character, its name at its end."""
    wide, high, left, right, top, low = 760, 420, 60, 190, 20, 50
    all_of = [v for _, c in curves for v in c]
    least, most = math.floor(math.log2(min(all_of))), math.ceil(math.log2(max(all_of)))
    across = lambda i: left + i * (wide - left - right) / len(BUDGETS)
    up = lambda v: top + (high - top - low) * (most - math.log2(v)) / (most - least)
    colours = ("#4269d0", "#b8860b", "#e0533d", "#2a9d8f", "#3ca951", "#a463f2", "#111111", "#9c6b4e")
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">',
           f'<rect width="{wide}" height="{high}" fill="white"/>']
    for k in range(least, most + 1):
        out.append(f'<path d="M{left} {up(2.0 ** k):.1f}H{wide - right}" stroke="#ddd"/><text x="{left - 8}" y="{up(2.0 ** k) + 4:.1f}" text-anchor="end">{2.0 ** k:.3g}</text>')
    for i, name in enumerate(["original weights"] + [name for name, _, _ in BUDGETS]):
        out.append(f'<text x="{across(i):.1f}" y="{high - 28}" text-anchor="{"middle" if i else "start"}">{name}</text>')
    out.append(f'<text x="{left}" y="{high - 8}">held-out RMS, % of the size, by budget (numbers: correctives); each line of the grid is half of the one above</text>')
    below = -math.inf  # names keep 15 from each other
    for n, (subject, curve) in sorted(enumerate(curves), key=lambda c: -c[1][1][-1]):
        path = "L".join(f"{across(i):.1f} {up(v):.1f}" for i, v in enumerate(curve))
        below = max(up(curve[-1]) + 4, below + 15)
        out.append(f'<path d="M{path}" fill="none" stroke="{colours[n % 8]}" stroke-width="2"/><path d="M{wide - right} {up(curve[-1]):.1f}L{wide - right + 14} {below - 4:.1f}" stroke="{colours[n % 8]}"/>')
        out.append(f'<text x="{wide - right + 18}" y="{below:.1f}" fill="{colours[n % 8]}">{subject}</text>')
    return "\n".join(out + ["</svg>", ""])


class Table:
    def __init__(self, page, make, goldens=(), rooms=(), names=(), shared=False, program=None, variables=()):
        self.variables, self.names = variables, names  # names: folders of which it counts what files there are
        self.page, self.make, self.goldens, self.rooms, self.shared, self.program = ROOT / "docs" / page, make, goldens, rooms, shared, program

    def absent(self):
        """What the table needs and this machine does not have."""
        if self.shared and not (SHARED / "data").is_dir():
            return "../shared"
        unset = [v for v in self.variables if not os.environ.get(v)]
        if unset:
            return " and ".join(unset)
        return self.program if self.program and not shutil.which(self.program) else None

    def golden_lines(self, tree):
        """Of the goldens that it speaks of. Those of dressed characters, of three words, are of none: no table has such a character."""
        lines = (tree / "tests/golden/goldens.txt").read_text().splitlines()
        names = [(line, re.match(r"([a-z]+)-([a-z]+) [0-9a-f]{16} ", line)) for line in lines]
        return [line for line, m in names if m and (m.group(1) in self.goldens or m.group(2) in self.goldens)]

    def key(self, tree=ROOT):
        """A hash of what the table depends on."""
        digest = hashlib.sha256("".join(self.golden_lines(tree)).encode())
        for room in self.rooms:
            for path in sorted((tree / room).rglob("*")) if (tree / room).is_dir() else [tree / room]:
                if path.suffix in (".c", ".h", ".def"):  # what is compiled: a comment or a line that is broken elsewhere makes no table old
                    digest.update(" ".join(without_comments(path.read_text()).split()).encode())
                elif path.suffix in (".py", ".txt", ".ts", ".mjs"):
                    digest.update(path.read_bytes())
        for folder in self.names:
            digest.update("\n".join(names_below(tree, folder)).encode())
        return digest.hexdigest()[:12]


def names_below(tree, folder):
    return sorted(p.relative_to(tree).as_posix() for p in (tree / folder).rglob("*") if p.suffix in (".c", ".h", ".sh"))


# rooms that change what is shown of characters no golden has: bodies made for them, joints that give way, the last word
SHOWN = ("src/body", "src/contact", "src/touch")
TABLES = {
    "tracking-builtin": Table("tracking.md", builtin_bends, goldens=("lbs", "dqs", "implicit", "tracking")),
    "tracking-real": Table("tracking.md", real_bends("tracking", WANTED_TRACKING), goldens=("tracking",), rooms=SHOWN + ("src/methods/tracking", "src/field"), shared=True),
    "tracking-times": Table("tracking.md", bench("tracking"), rooms=("src/methods/tracking", "src/field")),
    "layered-real": Table("layered.md", real_bends("layered", WANTED_LAYERED), goldens=("layered",), rooms=SHOWN + ("src/methods/layered",), shared=True),
    "layered-omega": Table("layered.md", bench("layered", "omega"), rooms=("src/methods/layered/match.c", "src/methods/layered/paths.c")),
    "layered-steps": Table("layered.md", layered_steps, goldens=("layered",)),
    "layered-times": Table("layered.md", bench("layered", "thread|volume loop|per particle"), rooms=("src/methods/layered",)),
    "projective-real": Table("projective.md", real_bends("projective", WANTED_PROJECTIVE), goldens=("projective",), rooms=SHOWN + ("src/methods/projective",), shared=True),
    "projective-times": Table("projective.md", bench("projective"), rooms=("src/methods/projective",)),
    "projective-peer": Table("projective.md", peer, rooms=("tools/compare_peer.py",), variables=("PELT_PEER", "PELT_PEER_DATA")),
    "contact-grasp": Table("contact.md", grasp, goldens=("contact",)),
    "contact-times": Table("contact.md", bench("contact"), rooms=("src/contact",)),
    "measures-evaluate": Table("measures.md", evaluate, goldens=("lbs", "dqs"), rooms=("src/measure",), shared=True),
    "touching-many": Table("touching.md", touch_many, rooms=SHOWN + ("src/bake", "src/methods")),
    "touching-all": Table("touching.md", touch_all, rooms=SHOWN + ("src/bake", "src/methods"), shared=True),
    "characters-corpus": Table("characters.md", corpus, goldens=("lbs", "tracking", "projective", "layered"), rooms=SHOWN + ("tools/test_corpus.py",), shared=True),
    "body-implicit": Table("body.md", implicit_body, goldens=("lbs", "implicit"), rooms=SHOWN + ("src/methods/implicit", "src/field"), shared=True),
    "blender-cost": Table("blender.md", blender_cost, rooms=("blender/pelt_skin", "python/pelt", "tests/blender/cost.py"), program="blender"),
    "speed": Table("bench.md", speed, rooms=("src/methods", "src/field", "src/contact", "src/touch", "src/measure", "src/bench"), shared=True),
    "distil-budgets": Table("distil.md", distil_budgets, rooms=("src/distil", "src/methods/tracking", "src/methods/dqs", "src/field"), shared=True),
    "studio-times": Table("studio.md", studio_times, rooms=("studio/src/boot.ts", "studio/src/link.ts", "studio/src/sketch.ts", "studio/src/skin.ts", "studio/src/view.ts", "studio/src/wire.ts",
                                                            "src/studio/solver.c", "src/studio/server.c", "tests/web/studio_times.mjs"), program="chromium"),
    "studio-memory": Table("studio.md", studio_memory, rooms=("studio/src/history.ts", "studio/src/link.ts", "studio/src/skin.ts", "src/studio/prepare.c", "src/studio/session.c",
                                                             "src/studio/solver.c"), program="chromium"),
    "distil-ways": Table("distil.md", distil_ways, goldens=("tracking",), rooms=("src/touch",)),
    "goldens-moved": Table("goldens.md", goldens_moved, rooms=("tests/golden/goldens.txt",)),
    "house": Table("architecture.md", house, rooms=("tools/house.py", "src", "include", "cli", "import"), names=("src", "tests")),
}
MARK = r"<!-- measured {name}(?:, needs \.\./shared)?, commit (?P<commit>[^,]*), machine (?P<machine>.*), of (?P<key>\w+) -->\n(?P<body>.*?)<!-- end of {name} -->"


def find(name):
    return re.search(MARK.format(name=re.escape(name)), TABLES[name].page.read_text(), re.S)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    models = re.findall(r"^model name\s*:\s*(.*)$", text, re.M)
    return f"{models[0].strip() if models else 'unknown processor'} with {len(models)} threads"


def commit():
    return run("git", "describe", "--always", "--dirty", "--exclude", "*").strip()


def write(name, lines, made_at):
    one = TABLES[name]
    found = find(name)
    if not found:
        sys.exit(f"{one.page.relative_to(ROOT)}: no marker for the table {name}")
    needs = ", needs ../shared" if one.shared else ""
    head = f"<!-- measured {name}{needs}, commit {made_at}, machine {machine()}, of {one.key()} -->\n"
    text = one.page.read_text()
    one.page.write_text(text[:found.start()] + head + "\n" + "\n".join(lines) + f"\n\n*Measured at commit {made_at} on {machine()}.*\n\n<!-- end of {name} -->" + text[found.end():])


def state(name):
    """Empty where the table is current, else what is wrong."""
    one, found = TABLES[name], find(name)
    if not found:
        return "no marker"
    if found["key"] != one.key():
        return "older than " + ", ".join(one.goldens + one.rooms) + ("" if found["commit"] != "?" else " (never made by `make measured`)")
    return lost(found["commit"])


def lost(stamp):
    """Empty where the sources that a table was made of can be had again, else why not."""
    if stamp.endswith("-dirty"):
        return f"made of sources that no commit has ({stamp})"
    git = lambda *asked: subprocess.run(["git", *asked], capture_output=True, text=True, cwd=ROOT)
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return ""  # no history here: nobody can tell
    return "" if git("cat-file", "-e", stamp + "^{commit}").returncode == 0 else f"made at a commit that git does not know ({stamp})"


class Compiled:
    """Sources of two trees as assembly: this one and another, by the compile commands of this one's build folder."""

    def __init__(self, other, build):
        self.other, self.build, self.known = other, build, {}
        commands = json.loads((build / "compile_commands.json").read_text())
        self.commands = {pathlib.Path(c["file"]).relative_to(ROOT).as_posix(): c["command"] for c in reversed(commands) if pathlib.Path(c["file"]).is_relative_to(ROOT)}
        for link in (p for p in (build / "rooms").rglob("*") if p.is_symlink()):  # the rooms' include paths, into the other tree
            there = other / "rooms" / link.relative_to(build / "rooms")
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(str(link.readlink()).replace(str(ROOT), str(other), 1))

    def text(self, tree, name):
        return (tree / name).read_text() if (tree / name).is_file() else None

    def plain(self, tree, name):
        """What is compiled of a text, as Table.key has it."""
        text = self.text(tree, name)
        return text and "\n".join(" ".join(line.split()) for line in without_comments(text).splitlines() if line.strip())

    def touched(self, name, seen):
        """Whether a source, or anything of the project that it includes, differs in more than comments and layout."""
        if name in seen:
            return False
        seen.add(name)
        here, there = self.plain(ROOT, name), self.plain(self.other, name)
        below = [base + n for n in re.findall(r'#include [<"]([^">]+)[">]', here or "") for base in ("src/", "include/") if (ROOT / base / n).is_file()]
        return here != there or any(self.touched(n, seen) for n in below)

    def assembly(self, name, tree):
        command = self.commands[name].replace("-Werror", "")
        if tree != ROOT:
            command = command.replace(str(self.build / "rooms"), str(tree / "rooms")).replace(f"{ROOT}/src", f"{tree}/src").replace(f"{ROOT}/include", f"{tree}/include")
        command = re.sub(r" -o \S+ -c ", " -g0 -S -o - ", command)
        made = subprocess.run(command, shell=True, check=True, capture_output=True, text=True, cwd=self.build).stdout
        return re.sub(r"^\s*\.(?:file|ident).*\n", "", made.replace(str(tree), ""), flags=re.M)

    def same(self, name):
        if name not in self.known:
            self.known[name] = not self.touched(name, set()) or (name in self.commands and self.text(self.other, name) is not None and
                                                                 self.assembly(name, ROOT) == self.assembly(name, self.other))
        return self.known[name]


def files_of(tree, room, endings):
    paths = (tree / room).rglob("*") if (tree / room).is_dir() else [tree / room]
    return {p.relative_to(tree).as_posix() for p in paths if p.suffix in endings}


def changed(one, compiled):
    """What a table depends on that is not as in the other tree, its assembly if it is C."""
    for room in one.rooms:
        sources = [files_of(tree, room, (".c",)) for tree in (ROOT, compiled.other)]
        others = [files_of(tree, room, (".py", ".txt", ".ts", ".mjs")) for tree in (ROOT, compiled.other)]
        yield from sorted((sources[0] ^ sources[1]) | (others[0] ^ others[1]))
        yield from (n for n in sorted(others[0] & others[1]) if compiled.text(ROOT, n) != compiled.text(compiled.other, n))
        yield from (n for n in sorted(sources[0] & sources[1]) if not compiled.same(n))


def keep(names, since, build):
    """Tables that were current at a commit and whose code is the same still: their key becomes that of today."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", since], check=True, capture_output=True, cwd=ROOT).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        other = pathlib.Path(folder).resolve()
        compiled = Compiled(other, build)
        for name in names:
            one, found = TABLES[name], find(name)
            if not found or found["key"] == one.key():
                continue
            why = "it was old then already" if found["key"] != one.key(other) else \
                  "it counts sources" if one.names else \
                  "goldens moved" if one.golden_lines(ROOT) != one.golden_lines(other) else ", ".join(list(changed(one, compiled))[:4])
            if not why:
                text = one.page.read_text()
                head = found.group().split("\n", 1)[0]
                one.page.write_text(text.replace(head, head.replace(f", of {found['key']} ", f", of {one.key()} "), 1))
            print(f"{name}: {'not kept: ' + why if why else 'kept: compiles to the same code as at ' + since}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--pelt", default="build/pelt")
    parser.add_argument("--results")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--kept-since", metavar="COMMIT")
    options = parser.parse_args()
    unknown = [t for t in options.tables if t not in TABLES]
    if unknown:
        sys.exit(f"no table {', '.join(unknown)}: {', '.join(TABLES)}")
    names = options.tables or list(TABLES)
    if options.list or options.check:
        wrong = 0
        for name in names:
            problem, lacks = state(name), TABLES[name].absent()
            wrong += bool(problem) and not lacks
            if options.list or problem:
                print(f"{TABLES[name].page.relative_to(ROOT)}: {name}{' (needs ../shared)' if TABLES[name].shared else ''}: {problem or 'current'}"
                      + (f"; kept, {lacks} is not here" if problem and lacks else ""))
        if options.check and wrong:
            print("tools/measured.py TABLE... makes them anew, `make measured` all")
        sys.exit(1 if options.check and wrong else 0)
    if options.kept_since:
        return keep(names, options.kept_since, (ROOT / options.pelt).resolve().parent)
    made_at = commit()
    with tempfile.TemporaryDirectory() as folder:
        work = Work((ROOT / options.pelt).resolve(), options, folder)
        for name in names:
            if TABLES[name].absent():
                print(f"{name}: kept, {TABLES[name].absent()} is not here")
                continue
            print(name, file=sys.stderr)
            write(name, TABLES[name].make(work), made_at)


if __name__ == "__main__":
    main()
