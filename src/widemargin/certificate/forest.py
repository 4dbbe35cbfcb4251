"""What can be shown of trees and forests: errors recomputed from the trees, the rows and the seed of the draws alone.

Problem  the training error, and the error on rows by the trees that have never drawn them; how strong single trees are
         and how much they err together; a bound on the error of any further tree's company from both
Symbols  Q(x, j) share of x's out-of-bag trees that vote for j;  mr = Q(x, y) - max_{j != y} Q(x, j);  s mean of mr;
         sd_k deviation of tree k's own mr, over its out-of-bag rows: p1 + p2 - (p1 - p2)^2 with p1 the share of votes
         for y, p2 for the strongest other class
Stops    after one pass over rows and trees. `holds` if the error that the model claims is the one found here
Method   strength s, correlation = var(mr) / (mean sd)^2, error <= correlation (1 - s^2) / s^2  [Breiman01, th. 2.3]
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..model.trees import Trees, leaf_says
from .record import ForestCertificate

VOTES = 1 << 22  # of a block of rows


@dataclass(frozen=True)
class ForestProof:
    """What must be known to draw the rows of all trees once more."""

    seed: int
    draws: int  # rows that each tree drew; 0: all, once
    members: int = 0  # rows were dealt out to so many trees; 0: drawn
    rows: int = 0  # of the fit
    weighted: bool = False  # drawn by weights, which the proof does not hold


def drawn_times(proof: ForestProof, trees: range, n: int, weight: np.ndarray | None) -> np.ndarray:
    """How often each tree has drawn each row."""
    sums = None if weight is None else np.cumsum(weight)
    out = np.empty((len(trees), n), dtype=np.uint32)
    for k, tree in enumerate(trees):
        if proof.members:
            _core.deal_rows(proof.seed % 2**64, tree, proof.members, out[k])
        else:
            _core.draw_rows(proof.seed % 2**64, tree, proof.draws, sums, out[k])
    return out


def oob_votes(
    trees: Trees,
    X: np.ndarray,
    missing: bool,
    proof: ForestProof,
    weight: np.ndarray | None,
    threads: int = 1,
    begin: int = 0,
    end: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of what the trees begin .. end-1 say of rows that they have never drawn, and how many these are."""
    votes, voters = np.zeros((len(X), trees.says[0].shape[1])), np.zeros(len(X), dtype=np.int32)
    end = len(trees) if end is None else end
    step = max(1, VOTES // len(X))
    for first in range(begin, end, step):
        last = min(first + step, end)
        times = drawn_times(proof, range(first, last), len(X), weight)
        trees.speaking.votes(X, missing, first, last, times, votes, voters, threads)
    return votes, voters


@dataclass
class Figures:
    """Errors and what explains them; None where there is nothing to say."""

    training_error: float
    oob_error: float | None = None
    oob_se: float | None = None
    n_oob: int = 0
    strength: float | None = None
    correlation: float | None = None
    error_bound: float | None = None


def certify_forest(
    trees: Trees,
    X: np.ndarray,
    missing: bool,
    y: np.ndarray,
    *,
    proof: ForestProof | None,
    weight: np.ndarray | None = None,
    claimed: float | None = None,
    data_digest: str = "",
    threads: int = 1,
) -> ForestCertificate:
    """`y` has codes or numbers, a column an output; `claimed` is the out-of-bag error that the model says it has."""
    began = time.perf_counter()
    said = trees.votes(X, missing, threads) / len(trees)
    losses = row_losses(said, y, trees.classes)
    f = Figures(training_error=_mean(losses, weight))
    if proof is not None and proof.draws:
        votes, voters = oob_votes(trees, X, missing, proof, weight, threads)
        seen = voters > 0
        if seen.any():
            held = row_losses(votes[seen] / voters[seen, None], y[seen], trees.classes)
            f.n_oob = int(seen.sum())
            f.oob_error = float(held.mean())
            f.oob_se = float(held.std() / math.sqrt(f.n_oob))
            if len(trees.classes) == 1:
                _strength(f, trees, X, missing, y[:, 0], proof, weight, seen, threads)
    honest = claimed is None or f.oob_error is None or abs(claimed - f.oob_error) <= 1e-12 * max(1.0, abs(claimed))
    return ForestCertificate(
        claim=_claim(f, trees, claimed if not honest else None),
        kind="estimate",
        holds=honest,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        n_trees=len(trees),
        training_error=f.training_error,
        oob_error=f.oob_error,
        oob_se=f.oob_se,
        n_oob=f.n_oob or None,
        strength=f.strength,
        correlation=f.correlation,
        error_bound=f.error_bound,
    )


def row_losses(said: np.ndarray, y: np.ndarray, classes: tuple[int, ...]) -> np.ndarray:
    """1 where a label is wrong, or the squared error; the mean over outputs."""
    if not classes:
        return ((said - y) ** 2).mean(axis=1)
    ends = np.cumsum(classes)
    wrong = [said[:, e - k : e].argmax(axis=1) != y[:, o] for o, (k, e) in enumerate(zip(classes, ends, strict=True))]
    return np.mean(wrong, axis=0)


def _mean(losses: np.ndarray, weight: np.ndarray | None) -> float:
    return float(losses.mean() if weight is None else np.average(losses, weights=weight))


def _strength(
    f: Figures,
    trees: Trees,
    X: np.ndarray,
    missing: bool,
    y: np.ndarray,
    proof: ForestProof,
    weight: np.ndarray | None,
    seen: np.ndarray,
    threads: int,
) -> None:
    k, n, count = trees.classes[0], len(X), len(trees)
    if k < 2:
        return
    vote_of_line = leaf_says(trees.stats, trees.classes, 1).argmax(axis=1).astype(np.int32)
    sums = np.zeros((3, count))  # rows, votes for y, votes for the strongest other class, tree by tree
    margins = np.zeros(n)
    step = max(1, VOTES // count)
    times = drawn_times(proof, range(count), n, weight) if n * count <= 1 << 26 else None
    for begin in range(0, n, step):
        rows = slice(begin, min(begin + step, n))
        vote = vote_of_line[trees.leaves(X[rows], missing, threads, lines=True)]
        drawn = times if times is not None else drawn_times(proof, range(count), n, weight)
        free = (drawn[:, rows] == 0).T & seen[rows, None]
        shares = np.zeros((len(vote), k))
        for c in range(k):
            shares[:, c] = ((vote == c) & free).sum(axis=1)
        shares /= np.maximum(free.sum(axis=1, keepdims=True), 1)
        own, i = y[rows], np.arange(len(vote))
        right = shares[i, own]
        shares[i, own] = -1.0
        rival = shares.argmax(axis=1)
        margins[rows] = right - shares[i, rival]
        sums[0] += free.sum(axis=0)
        sums[1] += ((vote == own[:, None]) & free).sum(axis=0)
        sums[2] += ((vote == rival[:, None]) & free).sum(axis=0)
    used = sums[0] > 0
    p1, p2 = sums[1, used] / sums[0, used], sums[2, used] / sums[0, used]
    deviation = np.sqrt(np.maximum(p1 + p2 - (p1 - p2) ** 2, 0.0)).mean()
    mr = margins[seen]
    f.strength = float(mr.mean())
    if deviation > 0:
        f.correlation = float(mr.var() / deviation**2)
        if f.strength > 0:
            f.error_bound = float(f.correlation * (1 - f.strength**2) / f.strength**2)


def _claim(f: Figures, trees: Trees, wrong: float | None) -> str:
    name, count = ("error" if trees.classes else "squared error"), len(trees)
    said = f"{count} tree{'s' * (count != 1)}: training {name} {f.training_error:.4g}"
    if f.oob_error is not None:
        said += f", out-of-bag {name} {f.oob_error:.4g} ± {f.oob_se:.2g} on {f.n_oob} rows"
    if f.error_bound is not None:
        said += f"; strength {f.strength:.3f} and correlation {f.correlation:.3f} bound it by {f.error_bound:.3g}"
    return said if wrong is None else f"{said}; the model claims an out-of-bag {name} of {wrong:.4g}"
