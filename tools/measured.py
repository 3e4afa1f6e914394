#!/usr/bin/env python3
"""Tables nobody types: bakes, measures and writes the tables of docs/ between their markers.

Usage: tools/measured.py [TABLE...] [--pelt build/pelt] [--list] [--check] [--runs N] [--results FILE.csv]
       tools/measured.py [TABLE...] --kept-since COMMIT [--renamed FILE.sed]
  TABLE...      only these; all by default (`make measured`). Tables of times want a quiet machine
  --list        names the tables: page, what they need, whether they are current. Those of docs/constants.md are `make sweep`'s to make and to check
  --check       exit code 1 where a table is older than what it speaks of and could be made here, or a page has a table of numbers
                outside of markers (`make lint`)
  --runs N      times are medians of N runs (default 5)
  --results F   times from this file of `pelt bench -o F`, in place of running `pelt bench`
  --kept-since C  tables that were current at commit C and are old now stay as they are and count as current, where every source they
                depend on compiles to the same assembly as at C: a constant got a name, nothing else. Measures nothing. Needs the build
                folder of --pelt for its compile commands
  --renamed F   with --kept-since: a script for `sed -E` that gives what was called otherwise at C its name of today

A table stands in its page as
    <!-- measured NAME, commit C, machine M, of K, body B -->
    ...
    <!-- end of NAME -->
K is a hash of what the table depends on: the goldens of the methods it speaks of (their bytes on built-in characters) or, for
times and for characters that are not part of the project, the sources of the rooms that make them, without comments and layout.
B is a hash of what stands between the markers: a figure that somebody typed there is noticed, whatever this machine has.
A table that was made of sources nobody can get again (its commit is unknown to git, or was dirty) counts as old. Tables that need ../shared (characters that are not part of the project) are kept where it is
absent, and so is one that needs another program (Blender, Chromium, the system's numpy; PELT_PEER, see tools/compare_peer.py); --check tells in one line which are
old and kept so.
tools/tables/every.py lists the tables; the files beside it make them, each function with what it costs."""
import argparse
import sys
import tempfile

sys.dont_write_bytecode = True
from tables import pages
from tables.every import TABLES
from tables.kept import keep
from tables.work import ROOT, Work

import sweep


def report(names, every, check):
    """What is not current (all where `every`); how much of it is wrong here. What is old but could not be made here is said in one line."""
    wrong, kept = 0, []
    for name in names:
        one = TABLES[name]
        problem, lacks = pages.state(name, one), one.absent()
        excused = problem and lacks and problem not in (pages.NO_MARKER, pages.CHANGED)
        wrong += bool(problem) and not excused
        if excused:
            kept.append(f"{name} ({problem}; {lacks} is not here)")
        elif every or problem:
            print(f"{one.page.relative_to(ROOT)}: {name}{' (needs ../shared)' if one.shared else ''}: {problem or 'current'}")
    if kept:
        print(f"{len(kept)} table{'s are' if len(kept) > 1 else ' is'} old and kept: {', '.join(kept)}")
    if check and wrong:
        print("tools/measured.py TABLE... makes them anew, `make measured` all")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--pelt", default="build/pelt")
    parser.add_argument("--results")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--kept-since", metavar="COMMIT")
    parser.add_argument("--renamed", metavar="FILE.sed")
    options = parser.parse_args()
    unknown = [t for t in options.tables if t not in TABLES]
    if unknown:
        sys.exit(f"no table {', '.join(unknown)}: {', '.join(TABLES)}")
    names = options.tables or list(TABLES)
    if options.list or options.check:
        wrong = report(names, options.list, options.check)
        for room in sweep.ROOMS if options.list and not options.tables else []:
            print(sweep.line(room, sweep.state(room)))
        typed = list(pages.all_typed()) + list(pages.strangers({**TABLES, **sweep.TABLES})) if options.check and not options.tables else []
        print("\n".join(typed), end="\n" if typed else "")
        sys.exit(1 if options.check and (wrong or typed) else 0)
    if options.kept_since:
        return keep({name: TABLES[name] for name in names}, options.kept_since, (ROOT / options.pelt).resolve().parent, options.renamed)
    missing = [name for name in names if not pages.find(name, TABLES[name])]
    if missing:
        sys.exit(f"no marker for {', '.join(missing)}")
    made_at = pages.commit()
    with tempfile.TemporaryDirectory() as folder:
        work = Work((ROOT / options.pelt).resolve(), options, folder)
        for name in names:
            one = TABLES[name]
            if one.absent():
                print(f"{name}: kept, {one.absent()} is not here")
                continue
            print(name, file=sys.stderr)
            pages.write(name, one, one.make(work), made_at)


if __name__ == "__main__":
    main()
