"""Tables of how a skin looks, by the reports of `pelt bake` and by the judge of ../shared."""
import json
import math
import struct
import subprocess

from .depends import METHODS
from .work import ROOT, SHARED, number, run, table


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
    return table(["", "cylinder, bend", "arm, bend", "hand, bend (a fist)"], rows)


REAL = [("cylinder, bend by 160°", "cylinder2.glb", "bend"), ("cylinder, twist by 180°", "cylinder2.glb", "twist"),
        ("arm, bend by 140°", "arm.glb", "bend"), ("hand, fist", "hand.glb", "bend"),
        ("MakeHuman body, squat and fists", "makehuman-cc0.glb", "bend")]


# a table of what the judge of ../shared says of caches
JUDGED = {"measured": True, "shared": True, "module": "numpy", "rooms": ("tests/measure/compare_evaluate.py",)}
SHOWN = ("deep_pairs", "depth", "volume_ratio_min", "stretch_p99", "inverted", "loop_error", "jitter")


def apart(pairs):
    """How far reports are from the judge, (report, judge) of each figure, as a line below the table: counts, and the farthest of all others."""
    counts = [(a, b) for a, b in pairs if isinstance(b, int)]
    others = [(a, b) for a, b in pairs if not isinstance(b, int) and a is not None and b is not None]
    share = max((abs(a - b) / abs(b) for a, b in others if abs(a - b) > 1e-6), default=0)
    same = sum(a == b for a, b in counts)
    return (f"The report of the same bakes has {'all' if same == len(counts) else same} of the {len(counts)} counts alike"
            + (f", and is at most {100 * share:.1g} % from the judge in what is no count." if share else ", and what is no count within 1e-6."))


def real_bends(method, wanted):
    """Deep pairs, depth, volume, stretch, loop and jitter of a method on characters of ../shared, `lbs` in brackets, as the judge there has them of the
    caches, and how far the reports are from it: five minutes of one core."""
    def make(work):
        rows, pairs = [], []
        for label, name, clip in REAL:
            ours, lbs = (work.judged(name, clip, by) for by in (method, "lbs"))
            pairs += [tuple(ours[key]) for key in SHOWN]
            q, blended = ({key: by[key][1] for key in SHOWN} for by in (ours, lbs))
            rows.append([label, f"{q['deep_pairs']} ({blended['deep_pairs']})", number(q["depth"], 2), f"{q['volume_ratio_min']:.3f} ({blended['volume_ratio_min']:.3f})",
                         f"{q['stretch_p99']:.2f}", str(q["inverted"]), number(q["loop_error"], 2), number(q["jitter"], 2), wanted.get(label, "")])
        return table(["character, clip", "deep pairs (`lbs`)", "depth, of the size", "least volume (`lbs`)", "stretch p99", "inverted", "loop", "jitter", "wanted"], rows) + ["", apart(pairs)]
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


def evaluate(work):
    """What reports say beside what the judge says, of `lbs` and `dqs`: ten minutes of one core."""
    return [line for line in work.compare("--all", "--markdown").splitlines() if line.startswith("|")]


def gallery(name, vertices, clip):
    """The measures of the gallery's bakes: a minute of one core."""
    def make(work):
        rows = []
        for method in METHODS:
            q = work.report(work.character(name, vertices), clip, method)["quality"]
            rows.append([f"`{method}`", str(q["self_intersections"]), str(q["deep_pairs"]), number(100 * q["depth"], 3) if q["deep_pairs"] else "0",
                         f"{q['volume_ratio_min']:.3f} to {q['volume_ratio_max']:.3f}", f"{q['stretch_p99']:.2f}"])
        return table(["", "crossing pairs", "deep pairs", "depth, % of the size", "volume", "stretch p99"], rows)
    return make


CORPUS_WANTED = {"tracking": 25, "projective": 15, "layered": 120}  # ms a frame


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
    taken = {m: [r[m]["costs"]["ms"] for r in found.values() if r[m]["costs"]] for m in CORPUS_WANTED}
    within = [f"{sum(ms <= wanted for ms in taken[m])} of {len(found)}" for m, wanted in CORPUS_WANTED.items()]
    return table([""] + [f"`{m}` ({wanted} ms)" for m, wanted in CORPUS_WANTED.items()] + ["prepare, s (3)", "MB (300)"],
                 rows + [["nothing missed"] + good + ["", ""], ["within the time wanted"] + within + ["", ""]])


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


def useless_weights(work):
    """How far useless weights end from painted ones, five built-in skins and four of others: three minutes of one core."""
    text = run("/usr/bin/python3", "tools/test_weights.py", "--pelt", work.pelt, "--frames", 31, "--markdown")
    return [line for line in text.splitlines() if line.startswith("|")]


BUILT_IN = (("cylinder", "a tube of 1 m with rounded ends"), ("arm", "a left arm from the shoulder, with its hand"), ("hand", "a left hand with a piece of forearm, 0.19 m"),
            ("biped", "a grown-up of 1.75 m in an A-pose, with fingers and toes"), ("beast", "an animal on four legs with ears and a tail, its back 0.8 m high"))


def clip_turns(path):
    """Of each clip of a .glb the farthest that a joint is turned, degrees: built-in joints are unrotated at rest."""
    data = path.read_bytes()
    length, = struct.unpack_from("<I", data, 12)
    gltf, begin = json.loads(data[20:20 + length]), 20 + length + 8
    for clip in gltf["animations"]:
        farthest = 0
        for output in (clip["samplers"][c["sampler"]]["output"] for c in clip["channels"] if c["target"]["path"] == "rotation"):
            accessor = gltf["accessors"][output]
            view = gltf["bufferViews"][accessor["bufferView"]]
            first = begin + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            if accessor["componentType"] != 5126:
                raise RuntimeError(f"{path.name}: turns that are no floats")
            for k in range(accessor["count"]):
                w, = struct.unpack_from("<f", data, first + 16 * k + 12)
                farthest = max(farthest, math.degrees(2 * math.acos(min(1, abs(w)))))
        yield clip["name"], farthest


def builtin_characters(work):
    """The built-in characters as `pelt make NAME` makes them: half a minute of one core."""
    rows = []
    for name, what in BUILT_IN:
        path = work.folder / f"{name}.glb"
        run(work.pelt, "make", name, "-q", "-o", path)
        seen = json.loads(run(work.pelt, "inspect", path, "--json"))
        clips = ", ".join(f"{clip} ({turn:.0f}°)" if turn >= 0.5 else clip for clip, turn in clip_turns(path))
        rows.append([f"`{name}`", what, str(seen["joints"]), f"{seen['mesh']['welded']:,}".replace(",", " "), clips])
    return table(["name", "what", "joints", "vertices by default", "clips, and the farthest that a joint turns in them"], rows)
