"""Where SciPy keeps the routines of LAPACK that the core calls: the core brings none of its own."""

from __future__ import annotations

import ctypes
from functools import cache

SIGNATURE, INTEGERS = 11, 7  # pointers that dsysv takes, those of them to integers


@cache
def dsysv() -> int:
    """The address of dsysv, with 32-bit integers; 0 if this SciPy has another."""
    from scipy.linalg import cython_lapack

    capsule = cython_lapack.__pyx_capi__["dsysv"]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    plain = name.count(b"*") == SIGNATURE and name.count(b" int *") == INTEGERS
    return int(api.PyCapsule_GetPointer(capsule, name) or 0) if plain else 0
