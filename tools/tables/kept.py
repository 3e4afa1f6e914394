"""Tables that stay as measured: every source they depend on compiles to the same assembly as it did."""
import json
import pathlib
import re
import subprocess
import tempfile

from .depends import TEXTS, without_comments
from .pages import CHANGED, find, hash_of
from .work import ROOT


def with_own_labels(assembly):
    """Local labels numbered as they come: a function more that is inlined everywhere shifts all numbers behind it, and nothing else."""
    known = {}
    return re.sub(r"\.L(\w*?)\d+\b", lambda m: f".L{m[1]}{known.setdefault(m[0], len(known))}", assembly)


class Compiled:
    """Sources of two trees as assembly: this one and another, by the compile commands of this one's build folder. `renamed`: a script
    for sed that gives what was called otherwise in the other tree its name of today; None: nothing was."""

    def __init__(self, other, build, renamed=None):
        self.other, self.build, self.renamed, self.known = other, build, renamed, {}
        commands = json.loads((build / "compile_commands.json").read_text())
        self.commands = {pathlib.Path(c["file"]).relative_to(ROOT).as_posix(): c["command"] for c in reversed(commands) if pathlib.Path(c["file"]).is_relative_to(ROOT)}
        for link in (p for p in (build / "rooms").rglob("*") if p.is_symlink()):  # the rooms' include paths, into the other tree
            there = other / "rooms" / link.relative_to(build / "rooms")
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(str(link.readlink()).replace(str(ROOT), str(other), 1))

    def today(self, tree, text):
        if tree == ROOT or not self.renamed or text is None:
            return text
        return subprocess.run(["sed", "-E", "-f", self.renamed], input=text, check=True, capture_output=True, text=True).stdout

    def text(self, tree, name):
        return self.today(tree, (tree / name).read_text()) if (tree / name).is_file() else None

    def plain(self, tree, name):
        """What is compiled of a text, as Table.key has it."""
        text = self.text(tree, name)
        return text and "\n".join(" ".join(line.split()) for line in without_comments(text).splitlines() if line.strip())

    def touched(self, name, seen):
        """Whether a source, or anything of the project that it includes, differs in more than comments and layout."""
        if name in seen:
            return False
        seen.add(name)
        here, there = self.plain(ROOT, name), self.plain(self.other, name)
        below = [base + n for n in re.findall(r'#include [<"]([^">]+)[">]', here or "") for base in ("src/", "include/") if (ROOT / base / n).is_file()]
        return here != there or any(self.touched(n, seen) for n in below)

    def assembly(self, name, tree):
        """Where an assertion stands, by file and line, is no part of it: a longer path lies elsewhere, a comment moves lines."""
        command = self.commands[name].replace("-Werror", "")
        if tree != ROOT:
            command = command.replace(str(self.build / "rooms"), str(tree / "rooms")).replace(f"{ROOT}/src", f"{tree}/src").replace(f"{ROOT}/include", f"{tree}/include")
        command = re.sub(r" -o \S+ -c ", f" -g0 -fmacro-prefix-map={tree}/=/ -Wno-builtin-macro-redefined -D__LINE__=0 -S -o - ", command)
        made = subprocess.run(command, shell=True, check=True, capture_output=True, text=True, cwd=self.build).stdout
        return with_own_labels(self.today(tree, re.sub(r"^\s*\.(?:file|ident).*\n", "", made.replace(str(tree), ""), flags=re.M)))

    def same(self, name):
        if name not in self.known:
            self.known[name] = not self.touched(name, set()) or (name in self.commands and self.text(self.other, name) is not None and
                                                                 self.assembly(name, ROOT) == self.assembly(name, self.other))
        return self.known[name]


def files_of(tree, room, endings):
    paths = (tree / room).rglob("*") if (tree / room).is_dir() else [tree / room]
    return {p.relative_to(tree).as_posix() for p in paths if p.suffix in endings}


def changed(one, compiled):
    """What a table depends on that is not as in the other tree, its assembly if it is C."""
    for room in one.rooms:
        sources = [files_of(tree, room, (".c",)) for tree in (ROOT, compiled.other)]
        others = [files_of(tree, room, TEXTS) for tree in (ROOT, compiled.other)]
        yield from sorted((sources[0] ^ sources[1]) | (others[0] ^ others[1]))
        yield from (n for n in sorted(others[0] & others[1]) if compiled.text(ROOT, n) != compiled.text(compiled.other, n))
        yield from (n for n in sorted(sources[0] & sources[1]) if not compiled.same(n))


def current(tree):
    """Tables that another tree's own tools call current: what a table depends on may be told otherwise since."""
    told = subprocess.run([str(tree / "tools" / "measured.py"), "--list"], capture_output=True, text=True, cwd=tree).stdout
    return set(re.findall(r"^docs/\S+: ([\w-]+)(?: \(needs [^)]*\))?: current$", told, re.M))


def with_key(head, key):
    """A marker's line with another key; its body stays, and the hash of it."""
    return re.sub(r", of \w+, body ", f", of {key}, body ", head)


def keep(tables, since, build, renamed=None):
    """Tables that were current at a commit and whose code is the same still: their key becomes that of today."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", since], check=True, capture_output=True, cwd=ROOT).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        other = pathlib.Path(folder).resolve()
        compiled = Compiled(other, build, renamed)
        then = current(other)
        for name, one in tables.items():
            found = find(name, one)
            if not found or found["key"] == one.key():
                continue
            why = CHANGED if found["told"] != hash_of(found["body"]) else \
                  "it was old then already" if found["key"] != one.key(other) and name not in then else \
                  "it counts sources" if one.names else \
                  "goldens moved" if one.golden_lines(ROOT) != one.golden_lines(other) else ", ".join(list(changed(one, compiled))[:4])
            if not why:
                text = one.page.read_text()
                head = found.group().split("\n", 1)[0]
                one.page.write_text(text.replace(head, with_key(head, one.key()), 1))
            print(f"{name}: {'not kept: ' + why if why else 'kept: compiles to the same code as at ' + since}")
