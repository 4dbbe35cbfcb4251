"""Good calls of the core's doors and what is made of their arguments: one replaced, then the call must return or raise.

Run as a script: prints how many calls were tried and how many were refused. A crash ends the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from widemargin import _core
from widemargin.base.lapack import dsysv

N, D = 7, 3
REFUSALS = (TypeError, ValueError, MemoryError, OverflowError, RuntimeError, ZeroDivisionError)


def dense(dtype: Any = np.float64) -> _core.Rows:
    return _core.Rows.dense(np.arange(N * D, dtype=dtype).reshape(N, D) - 9)


def sparse_arguments() -> list[Any]:
    columns, offsets = np.tile(np.arange(D, dtype=np.int32), N), np.arange(N + 1, dtype=np.int64) * D
    return [np.arange(N * D, dtype=np.float64) - 9, columns, offsets, D, 1]


def signs() -> np.ndarray:
    return np.where(np.arange(N) % 2 == 0, 1.0, -1.0)


def visits() -> np.ndarray:
    return np.arange(N, dtype=np.int32)


def online_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, 0, -1, 0], np.int64)
    return [
        np.zeros(D + 1),
        np.zeros(D + 1),
        np.zeros(N, np.int32),
        counters,
        np.array([0, 0, 0, 1.0, 0, 0]),
        20,
        5,
        True,
    ]


def margin_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, 0, 0, -1, 0, 0, 0], np.int64)
    by_row = [np.zeros(N, np.int32) for _ in range(3)]
    return [np.zeros(D + 1), *by_row, counters, np.zeros(3), 20, 5]


def gradient_state() -> list[Any]:
    counters, sums = np.zeros(8, np.int64), np.array([0, 1.0, 0, 0, 0, 0, 0, 0])
    return [np.zeros(D + 1), np.zeros(D), np.zeros(N), np.zeros(N), counters, sums, 20, 5]


def gradient_arguments() -> list[Any]:
    return [dense(), signs(), np.ones(N), visits(), 0, 0.1, 2, 1.0, 1.0, 1.0, True, 2, 1]


def kernel_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, 0, -1, 0], np.int64)
    return [np.zeros(N), np.zeros(N), np.zeros(N, np.int32), counters, np.zeros(2), 20, 5, True]


def online() -> Any:
    return _core.online_solver(dense(), signs(), np.ones(N), visits(), 0, 1.0, 0.1, 0.0, True, 2, 1, 1, 5)


def online_parts() -> list[Any]:
    return [[online(), online()], [tuple(online_state()[:5]), tuple(online_state()[:5])], 20, 5, True, 2]


def margin() -> Any:
    return _core.margin_solver(dense(), signs(), np.ones(N), visits(), 0.1, True, 2, 1, 5, 2)


def kernel_rows() -> Any:
    return _core.kernel_rows(dense(), 2, 0.1, 0.0, 1, 1)


def kernel() -> Any:
    return _core.kernel_perceptron(kernel_rows(), signs(), np.ones(N), visits(), 1.0, True, 2, 1, 1, 5, 0, 1 << 20, 1)


def matrix() -> np.ndarray:
    x = np.arange(N * D, dtype=np.float32).reshape(N, D) / 9 - 1
    return x @ x.T + np.eye(N, dtype=np.float32)


def matrix_source() -> Any:
    return _core.matrix_source(matrix(), np.diag(matrix()).astype(np.float64))


def asked(items: np.ndarray) -> np.ndarray:
    return matrix()[items]


def asked_square(items: np.ndarray) -> np.ndarray:
    return matrix()[np.ix_(items, items)]


def class_rows() -> Any:
    return _core.class_rows([dense(), dense()], 2, 0.1, 0.0, 1, 1 << 20, 1)


def box_arguments(n: int = N) -> list[Any]:
    """Of `box_solver`, but for the source."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return [y, np.minimum(y, 0.0), np.maximum(y, 0.0), np.empty(0, np.int8), [0.0], 1e-3, 1e-4, 1e-9, 4, 99, 999, 1]


def tube_arguments() -> list[Any]:
    """Two variables an item, in two groups."""
    y = np.concatenate([signs(), signs()])
    lower, upper = np.repeat([0.0, -1.0], N), np.repeat([1.0, 0.0], N)
    return [y, lower, upper, np.repeat([0, 1], N).astype(np.int8), [2.0, -2.0], 1e-3, 1e-4, 1e-9, 2 * N, 99, 999, 1]


def box_state(n: int = N, budget: int = 20) -> list[Any]:
    return [np.zeros(n), np.zeros(n), np.full(4, -1, np.int32), np.zeros(5, np.int64), np.zeros(7), budget]


def tube_state() -> list[Any]:
    b = np.concatenate([np.full(N, 2 / N), np.full(N, -2 / N)])
    return [b, np.zeros(N), np.full(2 * N, -1, np.int32), np.zeros(5, np.int64), np.zeros(8), 20]


@cache
def table() -> Any:
    """Every code point is a letter of a word."""
    return _core.LetterTable(np.arange(0x110000, dtype=np.uint32), np.ones(0x110000, np.uint8))


def counter_arguments() -> list[Any]:
    return [table(), _core.Terms([b"stop"]), 0, True, 1, 2, None, 0, 1]


def fed(counter: Any) -> Any:
    counter.feed([b"one two stop", b"\xff\xf0\x80 two three", b""], bytes, False)
    return counter.take()


def box() -> Any:
    return _core.box_solver(matrix_source(), *box_arguments())


def columns_arguments(n: int = N) -> list[Any]:
    """Of `box_columns`, but for the source: two columns, each with an item beside it."""
    y = signs()[:n] if n <= N else np.resize(signs(), n)
    weight = np.ones((2, n))
    weight[0, :1], weight[1, 1:2] = 0.0, 0.0
    return [y, np.minimum(y, 0.0) * weight, np.maximum(y, 0.0) * weight, 1e-3, 1e-4, 1e-9, 4, 1 << 40, 1 << 12, 1]


def columns_state(n: int = N, budget: int = 20) -> list[Any]:
    work, counters = np.full(4, -1, np.int32), np.zeros(6, np.int64)
    return [np.zeros((2, n)), np.zeros((2, n)), work, counters, np.zeros((2, 5)), budget]


def columns() -> Any:
    return _core.box_columns(matrix_source(), *columns_arguments())


def pairs_arguments(classes: int = 3) -> list[Any]:
    """Of `box_pairs`: all pairs of classes of N rows each."""
    rows = _core.class_rows([dense()] * classes, 2, 0.1, 0.0, 1, 1 << 20, 1)
    of_class = np.column_stack(np.triu_indices(classes, 1)).astype(np.int32).ravel()
    n = len(of_class) // 2
    y = np.tile(np.repeat([-1.0, 1.0], N), n)
    box = [y, np.minimum(y, 0.0), np.maximum(y, 0.0), np.empty(0, np.int8), np.zeros(n), np.full(n, 1e-9)]
    each = [np.full(n, count) for count in (4, 99, 999)]
    return [rows, of_class, 2 * N * np.arange(1, n + 1), *box, *each, 1e-3, 1e-4]


def pairs_state() -> list[Any]:
    """Of three pairs."""
    counters, figures = np.zeros(15, np.int64), np.zeros(21)
    return [np.zeros(6 * N), np.zeros(6 * N), np.full(12, -1, np.int32), counters, figures, np.zeros(3, np.int8)]


def box_pairs() -> Any:
    return _core.box_pairs(*pairs_arguments())


def joined_face_arguments() -> list[Any]:
    """Of `polish_joined`: two parts on the same items."""
    y = np.tile(signs(), 2)
    b = np.zeros(2 * N)
    b[[0, N]], b[[1, N + 1]] = 0.5 * y[0], 0.5 * y[1]
    box = [y, np.minimum(y, 0.0), np.maximum(y, 0.0), np.empty(0, np.int8), np.array([b[:N].sum(), b[N:].sum()])]
    items, which = np.tile(np.arange(N, dtype=np.int32), 2), np.array([1, 0], np.int8)
    return [dsysv(), np.eye(N), 1.0, *box, np.array([N, 2 * N]), items, which, b, np.zeros(2 * N), np.zeros(2), 2]


def face_arguments() -> list[Any]:
    """Of `polish_all`: one part, all of whose items have values."""
    y, place = signs(), np.arange(N, dtype=np.int32)
    box, none = [y, np.minimum(y, 0.0), np.maximum(y, 0.0)], np.empty(0, np.int8)
    b = np.where(np.arange(N) < 2, 0.5 * y, 0.0)
    part = (*box, none, b - b[:2].sum() * (np.arange(N) == 0), np.zeros(N), np.zeros(1), place, place)
    return [dsysv(), np.eye(N), 1.0, [part], [[0.0]], True, False, 2]


def solved(source: Any, n: int = N) -> None:
    """All that a solver asks of a source."""
    solver, state = _core.box_solver(source, *box_arguments(n)), box_state(n)
    solver.advance(*state)
    solver.rescore(*state[:5])
    source.fill(np.zeros((n, n), np.float32), 2)


def linear() -> Any:
    return _core.linear_problem(dense(), signs(), np.ones(N), 0, 0.1)


def walk_arguments(how: int = 2) -> list[Any]:
    return [how, 1.0, np.zeros(D + 1), np.zeros(N), np.zeros(N), np.zeros(N), np.zeros(D + 1), np.zeros(N)]


def descent_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, N], np.int64)
    return [np.zeros(D + 1), np.zeros(N), np.zeros(N, np.int32), counters, np.zeros(6), 20, 5]


def feature_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, N + 1], np.int64)
    return [np.zeros(N + 1), np.zeros(D), np.zeros(N + 1, np.int32), counters, np.zeros(3), 20, 5]


def features() -> Any:
    return _core.feature_descent(dense(), signs()[:D], np.ones(D), 1, True, 0.0, 1)


def class_state() -> list[Any]:
    counters = np.array([0, 0, 0, 0, N], np.int64)
    return [np.zeros((D + 1) * 2), np.zeros(N * 2), np.zeros(N, np.int32), counters, np.zeros(6), 20, 5]


def codes() -> np.ndarray:
    return (np.arange(N) % 2).astype(np.int32)


def classes() -> Any:
    return _core.class_descent(dense(), codes(), np.ones(N), 2, 1.0, True, 1)


def text() -> np.ndarray:
    return np.frombuffer(b"1 1:2 3:4\n-1 2:0.5\n", np.uint8)


def ground_arguments() -> list[Any]:
    x = (np.arange(N * D, dtype=np.float32).reshape(N, D) * 5) % 7
    codes, categorical = (np.arange(N) % 2).astype(np.int32), np.array([0, 1, 0], np.uint8)
    return [x, codes, None, [2], 1, np.ones(N), categorical, 0, False, 1]


def ground() -> Any:
    return _core.Ground(*ground_arguments())


def grow_arguments() -> list[Any]:
    limits = [2, 0, 0, 2, 1, 0.0, 0.0]
    draws = [1, True, N, np.cumsum(np.ones(N)), False, 0]
    return [ground(), 0, False, *limits, *draws, np.zeros(D, np.int8), False, 0, 3, 1]


def forest() -> Any:
    grown = _core.Forest(D, 2, True)
    grown.grow(*grow_arguments())
    return grown


def trees_arguments() -> list[Any]:
    _, nodes, shift, first, _, rows, sets, _ = forest().arrays()
    return [nodes, shift, first, len(rows), D, np.array([0, 1, 0], np.uint8), sets]


def stump_arguments() -> list[Any]:
    order = np.array([0, 2, 4, 6, 1, 3, 5], np.uint32)
    return [ground_arguments()[0], order, 4, np.ones(N), 0.1, 1]


def stump_ground() -> Any:
    return _core.StumpGround(*stump_arguments())


def replay_arguments() -> list[Any]:
    columns, share = np.array([0, 2], np.int64), np.full(N, 1 / N)
    stumps = [columns, np.ones(2, np.float32), np.ones((2, 3)), np.ones(2), np.ones(2)]
    return [ground_arguments()[0], np.zeros(N, np.uint8), share, *stumps, np.zeros(N), 1]


def word_arguments() -> list[Any]:
    signs = np.array([[1, -1], [-1, 1], [1, 1]], np.int8)
    return [np.array([0, 2, 3, 5], np.int64), np.array([0, 2, 1, 0, 1], np.int32), 3, signs, np.ones(3), 1]


def word_ground() -> Any:
    return _core.WordGround(*word_arguments())


def numbers32() -> np.ndarray:
    return np.arange(N * D, dtype=np.float32).reshape(N, D)


def counted_tree() -> list[Any]:
    return [np.ones(N), np.arange(N, dtype=np.float64), 3, 2, 1, np.zeros(N), 1]


def stump_tables() -> list[Any]:
    columns, first = np.array([0, 2], np.int64), np.array([0, 1, 3], np.int64)
    return [ground_arguments()[0], columns, first, np.ones(3, np.float32), np.ones((7, 2)), np.zeros((N, 2)), 1]


def tables() -> tuple[np.ndarray, np.ndarray]:
    _, _, _, _, stats, rows, _, _ = forest().arrays()
    return stats.reshape(-1, 2), rows


def tell_arguments() -> list[Any]:
    says, rows = tables()
    return [says, np.full(len(rows), -1, np.int32)]


def votes_arguments() -> list[Any]:
    drawn, voters = np.zeros((2, N), np.uint32), np.zeros(N, np.int32)
    return [ground_arguments()[0], True, 0, 2, drawn, np.zeros((N, 2)), voters, 1]


def speaking(trees: _core.Trees, *says: Any) -> _core.Trees:
    trees.tell(*(says or tell_arguments()))
    return trees


def sums_arguments() -> list[Any]:
    first = forest().arrays()[3]
    return [1, *tables(), np.zeros((first[2] - first[1], 2)), np.zeros(first[2] - first[1], np.int64)]


def cut_arguments() -> list[Any]:
    first = forest().arrays()[3]
    size = int(first[2] - first[1])
    rows = np.ones(size, np.int64)
    return [_core.Trees(*trees_arguments()), 1, np.zeros(size, np.uint8), np.ones((size, 2)), rows, np.zeros((size, 1))]


CALLS: dict[str, tuple[Callable[..., Any], Callable[[], list[Any]]]] = {
    "Rows.dense": (lambda x: _core.Rows.dense(x).scan(0, 1), lambda: [np.ones((N, D))]),
    "Rows.csr": (lambda *a: _core.Rows.csr(*a).scan(0, 1), sparse_arguments),
    "Rows.scan": (lambda first, threads: dense().scan(first, threads), lambda: [0, 1]),
    "linear_problem": (
        lambda *a: _core.linear_problem(*a).walk(*walk_arguments()),
        lambda: [dense(), signs(), np.ones(N), 0, 0.1],
    ),
    "LinearProblem.walk": (lambda *a: linear().walk(*a), walk_arguments),
    "LinearProblem.along_line": (
        lambda *a: linear().along_line(*a),
        lambda: [2, 1.0, np.zeros(N), np.ones(N), 0.5, np.zeros(N)],
    ),
    "dual_descent": (
        lambda *a: _core.dual_descent(*a).advance(*descent_state()),
        lambda: [linear(), 1.0, True, True, 1, np.ones(N)],
    ),
    "DualDescent.advance": (lambda *a: _core.dual_descent(linear(), 1.0, True, True, 1).advance(*a), descent_state),
    "unlike_rows": (_core.unlike_rows, lambda: [np.ones(N), np.zeros(N), 0.0, np.empty(N, np.int32)]),
    "normal_matrix": (_core.normal_matrix, lambda: [dense(), visits(), np.ones(N), np.zeros((D + 1, D + 1))]),
    "normal_product": (
        _core.normal_product,
        lambda: [dense(), visits(), np.ones(N), np.ones(D + 1), np.zeros(D + 1)],
    ),
    "normal_diagonal": (_core.normal_diagonal, lambda: [dense(), visits(), np.ones(N), np.zeros(D + 1)]),
    "feature_descent": (
        lambda *a: _core.feature_descent(*a).advance(*feature_state()),
        lambda: [dense(), signs()[:D], np.ones(D), 1, True, 0.0, 1],
    ),
    "FeatureDescent.advance": (lambda *a: features().advance(*a), feature_state),
    "penalised_step": (
        _core.penalised_step,
        lambda: [np.eye(D), np.ones(D), np.zeros(D), np.ones(D), np.zeros(D), 1e-3, 5],
    ),
    "class_descent": (
        lambda *a: _core.class_descent(*a).advance(*class_state()),
        lambda: [dense(), codes(), np.ones(N), 2, 1.0, True, 1],
    ),
    "ClassDescent.advance": (lambda *a: classes().advance(*a), class_state),
    "ClassDescent.walk": (
        lambda *a: classes().walk(*a),
        lambda: [np.zeros((D + 1) * 2), np.zeros(N * 2), np.zeros((D + 1) * 2)],
    ),
    "permutation": (_core.permutation, lambda: [N, 1, 1]),
    "whole_labels": (_core.whole_labels, lambda: [np.arange(N, dtype=np.int64), 100]),
    "whole_labels of float64": (_core.whole_labels, lambda: [signs(), 100]),
    "uniform": (_core.uniform, lambda: [N, 1, 1]),
    "online_solver": (
        lambda *a: _core.online_solver(*a).advance(*online_state()),
        lambda: [dense(), signs(), np.ones(N), visits(), 0, 1.0, 0.1, 0.0, True, 2, 1, 1, 5],
    ),
    "OnlineSolver.advance": (lambda *a: online().advance(*a), online_state),
    "online_advance_parts": (_core.online_advance_parts, online_parts),
    "margin_solver": (
        lambda *a: _core.margin_solver(*a).advance(*margin_state()),
        lambda: [dense(), signs(), np.ones(N), visits(), 0.1, True, 2, 1, 5, 2],
    ),
    "MarginSolver.advance": (lambda *a: margin().advance(*a), margin_state),
    "gradient_solver": (lambda *a: _core.gradient_solver(*a).advance(*gradient_state()), gradient_arguments),
    "GradientSolver.advance": (
        lambda *a: _core.gradient_solver(*gradient_arguments()).advance(*a),
        gradient_state,
    ),
    "batch_pass": (
        _core.batch_pass,
        lambda: [dense(), signs(), np.ones(N), visits(), True, np.zeros(D + 1), np.zeros(D + 1), 1],
    ),
    "products": (_core.products, lambda: [dense(), dense(), 1, 3, np.zeros(N * 3), 1]),
    "cast_votes": (
        _core.cast_votes,
        lambda: [visits(), np.ones(N), np.ones(N + 1), True, np.ones(N * 2), np.zeros(2), np.zeros(2), np.zeros(2)],
    ),
    "kernel_block": (_core.kernel_block, lambda: [dense(), dense(), 2, 0.1, 0.0, 1, np.zeros((N, N)), 1]),
    "distance_block": (_core.distance_block, lambda: [dense(), dense(), 0, 0.1, np.zeros((N, N)), 1]),
    "kernel_rows": (_core.kernel_rows, lambda: [dense(), 2, 0.1, 0.0, 1, 1]),
    "kernel_perceptron": (
        lambda *a: _core.kernel_perceptron(*a).advance(*kernel_state()),
        lambda: [kernel_rows(), signs(), np.ones(N), visits(), 1.0, True, 2, 1, 1, 5, 0, 1 << 20, 1],
    ),
    "KernelPerceptron.advance": (lambda *a: kernel().advance(*a), kernel_state),
    "kernel_sums": (
        _core.kernel_sums,
        lambda: [dense(), dense(), 2, 0.1, 0.0, 1, np.ones((2, N)), False, np.zeros((2, N)), 1],
    ),
    "kernel_expansion": (
        _core.kernel_expansion,
        lambda: [dense(), 2, 0.1, 0.0, 1, visits(), np.ones(N), True, np.zeros(N), 1],
    ),
    "radial_sums": (_core.radial_sums, lambda: [dense(), dense(), 0.1, np.ones(N), np.zeros(N), np.zeros(N), 1]),
    "kernel_expansions": (
        _core.kernel_expansions,
        lambda: [dense(), 2, 0.1, 0.0, 1, visits(), np.array([2, N], np.int64), np.ones(N), np.zeros(N), 1],
    ),
    "is_dsysv": (_core.is_dsysv, lambda: [dsysv()]),
    "polish_all": (lambda *a: _core.polish_all(dsysv(), *a), lambda: face_arguments()[1:]),
    "polish_joined": (lambda *a: _core.polish_joined(dsysv(), *a), lambda: joined_face_arguments()[1:]),
    "sums_of_parts": (
        _core.sums_of_parts,
        lambda: [np.eye(N), visits(), np.array([2, N], np.int64), np.ones(N), np.zeros(N)],
    ),
    "native_source": (lambda rows: solved(_core.native_source(rows)), lambda: [kernel_rows()]),
    "matrix_source": (lambda *a: solved(_core.matrix_source(*a)), lambda: [matrix(), np.ones(N)]),
    "submatrix_source": (
        lambda *a: solved(_core.submatrix_source(*a), N - 2),
        lambda: [matrix(), np.ones(N), np.array([0, 1, 3, 6, 2], np.int32)],
    ),
    "called_source": (lambda *a: solved(_core.called_source(*a)), lambda: [np.ones(N), asked, asked_square]),
    "RowSource.fill": (lambda *a: matrix_source().fill(*a), lambda: [np.zeros((N, N), np.float32), 2]),
    "class_rows": (
        lambda *a: solved(_core.pair_source(_core.class_rows(*a), 0, 1), 2 * N),
        lambda: [[dense(), dense()], 2, 0.1, 0.0, 1, 1 << 20, 2],
    ),
    "pair_source": (lambda *a: solved(_core.pair_source(*a), 2 * N), lambda: [class_rows(), 0, 1]),
    "box_solver": (
        lambda *a: _core.box_solver(*a).advance(*box_state()),
        lambda: [matrix_source(), *box_arguments()],
    ),
    "box_solver of two groups": (
        lambda *a: _core.box_solver(*a).advance(*tube_state()),
        lambda: [matrix_source(), *tube_arguments()],
    ),
    "BoxSolver.advance": (lambda *a: box().advance(*a), box_state),
    "BoxSolver.advance of two groups": (
        lambda *a: _core.box_solver(matrix_source(), *tube_arguments()).advance(*a),
        tube_state,
    ),
    "BoxSolver.rescore": (lambda *a: box().rescore(*a), lambda: box_state()[:5]),
    "BoxSolver.shift": (lambda *a: box().shift(*a), lambda: [*box_state()[:5], np.ones(N)]),
    "BoxSolver.judge": (lambda *a: box().judge(*a), lambda: box_state()[:5]),
    "box_pairs": (lambda *a: _core.box_pairs(*a).advance(*pairs_state(), 0.01, 2), pairs_arguments),
    "BoxPairs.advance": (lambda *a: box_pairs().advance(*a), lambda: [*pairs_state(), 0.01, 2]),
    "BoxPairs.judge": (lambda *a: box_pairs().judge(*a), lambda: [*pairs_state(), np.ones(3, np.int8), 2]),
    "box_columns": (
        lambda *a: _core.box_columns(*a).advance(*columns_state()),
        lambda: [matrix_source(), *columns_arguments()],
    ),
    "BoxColumns.advance": (lambda *a: columns().advance(*a), columns_state),
    "BoxColumns.shift": (lambda *a: columns().shift(*a), lambda: [*columns_state()[:5], np.ones((2, N))]),
    "BoxColumns.judge": (lambda *a: columns().judge(*a), lambda: columns_state()[:5]),
    "Ground": (
        lambda *a: _core.Forest(D, 2, True).grow(_core.Ground(*a), *grow_arguments()[1:]),
        ground_arguments,
    ),
    "StumpGround": (
        lambda *a: _core.StumpGround(*a).best(0, np.ones((N, 1)), None, 1, 1),
        stump_arguments,
    ),
    "StumpGround.best": (lambda *a: stump_ground().best(*a), lambda: [2, np.ones((N, 1)), visits() % 3, 3, 1]),
    "StumpGround.best of pairs": (lambda *a: stump_ground().best(*a), lambda: [4, np.ones((N, 4)), None, 4, 1]),
    "StumpGround.best of numbers": (lambda *a: stump_ground().best(*a), lambda: [3, np.ones((N, 2)), None, 2, 1]),
    "StumpGround.sides": (lambda *a: stump_ground().sides(*a), lambda: [1, 2, np.zeros(N, np.uint8)]),
    "StumpBooster": (lambda *a: _core.StumpBooster(*a).boost(1.0, 5, 1), lambda: [stump_ground()]),
    "StumpBooster.boost": (lambda *a: _core.StumpBooster(stump_ground()).boost(*a), lambda: [1.0, 5, 1]),
    "StumpBooster.apply": (
        lambda *a: _core.StumpBooster(stump_ground()).apply(*a),
        lambda: [1, 0.5, np.array([-1.0, 1.0, 0.0]), 0.5, 1],
    ),
    "replay_stumps": (_core.replay_stumps, replay_arguments),
    "WordGround": (lambda *a: _core.WordGround(*a).boost(1.0, 0.01, False, 3, 1), word_arguments),
    "WordGround.boost": (lambda *a: word_ground().boost(*a), lambda: [1.0, 0.01, False, 3, 1]),
    "WordGround.apply": (lambda *a: word_ground().apply(*a), lambda: [1, np.zeros(2), np.ones(2), 1]),
    "TreeGround": (lambda *a: _core.TreeGround(*a).grow(*counted_tree()), lambda: [numbers32(), 16, 1]),
    "TreeGround.grow": (lambda *a: _core.TreeGround(numbers32(), 16, 1).grow(*a), counted_tree),
    "add_stump_tables": (_core.add_stump_tables, stump_tables),
    "Forest": (lambda *a: _core.Forest(*a).grow(*grow_arguments()), lambda: [D, 2, True]),
    "Forest.grow": (lambda *a: _core.Forest(D, 2, True).grow(*a), grow_arguments),
    "Forest.append": (lambda *a: forest().append(*a), lambda: [_core.Trees(*trees_arguments()), *tables(), None]),
    "Forest.append_cut": (lambda *a: forest().append_cut(*a), cut_arguments),
    "prune_path": (
        _core.prune_path,
        lambda: [np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([1.0, 0.2, 0.3])],
    ),
    "Trees": (lambda *a: speaking(_core.Trees(*a)).votes(*votes_arguments()), trees_arguments),
    "Trees.leaves": (
        lambda *a: _core.Trees(*trees_arguments()).leaves(*a),
        lambda: [ground_arguments()[0], True, False, np.zeros((N, 3), np.uint32), 2],
    ),
    "Trees.tell": (
        lambda *a: speaking(_core.Trees(*trees_arguments()), *a).votes(*votes_arguments()),
        tell_arguments,
    ),
    "Trees.votes": (lambda *a: speaking(_core.Trees(*trees_arguments())).votes(*a), votes_arguments),
    "Trees.layout": (lambda *a: _core.Trees(*trees_arguments()).layout(*a), lambda: [1]),
    "Trees.sum_up": (lambda *a: _core.Trees(*trees_arguments()).sum_up(*a), sums_arguments),
    "draw_rows": (_core.draw_rows, lambda: [1, 2, N, np.cumsum(np.ones(N)), np.zeros(N, np.uint32)]),
    "deal_rows": (_core.deal_rows, lambda: [1, 2, 3, np.zeros(N, np.uint32)]),
    "left_children": (
        _core.left_children,
        lambda: [np.array([0, 1, 1], np.uint8), np.array([0, 3], np.int64)],
    ),
    "leaf_table": (_core.leaf_table, lambda: [np.array([[1.0, 0.0, 3.0], [2.0, 0.0, 0.0]])]),
    "leaf_shares": (_core.leaf_shares, lambda: [np.array([[1.0, 0.0, 3.0], [2.0, 0.0, 0.0]]), [3]]),
    "number_kinds": (_core.number_kinds, lambda: [np.ones((N, D), np.float32)]),
    "exp_nonpositive": (_core.exp_nonpositive, lambda: [-np.ones(N)]),
    "tanh_in_place": (_core.tanh_in_place, lambda: [np.ones(N)]),
    "SvmlightReader64": (lambda *a: _core.SvmlightReader64(*a).feed(text()), lambda: [0, False, False, 1, 1 << 16]),
    "SvmlightReader64.feed": (
        lambda t: _core.SvmlightReader64(0, False, False, 1, 1 << 16).feed(t),
        lambda: [text()],
    ),
    "Terms": (
        lambda terms: _core.TextCounter(table(), _core.Terms(terms), *counter_arguments()[2:]),
        lambda: [[b"a", b"bb"]],
    ),
    "TextCounter": (lambda *a: fed(_core.TextCounter(*a)), counter_arguments),
    "TextCounter.feed": (
        lambda *a: _core.TextCounter(*counter_arguments()).feed(*a),
        lambda: [["one two", ""], str.encode, True],
    ),
    "TextCounter.terms": (lambda text: _core.TextCounter(*counter_arguments()).terms(text), lambda: [b"one"]),
    "murmur": (_core.murmur, lambda: [b"one", 0]),
    "html_text": (_core.html_text, lambda: [b"<p>one</p>"]),
    "format_svmlight": (
        _core.format_svmlight,
        lambda: [*sparse_arguments()[:3], signs(), None, np.arange(N, dtype=np.int64), 1],
    ),
}
HUGE = 2**63 - 1


def changed_arrays(x: np.ndarray) -> Iterator[Any]:
    """Other lengths, shapes, strides, types, byte order, and numbers that may serve as an index."""
    yield from (x[:0].copy(), x[:-1].copy(), np.concatenate([x, x]), x[None].copy(), np.repeat(x, 2)[::2], x[::-1])
    yield from (
        x.astype(np.float32),
        x.astype(np.int16),
        x.astype(object),
        x.astype(x.dtype.newbyteorder()),
        x.tolist(),
    )
    frozen = x.copy()
    frozen.flags.writeable = False
    yield frozen
    if x.size == 0:
        yield from (np.zeros(N, x.dtype), np.ones(1, x.dtype))
        return
    if x.dtype.kind == "f":
        numbers = [np.nan, np.inf, np.finfo(x.dtype).min, 0.0]
    else:
        numbers = [-1, 1, N, N + 1, 10**9, -(10**9), HUGE, -HUGE]
        numbers = [k for k in numbers if np.iinfo(x.dtype).min <= k <= np.iinfo(x.dtype).max]
    for number in numbers:
        for place in sorted({0, 1 % x.size, x.size // 2, x.size - 1}):
            if x.dtype != np.uint8:
                other = x.copy()
                other.flat[place] = number
                yield other
    if x.dtype == np.uint8:
        yield np.arange(256, dtype=np.uint8)


def changed_lists(things: list[Any]) -> Iterator[Any]:
    """Fewer, more, one twice, other types of sequence, and each thing inside changed in turn."""
    yield from (things[:1], things + things, [things[0]] * len(things), tuple(things), iter(things))
    for place, thing in enumerate(things):
        for other in list(changes(thing)):  # all made before a call writes to the arrays
            yield [*map(copied, things[:place]), other, *map(copied, things[place + 1 :])]


def copied(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.copy()
    return tuple(map(copied, thing)) if isinstance(thing, tuple) else thing


def changes(value: Any) -> Iterator[Any]:
    yield from (None, "x", object(), [])
    if isinstance(value, list):
        yield from changed_lists(value)
    elif isinstance(value, tuple):
        yield from (tuple(other) if isinstance(other, list) else other for other in changed_lists(list(value)))
    elif isinstance(value, np.ndarray):
        yield from changed_arrays(value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (-1, 0, 1, 3, 99, 10**6, 2**31, 2**40, HUGE, -HUGE - 1, 2**64, 1.5)
    elif isinstance(value, float):
        yield from (-1.0, 0.0, 1e308, np.nan, np.inf, -np.inf)
    elif isinstance(value, _core.Rows):
        yield from (dense(np.float32), _core.Rows.csr(*sparse_arguments()), _core.Rows.dense(np.ones((N, D + 1))))
        yield from (_core.Rows.dense(np.ones((N + 1, D))), _core.Rows.dense(np.ones((0, D))), kernel_rows())
    elif isinstance(value, _core.KernelRows):
        yield from (dense(), _core.kernel_rows(_core.Rows.dense(np.ones((0, D))), 2, 0.1, 0.0, 1, 1), matrix_source())
    elif isinstance(value, _core.RowSource):
        yield from (kernel_rows(), _core.matrix_source(np.ones((2, 2), np.float32), np.ones(2)), class_rows())
        yield _core.matrix_source(np.full((N, N), np.nan, np.float32), np.full(N, np.inf))
    elif isinstance(value, _core.Ground):
        yield from (_core.Ground(np.ones((N, D + 1), np.float32), *ground_arguments()[1:6], None, 0, False, 1), dense())
    elif isinstance(value, _core.Trees):
        yield from (ground(), forest())
    elif isinstance(value, _core.ClassRows):
        yield from (_core.class_rows([], 2, 0.1, 0.0, 1, 0, 1), matrix_source(), dense())
    elif callable(value):
        yield from (lambda items: matrix().astype(np.float64), lambda items: matrix()[:0], lambda items: 1 / 0)
        yield lambda items: matrix()[::-1][items]


def too_long(name: str, place: int, value: Any) -> bool:
    """Calls that are right, but take memory or time in proportion to the number."""
    counts = {"permutation": (0,), "uniform": (0,)}
    return place in counts.get(name, ()) and isinstance(value, int) and 10**6 < value < 2**60


def main(names: list[str]) -> None:
    tried = refused = 0
    for name in names or CALLS:
        call, arguments = CALLS[name]
        call(*arguments())
        for place, original in enumerate(arguments()):
            for value in changes(original):
                if too_long(name, place, value):
                    continue
                given = arguments()
                given[place] = value
                tried += 1
                try:
                    call(*given)
                except REFUSALS:
                    refused += 1
    print(tried, refused)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
