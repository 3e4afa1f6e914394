"""Where tables stand: their markers in the pages of docs/, what stands outside of them, and whether a stamp can be had again."""
import hashlib
import pathlib
import re
import subprocess

from .work import ROOT, run

MARK = r"<!-- measured {name}(?:, needs \.\./shared)?, commit (?P<commit>[^,]*), machine (?P<machine>.*), of (?P<key>\w+), body (?P<told>\w+) -->\n(?P<body>.*?)<!-- end of {name} -->"

NO_MARKER = "no marker"
CHANGED = "what stands between its markers is not what was measured: somebody changed it by hand"


def find(name, one):
    return re.search(MARK.format(name=re.escape(name)), one.page.read_text(), re.S)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    models = re.findall(r"^model name\s*:\s*(.*)$", text, re.M)
    return f"{models[0].strip() if models else 'unknown processor'} with {len(models)} threads"


def commit():
    return run("git", "describe", "--always", "--dirty", "--exclude", "*").strip()


def hash_of(body):
    """Of what stands between the markers: figures that somebody typed there have another one than their marker tells."""
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def write(name, one, lines, made_at):
    found = find(name, one)
    needs = ", needs ../shared" if one.shared else ""
    body = "\n" + "\n".join(lines) + f"\n\n*Measured at commit {made_at} on {machine()}.*\n\n"
    head = f"<!-- measured {name}{needs}, commit {made_at}, machine {machine()}, of {one.key()}, body {hash_of(body)} -->\n"
    text = one.page.read_text()
    one.page.write_text(text[:found.start()] + head + body + f"<!-- end of {name} -->" + text[found.end():])


def state(name, one):
    """Empty where the table is current, else what is wrong."""
    found = find(name, one)
    if not found:
        return NO_MARKER
    if found["told"] != hash_of(found["body"]):
        return CHANGED
    if found["key"] != one.key():
        rooms = [re.sub(r"^(src/\w+)/\w+\.\w+$", r"\1", room) for room in one.rooms]  # of a room some files: it says enough
        return "older than " + ", ".join(dict.fromkeys(one.methods + one.goldens + tuple(rooms))) + ("" if found["commit"] != "?" else " (never made by `make measured`)")
    return lost(found["commit"])


def lost(stamp):
    """Empty where the sources that a table was made of can be had again, else why not."""
    if stamp.endswith("-dirty"):
        return f"made of sources that no commit has ({stamp})"
    git = lambda *asked: subprocess.run(["git", *asked], capture_output=True, text=True, cwd=ROOT)
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return ""  # no history here: nobody can tell
    return "" if git("cat-file", "-e", stamp + "^{commit}").returncode == 0 else f"made at a commit that git does not know ({stamp})"


# ---- tables that somebody typed ----

NUMBER = r"[-+−~≈<>≤≥±]?\s*(?:\d|\.\d)"
MEASURED = re.compile(rf"(?:\*\*|_)?(?:(?:below|above|within|at (?:most|least)|less than|more than|up to|about|over)\s+)?{NUMBER}")
# a time, a size or a share, wherever it stands in a cell: "took 5 ms", "`3.2` ms". Counts and factors inside a sentence are words
WITH_UNIT = re.compile(r"(?:\d|\.\d)[\d.,e+-]*\s*(?:(?:[nuµμm]?s|seconds?|min|minutes?|h|hours?|[kKMGT]i?B|[µμmck]?m)(?!\w)|%|‰)")
BY_OTHERS = {"constants.md"}  # tools/sweep.py writes and checks its tables


def blank(match):
    return re.sub(r"[^\n]", "", match.group())


def typed(text):
    """Tables outside of all markers with a cell below the head that begins with a number or with a bound, or holds a number with a unit:
    (line, cell) of each."""
    text = re.sub(r"^```.*?^```", blank, re.sub(r"<!-- measured ([\w-]+),.*?<!-- end of \1 -->", blank, text, flags=re.S), flags=re.S | re.M)
    lines, first = text.splitlines(), 0
    while first < len(lines):
        last = first
        while last < len(lines) and lines[last].lstrip().startswith("|"):
            last += 1
        cells = [cell.strip() for line in lines[first + 2:last] for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        measured = [cell for cell in cells if MEASURED.match(cell) or WITH_UNIT.search(cell.replace("`", ""))]
        if measured:
            yield first + 1, measured[0]
        first = last + 1


def pages(tree=ROOT):
    """Every page but those of the lab book, whose figures are of a day."""
    return [tree / "README.md"] + sorted(p for p in (tree / "docs").rglob("*.md") if "lab" not in p.relative_to(tree).parts)


def all_typed():
    """A line for every table of a user's page that nobody but its typist can tell to be current."""
    for page in pages():
        if page.name not in BY_OTHERS:
            for line, cell in typed(page.read_text()):
                yield f"{page.relative_to(ROOT)}:{line}: a table of numbers outside of markers (\"{cell}\"): tools/tables has those that are measured, docs/lab those of a day"


def strangers(known):
    """Markers of tables that nothing makes."""
    for page in pages():
        for name in re.findall(r"^<!-- measured ([\w-]+)(?:, needs [^,]*)?, commit ", page.read_text(), re.M):
            if name not in known:
                yield f"{page.relative_to(ROOT)}: no table is called {name}"
