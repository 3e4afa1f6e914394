#!/usr/bin/env python3
"""The house in numbers: lines a room, large structs, long parameter lists, tests that mirror sources, names, the library.

Usage: tools/house.py [TREE] [--build FOLDER] [--list] [--names] [--sizes] [--headers] [--unused] [--sources] [--writers]
  TREE            a checkout, this one by default
  --build FOLDER  size of libpelt.so there, and what it needs; how long `make test` took that last ran whole there (build, unless told)
  --list          names what is counted
  --names         what `make lint` checks, see "Names" in docs/architecture.md: exit code 1 where a name is wrong
  --sizes         the same of functions, those of tests too: lines and parameters
  --headers       the same of include/pelt: each function's own comment says thread, cost, ownership and errors, in whole sentences
  --unused        the same of externals that nothing outside their file uses: dead, or to be static
  --sources       the same of first lines, which say in a sentence what a source or a test is for and name the papers that it uses, and of
                  keys of papers ([Deul2013]) that docs/bibliography.md does not have, or has for nobody; and of notes that somebody left (NOTE_FOR_X.md)
  --writers       the same of structs whose comment says which sources write them: no other source of the room does
docs/architecture.md shows what it printed."""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ARGUMENTS_MOST = 6
LINES_MOST = 60  # between a function's braces
# Externals that nothing but tests uses, not even their own file, and why they are kept
FOR_TESTS = {
    "pelti_json_put": "spoils a member of a list as pelti_json_set does one of an object: only io sees json-c",
    "pelti_proj_energy": "what the local and the global step each lower: it needs the tissue's own tetrahedra",
}

# Turns back on the way file -> character -> prepare -> step -> measure -> write: (what, in which files, how it looks there).
# What crosses a border is no turn: measures and pictures take points, since caches hold nothing else.
STAGES = r"src/(methods|character|field|touch|body|contact|bake)/"
TURNS = (
    ("pose to matrices and back to joint turns", STAGES, r"mat34_inverse\(\*?[\w>.\[-]*(?:parent|link|bones\[up|bones\[p)\]?, &back\)"),
    # Where skins are kept or played by point this is their border; it is counted all the same. A cache's is bake/measure.c.
    ("vertices to points and back", r"src/(methods|character|field|touch|body|contact|bake|measure|io|distil|tools)/",
     r"= (?:\w+->)?(?:\w+\.)?points\[[\w>.-]*first_point\[|pelti_mesh_gather\("),
    # Of a skin: the first look is bake/skin.c's. Not counted: the .glb writer's at the points of soft objects, which no skin made and
    # nobody else looks at.
    ("places that look for what is not finite", r"src/(methods|bake|io)/",
     r"vec3_finite\((?:x|at\[i\]\.x|\w+->shown\[v\]|points\[\w\]|shown\.x\[i\]|pelti_flesh_lane\(.*PELTI_LAYER_SKIN\))\)|isfinite\(sum\)\)\n +continue"),
    ("scratch files of one .glb", r"src/io/gltf_write\.c", r"pelti_spool_open\("),
    ("structs of measures beside the first", r"(src|include)/", r"\w[^;{}]*\bself_intersections_new\b(?:;|,)(?=[^{}]*\} \w+;)"),
    ("pointers lent and taken back", r"src/(io|bake)/", r"who->node_order = NULL|bake\.out = NULL"),
    ("principal components in io", r"src/io/", r"pelti_eigen_symmetric\(|dsyev"),
    ("rig and operators inside options", r"src/methods/options\.h", r"struct Pelt(?:Rig|Operator) \*"),
    ("JSON parsed again after it was checked", r"src/io/", r"json_tokener_parse"),
)
ONCE = {"places that look for what is not finite": 1, "scratch files of one .glb": 1, "structs of measures beside the first": 1}


def without_comments(text):
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


SHORT = ("math",)  # rooms whose types and inline functions have short names


class House:
    def __init__(self, tree):
        self.tree = pathlib.Path(tree)
        self.files = sorted(p for p in (self.tree / "src").rglob("*") if p.suffix in (".c", ".h"))
        self.raw = {p: p.read_text() for p in self.files}
        self.programs = sorted(p for room in ("cli", "import") for p in (self.tree / room).rglob("*") if p.suffix in (".c", ".h", ".cpp"))
        self.text = {p: without_comments(t) for p, t in self.raw.items()}
        self.text.update({p: without_comments(p.read_text()) for p in self.programs})

    def room(self, path):
        """The folder below src that a file is in: "core", "methods/layered"."""
        return path.parent.relative_to(self.tree / "src").as_posix()

    def lines(self):
        count = collections.Counter()
        for path in self.files:
            count[self.room(path)] += self.raw[path].count("\n")
        return count

    # attributes and templates may stand before it; a function that returns one, or a pointer to an array, has its own parameters in its name
    FUNCTION = re.compile(r"^(?:(?:[A-Z_]+|__attribute__\(|template )[(<][^()<>\n]*[)>]+ )?([A-Za-z_][\w :<>\*]*?(?:\(\*)?)\b(\w+)\(([^;{}]*?)\)(?:\)\[\w+\])?\s*\n\{(.*?)^\}",
                          re.M | re.S)

    def functions(self):
        """(path, name, parameters, is static) of every definition, those of the programs too."""
        for path in self.files + self.programs:
            for m in self.FUNCTION.finditer(self.text[path]):
                before, name, inside, _ = m.groups()
                yield path, name, self.parameters(inside), bool(re.search(r"\b(static|STATIC|inline)\b", before))

    def too_large(self):
        """(path, name, parameters, lines between its braces) of functions over what is allowed, those of the programs, of tests and examples too."""
        others = sorted(p for folder in ("tests", "fuzz", "examples") for p in (self.tree / folder).rglob("*") if p.suffix in (".c", ".h", ".cpp"))
        for path in self.files + self.programs + others:
            text = self.text[path] if path in self.text else without_comments(path.read_text())
            for m in self.FUNCTION.finditer(text):
                count, lines = self.parameters(m.group(3)), m.group(4).count("\n") - 1
                if count > ARGUMENTS_MOST or lines > LINES_MOST:
                    yield path, m.group(2), count, lines

    @staticmethod
    def parameters(inside):
        inside = re.sub(r"\([^()]*\)", "", inside.strip())
        return 0 if inside in ("", "void") else inside.count(",") + 1

    def structs(self):
        """(path, name, fields) of every struct with a name; the fields of structs inside count as its own."""
        for path in self.files:
            text = self.text[path]
            for m in re.finditer(r"\bstruct (\w+)\s*\{", text):
                depth, end = 1, m.end()
                while depth and end < len(text):
                    depth += {"{": 1, "}": -1}.get(text[end], 0)
                    end += 1
                yield path, m.group(1), self.fields(text[m.end():end - 1])

    @staticmethod
    def fields(body):
        body = re.sub(r"(?m)^\s*#.*$", "", body)
        body = re.sub(r"\benum\s*\w*\s*\{[^}]*\}", "int", body)
        body = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", body))
        count = 0
        for part in re.split(r"[;{}]", body):
            part = re.sub(r"\[[^\]]*\]", "", part).strip()
            if part and not re.fullmatch(r"(const )?(struct|union)(\s+\w+)?", part):
                count += part.count(",") + 1
        return count

    def externals(self):
        """room -> names of functions and tables that other files can link to."""
        names = collections.defaultdict(dict)
        declared = set()  # a name without `static` in front may stand behind a macro that says it: only what a header shows counts
        for path in self.files:
            if path.suffix == ".h":
                declared |= set(re.findall(r"\b(\w+)\(", self.text[path]))
        public = self.tree / "include"
        for path in public.rglob("*.h"):
            declared |= set(re.findall(r"\b(\w+)\(", without_comments(path.read_text())))
        for path, name, _, static in self.functions():
            if path.suffix == ".c" and not static and name in declared and path not in self.programs:
                names[self.room(path)][name] = path
        for path in self.files:
            if path.suffix == ".c":
                for name in re.findall(r"^const [\w \*]+?\b(\w+)(?:\[[^\]]*\])* =", self.text[path], re.M):
                    names[self.room(path)][name] = path
        return names

    def globals(self):
        """(path, name) of what a source keeps for other files to write: a library has none."""
        for path in self.files:
            if path.suffix == ".c":
                for name in re.findall(r"^(?!static\b|const\b|typedef\b|extern\b|return\b|goto\b)[A-Za-z_][\w \*]*?\b(\w+)(?:\[[^\]]*\])*(?: = [^;]*)?;", self.text[path], re.M):
                    yield path, name

    TYPES = (r"^typedef (?:struct|enum|union) \w*\s*\{.*?^\} (\w+);", r"^typedef (?:struct|enum|union) \w*\s*\{[^}\n]*\} (\w+);",
             r"^(?:struct|union) (\w+)\s*\{")

    def types(self):
        """type name -> rooms whose headers define it."""
        where = collections.defaultdict(set)
        inside = {(self.room(path), name) for path, name, _ in self.structs()}  # opaque ones, whose fields a source of the room has
        for path in self.files:
            if path.suffix != ".h":
                continue
            text = self.text[path]
            names = [n for form in self.TYPES for n in re.findall(form, text, re.M | re.S)]
            names += [n for n in re.findall(r"^typedef struct (\w+) \1;", text, re.M) if (self.room(path), n) in inside]
            for name in names:
                where[name].add(self.room(path))
        return where

    def definitions(self):
        """type name -> files that say what it is: of the rooms, the programs and the public headers. What is opaque is said where its
        fields are; a typedef of something else (a vector, a function, an array) says it too, inside a function as well."""
        where = collections.defaultdict(set)
        public = [(p, without_comments(p.read_text())) for p in (self.tree / "include").rglob("*.h")]
        for path, text in list(self.text.items()) + public:
            names = re.findall(r"\b(?:struct|enum|union) (\w+)\s*\{", text)
            names += [n for form in self.TYPES for n in re.findall(form, text, re.M | re.S)]
            for other in re.findall(r"\btypedef ([^;{}]*);", text):
                other = re.sub(r"__attribute__\(\(.*?\)\)(?=\s|$)|\[[^\]]*\]", "", other)
                names += re.findall(r"\(\*?(\w+)\)\s*\(", other)[:1] or ([] if re.match(r"(?:struct|enum|union) (\w+) \1$", other) else re.findall(r"(\w+)\s*$", other))
            for name in names:
                where[name].add(path)
        return where

    def twice(self):
        """(type name, its files) of those that more than one file defines."""
        return [(name, sorted(p.relative_to(self.tree).as_posix() for p in files)) for name, files in sorted(self.definitions().items()) if len(files) > 1]

    INLINE = re.compile(r"^(?:static inline|PELTI_WIDE)\b(?: __attribute__\(\(.*?\)\))?[\w \*]*?\b(\w+)\(", re.M)

    def shared(self):
        """(path, name, "inline" or "constant") of the inline functions and the enum constants of headers of the rooms, but for math's,
        whose short names are every room's."""
        for path in self.files:
            if path.suffix != ".h" or self.room(path) in SHORT:
                continue
            for name in dict.fromkeys(self.INLINE.findall(self.text[path])):  # once, where a scalar one stands beside it
                yield path, name, "inline"
            text = re.sub(r"(?m)^\s*#.*$", "", self.text[path])  # what an X-macro writes begins as the macro says
            for body in re.findall(r"^(?:typedef )?enum\b\s*\w*\s*\{([^}]*)\}", text, re.M):
                for name in re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)\s*(?=,|=|$)", re.sub(r"=[^,]*", "", body)):
                    yield path, name, "constant"

    # `double world`, `const Mat34 *node_world`, and what follows a comma in a declaration; `to_world` says from and to
    WORLD = r"\**\s*(?!(?:\w+_)?to_world\b)(world|\w+_world)\b(?!\s*\()"
    WORLDS = (re.compile(r"(?:^|[;{}(,])\s*(?:(?:static|const|struct)\s+)*(?!return\b|else\b|case\b)([A-Za-z_]\w*)(?:\s+|\s*\*+\s*)(?:const\s+)?" + WORLD, re.M),
              re.compile(r"(?:^|[;{}])\s*(?:(?:static|const|struct)\s+)*(?!return\b|else\b|case\b)([A-Za-z_]\w*)\s+\**\s*\w+[^;{}]*?,\s*" + WORLD, re.M))

    def worlds(self):
        """(path, name, type) of what is declared as `world` or `..._world` and is no PeltWorld, in tests and examples too."""
        others = sorted(p for folder in ("tests", "fuzz", "examples") for p in (self.tree / folder).rglob("*") if p.suffix in (".c", ".h"))
        for path in self.files + self.programs + others:
            text = re.sub(r"\[[^\[\]]*\]", "", self.text[path] if path in self.text else without_comments(path.read_text()))
            flat = re.sub(r"\([^()]*\)|(?<== )\{[^{}]*\}", "", re.sub(r"\([^()]*\)", "", text))
            found = [(m.group(2), m.group(1)) for form, where in zip(self.WORLDS, (text, flat)) for m in form.finditer(where)]
            for name, kind in dict.fromkeys(found):
                if kind != "PeltWorld":
                    yield path, name, kind

    def unused(self):
        """(path, name, whether the tests at least use it, whether its own file does) of externals of the rooms that nothing of the
        project uses outside their own file. The public ones are the users'."""
        lines = [(path, self.text[path]) for path in self.files + self.programs]
        tests = []
        for room, list_ in (("include", lines), ("tests", tests), ("fuzz", tests), ("examples", tests)):
            list_ += [(p, without_comments(p.read_text())) for p in (self.tree / room).rglob("*") if p.suffix in (".c", ".h")]
        # not a use: a declaration, which begins at the start of a line and ends in a semicolon
        declaration = re.compile(r"^[A-Za-z_][\w \*]*?\b\w+\([^;{}]*\)[^;{}\n]*;", re.M)
        words = lambda files: [(p, set(re.findall(r"\b\w+\b", declaration.sub("", text)))) for p, text in files]
        ours, theirs = words(lines), set().union(*(w for _, w in words(tests)), set())
        for names in self.externals().values():
            for name, path in names.items():
                if not name.startswith("pelt_") and not any(name in w for p, w in ours if p != path):
                    inside = len(re.findall(rf"\b{name}\b", declaration.sub("", self.text[path]))) > 1  # its definition is one
                    yield path, name, name in theirs, inside

    def turns(self):
        """what -> the places of each turn back, beyond the one that has to be."""
        paths = self.files + sorted((self.tree / "include").rglob("*.h"))
        texts = [(p.relative_to(self.tree).as_posix(), self.text.get(p) or without_comments(p.read_text())) for p in paths]
        found = {}
        for what, where, form in TURNS:
            hits = [(name, hit.group()) for name, text in texts if re.match(where, name) for hit in re.finditer(form, text)]
            if what not in ONCE:  # a file that does it twice does it
                hits = list(dict.fromkeys((name, "") for name, _ in hits))
            found[what] = [f"{name}: {what}" for name, _ in hits[ONCE.get(what, 0):]]
        return found

    def mirrored(self):
        """Sources src/ROOM/NAME.c with a tests/ROOM/test_NAME.c."""
        inside = [p.relative_to(self.tree / "src") for p in self.files if p.suffix == ".c"]
        return [i for i in inside if (self.tree / "tests" / i.parent / ("test_" + i.name)).exists()]

    def unmirrored(self):
        """Sources that no test tries: there is no tests/ROOM/test_NAME.c, and no test of the room names a function of theirs (of
        public ones, no test of the public API either; of a method, no test of methods asks for it by its name)."""
        of_source = collections.defaultdict(set)
        for names in self.externals().values():
            for name, path in names.items():
                of_source[path].add(name)
        words = {}
        for path in (self.tree / "tests").rglob("*"):
            if path.suffix in (".c", ".h"):
                room = path.parent.relative_to(self.tree / "tests").as_posix()
                room = {"import": "io"}.get(room, room)  # readers of pelt-import: io runs them
                text = path.read_text()
                words.setdefault(room, set()).update(re.findall(r"\bpelti?_\w+", text))
                if room == "methods":
                    words[room].update("pelti_method_" + name for name in re.findall(r'"([a-z]+)"', text))
        for path in self.files:
            inside = path.relative_to(self.tree / "src")
            if path.suffix != ".c" or (self.tree / "tests" / inside.parent / ("test_" + inside.name)).exists():
                continue
            room = inside.parent.as_posix()
            tried = words.get(room, set()) | (words.get("methods", set()) if room.startswith("methods/") else set())
            public = {n for n in of_source[path] if n.startswith("pelt_")}
            if not of_source[path] & tried and not public & (words.get("public", set()) | words.get("bake", set())):
                yield inside.as_posix()


SAYS = {"thread": r"\bthreads?\b", "cost": r"\b[Cc]osts?\b|\b(?:ms|seconds?|minutes?)\b|\btakes?\b|[Tt]ime goes|as long as|does not allocate",
        "ownership": r"\b(?:caller|owned|own\b|outlives?|lives?|copied|copy|kept|free|`out`|destroys?|overwritten|may be NULL|result)",
        "errors": r"PELT_[A-Z]+_?[A-Z]*\b|\b[Ff]ails?\b|[Cc]annot fail|status"}


SAYS["owner"] = r"\bcaller|\bdestroy|\byours\b|\bfrees?\b|[`\w]*_free\b"  # of what an out parameter gets
SAYS["no memory"] = r"PELT_FAILED|want of memory"  # of what makes something

# Words that are a sentence's verb: one that is missing is to be added. A sentence may also begin with its verb, whichever it is:
# "Returns ...", "Frees ...".
VERBS = """is are was were be has have had does do did may must can cannot will would should shall stands stays lives live belongs belong
    costs cost takes take fails fail gives give gets get means mean says say tells tell makes make needs need holds hold keeps keep goes go
    comes come runs run asserts outlives returns frees sets pulls adds writes reads copies draws looks appears change changes call settles fits""".split()
BEGINS = r"(?!(?:As|This|Its|Names|Texts|Points|Objects|Indices|Clips|Joints|Frames|Options|Methods|Anchors|Rows|Morphs?|Always|Less|Plus)\b)[A-Z][a-z]*s\b"


def plain(comment):
    """A comment's text, on one line, without its slashes."""
    return " ".join(re.sub(r"(?m)^\s*///<?", "", comment).split())


def sentences(text):
    """The sentences of a text; a full stop inside a number, a name or a path ends none."""
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"\[(])", text) if s]


def not_whole(comment):
    """What of a function's comment is no whole sentence; "" where all are. It begins with a verb, "Returns", so that a reader knows at
    once what the function does; every sentence ends with a full stop and has three words, a verb among them."""
    text = plain(comment)
    if not re.match(BEGINS, text):
        return f"does not begin with what the function does (Returns, Makes, Frees): \"{text[:40]}\""
    for s in sentences(text):
        words = re.findall(r"[A-Za-z][\w'-]*", s)
        if not s.endswith("."):
            return f"does not end with a full stop: \"{s[-40:]}\""
        if len(words) < 3 or not (re.match(BEGINS, s) or set(w.lower() for w in words) & set(VERBS)):
            return f"no whole sentence: \"{s[:60]}\""
    return ""


def header_functions(path):
    """(name, declaration, own comment) of each function."""
    comment = ""
    for part in re.findall(r"(?:^[ \t]*///(?!<)[^\n]*\n)+|^PELT_API [^;]*;[^\n]*\n|^[^\n]*\n", path.read_text(), re.M):
        if part.lstrip().startswith("///"):
            comment = part
            continue
        if part.startswith("PELT_API"):
            said = comment + (part.split("///<")[1] if "///<" in part else "")
            yield re.search(r"(\w+)\(", part).group(1), part.split("///<")[0], said
        if not part.startswith((" ", "\t")):
            comment = ""


def check_headers(tree):
    """Functions of include/pelt that a reader is told too little of, a line each. What counts is a function's own comment, since that is
    what an editor shows at a call. It is of whole sentences, of which the first begins with what the function does, and says from which
    thread and at what cost, but that those which free something need not tell of the cost. One that can fail says who owns what, and
    which errors; one that makes something says whose it then is, and what it does without memory."""
    wrong = []
    for path in sorted((tree / "include").rglob("*.h")):
        for name, declaration, said in header_functions(path):
            asked = ["thread"] + ([] if re.search(r"_(?:destroy|free)$", name) else ["cost"])
            if declaration.startswith("PELT_API PeltStatus"):
                asked += ["ownership", "errors"] + (["owner", "no memory"] if re.search(r"\*\*(?:out|text)\b", declaration) else [])
            short = [what for what in asked if not re.search(SAYS[what], said)]
            at = f"{path.relative_to(tree)}: {name}"
            if not said.strip():
                wrong.append(f"{at}: no comment of its own")
                continue
            if not_whole(said):
                wrong.append(f"{at}: its comment {not_whole(said)}")
            if short:
                wrong.append(f"{at}: its comment says nothing of {', '.join(short)}")
    return wrong


def read_names(page):
    """The table "Whose word it is" of docs/architecture.md: room -> the words its names begin with."""
    rows = re.findall(r"^\| `([\w/]+)` \| ((?:`[\w=]+`(?:, )?)+) \|$", page.read_text().split("\n## Names\n")[1].split("\n## ")[0], re.M)
    return {room: re.findall(r"`([\w=]+)`", list_) for room, list_ in rows}


def begins_with(rest, word):
    """Whether what follows pelti_ is of that word: skin_step and skins_of of "skin", float8 of "float"; of "sin=" it is only sin."""
    return rest == word[:-1] if word.endswith("=") else re.match(rf"{word}s?(?:_|\d|$)", rest)


def as_words(name):
    """PeltiBoxTree as box_tree."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("Pelti")).lower()


# A PeltX that hosts hold, with its PeltiX inside. No other name of ours is a public one with an i.
HANDLES = ("Character", "Measure", "Pose")


def check_shared(house, words, owner):
    """What is wrong with the inline functions and the enum constants that headers of rooms show: each name is one room's, begins behind
    PELTI_ or without it with a word of that room, and never with one of another. Those of vectors of eight are short, as math's are."""
    wrong, where = [], collections.defaultdict(dict)
    for path, name, kind in house.shared():
        room, at = house.room(path), f"{path.relative_to(house.tree)}: {name}"
        where[name].setdefault(room, path)
        rest = re.sub("^(?:PELTI|pelti)_", "", name).lower()
        if any(begins_with(rest, word) for word in words[room]) or name.startswith("pelti_"):  # those are told as externals are
            continue
        theirs = [word for word in owner if owner[word] != room and begins_with(rest, word)]
        if not name.startswith("PELTI_") and not (kind == "inline" and re.search(r"\d", name)):
            wrong.append(f"{at}: does not begin with a word of {room} ({', '.join(words[room])})")
        elif theirs:
            wrong.append(f"{at}: `{theirs[0]}` is a word of {owner[theirs[0]]}, not of {room}")
    for name, rooms in sorted(where.items()):
        if len(rooms) > 1:
            paths = sorted(path.relative_to(house.tree).as_posix() for path in rooms.values())
            wrong.append(f"{paths[0]}: {name} stands in {' and in '.join(paths[1:])} too: one name, one thing")
    return wrong


def check_names(house):
    """What is wrong with names, a line each."""
    page, wrong, owner, listed = "docs/architecture.md", [], {}, read_names(house.tree / "docs" / "architecture.md")
    words = {room: [room.split("/")[-1]] + listed.get(room, []) for room in sorted(set(map(house.room, house.files)) | set(listed))}
    for room, list_ in words.items():
        for word in list_:
            if word in owner:
                wrong.append(f"{page}: `{word}` belongs to {owner[word]} and to {room}: one word, one room")
            owner[word] = room
    definitions = house.definitions()
    names = [(house.room(path), name, name.removeprefix("pelti_"), path) for list_ in house.externals().values() for name, path in list_.items()
             if not name.startswith("pelt_")]
    names += [(house.room(path), name, name.removeprefix("pelti_"), path) for path, name, kind in house.shared()
              if kind == "inline" and name.startswith("pelti_")]
    names += [(house.room(path), name, as_words(name), path) for name, paths in definitions.items() for path in paths
              if name.startswith("Pelti") and path in house.raw]
    used = set()
    for room, name, rest, path in sorted(names):
        fits = [word for word in words[room] if begins_with(rest, word)] if name.startswith(("pelti_", "Pelti")) else []
        used.update((room, word) for word in fits)
        if not fits:
            wrong.append(f"{path.relative_to(house.tree)}: {name}: does not begin with a word of {room} ({', '.join(words[room])})")
        public = "Pelt" + name.removeprefix("Pelti")
        if name.startswith("Pelti") and public in definitions and public.removeprefix("Pelt") not in HANDLES:
            wrong.append(f"{path.relative_to(house.tree)}: {name}: differs from {public} by an i alone")
    wrong += [f"{page}: `{word}`: no name of {room} begins with it" for room, list_ in listed.items() for word in list_ if (room, word) not in used]
    wrong += check_shared(house, words, owner)
    wrong += [f"{path.relative_to(house.tree)}: {name}: a {kind}: `world` is a PeltWorld or the space" for path, name, kind in house.worlds()]
    wrong += [f"{path.relative_to(house.tree)}: {name}: a type that does not begin with a word of {house.room(path)} ({', '.join(words[house.room(path)])})"
              for name, paths in sorted(definitions.items()) for path in sorted(paths)
              if not name.startswith("Pelt") and path in house.raw and path.suffix == ".h" and house.room(path) not in SHORT and
              not any(begins_with(as_words(name), word) for word in words[house.room(path)])]
    wrong += [f"{path.relative_to(house.tree)}: {name}: a variable that other files can write" for path, name in house.globals()]
    for name, files in house.twice():
        wrong.append(f"{files[0]}: {name} is a type of {' and of '.join(files[1:])} too: one name, one thing")
    return wrong


def check_sizes(house):
    """Functions that are too long, or take too much, a line each."""
    return [f"{path.relative_to(house.tree)}: {name}: {lines} lines and {count} parameters: {LINES_MOST} and {ARGUMENTS_MOST} at most"
            for path, name, count, lines in house.too_large()]


def check_unused(house):
    """Externals that nobody outside their file asks for, not even a test: dead, or to be static. And those that only tests use, not
    even their own file, but for FOR_TESTS, and names of that list that are none. A line each."""
    unused = sorted(house.unused())
    only = {name: path for path, name, tried, inside in unused if tried and not inside}
    wrong = [f"{path.relative_to(house.tree)}: {name}: nothing outside its file uses it" for path, name, tried, _ in unused if not tried]
    wrong += [f"{path.relative_to(house.tree)}: {name}: only tests use it" for name, path in only.items() if name not in FOR_TESTS]
    ours = house.tree == pathlib.Path(__file__).resolve().parent.parent
    return wrong + [f"tools/house.py: {name}: is not used by tests alone" for name in FOR_TESTS if ours and name not in only]


# What a person or a program leaves for the next one: it belongs into an issue or a commit's message, and never into the project.
LEFT = r"(?i)(?:.*[_\W])?(?:note|todo|memo|handover|handoff)s?(?:[_\W].*)?\.(?:md|txt|rst)"


def check_notes(tree):
    """Notes that somebody left, anywhere among the files of the project. A line each."""
    tree = pathlib.Path(tree)
    kept = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, cwd=tree)
    files = [tree / name for name in kept.stdout.split("\0") if name] if (tree / ".git").exists() else sorted(tree.rglob("*"))
    return [f"{p.relative_to(tree)}: a note: say it in an issue or a commit's message" for p in files if p.is_file() and re.fullmatch(LEFT, p.name)]


# The comment before a struct, its name, and members of such a type in a larger struct
TOLD = re.compile(r"^((?:///[^\n]*\n)+)typedef struct (\w+) \{|^typedef struct (\w+) \{ *///< ?([^\n]*)", re.M)
FRESH = r"(?:PELTI_NEW|PELTI_TAKE|pelti_pool_take)\("  # memory alone: whoever makes an object takes it


def writers_told(said):
    """Sources that a struct's comment names, but for those of a clause that only says who reads."""
    clauses = re.split(r"[;:]|\.(?=\s|$)|, (?:these|others)\b", re.sub(r"\s*///\s*", " ", said))
    return {name for c in clauses if "writ" in c or not re.search(r"\b(?:reads?|reports?|asks?)\b", c) for name in re.findall(r"\b\w+\.c\b", c)}


def check_writers(house):
    """Sources that assign to a struct whose comment names its writers and not them, a line each. Seen are assignments, steps and mem...
    by the member's name, by a pointer of the type, and by a pointer to the member; not what is handed to another function. What takes
    memory counts as making; so does all of a source that a header says has made all."""
    wrong = []
    for header in house.files:
        raw = house.raw[header] if header.suffix == ".h" else ""
        makers = {name for said in re.findall(r"All of it is made by ([^;]*?\.c)\.(?=\s)", raw) for name in re.findall(r"\w+\.c", said)}
        sources = [p for p in house.files if p.parent == header.parent and p.suffix == ".c" and p.name not in makers]
        for m in TOLD.finditer(raw):
            name, writers = m.group(2) or m.group(3), writers_told(m.group(1) or m.group(4))
            named = [n for n in re.findall(rf"^ +{name} (\w+);", house.text[header], re.M) if not re.search(rf"^ +(?!{name} )\w+ {n};", house.text[header], re.M)]
            if not writers or not named:  # a name that members of another type have too says nothing
                continue
            for path in sources:
                if path.name in writers:
                    continue
                text = house.text[path]
                pointers = re.findall(rf"(?<!const )\b{name} \*(\w+)", text)
                at = "|".join([rf"(?:->|\.)(?:{'|'.join(named)})\."] + [rf"\b{p}->" for p in set(pointers)])
                rest = r"(?:\w|\.|->|\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\])*"
                write = rf"(?:{at}){rest}(?: [-+*/|&]?= (?!{FRESH})|\+\+|--)|\bmem(?:set|cpy|move)\(&?[\w>.-]*?(?:{at})"
                for hit in re.finditer(write, text):
                    line = text.count("\n", 0, hit.start()) + 1
                    wrong.append(f"{path.relative_to(house.tree)}:{line}: writes {name}, which {header.name} says {', '.join(sorted(writers))} write")
    return wrong


KEY = r"[A-Z][A-Za-z]+(?:19|20)\d\d[a-z]?\b"


def check_sources(tree):
    """Sources whose first line is no comment that is a sentence, or leaves a paper out that the lines below it name; keys of papers that
    nobody knows, and papers that no source names. A line each."""
    tree = pathlib.Path(tree)
    wrong = []
    listed = lambda *rooms: sorted(p for room in rooms for p in (tree / room).rglob("*") if p.suffix in (".c", ".h", ".cpp", ".def", ".md"))
    for path in listed("src", "cli", "import", "fuzz", "examples", "tests"):
        if path.suffix not in (".c", ".cpp"):
            continue
        opening = re.match(r"(?:///?[^\n]*\n)*", path.read_text()).group().split("\n")
        if not re.fullmatch(r"/// \S.*\.", opening[0]) or len(opening[0].split()) < 5:
            wrong.append(f"{path.relative_to(tree)}: open with a line of /// that says what it is for, a sentence that ends on it with a full stop")
        below = opening[1:] if path.is_relative_to(tree / "tests") else path.read_text().split("\n")[1:]  # a test may lean on a paper that is none of its own
        missing = set(re.findall(rf"\[({KEY})", "\n".join(below))) - set(re.findall(KEY, opening[0]))
        if missing:
            wrong.append(f"{path.relative_to(tree)}: the line it opens with does not name {', '.join(sorted(missing))}, which the lines below do")
    known = set(re.findall(rf"^- \[({KEY})\]", (tree / "docs" / "bibliography.md").read_text(), re.M))
    cited = set(re.findall(KEY, "".join(path.read_text() for path in listed("src", "cli", "import", "include", "tests") if path.suffix != ".md")))
    wrong += [f"docs/bibliography.md: [{key}]: no source names it" for key in sorted(known - cited)]
    for path in listed("src", "cli", "import", "include", "fuzz", "examples", "tests", "docs") + [tree / "README.md"]:
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for inside in re.findall(r"\[([^\[\]]*)\]", line):
                for key in re.findall(rf"(?:^|, ){KEY}", inside):
                    if key.removeprefix(", ") not in known:
                        wrong.append(f"{path.relative_to(tree)}:{number}: [{key.removeprefix(', ')}] is not in docs/bibliography.md")
    return wrong


def show(house, listing, build):
    lines = house.lines()
    print(f"{'lines':48}{sum(lines.values()):8}")
    for room, count in sorted(lines.items()):
        print(f"  {room:46}{count:8}")
    structs = sorted(house.structs(), key=lambda s: (-s[2], s[1]))
    print(f"{'fields of the largest structs':48}")
    for path, name, count in structs[:6]:
        print(f"  {name + ' (' + house.room(path) + ')':46}{count:8}")
    functions = list(house.functions())
    many = [(n, name, path) for path, name, n, _ in functions if n > ARGUMENTS_MOST]
    print(f"{f'functions over {ARGUMENTS_MOST} parameters, of {len(functions)}':48}{len(many):8}")
    print(f"{'  the most parameters':48}{max((n for _, _, n, _ in functions), default=0):8}")
    turns = house.turns()
    print(f"{'turns back on the way of the data':48}{sum(map(len, turns.values())):8}")
    for what, places in turns.items():
        print(f"  {what:46}{len(places):8}")
    sources = sum(1 for p in house.files if p.suffix == ".c")
    bare = list(house.unmirrored())
    print(f"{f'sources that no test of their room tries, of {sources}':48}{len(bare):8}")
    print(f"{f'sources with a test of their own name, of {sources}':48}{len(house.mirrored()):8}")
    externals = house.externals()
    free = [f"{room}: {name}" for room, names in sorted(externals.items()) for name in sorted(names)
            if not name.startswith(("pelt_", "pelti_"))]
    print(f"{f'externals without a prefix, of {sum(map(len, externals.values()))}':48}{len(free):8}")
    lonely = list(house.unused())
    print(f"{'externals that nothing outside their file uses':48}{sum(not tried for _, _, tried, _ in lonely):8}")
    print(f"{'  that only tests use':48}{sum(tried for _, _, tried, _ in lonely):8}")
    print(f"{'  and not even their own file':48}{sum(tried and not inside for _, _, tried, inside in lonely):8}")
    twice = [f"{name}: {', '.join(sorted(rooms))}" for name, rooms in sorted(house.types().items()) if len(rooms) > 1]
    print(f"{'type names used in more than one room':48}{len(twice):8}")
    print(f"{'type names defined in more than one file':48}{len(house.twice()):8}")
    if build:
        library = pathlib.Path(build) / "libpelt.so"
        needs = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout.splitlines()
        size = subprocess.run(["size", library], capture_output=True, text=True, check=True).stdout.splitlines()[1].split()[0]
        print(f"{'libraries that libpelt.so brings (ldd)':48}{len(needs):8}")
        print(f"{'code and tables of libpelt.so, kB':48}{int(size) // 1000:8}")
    ran = pathlib.Path(build or house.tree / "build") / "test-seconds"  # tools/test.sh writes it where all stages passed
    seconds = ran.read_text().strip() if ran.exists() else "not measured"
    print(f"{'`make test` in seconds, as it last ran here':48}{seconds:>8}")
    if listing:
        for title, items in (("over six parameters", [f"{p.relative_to(house.tree)}: {name}, {n}" for n, name, p in sorted(many, key=lambda m: -m[0])]),
                             ("turns back", [p for places in turns.values() for p in places]),
                             ("that no test of their room tries", bare), ("without a prefix", free), ("in more than one room", twice),
                             ("in more than one file", [f"{name}: {', '.join(files)}" for name, files in house.twice()]),
                             ("that nothing outside their file uses, but perhaps tests", [f"{p.relative_to(house.tree)}: {name}{'' if inside else ': ' + FOR_TESTS.get(name, 'dead')}" for p, name, _, inside in sorted(lonely)])):
            print(f"\n{title}:")
            print("\n".join("  " + i for i in items))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--unused", action="store_true")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--writers", action="store_true")
    options = parser.parse_args()
    house = House(options.tree)
    if options.names or options.sizes or options.headers or options.unused or options.sources or options.writers:
        wrong = (check_names(house) if options.names else []) + (check_sizes(house) if options.sizes else []) + (check_headers(house.tree) if options.headers else []) + \
                (check_unused(house) if options.unused else []) + (check_sources(house.tree) + check_notes(house.tree) if options.sources else []) + \
                (check_writers(house) if options.writers else [])
        print("\n".join(wrong), end="\n" if wrong else "")
        sys.exit(1 if wrong else 0)
    show(house, options.list, options.build)


if __name__ == "__main__":
    main()
