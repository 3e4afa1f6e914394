"""What every object of the package rests on: handles that free themselves, and arrays in both directions."""
from __future__ import annotations

import ctypes as _c
import weakref as _weakref
from typing import Any, Optional, Tuple

import numpy as np

from . import _library
from ._library import Error

_lib = _library.load()


def library() -> _c.CDLL:
    return _lib


class Handle:
    """Something of the library's: destroyed by close, at the end of `with`, or with the last reference."""
    _destroy: str = ""

    def __init__(self) -> None:
        self._handle: Optional[int] = None
        self._users: "_weakref.WeakSet[Handle]" = _weakref.WeakSet()  # what is made from it, and goes before it

    def close(self) -> None:
        for user in list(self._users):
            user.close()
        handle, self._handle = self._handle, None
        if handle:
            getattr(_lib, self._destroy)(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # the interpreter is going down
            pass

    def _live(self) -> int:
        if not self._handle:
            raise Error("%s is closed" % type(self).__name__, 1)
        return self._handle


def view(address: int, shape: Tuple[int, ...], kind: Any, owner: Any) -> np.ndarray:
    """Memory of the library as an array, which keeps its owner alive."""
    count = int(np.prod(shape))
    if not count or not address:
        return np.zeros(shape, kind)
    buffer = (kind * count).from_address(address)
    buffer._owner = owner
    array = np.frombuffer(buffer, dtype=np.dtype(kind)).reshape(shape)
    array.flags.writeable = False
    return array


def array_of(values: Any, dtype: Any, shape: Tuple[int, ...], what: str) -> np.ndarray:
    """As C wants it: a copy only where type or order differ. -1 in `shape` is any."""
    array = np.ascontiguousarray(values, dtype)
    if len(array.shape) != len(shape) or any(w >= 0 and w != s for w, s in zip(shape, array.shape)):
        raise Error("%s: an array of shape %s was expected, not %s" % (what, shape, array.shape), 1)
    return array
