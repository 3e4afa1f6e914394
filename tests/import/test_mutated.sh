#!/bin/bash
# A thousand spoiled FBX files (bytes changed, cut, runs doubled or zeroed): each is read or refused with one sentence and exit 3 or 5; no crash of the command, no
# hang, no process and no file left behind. MUTANTS=N for another number.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. "$(dirname "$0")/../support/lacks.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
python3 "$here/make_fbx.py" a.fbx --rings 6 --around 5 --joints 3 --frames 4 --morph || exit 1
python3 "$here/make_fbx.py" b.fbx --rings 6 --around 5 --joints 3 --frames 4 --plain --meshes 2 || exit 1
"$PELT" inspect a.fbx > /dev/null 2> said.txt; [ $? = 5 ] && { echo "skipped: $(cat said.txt)"; exit 77; }
mkdir scratch
sausage=$PELT_SHARED/data/corpus/blender_279_sausage_7400_binary.fbx; beside "$sausage" || sausage=
TMPDIR=$work/scratch MUTANTS=${MUTANTS:-1000} python3 - "$PELT" a.fbx b.fbx $sausage <<'P'
import os, random, subprocess, sys, time
pelt, seeds, random_ = sys.argv[1], [open(p, "rb").read() for p in sys.argv[2:]], random.Random(7)
def spoil(raw):
    raw = bytearray(raw); kind = random_.randrange(5); at = random_.randrange(23, len(raw))
    if kind == 0: raw[at] = random_.randrange(256)
    elif kind == 1:
        for _ in range(random_.randrange(1, 30)): raw[random_.randrange(23, len(raw))] ^= 1 << random_.randrange(8)
    elif kind == 2: del raw[at:]
    elif kind == 3: raw[at:at + 8] = random_.choice((b"\xff" * 8, b"\0" * 8, b"\xff\xff\xff\x7f" * 2))
    else: n = random_.randrange(1, 200); raw[at:at] = raw[at:at + n]
    return bytes(raw)
def children(): return subprocess.run(["pgrep", "-f", "pelt-import " + os.getcwd()], capture_output=True, text=True).stdout.split()
codes, slowest, crashed = {}, 0, 0
for i in range(int(os.environ["MUTANTS"])):
    path = os.path.join(os.getcwd(), "mutant.fbx"); open(path, "wb").write(spoil(seeds[i % len(seeds)]))
    start = time.monotonic()
    try: run = subprocess.run([pelt, "convert", path, "out.glb", "-q"], capture_output=True, timeout=90)
    except subprocess.TimeoutExpired: os.rename(path, "/tmp/pelt-mutant.fbx"); sys.exit(f"FAILED: mutant {i} hangs (kept as /tmp/pelt-mutant.fbx)")
    slowest = max(slowest, time.monotonic() - start); codes[run.returncode] = codes.get(run.returncode, 0) + 1
    words = [line for line in run.stderr.decode(errors="replace").splitlines() if "warning" not in line]
    crashed += any("another program's reader" in line for line in words)
    if run.returncode not in (0, 3, 5) or (run.returncode and len(words) != 1): os.rename(path, "/tmp/pelt-mutant.fbx"); sys.exit(f"FAILED: mutant {i}: exit {run.returncode}, {words} (kept as /tmp/pelt-mutant.fbx)")
    if os.path.exists("out.glb"):
        if run.returncode: sys.exit(f"FAILED: mutant {i} was refused and written")
        os.remove("out.glb")
left = os.listdir("scratch") + [p for p in os.listdir(".") if p not in ("a.fbx", "b.fbx", "mutant.fbx", "scratch", "said.txt")]
if left or children(): sys.exit(f"FAILED: left behind: {left} {children()}")
print(f"mutated: good: {sum(codes.values())} files, exits {codes}, {crashed} crashed the other's reader, the slowest took {slowest:.1f} s")
P
