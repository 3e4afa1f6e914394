# pelt operator: saved operators are read back, mistakes end with the right code, and a rig that names one changes a bake;
# pelt render --section cuts the field of tracking and of implicit, and says so where a method has none.
set -eu
pelt=${PELT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
code() { # code WANT command...: the exit code of a command
    want=$1
    shift
    set +e
    "$@" 2>said
    got=$?
    set -e
    [ $got = "$want" ] || fail "exit code $got, not $want: $* ($(cat said))"
}

"$pelt" operator --name shallow --reach 0.3 -o shallow.json -o a.png --size 128 -d 0.7 -q
"$pelt" operator shallow.json -o again.json -o b.png --size 128 -d 0.7 -q
cmp shallow.json again.json || fail "a saved operator does not read back the same"
cmp a.png b.png || fail "nor does it plot the same"
"$pelt" operator contact -o c.png --size 128 -d 0.7 -q
! cmp -s a.png c.png || fail "another reach makes the same plot"

code 1 "$pelt" operator
code 1 "$pelt" operator glue -o x.png
code 1 "$pelt" operator -d 1.5 -o x.png
code 1 "$pelt" operator --profile "0.5;0" -o x.json
code 3 "$pelt" operator --profile "0.2,0 0.5,0.2 0.42,0.3 0.4,0.4" -o x.json
grep -q "(0.5, 0)" said || fail "does not say where a profile starts: $(cat said)"
code 2 "$pelt" operator nowhere.json -o x.png
[ ! -e x.png ] && [ ! -e x.json ] || fail "something was written in spite of a mistake"

"$pelt" make cylinder --vertices 800 -q -o tube.glb
printf '{"joints": {"Upper": {"operator": "shallow.json"}}}' >rig.json
"$pelt" bake tube.glb --clip bend --fps 5 -q -o plain.pc2
"$pelt" bake tube.glb --clip bend --fps 5 --rig rig.json -q -o shallow.pc2
! cmp -s plain.pc2 shallow.pc2 || fail "the rig's operator changes nothing"

for method in tracking implicit; do
    "$pelt" render tube.glb -m $method --clip bend --fps 5 --frame 5 --section z --camera front --size 96x96 -q -o $method.png
    "$pelt" render tube.glb -m $method --clip bend --fps 5 --frame 5 --camera front --size 96x96 -q -o whole.png
    ! cmp -s $method.png whole.png || fail "$method: the section shows nothing"
done
code 1 "$pelt" render tube.glb -m dqs --section z -q -o x.png
