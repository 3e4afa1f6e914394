"""What tables are made with: the command, a folder, every bake once; and how a table is written."""
import array
import csv
import io
import json
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared"


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, cwd=ROOT, **options).stdout


class Work:
    """What tables are made with: the command, a folder, and every bake once."""

    def __init__(self, pelt, options, folder):
        self.pelt, self.results, self.runs, self.folder = pelt, options.results, options.runs, pathlib.Path(folder)
        self.reports, self.groups, self.judgements = {}, {}, {}

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

    def compare(self, *asked):
        """What tests/measure/compare_evaluate.py prints."""
        command = ("/usr/bin/python3", "tests/measure/compare_evaluate.py", "--pelt", self.pelt, "--shared", SHARED) + asked
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=ROOT)
        if done.returncode not in (0, 3):  # 3: rows that differ, and say so
            raise RuntimeError(done.stderr)
        return done.stdout

    def judged(self, name, clip, method):
        """What the judge of ../shared says of a bake of a character there, beside the bake's own report: {measure: (report, judge)}."""
        case = f"{name}:{clip}:{method}"
        if case not in self.judgements:
            print(f"  {case.replace(':', ' ')}, judged", file=sys.stderr)
            self.judgements.update(json.loads(self.compare("--json", case)))
        return self.judgements[case]

    def frames(self, path, clip, method, *options):
        """Points of all frames of a bake, one flat array of floats a frame."""
        out = self.folder / "frames.pc2"
        print(f"  {pathlib.Path(path).name} {clip} {method} {' '.join(map(str, options))}", file=sys.stderr)
        run(self.pelt, "bake", path, "-m", method, "--clip", clip, "-o", out, "-q", *options)
        data = out.read_bytes()
        points, count = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
        floats = array.array("f", data[32:])
        return [floats[3 * points * i:3 * points * (i + 1)] for i in range(count)]

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
