#!/usr/bin/env bash
# An installed Pelt: libpelt is slim and shows only pelt_ symbols, pkg-config and the CMake package give programs that run,
# shared and static, with libpelt alone and with libpelt-tools.
set -euo pipefail
build=$(dirname "$PELT")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
cmake --install "$build" --prefix "$work/usr" >"$work/log" || { cat "$work/log"; exit 1; }
library=$(find "$work/usr" -name 'libpelt.so')
tools=$(find "$work/usr" -name 'libpelt-tools.so')
libdir=$(dirname "$library")

# symbols: the inside is shown to libpelt-tools of this version only
shown() { nm -D --defined-only "$1" | awk '$2 != "A" {print $3}'; }
foreign=$(shown "$library" | grep -v -e '^pelt_[a-z_]*@@PELT_[0-9.]*$' -e '^pelti_[a-z0-9_]*@@PELT_PRIVATE_' || true)
[ -z "$foreign" ] || fail "libpelt.so: symbols that should be hidden: $foreign"
foreign=$(shown "$tools" | grep -v '^pelt_[a-z_]*@@PELT_TOOLS_' || true)
[ -z "$foreign" ] || fail "libpelt-tools.so: symbols that should be hidden: $foreign"
[ -n "$(shown "$library" | grep '^pelt_bake@@')" ] || fail "pelt_bake is not exported"
[ -n "$(shown "$tools" | grep '^pelt_render@@')" ] || fail "pelt_render is not exported"
twice=$(comm -12 <(shown "$library" | sed 's/@.*//' | sort) <(shown "$tools" | sed 's/@.*//' | sort))
[ -z "$twice" ] || fail "in both libraries: $twice"

cc=${CC:-cc}
flags=""
needs() { [ -n "$(nm -D "$library" | grep "$1")" ]; } # grep -q would end nm early, which pipefail takes for a failure
needs __asan_init && flags="-fsanitize=address,undefined"
needs __tsan_init && flags="-fsanitize=thread"
# what a host takes in with the library (a sanitizer brings its own)
if [ -z "$flags" ]; then
    heavy=$(ldd "$library" | grep -E 'embree|tbb|libpng|webp|stdc\+\+|not found' || true)
    [ -z "$heavy" ] || fail "libpelt.so needs what a host should not have to bring: $heavy"
fi

export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
usage() { "$@" >/dev/null 2>&1 && fail "$1: no argument should be refused" || [ $? = 1 ] || fail "$1 does not start"; }
static_libs() { pkg-config --static --libs-only-l "$1" | sed 's/-lpelt-tools//; s/-lpelt//'; }
for example in zero_copy own_poses; do # without an argument: usage and exit 1 from a program that loaded
    $cc $flags -std=c17 "$PELT_SOURCE/examples/$example.c" $(pkg-config --cflags --libs pelt) -lm -o "$work/shared"
    $cc $flags -std=c17 "$PELT_SOURCE/examples/$example.c" $(pkg-config --cflags pelt) "$libdir/libpelt.a" $(static_libs pelt) -o "$work/static"
    usage "$work/shared"
    usage "$work/static"
done
cat >"$work/names.c" <<'C'
#include <pelt/tools.h>
#include <stdio.h>
int main(void)
{
    PeltMakeDef def = pelt_make_def_default();
    PeltCharacter *who;
    def.name = "cylinder", def.vertices = 500;
    if (pelt_make_character(&def, &who, NULL) != PELT_OK)
        return 1;
    printf("%d joints\n", pelt_character_info(who).joint_count); // made by one library, read by the other
    pelt_character_destroy(who);
    return 0;
}
C
$cc $flags -std=c17 "$work/names.c" $(pkg-config --cflags --libs pelt-tools) -o "$work/shared"
$cc $flags -std=c17 "$work/names.c" $(pkg-config --cflags pelt-tools) "$libdir/libpelt-tools.a" "$libdir/libpelt.a" $(static_libs pelt-tools) -o "$work/static"
[ "$("$work/shared")" = "2 joints" ] && [ "$("$work/static")" = "2 joints" ] || fail "libpelt-tools does not make a cylinder"

# a host in C++17: all headers together, an object of the library in a unique_ptr, an error that is said
for header in "$work"/usr/include/pelt/*.h; do echo "#include <pelt/$(basename "$header")>"; done >"$work/host.cpp"
cat >>"$work/host.cpp" <<'CPP'
#include <cstdio>
#include <cstring>
#include <memory>
int main()
{
    PeltMakeDef def = pelt_make_def_default();
    PeltCharacter *made = nullptr;
    PeltError error = {};
    def.name = "no such character";
    if (pelt_make_character(&def, &made, &error) == PELT_OK || !std::strstr(error.text, "no such character"))
        return 1;
    def.name = "cylinder", def.vertices = 500;
    if (pelt_make_character(&def, &made, &error) != PELT_OK)
        return 1;
    std::unique_ptr<PeltCharacter, decltype(&pelt_character_destroy)> who(made, pelt_character_destroy);
    std::printf("%d joints\n", pelt_character_info(who.get()).joint_count);
    return 0;
}
CPP
cxx=${CXX:-c++}
$cxx $flags -std=c++17 -Wall -Wextra -Werror "$work/host.cpp" $(pkg-config --cflags --libs pelt-tools) -o "$work/shared"
$cxx $flags -std=c++17 -Wall -Wextra -Werror "$work/host.cpp" $(pkg-config --cflags pelt-tools) "$libdir/libpelt-tools.a" "$libdir/libpelt.a" $(static_libs pelt-tools) -o "$work/static"
[ "$("$work/shared")" = "2 joints" ] && [ "$("$work/static")" = "2 joints" ] || fail "a program in C++ does not make a cylinder"

mkdir "$work/user"
cp "$work/names.c" "$work/host.cpp" "$work/user"
cat >"$work/user/CMakeLists.txt" <<CM
cmake_minimum_required(VERSION 3.20)
project(user C CXX)
find_package(pelt REQUIRED)
add_executable(user $PELT_SOURCE/examples/own_poses.c)
target_link_libraries(user pelt::pelt m)
add_executable(user_static $PELT_SOURCE/examples/own_poses.c)
target_link_libraries(user_static pelt::pelt_static)
add_executable(names names.c)
target_link_libraries(names pelt::tools)
add_executable(names_static names.c)
target_link_libraries(names_static pelt::tools_static)
add_executable(host host.cpp)
target_compile_features(host PRIVATE cxx_std_17)
target_link_libraries(host pelt::tools)
CM
cmake -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >"$work/log" 2>&1 && cmake --build "$work/user/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
usage "$work/user/build/user"
usage "$work/user/build/user_static"
[ "$("$work/user/build/names")" = "2 joints" ] && [ "$("$work/user/build/names_static")" = "2 joints" ] || fail "pelt::tools does not make a cylinder"
[ "$("$work/user/build/host")" = "2 joints" ] || fail "pelt::tools does not make a cylinder in C++"
"$work/usr/bin/pelt" --version
