"""Tables of the sources themselves: the house in numbers, goldens, what the scalar build differs by."""
import math
import re
import subprocess
import sys
import tempfile

from .work import ROOT, run, table

BEFORE = "f48f728"  # the house before it was put in order: left column of the table `house`
# What that library was, built once when commit 569d2ee wrote the first table of this: nobody builds it again for each table
RECORD = "record of 569d2ee"
BEFORE_LIBRARY = {"libraries that libpelt.so brings (ldd)": 24, "code and tables of libpelt.so, kB": 1019}
TEST_TIME = "`make test` in seconds, as it last ran here"
# What `make test` of commit f48f728 took, whole seconds of the clock, on the machine that the table's last line names: nobody runs it again for each table.
# None: nobody has. Where it is a number, the table says of it that it is a record
BEFORE_TEST_SECONDS = 73
UNNAMED = "sources without a test of their own name"
# rows below the rooms' lines, as tools/house.py begins them; one that it does not print is left out
KEYS = ("functions over 6 parameters", "the most parameters", "functions longer than 60 lines", "turns back on the way of the data", "sources that no test of their room tries",
        "sources with a test of their own name", UNNAMED, "externals without a prefix", "externals that nothing outside their file uses", "type names used in more than one room",
        "type names defined in more than one file", *BEFORE_LIBRARY, TEST_TIME)


def house_of(tree, build):
    text = run(sys.executable, ROOT / "tools" / "house.py", tree, *(["--build", build] if build else []))
    found = {line[:48].strip(): line[48:].strip() for line in text.splitlines()}
    for key, count in list(found.items()):
        named = re.match(r"sources with a test of their own name, of (\d+)", key)
        if named:
            found[f"{UNNAMED}, of {named.group(1)}"] = str(int(named.group(1)) - int(count))
    return found


def last_test(page):
    """How long `make test` took where a table was made that could tell, with the commit of that table."""
    found = re.search(rf"^\| {re.escape(TEST_TIME)} \|[^|]*\| (\d+)(?: \((record of \w+)\))? \|", page, re.M)
    made = re.search(r"<!-- measured house, commit (\w+)", page)
    return f"{found.group(1)} ({found.group(2) or 'record of ' + made.group(1)})" if found else "not measured"


def before_test(seconds):
    return "not measured" if seconds is None else f"{seconds:.0f} (record of {BEFORE})"


def house(work):
    """The tree before and now; libpelt.so of now is that beside the command. What nobody measures here, the old library and `make test` where it
    did not run, says of which commit it is a record."""
    before = work.folder / "before"
    before.mkdir()
    archive = subprocess.run(["git", "archive", BEFORE], check=True, capture_output=True, cwd=ROOT).stdout
    subprocess.run(["tar", "-x", "-C", before], input=archive, check=True)
    then, now = house_of(before, None), house_of(ROOT, work.pelt.parent)
    page = (ROOT / "docs" / "architecture.md").read_text()
    if now.get(TEST_TIME, "not measured") == "not measured":
        now[TEST_TIME] = last_test(page)
    for key, value in BEFORE_LIBRARY.items():
        then[key] = f"{value} ({RECORD})"
    then[TEST_TIME] = before_test(BEFORE_TEST_SECONDS)
    titles = list(dict.fromkeys(list(now) + list(then)))
    plain = [t for t in titles if re.match(r"^[a-z/]+$", t) and t != "lines"]
    rows = [["lines of `src/`", then["lines"], now["lines"]]]
    rows += [[f"of `{t}`", then.get(t, ""), now.get(t, "")] for t in sorted(plain)]
    structs = lambda one: ", ".join(f"`{t.split(' (')[0]}` {v}" for t, v in one.items() if re.match(r"^\w+ \([a-z/]+\)$", t))
    rows.append(["fields of the largest structs", structs(then), structs(now)])
    for key in KEYS:
        both = [next(((t, v) for t, v in one.items() if t.startswith(key)), ("", "")) for one in (then, now)]
        count = lambda pair: pair[1] + (", of" + pair[0].split(", of")[1] if ", of" in pair[0] else "")
        if both[1][1]:
            label = key + " (found by how each was spelled: a list at the head of `tools/house.py`)" if key.startswith("turns back") else key
            rows.append([label, count(both[0]), count(both[1])])
    return table(["", f"before ({BEFORE})", "now"], rows)


SAID_MOST = 700  # characters of a message's first paragraph, to the end of a sentence


def why(body):
    """What a commit says of itself: the first paragraph of its message, to the end of a sentence, and what it says of goldens beyond that."""
    parts = [re.split(r"(?<=[.:;])\s+(?=[A-Z])", " ".join(part.split())) for part in re.split(r"\n\s*\n", body.strip())]
    first, length = [], 0
    for sentence in parts[0]:
        if first and length + len(sentence) > SAID_MOST:
            break
        first.append(sentence)
        length += len(sentence) + 1
    rest = parts[0][len(first):] + [s for part in parts[1:] for s in part]
    goldens = [s for s in rest if re.search(r"\bgoldens?\b", s, re.I)]
    return " ".join(first + (["[...]"] if len(first) < len(parts[0]) else []) + goldens).strip()


def goldens_moved(work):
    """Every commit that changed tests/golden/goldens.txt: which of them moved, by how much, and what the commit says of it. How far a
    golden moved is told by its probes, as tests/golden/goldens.c tells it: the farthest and the mean of all, shares of the size. Of a merge
    only what neither side had: goldens that one side made and the other's code moved."""
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

    for entry in run("git", "log", "--date=short", "--format=%h%x1f%p%x1f%ad%x1f%s%x1f%b%x1e", "--", path).split("\x1e")[:-1]:
        commit, parents, date, subject, body = entry.strip("\n").split("\x1f")
        sides, after = [at(parent) for parent in parents.split()] or [{}], at(commit)
        before = {name: golden for side in reversed(sides) for name, golden in side.items()}
        moved = [name for name in after if name in before and all(name not in side or side[name][0] != after[name][0] for side in sides)]
        new = [name for name in after if name not in before]
        if len(sides) > 1 and not moved + new:
            continue
        which = ", ".join(moved) or ("none" if new or len(before) > len(after) else "the probes alone")
        by = "; ".join(f"{name} {amount(before[name], after[name])}" for name in moved)
        said = why(body)
        rows.append([f"{commit}, {date}", which + (f"; new: {', '.join(new)}" if new else ""), by, (subject + (". " + said if said else "")).replace("|", "\\|")])
    return table(["commit", "goldens that moved", "by how much: the farthest probe (the mean of all), % of the size", "what and why, as it says itself"], rows)


SCALAR = "build-scalar"  # of tools/test.sh too, whose flags these are


def allowed():
    """{part of a name: (most, mean)} of tolerance() in tests/golden/goldens.c, in its order: the first that a golden's name has is its own."""
    source = (ROOT / "tests/golden/goldens.c").read_text()
    text = " ".join(re.search(r"^static Tolerance tolerance\(.*?^\}", source, re.S | re.M).group().split())
    return {part: (most, mean) for part, most, mean in re.findall(r'\{"([a-z-]*)", \{([\d.e-]+), ([\d.e-]+)\}\}', text)}


def scalar(work):
    """What the build without SIMD differs by: a minute of one core, and minutes more where it is not built yet."""
    run("cmake", "--preset", "scalar", "-DPELT_OPTIMISE=-O1 -g0")
    run("cmake", "--build", SCALAR, "--target", "goldens")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROOT / SCALAR / "tests" / "goldens", "--near", "--folder", folder, "tests/golden/goldens.txt"], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    moved = {name: (float(most) / 100, float(mean) / 100) for name, most, mean in re.findall(r"^(\S+) +moved: most (\S+) % of the size .*?, mean (\S+) %", done.stdout, re.M)}
    names = re.findall(r"^([a-z-]+) [0-9a-f]{16} ", (ROOT / "tests/golden/goldens.txt").read_text(), re.M)
    parts = allowed()
    groups = {"": []}
    for name in names:
        groups.setdefault(next(part for part in parts if part in name), []).append(name)
    rows = []
    for part, mine in groups.items():
        play, _, method = part.rpartition("-")
        label = f"`{method}`" + (f" in `{play}`, where flesh touches: that unit decides who touches first" if play else "") if part else "all others"
        far = [moved[n] for n in mine if n in moved]
        same = len(mine) - len(far)
        said = (f"{max(a for a, _ in far):.1e}, {max(b for _, b in far):.1e}" if far else "") + (f"{'; ' if far else ''}{same} of {len(mine)} the same bytes" if same else "")
        rows.append([label, str(len(mine)), re.sub(r"e-0", "e-", said), ", ".join(parts[part])])
    return table(["farthest probe and mean of all, shares of the size", "goldens", "measured", "allowed"], rows)
