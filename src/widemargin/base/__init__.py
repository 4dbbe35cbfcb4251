"""What every room rests on: errors, records, the driver of solvers, threads, keyed random numbers."""

import os as _os

from .. import _core

# The core reads no environment. Whoever uses it comes through here first, so this is read once, before any fit.
if _os.environ.get("WIDEMARGIN_SIMD"):
    try:
        _core.set_simd_level(_os.environ["WIDEMARGIN_SIMD"])
    except ValueError as error:
        raise ImportError(f"WIDEMARGIN_SIMD: {error}") from None
