"""What a table depends on, as a hash: it is old when that changes."""
import hashlib
import os
import re
import shutil

from .work import ROOT, SHARED

SOURCES = (".c", ".h", ".def")  # what is compiled: a comment or a line that is broken elsewhere makes no table old
TEXTS = (".py", ".sh", ".txt", ".ts", ".mjs", ".json")


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or " ", text, flags=re.S)


class Table:
    """A table of a page: what makes it, and what it depends on. `names`: folders of which it counts what files there are; `program`: what must
    be there to make it, a command or a file below the checkout."""

    def __init__(self, page, make, goldens=(), rooms=(), names=(), shared=False, program=None, variables=()):
        self.page, self.make, self.goldens, self.rooms = ROOT / "docs" / page, make, goldens, rooms
        self.names, self.shared, self.program, self.variables = names, shared, program, variables

    def absent(self):
        """What the table needs and this machine does not have."""
        if self.shared and not (SHARED / "data").is_dir():
            return "../shared"
        unset = [v for v in self.variables if not os.environ.get(v)]
        if unset:
            return " and ".join(unset)
        there = self.program and shutil.which(ROOT / self.program if "/" in self.program else self.program)
        return self.program if not there else None

    def golden_lines(self, tree):
        """Of the goldens that it speaks of. Those of three words, dressed characters and flesh among objects, are of none: no table has such."""
        lines = (tree / "tests/golden/goldens.txt").read_text().splitlines()
        names = [(line, re.match(r"([a-z]+)-([a-z]+) [0-9a-f]{16} ", line)) for line in lines]
        return [line for line, m in names if m and (m.group(1) in self.goldens or m.group(2) in self.goldens)]

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
