#!/usr/bin/env bash
# The structs of the Python package lie in memory as the headers' do: every size and every field's offset, by the compiler.
set -u
python3 -c '' 2>/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$PELT_SOURCE" >"$work/layout.c" <<'PY' || exit 1
import ctypes, importlib.util, sys
spec = importlib.util.spec_from_file_location("layout", sys.argv[1] + "/python/pelt/_library.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
ROOM = {"CQuality"}  # only large enough: its fields are read by pelt_quality_item
print("#include <pelt/pelt.h>\n#include <stddef.h>")
found = 0
for name, one in sorted(vars(module).items()):
    if not (isinstance(one, type) and issubclass(one, ctypes.Structure)) or one is ctypes.Structure:
        continue
    c = "Pelt" + (name[1:] if name[0] == "C" and name[1].isupper() else name).rstrip("_")
    found += 1
    relation = ">=" if name in ROOM else "=="
    print(f'_Static_assert({ctypes.sizeof(one)} {relation} sizeof({c}), "size of {c}");')
    for field, *_ in one._fields_ if name not in ROOM else ():
        print(f'_Static_assert({getattr(one, field).offset} == offsetof({c}, {field}), "{c}.{field}");')
print("int main(void) { return 0; }")
if found < 10:
    sys.exit("hardly any structs were found in _library.py: %d" % found)
PY
cc -std=c17 -I "$PELT_SOURCE/include" -fsyntax-only "$work/layout.c"
