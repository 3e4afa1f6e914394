#!/usr/bin/env bash
# An installed Pelt: only pelt_ symbols are visible, pkg-config and the CMake package give a program that runs, shared and static.
set -euo pipefail
build=$(dirname "$PELT")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" >"$work/log" || { cat "$work/log"; exit 1; }
library=$(find "$work/usr" -name 'libpelt.so')
foreign=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^pelt_' || true)
[ -z "$foreign" ] || { echo "symbols that should be hidden: $foreign"; exit 1; }
nm -D --defined-only "$library" | grep -q ' T pelt_bake$' || { echo "pelt_bake is not exported"; exit 1; }
cc=${CC:-cc}
flags=""
nm -D "$library" | grep -q __asan_init && flags="-fsanitize=address,undefined"
nm -D "$library" | grep -q __tsan_init && flags="-fsanitize=thread"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name pelt.pc)")
libdir=$(dirname "$library")
$cc $flags -std=c17 "$PELT_SOURCE/examples/zero_copy.c" $(pkg-config --cflags --libs pelt) -o "$work/shared"
$cc $flags -std=c17 "$PELT_SOURCE/examples/zero_copy.c" $(pkg-config --cflags pelt) "$libdir/libpelt.a" \
    $(pkg-config --static --libs-only-l pelt | sed 's/-lpelt//') -o "$work/static"
# no argument: usage and exit 1 from a program that loaded
LD_LIBRARY_PATH=$libdir "$work/shared" 2>/dev/null && exit 1 || [ $? = 1 ]
"$work/static" 2>/dev/null && exit 1 || [ $? = 1 ]
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<CM
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(pelt REQUIRED)
add_executable(user $PELT_SOURCE/examples/own_poses.c)
target_link_libraries(user pelt::pelt m)
CM
cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 && cmake --build "$work/user/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/user/build/user" 2>/dev/null && exit 1 || [ $? = 1 ]
"$work/usr/bin/pelt" --version
