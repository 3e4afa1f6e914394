#!/usr/bin/env bash
# Installs the Debian packages of the given lists (packages.txt ...) that are missing. Without root it prints the line to run.
set -euo pipefail
wanted=$(cat "$@" | sed 's/#.*//' | tr -s ' \n' '\n' | sed '/^$/d')
missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "setup: this system has no apt-get; install the equivalents of:$missing" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "setup: missing packages; run as root:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -q --no-install-recommends $missing; }
# Package lists may be missing (a fresh image) or old: update first where there are none, and again if an install fails.
if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
    apt-get update -q
    install
else
    install || { apt-get update -q && install; }
fi
