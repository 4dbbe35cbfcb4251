"""Votes of all the vectors that perceptrons passed through, one sequence of vectors for each binary part.

Problem  for a row z and each part: sum_n c_n sgn(u_n) / sum_n c_n  and  sum_n c_n u_n / sum_n c_n,  u_n = w_n.z + b_n
Symbols  c_n life of w_n;  support: rows of which some mistake was made;  sgn(0) = 0, a vector that cannot tell abstains
Method   the vectors are never formed: their u_n are prefix sums over the mistakes (core/model/voted). A few of them,
         chosen so that their weighted votes come close to those of all, can stand for the rest.  [FreundSchapire99]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.utils.extmath import safe_sparse_dot

from .. import _core
from ..base.threads import crew
from ..data.rows import canonical, native_rows

GRAM_BYTES = 1 << 26  # products of the support with one block of rows
MOST_ROWS = 64  # of a block
SAMPLE = 1000  # rows on which a few vectors are chosen
CANDIDATES = 256  # vectors among which they are chosen


@dataclass(frozen=True)
class Mistakes:
    """The vectors of one part: w_0 = start, w_(n+1) = w_n + step_n x_(at_n), living for life_n visits each."""

    at: np.ndarray  # rows of the support
    step: np.ndarray
    life: np.ndarray  # one more than mistakes
    start: np.ndarray | None = None  # d + 1 entries, None = 0


@dataclass(frozen=True)
class VotedModel:
    """All vectors, as their mistakes."""

    support: Any
    parts: list[Mistakes]
    intercept: bool = True
    threads: int = 1

    def votes(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean vote in [-1, 1] and mean score, each n x parts. The same for a row alone and among others."""
        vote, score = np.zeros((2, X.shape[0], len(self.parts)))

        def count(at: slice, k: int, products: np.ndarray, u: np.ndarray) -> None:
            part, v, w = self.parts[k], np.zeros(len(u)), np.zeros(len(u))
            _core.cast_votes(part.at, part.step, part.life, self.intercept, products, u, v, w)
            total = part.life.sum() or 1.0
            vote[at, k], score[at, k] = v / total, w / total

        self._walk(X, count)
        return vote, score

    def passing(self, X: Any, which: list[np.ndarray]) -> list[np.ndarray]:
        """The scores of some vectors, n x len(which[k]) for each part k; numbers in which[k] rise."""
        scores = [np.empty((X.shape[0], len(w))) for w in which]

        def follow(at: slice, k: int, products: np.ndarray, u: np.ndarray) -> None:
            part, unused, done = self.parts[k], np.zeros(len(u)), 0
            for j, n in enumerate(which[k]):
                mistakes, none = slice(done, n), np.zeros(n - done + 1)
                _core.cast_votes(
                    part.at[mistakes], part.step[mistakes], none, self.intercept, products, u, unused, unused
                )
                scores[k][at, j], done = u, n

        self._walk(X, follow)
        return scores

    def _walk(self, X: Any, use: Callable[[slice, int, np.ndarray, np.ndarray], None]) -> None:
        """use(rows, part, their products with the support, scores of the first vector) for every block and part."""
        n, s = X.shape[0], self.support.shape[0]
        first = np.column_stack([_first_scores(part, X) for part in self.parts])
        rows, support = native_rows(X), native_rows(self.support)
        size = int(np.clip(GRAM_BYTES // (8 * max(s, 1)), 1, MOST_ROWS))

        def block(begin: int, _cancelled: Any) -> None:
            at = slice(begin, min(begin + size, n))
            products = np.empty(s * (at.stop - begin))
            _core.products(support, rows, begin, at.stop - begin, products)
            for k in range(len(self.parts)):
                use(at, k, products, first[at, k].copy())

        crew(self.threads, block, range(0, n, size))

    def scores(self, X: Any) -> np.ndarray:
        return self.votes(X)[0]

    def vectors(self, part: int, which: np.ndarray) -> np.ndarray:
        """The vectors w_n (d + 1 entries each, the last is the bias) for rising n in `which`."""
        p = self.parts[part]
        last = int(which[-1]) if len(which) else 0
        shape = (len(which), self.support.shape[0])
        steps = sp.csr_array((p.step[:last], p.at[:last], np.concatenate([[0], which])), shape=shape)
        moved = safe_sparse_dot(steps, self.support, dense_output=True)
        moved = np.asarray(moved.toarray() if sp.issparse(moved) else moved, dtype=np.float64)
        bias = steps.sum(axis=1).reshape(-1, 1) * self.intercept
        start = 0.0 if p.start is None else p.start
        return start + np.cumsum(np.hstack([moved, bias]), axis=0)

    def compressed(self, k: int) -> MemberModel:
        """At most k vectors a part, with the weights that best keep the votes on the support itself."""
        size = self.support.shape[0]
        sample = self.support[np.linspace(0, size - 1, min(size, SAMPLE)).astype(np.intp)]
        wanted = self.votes(sample)[0]
        some = [candidates(part.life, max(4 * k, CANDIDATES)) for part in self.parts]
        members, lives = [], []
        for i, scores in enumerate(self.passing(sample, some)):
            chosen, weight = speakers(np.sign(scores), wanted[:, i], k)
            members.append(self.vectors(i, some[i][chosen]))
            lives.append(weight)
        return MemberModel(members, lives)


@dataclass(frozen=True)
class MemberModel:
    """A few vectors, each with its life."""

    members: list[np.ndarray]  # one k x (d + 1) array a part
    lives: list[np.ndarray]

    def votes(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        vote, score = np.empty((2, X.shape[0], len(self.members)))
        for k, (W, life) in enumerate(zip(self.members, self.lives, strict=True)):
            u = safe_sparse_dot(X, W[:, :-1].T, dense_output=True) + W[:, -1]
            share = life / (life.sum() or 1.0)
            vote[:, k], score[:, k] = np.sign(u) @ share, u @ share
        return vote, score

    def scores(self, X: Any) -> np.ndarray:
        return self.votes(X)[0]


def candidates(life: np.ndarray, m: int) -> np.ndarray:
    """The m longest-lived vectors, in their order."""
    return np.sort(np.argsort(-life, kind="stable")[:m])


def speakers(signs: np.ndarray, wanted: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """At most k columns of `signs` (rising) and weights >= 0 with which they come close to the votes `wanted`.

    Greedy: the column that goes best with what is still missing joins, then all weights are fitted anew.
    """
    chosen: list[int] = []
    weight, missing = np.empty(0), wanted
    for _ in range(min(k, signs.shape[1])):
        gain = missing @ signs
        gain[chosen] = -np.inf
        best = int(np.argmax(gain))
        if chosen and gain[best] <= 1e-9 * len(wanted):
            break
        try:
            weight = nnls(signs[:, [*chosen, best]], wanted)[0]
        except RuntimeError:  # does not settle: those chosen so far must do
            break
        chosen.append(best)
        missing = wanted - signs[:, chosen] @ weight
    if not weight.any():
        return np.zeros(1, np.intp), np.ones(1)
    order = np.argsort(chosen)
    return np.array(chosen)[order], weight[order]


def _first_scores(part: Mistakes, X: Any) -> np.ndarray:
    if part.start is None:
        return np.zeros(X.shape[0])
    return safe_sparse_dot(X, part.start[:-1], dense_output=True) + part.start[-1]


# ---- from the log of a solver --------------------------------------------------------------------------------------
# The mistakes of all parts stand one part after the other: row (of the support), step, visit; offsets cut them.

Log = tuple[np.ndarray, np.ndarray, np.ndarray]


def gathered(X: Any, logs: list[Log]) -> tuple[Any, dict[str, np.ndarray]]:
    """The support, copied, and the mistakes of all parts, from each part's log of (visit, row of X, step)."""
    visit, row, step = (np.concatenate(column) for column in zip(*logs, strict=True))
    used = np.zeros(X.shape[0], dtype=bool)
    used[row] = True
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    offsets = np.cumsum([0, *(len(log[0]) for log in logs)])
    return canonical(X[used]), {"offsets": offsets, "row": place[row], "step": step, "visit": visit}


def joined(support: Any, mistakes: dict[str, np.ndarray], more_support: Any, more: dict[str, np.ndarray]) -> Any:
    """The mistakes of a stream so far, and of its next batch, as one (support, mistakes)."""
    stack = sp.vstack if sp.issparse(support) else np.vstack
    o, p = mistakes["offsets"], more["offsets"]
    both: dict[str, np.ndarray] = {"offsets": o + p}
    for name in ("row", "step", "visit"):
        shift = np.int32(support.shape[0]) if name == "row" else 0
        pairs = [(mistakes[name][o[k] : o[k + 1]], more[name][p[k] : p[k + 1]] + shift) for k in range(len(o) - 1)]
        both[name] = np.concatenate([piece for pair in pairs for piece in pair])
    return canonical(stack([support, more_support])), both


def survival_times(mistakes: dict[str, np.ndarray], visits: np.ndarray, birth: int) -> list[np.ndarray]:
    """The lives of each part's vectors. A vector is born at a visit, which counts for it if birth is 1."""
    o, lives = mistakes["offsets"], []
    for k, total in enumerate(visits):
        born = np.concatenate([[0], mistakes["visit"][o[k] : o[k + 1]], [total]])
        life = np.diff(born).astype(np.float64)
        life[1:] -= 1 - birth
        lives.append(life)
    return lives


def split(mistakes: dict[str, np.ndarray], lives: list[np.ndarray], starts: Any) -> list[Mistakes]:
    """The mistakes part by part."""
    o = mistakes["offsets"]
    cuts = [slice(a, b) for a, b in itertools.pairwise(o)]
    return [
        Mistakes(mistakes["row"][cut], mistakes["step"][cut], life, start)
        for cut, life, start in zip(cuts, lives, starts, strict=True)
    ]
