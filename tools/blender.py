#!/usr/bin/env python3
"""Packs the Blender add-on: tools/blender.py LIBPELT.SO OUT.zip [SCRIPTS]. One zip for Blender 3.4 (add-on) and 4.2 and later (extension):
blender/pelt_skin with the Python package and the library in it. SCRIPTS: a folder to install it into, for BLENDER_USER_SCRIPTS."""
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    library, out = sys.argv[1:3]
    files = {f"pelt_skin/{p.name}": p for p in (ROOT / "blender" / "pelt_skin").iterdir() if p.is_file()}
    files.update({f"pelt_skin/pelt/{p.name}": p for p in (ROOT / "python" / "pelt").iterdir() if p.suffix == ".py"})
    files["pelt_skin/pelt/LICENSE"] = ROOT / "python" / "LICENSE"
    files["pelt_skin/pelt/libpelt.so"] = pathlib.Path(library)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(files):
            packed.write(files[name].resolve(), name)
    if len(sys.argv) > 3:
        with zipfile.ZipFile(out) as packed:
            packed.extractall(pathlib.Path(sys.argv[3]) / "addons")


if __name__ == "__main__":
    main()
