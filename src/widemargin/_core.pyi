"""
The native core of widemargin. Private: import names from widemargin instead.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def touch_thread() -> None:
    """To be called in a new thread while memory is at hand."""

def pool_size() -> int:
    """Threads alive in the pool of this process."""

def thread_limit() -> int:
    """The limit set through threadpoolctl, 0 = none."""

def spin(tasks: int, threads: int, length: int) -> None:
    """Busy work on the pool, for the tests of threads and interruption."""

def simd_level() -> str:
    """Vector instructions in use: avx512, avx2 or scalar."""

def set_simd_level(wish: str) -> None:
    """Use these instead, if the CPU has them; before any fit."""

def philox(key0: int, key1: int, c0: int, c1: int, c2: int, c3: int) -> list[int]:
    """One block of Philox4x64-10."""

def permutation(n: int, seed: int, index: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The order of epoch `index`, as the solvers use it."""

def uniform(n: int, seed: int, index: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """n numbers in [0, 1) for the key (seed, start, index)."""

@overload
def whole_labels(y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], span: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None:
    """(classes, codes) of whole numbers less than `span` apart, else None."""

@overload
def whole_labels(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], span: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None: ...

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

    @property
    def size(self) -> int:
        """How many numbers are stored."""

    def scan(self, first: int = 0, threads: int = 1) -> tuple[int, int, float, int]:
        """(bad_row, bad_column, max_squared_norm, digest)"""

    def squared_norms(self, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @overload
    def in_column_order(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> bool:
        """
        Write sparse rows with their columns rising; whether no column stands twice in a row.
        """

    @overload
    def in_column_order(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> bool: ...

    def hashes(self, threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class OnlineSolver:
    """Perceptrons and passive-aggressive learners, one row at a time."""

    @property
    def visits_per_epoch(self) -> int: ...

    def scan_first_epoch(self, first: int = 0) -> None: ...

    def scanned(self) -> tuple[int, int, float, int] | None:
        """
        What the first epoch saw, as Rows.scan gives it; None if it was not asked to look.
        """

    def advance(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], updates_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int, keep_log: bool) -> tuple:
        """
        -> (stop, visit, row, step): stop is 0 budget, 1 epoch, 2 clean, 3 stalled; the rest is the log of updates.
        """

def online_advance_parts(solvers: list, states: list, budget: int, until_epoch: int, keep_log: bool, threads: int) -> list:
    """
    OnlineSolver.advance for several at once; a state is (w, a, updates_of, counters, sums).
    """

def online_solver(rows: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, eta: float, epsilon: float, decay: float, intercept: bool, shuffle: int, seed: int, birth: int, patience: int) -> OnlineSolver: ...

class SvmlightReader64:
    """Rows of svmlight text, fed in pieces of whole lines."""

    def __init__(self, first_index: int, multilabel: bool, query_id: bool, threads: int, block_bytes: int) -> None: ...

    def feed(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
        """-> None, or (line, message) of the first fault; then nothing was kept."""

    def take(self) -> tuple:
        """-> labels, label_ends, queries, values, columns, row_ends."""

    @property
    def count(self) -> int: ...

    @property
    def bottom(self) -> int: ...

    @property
    def top(self) -> int: ...

    @property
    def top_line(self) -> int: ...

class SvmlightReader32:
    """Rows of svmlight text, fed in pieces of whole lines."""

    def __init__(self, first_index: int, multilabel: bool, query_id: bool, threads: int, block_bytes: int) -> None: ...

    def feed(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
        """-> None, or (line, message) of the first fault; then nothing was kept."""

    def take(self) -> tuple:
        """-> labels, label_ends, queries, values, columns, row_ends."""

    @property
    def count(self) -> int: ...

    @property
    def bottom(self) -> int: ...

    @property
    def top(self) -> int: ...

    @property
    def top_line(self) -> int: ...

@overload
def format_svmlight(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first_index: int) -> bytes: ...

@overload
def format_svmlight(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, queries: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first_index: int) -> bytes: ...

def batch_pass(rows: Rows, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], among: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: bool, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> tuple:
    """
    Fills g with the sum of s y [x, 1] over rows with y u <= 0 -> (wrong rows, their weight, sum of s (-y u)+).
    """

class MarginSolver:
    """The perceptron with dynamic margin."""

    @property
    def visits_per_epoch(self) -> int: ...

    def advance(self, a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], updates_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], wrong_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], given_up_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int) -> int:
        """-> 0 budget, 1 epoch, 2 clean, 3 stalled."""

def margin_solver(rows: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], eps: float, intercept: bool, shuffle: int, seed: int, patience: int, most: int) -> MarginSolver: ...

def products(x: Rows, z: Rows, begin: int, b: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """out[i b + k] = x_i . z_(begin + k)."""

def cast_votes(at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], life: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: bool, products: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], vote: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Adds the votes and the scores of all vectors; u goes from the first vector's score to the last's.
    """

@overload
def exp_nonpositive(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """x = exp(x) in place, for x <= 0."""

@overload
def exp_nonpositive(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def tanh_in_place(x: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """x = tanh(x) in place."""

@overload
def tanh_in_place(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def kernel_block(a: Rows, b: Rows, kind: int, gamma: float, offset: float, degree: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """
    out = k(a, b) in float64; kind is 0 linear, 1 polynomial, 2 rbf, 3 tanh.
    """

def kernel_sums(x: Rows, z: Rows, kind: int, gamma: float, offset: float, degree: int, coef: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], single: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """out[p, i] = sum_j coef[p, j] k(x_i, z_j), in float32 if single."""

def radial_sums(x: Rows, z: Rows, gamma: float, c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], error: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    out[i] = sum_j c_j exp(-gamma |x_i - z_j|^2) in float32, off by at most error[i].
    """

def kernel_expansions(x: Rows, kind: int, gamma: float, offset: float, degree: int, items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Expansions of many parts, each over its own items, in float64."""

def kernel_expansion(x: Rows, kind: int, gamma: float, offset: float, degree: int, J: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """out[i] = sum over j in J of c_j k(x_i, x_j), each pair in J once."""

class KernelRows:
    """Rows and a kernel, ready for blocks of kernel values in float32."""

    @property
    def n(self) -> int: ...

def sums_of_parts(K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def kernel_rows(rows: object, kind: int, gamma: float, offset: float, degree: int, threads: int) -> KernelRows: ...

class KernelPerceptron:
    """The perceptron in its dual form."""

    @property
    def visits_per_epoch(self) -> int: ...

    @property
    def exact_scores(self) -> int:
        """Decisions that float32 left open and float64 made."""

    def advance(self, c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], updates_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int, keep_log: bool) -> tuple:
        """-> (stop, visit, row, step) as OnlineSolver.advance."""

def kernel_perceptron(rows: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], eta: float, intercept: bool, shuffle: int, seed: int, birth: int, patience: int, first: int, memory: int, threads: int) -> KernelPerceptron: ...

class RowSource:
    """Rows of kernel values in float32."""

    def fill(self, K: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
        """Writes all values into a matrix."""

def native_source(rows: object) -> RowSource:
    """Computed from rows of numbers."""

def matrix_source(K: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], diag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RowSource:
    """Read from a matrix."""

def submatrix_source(K: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], diag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RowSource:
    """Read from some rows and columns of a matrix."""

def called_source(diag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: object, square: object) -> RowSource:
    """
    Asked from Python: rows(items) gives len(items) x n float32 values, square(items) those among the items.
    """

class ClassRows:
    """The rows of each class and the kernel values among them."""

def class_rows(rows: list, kind: int, gamma: float, offset: float, degree: int, memory: int, threads: int) -> ClassRows: ...

def pair_source(classes: object, a: int, b: int) -> RowSource:
    """The rows of class a, then those of class b."""

class BoxSolver:
    """Quadratic problem with boxes and fixed sums."""

    def advance(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int) -> int:
        """-> 0 budget spent, 1 converged, 2 stalled, 3 all steps made."""

    def rescore(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """f anew from b."""

    def shift(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """f + K change."""

    def judge(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Violation, gap and biases of a state."""

def box_solver(source: object, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Sequence[float], tol: float, gap_tol: float, least: float, working: int, most_steps: int, memory: int, threads: int, shrink: bool = False) -> BoxSolver: ...

class BoxColumns:
    """Quadratic problems with boxes over the same items, one a column."""

    def advance(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], budget: int) -> bool:
        """-> whether all columns rest."""

    def shift(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], change: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """f + K change."""

    def judge(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Violation, gap and bias of every column."""

def box_columns(source: object, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tol: float, gap_tol: float, least: float, working: int, most_steps: int, memory: int, threads: int) -> BoxColumns: ...

class BoxPairs:
    """The box problems of all pairs of classes, side by side."""

    def advance(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], seconds: float, threads: int) -> int:
        """
        stop[p]: 0 under way, 1 converged, 2 stalled, 3 all steps made -> how many are under way.
        """

    def judge(self, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], figures: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], stop: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], which: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None:
        """Violation, gap and biases of some pairs."""

def box_pairs(classes: object, of_class: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], working: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_steps: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], memory: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, gap_tol: float) -> BoxPairs: ...

def is_dsysv(capsule: object) -> bool: ...

def polish_all(dsysv: object, K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], diagonal: float, parts: Sequence[tuple], totals: Sequence[Sequence[float]], whole: bool, scored: bool, threads: int) -> list[list[int]]: ...

def polish_joined(dsysv: object, K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], diagonal: float, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], which: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], f: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def distance_block(a: Rows, b: Rows, kind: int, gamma: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """out = exp(-gamma distance(a, b)); kind is 0 Manhattan, 1 chi squared."""

class LinearProblem:
    """Rows, targets and prices of a linear machine."""

    @property
    def n(self) -> int: ...

    @property
    def d(self) -> int: ...

    def walk(self, how: int, k: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        Variables (0 given, 1 slope, 2 proximal), scores, curvatures, g -> (loss, residual, smooth, total). Without any w the scores are those given; without any g it is not made.
        """

    def along_line(self, how: int, k: float, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """At scores z + step v -> (loss, smooth, total, slope of smooth)."""

def linear_problem(rows: object, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: int, eps: float) -> LinearProblem: ...

class DualDescent:
    """Dual coordinate descent."""

    def advance(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], marks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int) -> int:
        """-> 0 budget, 1 epoch, 2 look at all rows"""

def dual_descent(problem: object, tau: float, free_bias: bool, shrink: bool, seed: int, norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> DualDescent:
    """norms: the squared lengths of the rows, where they are known"""

def unlike_rows(h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unlike: float, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Names the rows whose h is not what it was before (nothing: 0); their number.
    """

def normal_matrix(rows: Rows, among: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]) -> None:
    """
    Adds sum h [x, 1][x, 1]' over the rows named to the lower triangle of H.
    """

def normal_product(rows: Rows, among: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def normal_diagonal(rows: Rows, among: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class FeatureDescent:
    """Coordinate descent over features, for a penalty of |w|_1."""

    def advance(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], left_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int) -> None: ...

def feature_descent(columns: object, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: int, intercept: bool, bias_penalty: float, seed: int) -> FeatureDescent: ...

def penalised_step(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tol: float, rounds: int) -> None:
    """Nearly minimises g.p + p'Hp/2 + sum r |w + p|."""

class ClassDescent:
    """Dual coordinate descent for all classes at once."""

    def advance(self, W: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], left_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int) -> bool:
        """-> whether to look at all rows"""

    def walk(self, W: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], G: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple:
        """-> (loss, residual)"""

def class_descent(rows: object, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, tau: float, free_bias: bool, seed: int) -> ClassDescent: ...

class GradientSolver:
    """Pegasos and stochastic gradient descent, a few rows at a time."""

    @property
    def visits_per_epoch(self) -> int: ...

    def advance(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], h: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], active_of: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visited_of: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], budget: int, until_epoch: int) -> int:
        """-> 0 budget, 1 epoch, 2 no rows."""

def gradient_solver(rows: object, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, lambda_: float, batch: int, scale: float, delay: float, gain: float, intercept: bool, drawing: int, seed: int) -> GradientSolver: ...

class WordGround:
    """Documents of a fit, ready for stumps that ask for a term."""

    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], term: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], terms: int, sign: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threads: int) -> None: ...

    def boost(self, rate: float, eta: float, abstain: bool, rounds: int, threads: int) -> tuple:
        """
        (terms, votes without and with them, Z, documents touched, whether nothing is left) of rounds
        """

    def apply(self, term: int, absent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], present: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> int:
        """A round that is known; the number of documents that it touched."""

class TreeGround:
    """Rows of a fit, ready for trees of squared error, one after the other."""

    def __init__(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bins: int, threads: int) -> None: ...

    @property
    def takes(self) -> bool:
        """Whether nothing is missing."""

    def grow(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_depth: int, min_split: int, min_leaf: int, said: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple:
        """(nodes, shift, first, leaf, stats, rows, sets) of a tree"""

def replay_stumps(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], negative: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> tuple:
    """
    (weights of wrong rows, of all rows, share of undecided rows) of each stump.
    """

class StumpGround:
    """Rows of a fit, ranked and ready for stumps."""

    def __init__(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, positives: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, least_share: float, threads: int) -> None: ...

    def best(self, gain: int, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], only: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, k: int, threads: int) -> tuple:
        """(column, cut, threshold, constant, gain, total, sums of the sides)"""

    def sides(self, column: int, cut: int, side: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """0 left, 1 right, 2 missing."""

class StumpBooster:
    """AdaBoost for two classes, with the weights of its rows; one a ground."""

    def __init__(self, ground: StumpGround) -> None: ...

    def boost(self, rate: float, rounds: int, threads: int) -> tuple:
        """(column, threshold, values, error, step, stop) of rounds"""

    def apply(self, column: int, threshold: float, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, threads: int) -> None:
        """A round that is known."""

    def margins(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def add_stump_tables(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """Adds what tables of columns say of rows."""

class Ground:
    """Rows of a fit, ranked and ready for trees."""

    def __init__(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: Sequence[int], outputs: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, bins: int, random: bool, threads: int) -> None: ...

class Forest:
    """Trees that are being grown."""

    def __init__(self, columns: int, stats: int, classes: bool) -> None: ...

    def grow(self, ground: Ground, criterion: int, random: bool, max_features: int, max_depth: int, max_leaves: int, min_split: int, min_leaf: int, min_leaf_weight: float, min_decrease: float, seed: int, bootstrap: bool, draws: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, balance: bool, members: int, monotonic: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, honest: bool, first: int, count: int, threads: int) -> None: ...

    def append(self, trees: Trees, stats: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None:
        """Trees of another forest."""

    def append_cut(self, trees: Trees, tree: int, cut: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], stats: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> None:
        """A tree cut back."""

    def arrays(self) -> tuple:
        """(native, nodes, shift, first, stats, rows, sets, centres)"""

    @property
    def trees(self) -> int: ...

class Trees:
    """Trees in arrays."""

    def __init__(self, nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: int, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lines: int, columns: int, categorical: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sets: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def leaves(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], missing: bool, lines: bool, out: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

    def tell(self, says: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], only: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """What the lines of leaves say, once."""

    def votes(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], missing: bool, begin: int, end: int, times: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], voters: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> None: ...

    def layout(self, tree: int) -> tuple:
        """(left, right, column, threshold, missing_left, origin, depth)"""

    def sum_up(self, tree: int, stats: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], out_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def prune_path(left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """(alphas, costs, step) of cutting a tree back to its root."""

def draw_rows(seed: int, member: int, size: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, times: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """How often a member of an ensemble has drawn each row."""

def deal_rows(seed: int, member: int, members: int, times: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Which rows a member has, where all rows are dealt out."""

def left_children(is_leaf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """The left child of each node, from which nodes are leaves."""

def leaf_shares(stats: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Sequence[int]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Shares of the classes, output after output."""

def leaf_table(stats: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Shares of the classes where there are several; of each line the only class, or -1 - its place among these.
    """

def number_kinds(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> int:
    """0 all finite, 1 some missing, 2 some infinite."""

class LetterTable:
    """What is known of each code point."""

    def __init__(self, small: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Terms:
    """A dictionary: terms as UTF-8, in the order of their numbers."""

    def __init__(self, terms: list) -> None: ...

    def __len__(self) -> int: ...

    def numbers(self) -> dict:
        """-> {term: number}"""

class TextCounter:
    """Counts the terms of documents, fed as lists."""

    def __init__(self, letters: LetterTable, stop_words: Terms, kind: int, small: bool, low: int, high: int, known: Terms | None, buckets: int, threads: int) -> None: ...

    def feed(self, documents: list, prepare: Callable, plain: bool) -> None:
        """
        A list of documents: str of ASCII where `plain`, or anything that `prepare` makes UTF-8 of.
        """

    def terms(self, document: bytes) -> list:
        """-> the terms of one document, as they stand there."""

    def take(self) -> tuple:
        """-> terms, columns, counts, row_ends; ends the counter."""

def html_text(html: bytes) -> bytes:
    """What a reader sees of HTML, and where its links lead; entities stay."""

def murmur(text: bytes, seed: int) -> int:
    """MurmurHash3 for 32 bits."""
