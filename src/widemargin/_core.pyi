"""
The native core of widemargin. Private: import names from widemargin instead.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def pool_size() -> int:
    """Threads alive in the pool of this process."""

def spin(tasks: int, threads: int, length: int) -> None:
    """Busy work on the pool, for the tests of threads and interruption."""

def simd_level() -> str:
    """Vector instructions in use: avx2 or scalar."""

def set_simd_level(wish: str) -> None: ...

def philox(key0: int, key1: int, c0: int, c1: int, c2: int, c3: int) -> list[int]:
    """One block of Philox4x64-10."""

def permutation(n: int, seed: int, index: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The order of epoch `index`, as the solvers use it."""

def uniform(n: int, seed: int, index: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """n numbers in [0, 1) for the key (seed, start, index)."""

class Rows:
    """
    Rows of data: dense or sparse, float32 or float64. A view; keeps its arrays alive.
    """

    @overload
    @staticmethod
    def dense(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Rows: ...

    @overload
    @staticmethod
    def dense(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> Rows: ...

    @overload
    @staticmethod
    def csr(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, threads: int = 1) -> Rows: ...

    @overload
    @staticmethod
    def csr(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], d: int, threads: int = 1) -> Rows: ...

    @property
    def n(self) -> int: ...

    @property
    def d(self) -> int: ...

    def scan(self, first: int = 0, threads: int = 1) -> tuple[int, int, float, int]:
        """(bad_row, bad_column, max_squared_norm, digest)"""

    def squared_norms(self, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def hashes(self, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class OnlineSolver:
    """Perceptrons and passive-aggressive learners, one row at a time."""

    @property
    def visits_per_epoch(self) -> int: ...

    def scan_first_epoch(self, first: int = 0) -> None: ...

    def scanned(self) -> object:
        """
        What the first epoch saw, as Rows.scan gives it; None if it was not asked to look.
        """

    def advance(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], updates_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int, keep_log: bool) -> tuple:
        """
        -> (stop, visit, row, step): stop is 0 budget, 1 epoch, 2 clean, 3 stalled; the rest is the log of updates.
        """

def online_solver(rows: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, eta: float, epsilon: float, decay: float, intercept: bool, shuffle: int, seed: int, birth: int, patience: int) -> OnlineSolver: ...
