"""What a table depends on, as a hash: it is old when that changes."""
import functools
import hashlib
import os
import re
import shutil
import subprocess

from .work import ROOT, SHARED

SOURCES = (".c", ".h", ".def")  # what is compiled: a comment or a line that is broken elsewhere makes no table old
TEXTS = (".py", ".sh", ".txt", ".ts", ".mjs", ".json")


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or " ", text, flags=re.S)


# What every skin passes on its way to what is shown: bodies made for it, joints that give way, the last word, and the order of these. Of `src/bake` what makes and
# tells a frame; not what reads a file, or measures a cache
SHOWN = ("src/body", "src/contact", "src/touch") + tuple(f"src/bake/{name}" for name in (
    "anchors.c", "around.c", "bake.c", "calm.c", "constants.def", "create.c", "measure.c", "objects.h", "report.c", "rig.c", "rig_body.c", "run.h", "skin.c", "skin_anchors.c", "state.c")) + tuple(
    f"src/methods/{end}" for end in ("blend.c", "blend.h", "method.c", "method.h", "options.c", "options.h"))
METHODS = ("lbs", "dqs", "implicit", "tracking", "projective", "layered")
BY_FIELDS = ("implicit", "tracking")


def rooms_of(methods, measured):
    """What makes the skins of methods, and what tells figures of them where a table has such."""
    rooms = SHOWN * bool(methods) + tuple(f"src/methods/{name}" for name in methods) + ("src/methods/dqs",) * ("implicit" in methods)
    return rooms + ("src/field",) * bool(set(methods) & set(BY_FIELDS)) + ("src/measure",) * measured


@functools.cache
def has_module(name):
    """Whether the system's own Python has a module: what is run with it asks for no other."""
    return bool(shutil.which("/usr/bin/python3")) and not subprocess.run(["/usr/bin/python3", "-c", f"import {name}"], capture_output=True).returncode


class Table:
    """A table of a page: what makes it, and what it depends on. `methods`: whose skins it tells of: their goldens, and all that makes a skin by
    them; `measured`: and what takes their measures. `goldens`, `rooms`: what else (a method or a play of a golden of two words). `names`: folders of which it counts what files there are;
    `program`, `module`: what must be there to make it, a command or a file below the checkout, a module of the system's Python."""

    def __init__(self, page, make, methods=(), measured=False, goldens=(), rooms=(), **needs):
        self.page, self.make, self.methods, self.goldens = ROOT / "docs" / page, make, methods, goldens
        self.rooms = tuple(dict.fromkeys(rooms_of(methods, measured) + rooms))
        needs = {"names": (), "shared": False, "program": None, "module": None, "variables": ()} | needs
        self.names, self.shared, self.program, self.module, self.variables = (needs.pop(n) for n in ("names", "shared", "program", "module", "variables"))
        if needs:
            raise TypeError(f"{page}: a table takes no {', '.join(needs)}")

    def absent(self):
        """What the table needs and this machine does not have."""
        if self.shared and not (SHARED / "data").is_dir():
            return "../shared"
        unset = [v for v in self.variables if not os.environ.get(v)]
        if unset:
            return " and ".join(unset)
        if self.module and not has_module(self.module):
            return f"python3-{self.module}"
        there = self.program and shutil.which(ROOT / self.program if "/" in self.program else self.program)
        return self.program if not there else None

    def golden_lines(self, tree):
        """Of the goldens that it speaks of: all of its methods, those of dressed characters and of flesh among objects too."""
        lines = (tree / "tests/golden/goldens.txt").read_text().splitlines()
        names = [(line, re.match(r"(\w+(?:-\w+)+) [0-9a-f]{16} ", line)) for line in lines]
        words = [(line, m.group(1).split("-")) for line, m in names if m]
        return [line for line, of in words if of[-1] in self.methods or len(of) == 2 and set(of) & set(self.goldens)]

    def key(self, tree=ROOT):
        """A hash of what the table depends on."""
        digest = hashlib.sha256("".join(self.golden_lines(tree)).encode())
        for room in self.rooms:
            for path in sorted((tree / room).rglob("*")) if (tree / room).is_dir() else [tree / room]:
                if tree != ROOT and not path.exists():
                    continue  # an older tree may lack it; here that is a mistake
                if path.suffix in SOURCES:
                    digest.update(" ".join(without_comments(path.read_text()).split()).encode())
                elif path.suffix in TEXTS:
                    digest.update(path.read_bytes())
        for folder in self.names:
            digest.update("\n".join(names_below(tree, folder)).encode())
        return digest.hexdigest()[:12]


def names_below(tree, folder):
    return sorted(p.relative_to(tree).as_posix() for p in (tree / folder).rglob("*") if p.suffix in (".c", ".h", ".sh"))
