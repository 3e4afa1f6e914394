#!/bin/bash
# `pelt batch`: what is done is skipped, what changed or was damaged is made again, failures are told and stop nothing, parts of
# clips join to the bytes of a whole bake, shards and lists make the same files, and a batch killed anywhere ends the same.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
made() { sed -n 's/.*"made": \([0-9]*\).*/\1/p' <<<"$1"; }
"$PELT" make cylinder --vertices 500 -o one.glb -q || fail make
"$PELT" make arm --vertices 600 -o two.glb -q || fail make
cat > jobs.json <<'J'
{
  "defaults": {"method": ["lbs", "dqs"], "output": "out/{character}-{clip}-{method}.pc2"},
  "jobs": [
    {"character": "*.glb", "clip": "all"},
    {"character": "one.glb", "clip": "0", "range": 9, "output": "parts/{character}-{method}.pc2"}
  ]
}
J
answer=$("$PELT" batch jobs.json -q --json) || fail "exit $? of the first run"
count=$(made "$answer")
[ "$count" -gt 10 ] || fail "made $count"
sums() { find out parts -type f | sort | xargs md5sum; }
sums > whole.txt
"$PELT" bake one.glb -m dqs --clip 0 -q -o single.pc2 || fail bake
cmp -s single.pc2 parts/one-dqs.pc2 || fail "joined parts differ from one bake"
ls parts | grep -q part- && fail "parts are left behind"

# done is done; damage, a changed option and a changed input are seen
[ "$(made "$("$PELT" batch jobs.json -q --json)")" = 0 ] || fail "done work is made again"
first=$(find out -type f | sort | head -1)
printf 'X' | dd of="$first" bs=1 seek=100 conv=notrunc 2>/dev/null
[ "$(made "$("$PELT" batch jobs.json -q --json)")" = 1 ] || fail "damage is not seen"
rm "$first"
[ "$(made "$("$PELT" batch jobs.json -q --json)")" = 1 ] || fail "a lost file is not seen"
sums | cmp -s - whole.txt || fail "made again, but other bytes"
cp two.glb kept.bin && "$PELT" make arm --vertices 700 -o two.glb -q
[ "$(made "$("$PELT" batch jobs.json -q --json)")" -gt 1 ] || fail "a changed character is not seen"
cp kept.bin two.glb
"$PELT" batch jobs.json -q || fail "back to the first character"
sums | cmp -s - whole.txt || fail "other bytes than at first"

# a failure is told with its line and code, and stops nothing
sed 's/"jobs": \[/"jobs": [\n    {"character": "none.glb", "output": "out\/none-{method}.pc2"},/' jobs.json > bad.json
rm -rf out
words=$("$PELT" batch bad.json -q 2>&1); code=$?
[ $code = 4 ] || fail "exit $code where an entry fails"
grep -q 'line 4: .*none-lbs.pc2: exit 2' <<<"$words" || fail "the failure is not told: $words"
sums | grep -v none | cmp -s - whole.txt || fail "a failure harms the others"
"$PELT" batch nowhere.json -q 2>/dev/null; [ $? = 2 ] || fail "no such jobs file"
echo '{"jobs": [{"charakter": "one.glb"}]}' > typo.json
"$PELT" batch typo.json -q 2>&1 | grep -q 'did you mean character' || fail "a mistyped key"
echo '{"jobs": [{"character": "*.glb", "output": "same.pc2"}]}' > same.json
"$PELT" batch same.json -q 2>&1 | grep -q 'both write' || fail "two entries with one output"

# elsewhere: shards side by side, and a list of commands
again() { rm -rf out parts jobs.manifest*; }
again; "$PELT" batch jobs.json --shard 0/3 -q & "$PELT" batch jobs.json --shard 1/3 -q & "$PELT" batch jobs.json --shard 2/3 -q & wait
"$PELT" batch jobs.json -q || fail "after shards"
sums | cmp -s - whole.txt || fail "shards make other bytes"
[ "$(made "$("$PELT" batch jobs.json -q --json)")" = 0 ] || fail "what shards made is not known"
ls jobs.manifest.* >/dev/null 2>&1 && fail "parts of the manifest are left"
again; "$PELT" batch jobs.json --list > list.txt || fail list
[ "$(wc -l < list.txt)" -gt 10 ] || fail "a short list"
(cd / && bash "$work/list.txt") || fail "a command of the list"
[ "$(made "$("$PELT" batch jobs.json -q --json)")" = 0 ] || fail "what the list made is not known"
sums | cmp -s - whole.txt || fail "the list makes other bytes"

# distilling: samples in parts, then the fit; the bytes of one run, in one go, in stages, and after a kill
cat > distil.json <<'J'
{"jobs": [{"character": "two.glb", "method": "dqs", "output": "engine/{character}-{method}.glb", "distil": {"poses": 24, "correctives": 4, "parts": 3}}]}
J
mkdir single; "$PELT" distil two.glb -m dqs --poses 24 --correctives 4 -q -o single/engine.glb || fail distil
distilled() { cmp -s single/engine.glb engine/two-dqs.glb || fail "$1: the distilled file has other bytes"; [ "$(ls engine | wc -l)" = 2 ] || fail "$1: samples are left: $(ls engine)"; }
[ "$(made "$("$PELT" batch distil.json -q --json)")" = 4 ] || fail "three parts and a fit"
distilled "in one go"
[ "$(made "$("$PELT" batch distil.json -q --json)")" = 0 ] || fail "a fit that is done is made again"
rm -rf engine distil.manifest
"$PELT" batch distil.json --stage 1 -q || fail "stage 1"
[ "$(ls engine | grep -c samples.part)" = 3 ] || fail "three parts of samples"
"$PELT" batch distil.json --stage 2 -q || fail "stage 2"
distilled "in stages"
rm -rf engine distil.manifest
"$PELT" batch distil.json -q & child=$!; sleep 0.2; kill -9 $child 2>/dev/null; wait $child 2>/dev/null
"$PELT" batch distil.json -q || fail "distilling after a kill"
distilled "after a kill"
echo '{"jobs": [{"character": "two.glb", "output": "x.glb", "distil": {"pose": 3}}]}' > typo.json
"$PELT" batch typo.json -q 2>&1 | grep -q 'did you mean poses' || fail "a mistyped option of distil"

# killed anywhere, it ends the same
again
for i in $(seq ${KILLS:-6}); do
  "$PELT" batch jobs.json -q 2>/dev/null & child=$!
  sleep 0.0$((RANDOM % 90 + 10)); kill -9 $child 2>/dev/null; wait $child 2>/dev/null
  [ $((i % 2)) = 0 ] && head -c -7 jobs.manifest > cut 2>/dev/null && cat cut > jobs.manifest # a line cut off in the middle
done
"$PELT" batch jobs.json -q || fail "after kills"
sums | grep -v '\.tmp\|part-' | cmp -s - whole.txt || { sums | grep -v '\.tmp\|part-' | diff - whole.txt | head -5; fail "killed and resumed, but other bytes"; }
echo "batch: good"
