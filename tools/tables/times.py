"""Tables of times, which want a quiet machine."""
import json
import os
import re
import subprocess
import sys
import time

from .work import ROOT, SHARED, number, run, table


def bench(group, pattern=""):
    def make(work):
        rows = []
        for r in (r for r in work.bench(group, pattern) if float(r["value"]) == float(r["value"])):  # nan: it was skipped
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


def made(work):
    """What the built-in characters take to make: twenty seconds of two threads a run."""
    rows = [[r["name"], f"{number(r['value'])} {r['unit']}", number(r["wanted"]) if float(r["wanted"]) else "", r["note"]] for r in work.bench_only([("see", "make ")]) if r["group"] == "see"]
    return table(["", "measured", "wanted", ""], rows)


def layered_steps(work):
    counts = [5, 10, 20, 40]
    rows = []
    for step in ("2.5", "5", "10", "20"):
        found = {r["name"]: r["note"] for r in work.bench("layered-steps", f"^{re.escape(step)} ms")}
        off = {name: float(re.search(r"off by ([\d.e+-]+)", note).group(1)) for name, note in found.items()}
        rows.append([f"step {step} ms"] + [next((f"{100 * v:.2g} %" for name, v in off.items() if name.endswith(f", {c} iterations")), "–") for c in counts])
    return table(["mean distance, share of the size"] + [f"{c} iterations" for c in counts], rows)


def blender_cost(work):
    text = run("tools/measure-blender.sh", work.pelt.parent)
    return [line for line in text.splitlines() if line.startswith("|")]


def studio_times(work):
    text = run("tools/measure-studio.sh", work.pelt)
    return [line for line in text.splitlines() if line.startswith("|")]


def studio_memory(work):
    text = run("tools/measure-studio.sh", work.pelt, "--posing", "10")
    return [line for line in text.splitlines() if line.startswith("|")]
