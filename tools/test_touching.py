#!/usr/bin/env python3
"""What issue "touching skin" promises, tried: no crossing pairs, touching ones included, in any frame of any clip; no edge beyond three
times its rest length; no more triangles inside out than lbs; jitter against lbs at most .01 of the size.
Sets: `real` (characters of ../shared/data whose rest pose crosses nothing, every clip), `built-in` (cylinder, arm, hand, biped, beast
at three sizes, every clip), `random` (--seeds single skins, a random clip each). Prints a line for every row that is short (all with
--all) and the sums; exit code 1 where anything crosses on a skin that crosses nothing at rest, or is no number.
Judged by the report of `pelt bake`; with --evaluate by ../shared/tools/evaluate.py, which sees the same pairs.
  tools/test_touching.py --sets random --seeds 50 --jobs 2
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHARED = os.path.join(ROOT, "..", "shared")
REAL = {"arm": ["bend", "bend_wrist", "twist"], "hand": ["bend", "hand_pose"], "cylinder2": ["bend", "twist"],
        "makehuman-cc0": ["bend", "benchmark"], "RiggedFigure": ["0"], "RiggedSimple": ["0"]}
BUILT_IN = {"cylinder": ["bend", "twist"], "arm": ["bend", "twist"], "hand": ["bend", "fist"],
            "biped": ["bend", "walk", "touches"], "beast": ["bend", "walk"]}
SIZES = [800, 1800, 4000]
KINDS = ["biped", "beast", "arm", "biped", "hand", "beast", "biped", "cylinder"]  # as tools/test_many.py
BARS = [("crossing", 0), ("nonfinite", 0), ("stretch", 3.0), ("jitter", 0.01)]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--pelt", default=os.environ.get("PELT", os.path.join(ROOT, "build/pelt")))
    p.add_argument("--sets", default="real,built-in,random")
    p.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this in it")
    p.add_argument("--methods", default="tracking,projective,layered")
    p.add_argument("--seeds", type=int, default=50, metavar="N", help="how many random ones (default 50)")
    p.add_argument("--first", type=int, default=201, metavar="S", help="their first seed (default 201)")
    p.add_argument("--vertices", type=int, default=1200, metavar="N", help="of random ones (default 1200)")
    p.add_argument("--fps", type=float, default=30, help="frames a second (default 30); random ones play at 10, where jitter is not judged")
    p.add_argument("--frames", default=None, metavar="A:B", help="only these frames (default: all; random ones 0:25)")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="bakes at a time, one thread each (default 1)")
    p.add_argument("--limit", type=int, default=900, metavar="S", help="seconds by the clock that a bake may take (default 900)")
    p.add_argument("--evaluate", action="store_true", help="judge by ../shared/tools/evaluate.py")
    p.add_argument("--all", action="store_true", help="print rows that are not short too")
    p.add_argument("--keep", default=None, metavar="DIR", help="keep characters and reports there")
    return p.parse_args()


def make(a, folder, name, *more):
    path = os.path.join(folder, name + ".glb")
    if not os.path.exists(path):
        subprocess.run([a.pelt, "make", *more, "-q", "--threads", "1", "-o", path], check=True)
    return path


def rows(a, folder):
    """(name, file or how to make it, clip, what else a bake is told)"""
    sets = a.sets.split(",")
    frames = ["--frames", a.frames] if a.frames else []
    for name, clips in REAL.items() if "real" in sets else ():
        for clip in clips:
            yield f"{name} {clip}", os.path.join(SHARED, "data", name + ".glb"), clip, ["--fps", str(a.fps), *frames]
    for name, clips in BUILT_IN.items() if "built-in" in sets else ():
        for size in SIZES:
            for clip in clips:
                made = ["--clip", "touches"] if clip == "touches" else []
                told = ["--vertices", str(size), *made]
                yield f"{name} of {size} {clip}", (f"{name}-{size}{'-touches' if made else ''}", name, *told), clip, ["--fps", str(a.fps), *frames]
    for i in range(a.seeds if "random" in sets else 0):
        kind, seed = KINDS[i % len(KINDS)], a.first + i
        told = ["--seed", str(seed), "--dress", "none", "--vertices", str(a.vertices), "--clip", "random"]
        yield f"{kind} seed {seed}", (f"{kind}-seed-{seed}", kind, *told), "0", ["--fps", "10", "--frames", a.frames or "0:25"]


def judge(a, path, clip, cache, report):
    """crossing, nonfinite, inverted and lbs' own, stretch, jitter: worst over the frames"""
    quality, fps = report["quality"], report["fps"]
    lbs, rest = quality["lbs"]["inverted"] or 0, quality["rest_self_intersections"]
    if not a.evaluate:
        return {"crossing": quality["self_intersections_new"], "nonfinite": quality["nonfinite"], "inverted": quality["inverted"],
                "lbs": lbs, "rest": rest, "stretch": quality["stretch_max"], "jitter": (quality["jitter"] or 0) if fps >= 30 else 0}
    told = ["--clip", clip, "--fps", str(fps)] if clip != "0" else ["--fps", str(fps)]
    found = subprocess.run(["/usr/bin/python3", os.path.join(SHARED, "tools/evaluate.py"), path, cache, "--brief", *told],
                           check=True, capture_output=True, text=True)
    s = json.loads(found.stdout)["summary"]
    return {"crossing": s["max_self_intersections_new"], "nonfinite": s["nonfinite"], "inverted": s["max_flipped_both"], "lbs": lbs, "rest": rest,
            "stretch": s["stretch_max"], "jitter": (s.get("jitter_vs_lbs_max") or 0) if fps >= 30 else 0}


def play(a, folder, name, source, clip, told, method):
    path = source if isinstance(source, str) else make(a, folder, *source)
    base = os.path.join(folder, f"{name} {method}".replace(" ", "-"))
    command = [a.pelt, "bake", path, "-m", method, "--clip", clip, "--threads", "1", "-q", *told,
               "-o", base + ".pc2", "--report", base + ".json"]
    row = {"name": name, "method": method}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=a.limit)
    except subprocess.TimeoutExpired:
        return {**row, "failed": f"took over {a.limit} s"}
    if done.returncode:
        return {**row, "failed": done.stderr.strip()[-200:]}
    with open(base + ".json", encoding="utf-8") as f:
        report = json.load(f)
    stats = report["method_stats"]
    row.update(judge(a, path, clip, base + ".pc2", report))
    row.update({k: stats.get("touch_" + k) for k in ("lag", "behind_frames", "frozen", "spent", "led_anew", "ms")})
    if not a.keep:
        os.remove(base + ".pc2")
    return row


def shortfalls(row):
    if "failed" in row:
        return [row["failed"]]
    short = [f"{key} {row[key]:.4g}" for key, bar in BARS if row[key] > bar]
    if row["inverted"] > row["lbs"]:
        short.append(f"inverted {row['inverted']} (lbs {row['lbs']})")
    if row["rest"]:
        short.append(f"{row['rest']} pairs cross at rest")
    return short + ([] if row["lag"] is not None else ["touching was off"])


def show(a, row):
    short = shortfalls(row)
    if not short and not a.all:
        return
    print(f"{row['name']:26s} {row['method']:10s} {'; '.join(short) or 'fine'}", end="")
    if row.get("lag") is not None:
        print(f"   [lag {row['lag']:.3f}, behind {row['behind_frames']:.0f}, spent {row['spent']:.0f}, frozen {row['frozen']:.0f}, "
              f"led anew {row['led_anew'] or 0:.0f}, {row['ms']:.1f} ms]", end="")
    print(flush=True)


def main():
    a = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or scratch
        os.makedirs(folder, exist_ok=True)
        wanted = [r for r in rows(a, folder) if a.only in r[0]]
        for r in wanted:
            if not isinstance(r[1], str):
                make(a, folder, *r[1])
        done = []
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for row in pool.map(lambda job: play(a, folder, *job[0], job[1]), [(r, m) for r in wanted for m in a.methods.split(",")]):
                done.append(row)
                show(a, row)
    broken = [r for r in done if "failed" in r or (r["crossing"] and not r["rest"]) or r["nonfinite"]]
    at_rest = sum(r.get("rest", 0) > 0 for r in done)
    counts = ", ".join(f"{key} {sum(key not in r or r[key] > bar for r in done)}" for key, bar in BARS)
    print(f"{len(done)} rows, {at_rest} of skins that cross at rest; short of the bars: {counts}, inverted {sum('failed' in r or r['inverted'] > r['lbs'] for r in done)}")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
