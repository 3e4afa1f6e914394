# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding libpelt through the Python package that the add-on's zip carries, or one that is installed."""
import importlib
import os

pelt = None  # the package, once it is found
missing = ""  # else one sentence


def load(path=""):
    """Tries the package beside this file, then an installed one; `path` is a libpelt.so to prefer. True: it is there."""
    global pelt, missing
    if path:
        os.environ["PELT_LIBRARY"] = path
    why = "the package pelt is not installed"
    for name in (__package__ + ".pelt", "pelt"):
        try:
            pelt, missing = importlib.import_module(name), ""
            return True
        except ImportError as error:  # also LibraryMissing, which says what to do
            if type(error) is not ModuleNotFoundError:
                why = str(error)
    pelt, missing = None, "Pelt's library was not found: %s" % why
    return False
