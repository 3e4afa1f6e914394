#!/usr/bin/env python3
"""Random characters (pelt make --seed) played to the limits of their joints (--clip random) by each method and by lbs.
Prints a line a bake, then how many are as good as lbs or better by the verdict of the report (docs/measures.md), the seeds that
are not, and the commonest causes. Exit code 1: a character could not be made or read, lbs is not sound on it, a bake crashed or
gave no numbers, or fewer are good than --at-least asks. Being worse than lbs alone is no failure: --at-least says how many may be.
  tools/test_many.py --seeds 30 --methods tracking,projective --jobs 2 --keep /tmp/many
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

# seeds take these in turn: mostly whole bodies
KINDS = ["biped", "beast", "arm", "biped", "hand", "beast", "biped", "cylinder"]
# words of a verdict -> a cause to count
CAUSES = [("torn", r"edges torn"), ("stretched", r"stretched to"), ("inverted", r"inverted"), ("deep pairs", r"deep pairs"),
          ("volume", r"volume off"), ("far from lbs", r"of the size from lbs"), ("rigid piece bends", r"rigid piece"),
          ("not finite", r"no numbers"), ("too slow", r"took over"), ("failed", r"exit code")]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pelt", default=os.environ.get("PELT", "build/pelt"), help="the command (default: $PELT or build/pelt)")
    p.add_argument("--seeds", type=int, default=30, metavar="N", help="how many (default 30)")
    p.add_argument("--first", type=int, default=1, metavar="S", help="the first seed (default 1)")
    p.add_argument("--methods", default="tracking,projective,layered", help="default: tracking,projective,layered")
    p.add_argument("--each", type=int, default=0, metavar="K", help="each seed plays K of the methods, in turn (default: all)")
    p.add_argument("--kinds", default=",".join(KINDS), help="names that seeds take in turn (default: %(default)s)")
    p.add_argument("--vertices", type=int, default=0, metavar="N", help="of the skin (default: as the seed draws)")
    p.add_argument("--dress", default=None, help="none: single skins alone, which the last word reaches (default: as the seed draws)")
    p.add_argument("--fps", type=float, default=10, help="frames a second (default 10: 41 frames)")
    p.add_argument("--frames", default=None, metavar="A:B", help="only these frames")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="seeds at a time (default 1); each bake has two threads")
    p.add_argument("--limit", type=int, default=120, metavar="S", help="processor seconds a bake may take (default 120)")
    p.add_argument("--keep", default=None, metavar="DIR", help="keep characters, reports and results.json there")
    p.add_argument("--at-least", default=None, metavar="FILE", help="a file with a line `method count` for each; fewer good ones fail")
    return p.parse_args()


def run(command, limit):
    """(exit code, what it said); limits processor time, so that a busy machine changes nothing."""
    def slow_down():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=30 * limit, preexec_fn=slow_down)
        return p.returncode, p.stderr.strip()
    except subprocess.TimeoutExpired:
        return None, ""


def bake(a, folder, seed, path, method):
    """The report, or why there is none."""
    report = os.path.join(folder, "%d-%s.json" % (seed, method))
    command = [a.pelt, "bake", path, "-m", method, "--fps", str(a.fps), "--threads", "2", "--quiet",
               "-o", os.path.join(folder, "%d-%s.pc2" % (seed, method)), "--report", report]
    if a.frames:
        command += ["--frames", a.frames]
    if method == "lbs":
        command += ["--set", "weights=file"]  # what everything is compared with; weights=best may mend them
    code, said = run(command, a.limit)
    if code is None or code in (-9, -24):  # killed for its time
        return None, "took over %d s" % a.limit, False
    if code != 0:
        return None, "exit code %d: %s" % (code, said[-160:].replace("\n", " ")), True
    with open(report, encoding="utf-8") as f:
        return json.load(f), None, False


def check_lbs(report):
    """What no character may show by lbs, whatever the methods do: the random clip starts at rest, and stays finite."""
    q = report["quality"]
    wrong = []
    if q["nonfinite"]:
        wrong.append("lbs gives %d coordinates that are no numbers" % q["nonfinite"])
    first = report["per_frame"][0]
    if first["frame"] == 0 and not 0.999 < first["stretch_max"] < 1.001:
        wrong.append("the clip does not start at rest: stretched to %g" % first["stretch_max"])
    if q["verdict_worse"]:
        wrong.append("lbs is called worse than itself: %s" % q["verdict"])
    return wrong


def touched(report):
    """What the last word (docs/touching.md) had to hold back; nothing where it was not asked."""
    stats, quality = report["method_stats"], report["quality"]  # what crosses at rest is left alone
    if "touch_lag" not in stats:
        return {}
    return {"frames": len(report["per_frame"]), "fps": report["fps"], "behind": stats["touch_behind_frames"],
            "longest": stats["touch_behind_longest"], "frozen": stats["touch_frozen"],
            "lag": stats["touch_lag"], "crossing": 0 if quality["rest_self_intersections"] else quality["self_intersections_new"]}


def play(a, folder, index):
    """One seed: a list of rows, and what is broken whatever the methods are like."""
    seed, kinds, methods = a.first + index, a.kinds.split(","), a.methods.split(",")
    kind = kinds[index % len(kinds)]
    if a.each:
        methods = [methods[(index + k) % len(methods)] for k in range(min(a.each, len(methods)))]
    path = os.path.join(folder, "%d-%s.glb" % (seed, kind))
    command = [a.pelt, "make", kind, "--seed", str(seed), "--clip", "random", "--quiet", "--threads", "2", "-o", path]
    if a.dress:
        command += ["--dress", a.dress]
    if a.vertices:
        command += ["--vertices", str(a.vertices)]
    code, said = run(command, a.limit)
    if code != 0:
        return [], ["seed %d (%s): make: exit code %s: %s" % (seed, kind, code, said[-160:])]
    broken = []
    code, said = run([a.pelt, "inspect", path], a.limit)
    if code != 0:
        broken.append("seed %d (%s): inspect: exit code %s: %s" % (seed, kind, code, said[-160:]))
    rows = []
    for method in ["lbs"] + methods:
        report, why, crashed = bake(a, folder, seed, path, method)
        row = {"seed": seed, "kind": kind, "method": method, "vertices": 0, "ms": 0, "good": False, "verdict": why}
        if report:
            q = report["quality"]
            row.update(vertices=report["mesh"]["vertices"], ms=report["step_ms"]["mean"], good=not q["verdict_worse"],
                       verdict=q["verdict"])
            row.update(touched(report))
            if q["nonfinite"]:
                broken.append("seed %d (%s) %s: %d coordinates are no numbers" % (seed, kind, method, q["nonfinite"]))
        if crashed:
            broken.append("seed %d (%s) %s: %s" % (seed, kind, method, why))
        if method != "lbs":
            rows.append(row)
            print("%4d %-8s %6d vertices  %-10s %8.1f ms  %s" % (seed, kind, row["vertices"], method, row["ms"], row["verdict"]),
                  flush=True)
        elif report:
            broken += ["seed %d (%s): %s" % (seed, kind, w) for w in check_lbs(report)]
        if not a.keep:
            for extension in ("pc2", "json"):
                name = os.path.join(folder, "%d-%s.%s" % (seed, method, extension))
                if os.path.exists(name):
                    os.remove(name)
    return rows, broken


def summarise(rows, methods):
    """Prints the tables; good ones a method."""
    good = collections.Counter()
    print("\n%-10s %s" % ("method", "as good as lbs or better"))
    for method in methods:
        mine = [r for r in rows if r["method"] == method]
        good[method] = sum(r["good"] for r in mine)
        bad = " ".join(str(r["seed"]) for r in mine if not r["good"])
        if mine:
            print("%-10s %d of %d (%.0f %%)%s" % (method, good[method], len(mine), 100 * good[method] / len(mine),
                                                  "; not: seeds " + bad if bad else ""))
    for method in methods:
        causes = collections.defaultdict(list)
        for r in rows:
            if r["method"] == method and not r["good"]:
                for cause, words in CAUSES:
                    if re.search(words, r["verdict"]):
                        causes[cause].append(r["seed"])
        for cause, seeds in sorted(causes.items(), key=lambda c: -len(c[1])):
            print("%-10s %-18s %3d: seeds %s" % (method, cause, len(seeds), " ".join(map(str, seeds))))
    return good


def summarise_touch(rows, methods):
    """How often skin had to stay behind its method's by a hundredth of the size, how far, how long."""
    for method in methods:
        mine = [r for r in rows if r["method"] == method and "lag" in r]
        if mine:
            far, long = max(mine, key=lambda r: r["lag"]), max(mine, key=lambda r: r["longest"] / r["fps"])
            print("%-10s touch: %d clips, %d frames, %d stayed behind in %d clips; largest lag %.3f of the size (seed %d); longest %.2f s (seed %d); "
                  "frozen %d; crossing pairs at most %d, in %d clips" % (
                      method, len(mine), sum(r["frames"] for r in mine), sum(r["behind"] for r in mine), sum(r["behind"] > 0 for r in mine),
                      far["lag"], far["seed"], long["longest"] / long["fps"], long["seed"], sum(r["frozen"] for r in mine),
                      max(r["crossing"] for r in mine), sum(r["crossing"] > 0 for r in mine)))


def at_least(path, good):
    """Methods with fewer good ones than the file asks."""
    missed = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split("#")[0].split()
            if words and good[words[0]] < int(words[1]):
                missed.append("%s: %d are as good as lbs or better, %s asks for %s" % (words[0], good[words[0]], path, words[1]))
    return missed


def main():
    a = arguments()
    rows, broken = [], []
    with tempfile.TemporaryDirectory() as folder:
        if a.keep:
            folder = a.keep
            os.makedirs(folder, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for some, wrong in pool.map(lambda i: play(a, folder, i), range(a.seeds)):
                rows += some
                broken += wrong
        good = summarise(rows, a.methods.split(","))
        summarise_touch(rows, a.methods.split(","))
        if a.keep:
            with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as f:
                json.dump(rows, f, indent=1)
    if a.at_least:
        broken += at_least(a.at_least, good)
    for line in broken:
        print("broken: " + line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
