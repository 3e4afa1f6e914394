"""Tables of distilled skins."""
import json
import math
import resource
import sys

from .work import ROOT, SHARED, run, table


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
    frames = {fps: work.frames(path, "bend", "tracking", "--fps", fps)[::fps // every] for fps in (15, 30, 60, 120)}
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


WANTED = {"tracking": {("held-out", "rms"): 1.5, ("held-out", "p99"): 6, ("held-out", "largest"): 25, ("bend", "rms"): 2.5, ("bend", "largest"): 25, "worse": 0},
          "dqs": {("held-out", "rms"): 0.3, "worse": 0}}


def distil_near(method):
    """The built-in biped of 2 951 vertices, 1 000 poses, `bend` unseen: how near the distilled skin comes, mm. Two minutes of one core by tracking, one by dqs."""
    wanted = WANTED[method]

    def make(work):
        path, out = work.character("biped", 2951), work.folder / "near.json"
        before = children_s()
        run(work.pelt, "distil", path, "-m", method, "--poses", 1000, "--held-out", 200, "--unseen", "bend", "--report", out, "-q", "--samples", work.folder / f"near-{method}.samples")
        taken, report = children_s() - before, json.loads(out.read_text())
        rows, worse = [], []
        for label, tried in named(report["errors"]):
            for figure in ("rms", "p99", "largest"):
                most = wanted.get((label, figure))
                ours, theirs = (1000 * tried[skin][figure] for skin in ("distilled", "original"))
                mm = f"{ours:.3g}" if ours < 100 else f"{ours:.0f}"
                rows.append([f"{label}, {figure.replace('rms', 'RMS')}", "" if most is None else f"{most:g}", f"{theirs:.3g}", mm if most is None or float(mm) <= most else f"**{mm}**"])
            if not tried["clip"]:
                worse.append((label, tried["worse_than_original"], tried["count"]))
        for label, count, of in worse:
            judged = "worse" in wanted and label == "held-out"
            rows.append([f"{label}, poses that are worse than by the original weights", f"{wanted['worse']}" if judged else "", "", f"**{count}** of {of}" if judged and count > wanted["worse"] else f"{count} of {of}"])
        rows.append(["weights and targets, kB", "", "", f"{report['bytes'] / 1000:.0f}"])
        rows.append(["processor time of samples and fit, s", "", "", f"{taken:.0f}"])
        return table([f"{method}, {report['points']} points, {report['poses']} poses, mm", "wanted", "original weights", "distilled"], rows)
    return make


def children_s():
    """Processor time of all commands that were run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def named(errors):
    """Pose sets and the clip that was not learnt from, by the names of WANTED."""
    for tried in errors:
        if not tried["clip"]:
            yield ("learnt from" if tried["seen"] else "held-out"), tried
    for tried in errors:
        if tried["clip"] and not tried["seen"]:
            yield tried["poses"], tried
