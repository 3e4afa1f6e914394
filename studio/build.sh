#!/bin/sh
# Bundles the page of `pelt studio` into a folder, compressed: studio/build.sh OUT. Needs node and npm, and the network the first
# time (npm ci, by the lockfile, into studio/node_modules). Where that fails the files are left empty, the rest of Pelt builds, and
# `pelt studio` says what is missing; the next build tries again.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

without() { # why
    echo "studio: $1; pelt is built without the page of \`pelt studio\`" >&2
    for name in index.html boot.js studio.js studio.css icon.svg; do
        : >"$out/$name.gz"
        touch -d 1980-01-02 "$out/$name.gz" # older than its sources: not taken for done
    done
    exit 0
}
command -v node >/dev/null || without "node is not installed"
command -v npm >/dev/null || without "npm is not installed"
modules() { # several builds may come here at once
    cmp -s "$here/package-lock.json" "$here/node_modules/.pelt-lock" && return
    (cd "$here" && npm ci --no-audit --no-fund --silent --fetch-retries=1) >"$out/npm.log" 2>&1 || return 1
    cp "$here/package-lock.json" "$here/node_modules/.pelt-lock"
}
(
    flock 9
    modules
) 9>"$here/.lock" || without "npm ci failed (see $out/npm.log)"
node "$here/messages.mjs" "$here/../src/studio/messages.def" >"$out/messages.ts"
NODE_PATH="$here/node_modules" node "$here/bundle.mjs" "$out"
