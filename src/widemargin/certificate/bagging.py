"""Errors of a bag of any members, recomputed from what they say and the seed of their draws."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.seeds import keyed
from .record import ForestCertificate


@dataclass(frozen=True)
class BaggingProof:
    """What must be known to draw the rows of all members once more."""

    seed: int
    draws: int
    replace: bool


@dataclass(frozen=True)
class DrawnFrom:
    """The rows that members draw from."""

    rows: int
    weight: np.ndarray | None  # None: all alike
    kept: np.ndarray | None  # their numbers among the rows that were given; None: all


def rows_of_member(proof: BaggingProof, member: int, n: int, weight: np.ndarray | None) -> np.ndarray:
    """How often a member has drawn each row."""
    if proof.replace:
        times = np.empty(n, dtype=np.uint32)
        _core.draw_rows(proof.seed % 2**64, member, proof.draws, None if weight is None else np.cumsum(weight), times)
        return times
    share = None if weight is None else weight / weight.sum()
    times = np.zeros(n, dtype=np.uint32)
    times[keyed(proof.seed, "sample", member).choice(n, proof.draws, replace=False, p=share)] = 1
    return times


def certify_bagging(
    said: np.ndarray,
    y: np.ndarray,
    *,
    n_members: int,
    classes: bool,
    votes: np.ndarray | None,
    voters: np.ndarray | None,
    claimed: float | None,
    data_digest: str,
) -> ForestCertificate:
    """`said`: of all rows by all members; `votes`: sums over the `voters` that have never drawn the row."""
    began = time.perf_counter()
    training = float(_losses(said, y, classes).mean())
    error = spread = None
    rows = 0
    if votes is not None and voters is not None and (voters > 0).any():
        seen = voters > 0
        held = _losses(votes[seen] / voters[seen, None], y[seen], classes)
        rows, error = int(seen.sum()), float(held.mean())
        spread = float(held.std() / math.sqrt(rows))
    honest = claimed is None or error is None or abs(claimed - error) <= 1e-9 * max(1.0, abs(claimed))
    name = "error" if classes else "squared error"
    claim = f"{n_members} members: training {name} {training:.4g}"
    if error is not None:
        claim += f", out-of-bag {name} {error:.4g} ± {spread:.2g} on {rows} rows"
    return ForestCertificate(
        claim=claim if honest else f"{claim}; the model claims an out-of-bag {name} of {claimed:.4g}",
        kind="estimate",
        holds=honest,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        n_trees=n_members,
        training_error=training,
        oob_error=error,
        oob_se=spread,
        n_oob=rows or None,
    )


def _losses(said: np.ndarray, y: np.ndarray, classes: bool) -> np.ndarray:
    return (said.argmax(axis=1) != y).astype(np.float64) if classes else ((said - y) ** 2).mean(axis=1)
