#!/usr/bin/env python3
"""Characters that people made (a folder with a manifest.tsv: name, file), every clip by each method, judged by strict figures
against lbs: nothing non-finite, longest stretch <= max(3, 1.3 lbs), inverted triangles <= lbs, deep pairs that rest and touch do not
explain <= a third of lbs's, closed components within 5 % of their volume by lbs or better, no point farther than 10 % of the size
from lbs, rigid pieces rigid to 1e-4. Prints a line a bake that fails with its reasons, then a table. The files are not part of this
project: without the folder it says so and ends with exit code 0. A second table has the times (of all frames but the first, which is
led in from rest) and the memory: on a quiet machine alone they mean something. Exit code 1: a bake failed, or fewer are good than --at-least asks.
  tools/test_corpus.py --frames 6 --clips 2 --jobs 2 --only Q-Frog,Q-Bee
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FPS = 30


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pelt", default=os.environ.get("PELT", "build/pelt"), help="the command (default: $PELT or build/pelt)")
    p.add_argument("--folder", default=os.path.join(HERE, "..", "..", "shared", "data", "corpus"), help="with the manifest.tsv")
    p.add_argument("--methods", default="tracking,projective,layered", help="default: tracking,projective,layered")
    p.add_argument("--only", default=None, metavar="NAMES", help="only these characters, with commas between")
    p.add_argument("--clips", type=int, default=0, metavar="N", help="at most N clips a character, evenly from all (default: all)")
    p.add_argument("--frames", type=int, default=0, metavar="N", help="at most N frames a clip, from its middle (default: all)")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="passed to every bake")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="bakes at a time (default 1), each with two threads")
    p.add_argument("--limit", type=int, default=600, metavar="S", help="seconds a bake may take (default 600)")
    p.add_argument("--at-least", type=float, default=0, metavar="P", help="per cent of the bakes that must be good (default 0)")
    p.add_argument("--keep", default=None, metavar="FILE", help="write all figures there, as JSON")
    return p.parse_args()


def read_manifest(folder, only):
    with open(os.path.join(folder, "manifest.tsv"), encoding="utf-8") as f:
        rows = [line.split("\t")[:2] for line in f.read().splitlines()[1:] if line]
    wanted = only.split(",") if only else None
    return [(name, os.path.join(folder, path)) for name, path in rows if not wanted or name in wanted]


def list_clips(a, path):
    """(index, name, frames) of the clips that are played; a file without any moves through its joints' range."""
    p = subprocess.run([a.pelt, "inspect", path, "--json"], capture_output=True, text=True, check=False)
    if p.returncode:
        raise RuntimeError("inspect: exit code %d: %s" % (p.returncode, p.stderr.strip()[-120:]))
    clips = [(str(i), c["name"], round(c["seconds"] * FPS) + 1) for i, c in enumerate(json.loads(p.stdout)["clips"])]
    clips = [c for c in clips if c[2] > 3] or [("range", "range", 61)]
    if a.clips and len(clips) > a.clips:
        clips = [clips[i * len(clips) // a.clips] for i in range(a.clips)]
    return clips


def bake(a, folder, job):
    """The figures of one bake, or why there are none."""
    name, path, (clip, _, frames), method = job
    report = os.path.join(folder, "%s-%s-%s.json" % (name, clip, method))
    command = [a.pelt, "bake", path, "-m", method, "--clip", clip, "--threads", "2", "--quiet", "-o", report[:-4] + "pc2",
               "--report", report]
    if a.frames and frames > a.frames:
        first = (frames - a.frames) // 2
        command += ["--frames", "%d:%d" % (first, first + a.frames - 1)]
    for setting in a.set:
        command += ["--set", setting]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=a.limit, check=False)
    except subprocess.TimeoutExpired:
        return None, "took over %d s" % a.limit
    if p.returncode:
        return None, "exit code %d: %s" % (p.returncode, p.stderr.strip()[-160:].replace("\n", " "))
    with open(report, encoding="utf-8") as f:
        figures = json.load(f)
    os.remove(report)
    os.remove(report[:-4] + "pc2")
    return figures, None


def judge(report):
    """What a bake misses: (cause, words)."""
    q, lbs = report["quality"], report["quality"]["lbs"]
    wrong = []
    if q["nonfinite"]:
        wrong.append(("not finite", "%d coordinates are no numbers" % q["nonfinite"]))
    if q["stretch_max"] > max(3, 1.3 * lbs["stretch_max"]):
        wrong.append(("stretch", "stretched to %.1f (lbs %.1f)" % (q["stretch_max"], lbs["stretch_max"])))
    if q["inverted"] > lbs["inverted"]:
        wrong.append(("inverted", "%d inverted (lbs %d)" % (q["inverted"], lbs["inverted"])))
    if q["crossings_new"] > lbs["crossings_new"] / 3:
        wrong.append(("deep pairs", "%d deep pairs (lbs %d)" % (q["crossings_new"], lbs["crossings_new"])))
    if (q["component_volume_vs_lbs"] or 0) > 0.05:
        wrong.append(("volume", "a volume %.1f %% worse than by lbs" % (100 * q["component_volume_vs_lbs"])))
    if q["flown"] > 0.1:
        wrong.append(("far from lbs", "%.1f %% of the size from lbs" % (100 * q["flown"])))
    if (q["rigid_error"] or 0) > 1e-4:
        wrong.append(("rigid piece bends", "a rigid piece bends by %.1e" % q["rigid_error"]))
    return wrong


def print_table(rows, methods):
    print("%-12s %6s %6s  %s" % ("method", "good", "of", "what the others miss"))
    for method in methods:
        mine = [r for r in rows if r["method"] == method]
        causes = collections.Counter(cause for r in mine for cause, _ in r["wrong"])
        print("%-12s %6d %6d  %s" % (method, sum(not r["wrong"] for r in mine), len(mine),
                                     ", ".join("%s %d" % c for c in causes.most_common())))


def find_costs(report):
    """Milliseconds a frame, seconds to prepare, MB."""
    frames = [f["step_ms"] for f in report["per_frame"]]
    later = frames[1:] or frames
    return {"ms": sum(later) / len(later), "prepare_s": report["prepare_ms"] / 1000, "mb": report["peak_mb"]}


def print_costs(rows, methods):
    print("%-12s %14s %14s %14s  %s" % ("method", "ms a frame", "s to prepare", "MB", "worst of all bakes, in brackets whose"))
    for method in methods:
        mine = [r for r in rows if r["method"] == method and r["costs"]]
        worst = [max(mine, key=lambda r: r["costs"][key]) for key in ("ms", "prepare_s", "mb")] if mine else []
        if worst:
            print("%-12s %14.1f %14.2f %14.0f  (%s)" % (method, worst[0]["costs"]["ms"], worst[1]["costs"]["prepare_s"], worst[2]["costs"]["mb"],
                                                       ", ".join(w["name"] for w in worst)))


def main():
    a = arguments()
    if not os.path.exists(os.path.join(a.folder, "manifest.tsv")):
        print("skipped: no manifest.tsv in %s; the characters are not part of this project" % a.folder)
        return 0
    rows, failed, jobs, methods = [], 0, [], a.methods.split(",")
    for name, path in read_manifest(a.folder, a.only):
        try:
            jobs += [(name, path, clip, method) for clip in list_clips(a, path) for method in methods]
        except RuntimeError as e:
            print("%s: %s" % (name, e))
            failed += 1
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for job, (report, why) in zip(jobs, pool.map(lambda job: bake(a, folder, job), jobs)):
            wrong = [("failed", why)] if why else judge(report)
            failed += why is not None
            rows.append({"name": job[0], "clip": job[2][1], "method": job[3], "wrong": wrong,
                         "costs": find_costs(report) if report else None})
            if wrong:
                print("%-22s %-14s %-10s %s" % (job[0], job[2][1][:14], job[3], "; ".join(words for _, words in wrong)), flush=True)
    print_table(rows, methods)
    print_costs(rows, methods)
    if a.keep:
        with open(a.keep, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
    good = sum(not r["wrong"] for r in rows)
    return 1 if failed or (rows and 100 * good < a.at_least * len(rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
