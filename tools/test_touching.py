#!/usr/bin/env python3
"""What issue "touching skin" promises, tried: no crossing pairs, touching ones included, in any frame of any clip; no edge beyond three
times its rest length; no more triangles inside out than lbs; jitter against lbs at most .01 of the size.
Sets: `real` (characters of ../shared/data, every clip), `built-in` (cylinder, arm, hand, biped, beast at --sizes, every clip), `random`
(--seeds single skins, a random clip each). Clips are those that `pelt inspect` names. All of it takes about half an hour of one core: --sample K bakes K of the rows,
spread evenly. Prints a line for every row that is short (all with --all) and the sums, with --markdown a table by sets; exit code 1 where anything crosses on a skin that crosses nothing at rest, or is no number.
Judged by the report of `pelt bake`; with --evaluate by ../shared/tools/evaluate.py, which sees the same pairs.
  tools/test_touching.py --sets random --seeds 50 --jobs 2
"""
import argparse
import concurrent.futures
import json
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHARED = os.path.join(ROOT, "..", "shared")
REAL = ["arm.glb", "hand.glb", "cylinder2.glb", "makehuman-cc0.glb", "makehuman-cc0-noweights.glb", "RiggedFigure.glb", "RiggedSimple.glb",
        "corpus/Q-Trex.glb", "corpus/CesiumMan-draco/CesiumMan-draco.gltf", "corpus/maya_kenney_character_7700_binary.fbx",
        "corpus/blender_279_sausage_7400_binary.fbx", "corpus/maya_game_sausage_7500_binary_combined.fbx"]  # those whose rest pose crosses nothing
BUILT_IN = ["cylinder", "arm", "hand", "biped", "beast"]
ASKED_FOR = {"biped": ["touches"]}  # clips that are made only where they are asked for
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
    p.add_argument("--sizes", default="4000,1800,800", metavar="N,N", help="vertices of built-in ones (default 4000,1800,800: dear ones first, so that no job ends alone)")
    p.add_argument("--sample", type=int, default=0, metavar="K", help="only K rows (a clip by a method), spread evenly over all")
    p.add_argument("--markdown", action="store_true", help="print a table by sets too")
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
        subprocess.run([a.pelt, "make", *more, "-q", "--threads", "1", "-o", path], check=False)  # one that cannot be made fails as a bake
    return path


def clips(a, path):
    """Names of a file's clips; of two alike or without a name, numbers."""
    done = subprocess.run([a.pelt, "inspect", path, "--json"], check=True, capture_output=True, text=True)
    names = [c["name"] for c in json.loads(done.stdout)["clips"]]
    return [n if n and names.count(n) == 1 else str(i) for i, n in enumerate(names)]


def rows(a, folder):
    """(set, name, file or how to make it, clip, what else a bake is told)"""
    sets = a.sets.split(",")
    told = ["--fps", str(a.fps), *(["--frames", a.frames] if a.frames else [])]
    for name in REAL if "real" in sets else ():
        path = os.path.join(SHARED, "data", name)
        for clip in clips(a, path) if os.path.exists(path) else ():
            yield "real", f"{os.path.splitext(os.path.basename(name))[0]} {clip}", path, clip, told
    for name in BUILT_IN if "built-in" in sets else ():
        known = clips(a, make(a, folder, f"{name}-800", name, "--vertices", "800"))  # the same at every size
        for size in a.sizes.split(","):
            for clip in known + ASKED_FOR.get(name, []):
                alone = ["--clip", clip] if clip not in known else []
                source = (f"{name}-{size}{'-' + clip if alone else ''}", name, "--vertices", size, *alone)
                yield "built-in", f"{name} of {size} {clip}", source, clip, told
    for i in range(a.seeds if "random" in sets else 0):
        kind, seed = KINDS[i % len(KINDS)], a.first + i
        source = (f"{kind}-seed-{seed}", kind, "--seed", str(seed), "--dress", "none", "--vertices", str(a.vertices), "--clip", "random")
        yield "random", f"{kind} seed {seed}", source, "0", ["--fps", "10", "--frames", a.frames or "0:25"]


def sample(jobs, count):
    """`count` of them, evenly: the middle of each of so many stretches."""
    return jobs if not 0 < count < len(jobs) else [jobs[(2 * i + 1) * len(jobs) // (2 * count)] for i in range(count)]


def judge(a, path, clip, cache, report):
    """crossing, nonfinite, inverted and lbs' own, stretch, jitter: worst over the frames"""
    quality, fps = report["quality"], report["fps"]
    lbs, rest = (quality["lbs"]["inverted"] or 0) if "lbs" in quality else float("inf"), quality["rest_self_intersections"]  # a file without weights has no lbs to be no worse than
    if not a.evaluate:
        return {"crossing": quality["self_intersections_new"], "nonfinite": quality["nonfinite"], "inverted": quality["inverted"],
                "lbs": lbs, "rest": rest, "stretch": quality["stretch_max"], "jitter": (quality["jitter"] or 0) if fps >= 30 else 0}
    told = ["--clip", clip, "--fps", str(fps)] if clip != "0" else ["--fps", str(fps)]
    found = subprocess.run(["/usr/bin/python3", os.path.join(SHARED, "tools/evaluate.py"), path, cache, "--brief", *told],
                           check=True, capture_output=True, text=True)
    s = json.loads(found.stdout)["summary"]
    return {"crossing": s["max_self_intersections_new"], "nonfinite": s["nonfinite"], "inverted": s["max_flipped_both"], "lbs": lbs, "rest": rest,
            "stretch": s["stretch_max"], "jitter": (s.get("jitter_vs_lbs_max") or 0) if fps >= 30 else 0}


def play(a, folder, row, method):
    of, name, source, clip, told = row
    path = source if isinstance(source, str) else make(a, folder, *source)
    base = os.path.join(folder, f"{name} {method}".replace(" ", "-"))
    command = [a.pelt, "bake", path, "-m", method, "--clip", clip, "--threads", "1", "-q", *told,
               "-o", base + ".pc2", "--report", base + ".json"]
    row = {"set": of, "name": name, "method": method}
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


def markdown(a, done, wanted):
    """By sets; bakes that failed or took too long count as bakes and are named."""
    print("| | bakes (of) | crossing pairs, worst | with an edge > 3 | inverted > `lbs` | jitter > .01 | largest lag, of the size | not finished |")
    print("|---|---|---|---|---|---|---|---|")
    for of in a.sets.split(","):
        mine = [r for r in done if r["set"] == of]
        good = [r for r in mine if "failed" not in r]
        if not mine:
            continue
        crossing = max((r["crossing"] for r in good if not r["rest"]), default=0)
        counts = [sum(r["stretch"] > 3 for r in good), sum(r["inverted"] > r["lbs"] for r in good), sum(r["jitter"] > 0.01 for r in good)]
        lag = max((r["lag"] or 0 for r in good), default=0)
        print(f"| {of} | {len(mine)} ({sum(job[0][0] == of for job in wanted)}) | {crossing} | {' | '.join(map(str, counts))} | {lag:.3f} | {len(mine) - len(good)} |")


def main():
    a = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or scratch
        os.makedirs(folder, exist_ok=True)
        wanted = [(r, m) for r in rows(a, folder) for m in a.methods.split(",") if a.only in r[1]]
        chosen = sample(wanted, a.sample)
        done = []
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            list(pool.map(lambda source: make(a, folder, *source), sorted({job[0][2] for job in chosen if not isinstance(job[0][2], str)})))
            for row in pool.map(lambda job: play(a, folder, *job), chosen):
                done.append(row)
                show(a, row)
    broken = [r for r in done if "failed" in r or (r["crossing"] and not r["rest"]) or r["nonfinite"]]
    at_rest = sum(r.get("rest", 0) > 0 for r in done)
    counts = ", ".join(f"{key} {sum(key not in r or r[key] > bar for r in done)}" for key, bar in BARS)
    print(f"{len(done)} of {len(wanted)} rows, {at_rest} of skins that cross at rest; short of the bars: {counts}, inverted {sum('failed' in r or r['inverted'] > r['lbs'] for r in done)}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time, characters made included")
    if a.markdown:
        markdown(a, done, wanted)
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
