# pelt compare: the page and its parts appear, commands on it make the same pictures, an interrupted run goes on.
set -eu
pelt=${PELT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*" >&2; exit 1; }
hand=$work/hand.glb
"$pelt" make hand --vertices 1500 -q -o "$hand"

"$pelt" compare "$hand" --methods lbs,dqs --fps 6 --pictures 2 --size 160x120 -q -o out
[ -s out/index.html ] && [ -s out/compare.json ] || fail "page or numbers are missing"
[ ! -e out/parts ] || fail "parts are left behind"
grep -q 'http' out/index.html && fail "the page names another address"
[ "$(grep -o '<img ' out/index.html | wc -l)" = "$(grep -o '<img [^>]*alt="' out/index.html | wc -l)" ] || fail "a picture has no alt text"
grep -q 'class="best"' out/index.html || fail "no best value is marked"

# each command in compare.json makes the picture it stands under
grep -o '"command": *"[^"]*"' out/compare.json | sed 's/^[^:]*: *"//; s/"$//; s/\\\//\//g' > commands
grep -o '"file": *"pictures[^"]*"' out/compare.json | sed 's/^[^:]*: *"//; s/"$//; s/\\\//\//g' > files
[ "$(wc -l < commands)" = "$(wc -l < files)" ] && [ -s files ] || fail "commands and pictures do not match"
for n in 1 $(($(wc -l < files) / 2)) "$(wc -l < files)"; do
    line=$(sed -n "${n}p" commands)
    sh -c "\"$pelt\" ${line#pelt } -q"
    cmp "${line##* }" "out/$(sed -n "${n}p" files)" || fail "not the same picture: $line"
done

# interrupted: parts stay, the next run uses them. A run that is done before it can be stopped is tried again
again=(compare "$hand" --methods lbs,dqs --fps 6 --pictures 2 --size 160x120 --no-films)
for try in 1 2 3 4 5; do
    rm -rf again
    "$pelt" "${again[@]}" -q -o again &
    pid=$!
    for i in $(seq 1000); do
        [ -e again/parts ] && [ "$(ls again/parts | wc -l)" -ge 1 ] && break
        sleep 0.01
    done
    kill -INT $pid 2>/dev/null || true
    wait $pid || true
    [ ! -e again/parts ] || break
done
[ -e again/parts ] || fail "no run could be stopped while it had parts"
# another build, here the same with another key, starts afresh
key=$(sed -n 's/.*"\([0-9a-f]\{64\}\)".*/\1/p' "$(dirname "$pelt")/build_key.c")
cp -r again other
sed "s/$key/$(printf %064d 0)/" "$pelt" > other-pelt
chmod +x other-pelt
./other-pelt "${again[@]}" -o other > other-log 2>&1 || fail "the other build fails"
! grep -q 'went on' other-log || fail "went on with the parts of another build"
[ ! -e again/index.html ] || fail "a page appeared before it was done"
"$pelt" "${again[@]}" -o again 2>/dev/null | grep -q 'went on' || fail "did not go on"
cmp -s out/pictures/"$(ls out/pictures | head -1)" again/pictures/"$(ls out/pictures | head -1)" || fail "went on to another picture"

for bad in "--methods nosuch" "--frames 100000" "--size 0x0" "--methods lbs,lbs" "--frames 1,x" "--clip none"; do
    code=0
    "$pelt" compare "$hand" $bad -q -o bad 2> message || code=$?
    [ $code = 1 ] || fail "$bad: exit $code"
    [ "$(wc -l < message)" -le 2 ] || fail "$bad: a long story"
    [ ! -e bad/index.html ] || fail "$bad: wrote a page"
done
