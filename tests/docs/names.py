#!/usr/bin/env python3
"""Names in pages that are not so. Usage: names.py TREE [PAGE ...]; without pages, README.md and the pages of docs/ of TREE, but for the lab book. Exit code 1 where there are any.

In backticks, on every page: `pelt_x` and `pelti_x` are functions that src/ or include/ defines (public ones may be declared there alone),
tables, or names of function types; `PeltX` and `PeltiX` are types that are defined there; `room/file.c` and paths from the top exist.
`x` in `file.c` means that the file defines that function, `x` of `PeltX` that the type has that field. What only a comment or a test
names does not count. Files named alone (`dense.h`), `folder/*`, targets of `make x`, commands of `pelt x`, methods of `--method x` and
programs and libraries (`pelt-x`) are there too.
In docs/architecture.md also `x()`: a function of any of the programs, of the file that is named with it once. In its walk of a frame all
other plain words are fields of PeltSkin, or methods. Its tables and its drawing have the rooms that are built, each the table of its library, and
the drawing has none above a room that may include it."""
import pathlib
import re
import sys

FUNCTION = re.compile(r"^(?!typedef|return|else|static const)[A-Za-z_][^\n;{}()=]*?\b(\w+)\([^;{}]*\)(?: *//[^\n]*)?\n\{", re.M)
STRUCT = re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+)\s*\{((?:[^\n]*(?=\}[^\n]*;[^\n]*$))|.*?^(?=\}))", re.M | re.S)
WALK = "## A frame, from file to file"
FILE = r"[a-z_0-9/]+\.(?:c|h|cpp|def|py|sh)"


def without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


class Sources:
    """What the tree defines: functions with the files they are in, types with their fields, tables."""
    def __init__(self, tree):
        self.tree = tree
        self.functions, self.outside, self.fields, self.others = {}, {}, {}, set()
        for room in ("src", "include", "cli", "import", "tests"):
            for path in sorted((tree / room).rglob("*")):
                if path.suffix in (".c", ".h", ".cpp"):
                    self.read(path, room in ("src", "include"))
        self.built = "".join(p.read_text() for p in [tree / "CMakeLists.txt", *sorted((tree / "cmake").glob("*.cmake"))])
        self.targets = set(re.findall(r"^([a-z][a-z-]*):", (tree / "Makefile").read_text(), re.M))
        self.commands = {m for path in [*(tree / "cli").glob("*.c"), tree / "src/studio/command.c"] for m in re.findall(r"^ +\"([a-z]+)\",$", path.read_text(), re.M)}
        folders = "src include cli import tests tools cmake fuzz bench examples python blender players"
        self.names = {p.name for folder in folders.split() for p in (tree / folder).rglob("*")}
        self.methods = {m for path in (tree / "src" / "methods").rglob("*.c") for m in re.findall(r'\.name = "(\w+)"', path.read_text())}

    def read(self, path, ours):
        text, where = path.read_text(), path.relative_to(self.tree).as_posix()
        for name in FUNCTION.findall(re.sub(r"__attribute__\(\(\w+\)\) *", "", text)):
            (self.functions if ours else self.outside).setdefault(name, set()).add(where)
        if not ours:
            return
        text = without_comments(text) if path.suffix == ".h" or re.search(r"^(?:typedef )?(?:struct|enum|union) Pelt", text, re.M) else text
        if where.startswith("include/"):
            for name in re.findall(r"^PELT_API [^;]*?\b(\w+)\(", text, re.M):
                self.functions.setdefault(name, set()).add(where)
        for name, inside in STRUCT.findall(text):
            self.fields.setdefault(name, set()).update(re.findall(r"\b(\w+)\)?(?:\[[^\]]*\])*(?:\([^;]*\))?(?=[,;])", inside))
        if path.suffix == ".h":
            self.fields.update({n: self.fields.get(n, set()) for n in re.findall(r"^typedef .*?\(?\*?\b(Pelt\w+)\)?(?:\([^;]*\))?;", text, re.M)})
        self.others.update(re.findall(r"^(?:extern )?const [\w \*]+?\b(pelti?_\w+)(?:\[[^\]]*\])* *[=;]", text, re.M))

    def file(self, name):
        """The paths that a page calls `room/file.c`."""
        found = [p for p in (self.tree / name, self.tree / "src" / name, self.tree / "src" / "methods" / name) if p.exists()]
        return found or [p for room in ("src", "cli", "import") for p in (self.tree / room).rglob(name.split("/")[-1]) if p.as_posix().endswith("/" + name)]

    def rooms(self):
        """{library: its rooms}; the rooms of methods are one, `methods/*`."""
        rooms = {"": {"methods/*"}, "TOOLS": set(), "COMMAND": set()}
        for folder, rest in re.findall(r"^ *pelt_room\([^<>\s]+ FOLDER (\S+)([^)]*)\)", self.built, re.M):
            rooms[(re.findall(r"\b(TOOLS|COMMAND)\b", rest) or [""])[0]].add(re.sub(r"^methods/.*", "methods/*", folder))
        return rooms

    def knows(self):
        """(room, what it may include) of every room that is built."""
        room = lambda id: "methods" if (self.tree / "src" / "methods" / id).is_dir() else id
        for folder, known in re.findall(r"^ *pelt_room\([^<>\s]+ FOLDER (\S+) KNOWS ([a-z ]+)", self.built, re.M):
            yield folder.split("/")[0], set(map(room, known.split())) - {folder.split("/")[0]}


def check_rooms(text, sources):
    """What the tables and the drawing of the rooms have that is not built, and lack that is."""
    wrong, rooms = [], sources.rooms()
    folders = {p.name + "/*" * (p.name == "methods") for p in (sources.tree / "src").iterdir() if p.is_dir()}
    wrong += [f"`src/{room}` is no room that is built" for room in sorted(folders - set().union(*rooms.values()))]
    tables = re.findall(r"^\| room \| what it is \|\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    for table, (library, built) in zip(tables, rooms.items(), strict=True):
        told = set(re.findall(r"^\| `([^`]+)` \|", table, re.M))
        wrong += [f"room `{room}` is not built{' as ' + library if library else ''}" for room in sorted(told - built)]
        wrong += [f"no row for the room `{room}`" for room in sorted(built - told)]
    drawing = re.search(r"^```\n(.*?)^```", text, re.M | re.S).group(1)
    drawn = {word for line in drawing.split("\n") for word in re.findall(r"[a-z]+(?:-[a-z]+)*", line[:71])} - {"libpelt", "libpelt-tools"}
    built = {room.removesuffix("/*") for room in set().union(*rooms.values())}
    rows = {word: row for row, line in reversed(list(enumerate(drawing.split("\n")))) for word in re.findall(r"[a-z]+", line[:71])}
    wrong += [f"`{other}`, which `{room}` may include, is drawn above it" for room, known in sources.knows() for other in sorted(known) if rows.get(other, len(rows)) < rows.get(room, 0)]
    wrong += [f"`{room}` of the drawing is no room" for room in sorted(drawn - built) if not (sources.tree / room).is_dir()]
    return wrong + [f"the room `{room}` is not drawn" for room in sorted(built - drawn)]


def check_words(words, sources):
    """What a quotation names beside functions, types and paths from the top, and is not there."""
    wrong = []
    if re.fullmatch(r"\w[\w-]*\.(?:c|h|cpp|def|py|sh|mjs|cmake)", words) and words not in sources.names:
        wrong.append(f"no file is called `{words}`")
    if re.fullmatch(r"[\w/]+/\*", words) and not sources.file(words[:-2]):
        wrong.append(f"`{words}` is no folder")
    for target in re.findall(r"^(?:[A-Z]+=\S+ )?make ([a-z-]+)", words):
        if target not in sources.targets:
            wrong.append(f"`make {target}` is no target")
    for command in re.findall(r"^pelt ([a-z]+)\b", words):
        if command not in sources.commands:
            wrong.append(f"`pelt {command}` is no command")
    for method in re.findall(r"(?:--methods?|-m) ([a-z]+(?:,[a-z]+)*)", words if not words.startswith("pip") else ""):
        wrong += [f"`{one}` of `{words}` is no method" for one in method.split(",") if one not in sources.methods]
    for program in re.findall(r"^(?:lib)?(pelt-[a-z-]+)$", words):
        if not re.search(rf"(?<![\w-]){program}(?![\w-])", sources.built):
            wrong.append(f"`{words}` is neither built nor installed")
    return wrong


def check(name, text, sources, known_folders):
    architecture = name.endswith("architecture.md")
    wrong = check_rooms(text, sources) if architecture else []
    where = set(re.findall(rf"`(\w+)\(\)` in\s+`{FILE}`", text))
    quoted = [(m.group(1), m.start()) for m in re.finditer(r"`([^`\n]+)`", text)]
    for words, _ in quoted:
        if words.startswith("build/"):
            continue
        for word in re.findall(r"\b(pelti?_[a-z0-9_]*[a-z0-9])\b(?!_?\*|\.|-)", words):
            if word not in sources.functions and word not in sources.others:
                wrong.append(f"`{word}` is no function or table that src/ or include/ defines")
        for word in re.findall(r"\b(Pelti?[A-Z][A-Za-z0-9]*)\b", words):
            if word not in sources.fields:
                wrong.append(f"`{word}` is no type that src/ or include/ defines")
        if re.fullmatch(rf"(?:{'|'.join(known_folders)})/[\w./-]+", words) and not (sources.tree / words).exists():
            wrong.append(f"`{words}` does not exist")
        if architecture and re.fullmatch(FILE, words) and "/" in words and not sources.file(words):
            wrong.append(f"`{words}` does not exist")
        if architecture and re.fullmatch(r"\w+\(\)", words) and words[:-2] not in sources.functions and words[:-2] not in sources.outside:
            wrong.append(f"`{words}` is no function")
        elif architecture and re.fullmatch(r"\w+\(\)", words) and words[:-2] not in where:
            wrong.append(f"`{words}`: the file it is in is not named")
        wrong += check_words(words, sources)
    for word, file in re.findall(rf"`(\w+)(?:\(\))?` in\s+`({FILE})`", text):
        places = [p.relative_to(sources.tree).as_posix() for p in sources.file(file)]
        if not set(places) & (sources.functions.get(word, set()) | sources.outside.get(word, set())):
            wrong.append(f"`{word}` is no function of `{file}`")
    of = re.findall(r"`(\w+)` of\s+`(Pelti?[A-Z]\w+)`", text)
    for word, kind in of:
        if word not in sources.fields.get(kind, set()):
            wrong.append(f"`{word}` is no field of `{kind}`")
    if architecture:
        walk = text[text.index(WALK):]
        walk = walk[:re.search(r"^(?!\s|\d+\. |## A frame|What `|defined,)", walk, re.M).start()] if WALK in text else ""
        plain = set(re.findall(r"`([a-z_]+)`", walk)) - {word for word, _ in of} - sources.methods
        for word in sorted(w for w in plain if not w.startswith("pelt") and w not in sources.fields.get("PeltSkin", set())):
            wrong.append(f"`{word}` is no field of `PeltSkin` and no method")
    return [f"{name}: {w}" for w in dict.fromkeys(wrong)]


def main():
    tree = pathlib.Path(sys.argv[1])
    sources = Sources(tree)
    pages = [pathlib.Path(p) for p in sys.argv[2:]] or sorted(p for p in (tree / "docs").rglob("*.md") if "lab" not in p.relative_to(tree).parts) + [tree / "README.md"]
    wrong = [w for page in pages for w in check(page.as_posix().removeprefix(tree.as_posix() + "/"), page.read_text(), sources,
                                                 ("src", "tests", "tools", "docs", "cmake", "fuzz", "bench", "include", "examples"))]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
