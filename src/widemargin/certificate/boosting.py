"""What can be shown of boosted models: bounds on the training error, margins, and how far they are from the largest.

Problem  the weights of every round once more, from the members and their steps alone: errors e_t, Z_t, margins
Symbols  m = Y F(x);  w_t = u exp(-m) before round t, made to sum 1;  e_t weight of the rows that h_t gets wrong;
         Z_t = sum w_t exp(-a_t Y h_t);  f = F / sum |a_t|, the margin of a row is Y f(x)
Stops    after one pass over the members. `holds` if the training error is at most the mean loss after every round, that
         is the product of all Z where the exponential loss of two classes is made small, this at most
         exp(-2 sum (1/2 - e_t)^2) for full steps, and every step is the one that its error demands
Method   training error [FreundSchapire97, th. 6]; margins [SchapireEtAl98]; for any weights w of the rows
         least margin <= largest margin of all sums of stumps <= largest edge of a stump under w  [FreundSchapire96b]
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import erf, erfinv

from .. import _core
from ..model.stumps import Stumps
from .record import BoostingCertificate

LEAST_ERROR = 1e-10  # below which an error counts as this in the step
ROUNDING = 1e-9


@dataclass(frozen=True)
class BoostingProof:
    """What the claim is about, beside members and steps.

    `kind` names the loss: "edges" (AdaBoost, two classes), "m1", "samme", "m2", "mh", "exponential", "logistic",
    "logit", "brown", "squares", "labels" (several a row) or "line"; `rate` is the factor of the steps, `errors` are
    those that the fit claims, round by round; BrownBoost's target is `epsilon`, and `times` what it has left, class by
    class.
    """

    kind: str
    rate: float
    errors: np.ndarray
    epsilon: float = 0.0
    times: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class BoostedRows:
    """The rows of the claim: codes of k classes, or numbers where k is 0; weights; where the members are stumps, the
    rows that these ask and the stumps themselves. For several labels a row y has a line of k truth values."""

    y: np.ndarray
    u: np.ndarray | None
    k: int
    X: Any = None
    stumps: Stumps | None = None
    threads: int = 1

    @property
    def share(self) -> np.ndarray:
        return np.full(len(self.y), 1 / len(self.y)) if self.u is None else self.u / self.u.sum()

    @property
    def signs(self) -> np.ndarray:
        return np.where(self.y == 1, 1.0, -1.0)

    @property
    def outputs(self) -> int:
        return self.k if self.k > 2 or self.y.ndim == 2 else 1


def certify_boosting(
    said: Iterable[np.ndarray],
    steps: np.ndarray,
    rows: BoostedRows,
    proof: BoostingProof | None,
    *,
    kind: str,
    data_digest: str,
    per_round: int = 1,
    start: float = 0.0,
    search: bool = True,
    each: bool = True,
    rounds: int | None = None,
) -> BoostingCertificate:
    """`said`: what each member says of the rows, as it is before its step; `start`: what the sum begins with.

    `search`: look for the largest edge of all stumps, where members are the best of these. `each`: compare error and
    loss after each round, not only at the end.
    """
    began = time.perf_counter()
    rounds = len(steps) // per_round if rounds is None else rounds
    holds: bool | None
    if kind == "edges":
        figures, holds = _edges(said, steps, rows, proof, search)
    else:
        figures, holds = _losses(said, steps, rows, proof, kind, per_round if each else 0, start)
    return BoostingCertificate(
        claim=_claim(figures, kind, rounds, holds),
        kind="proof" if kind != "squares" else "estimate",
        holds=holds,
        data_digest=data_digest,
        seconds=time.perf_counter() - began,
        n_rounds=rounds,
        **figures,
    )


def _edges(
    said: Iterable[np.ndarray], steps: np.ndarray, rows: BoostedRows, proof: BoostingProof | None, search: bool
) -> tuple[dict[str, Any], bool]:
    share, signs = rows.share, rows.signs
    e, undecided, m, weights_before = (
        _replayed(steps, rows, proof) if rows.stumps is not None else _told(said, steps, rows)
    )
    z = (1 - e) * np.exp(-steps) + e * np.exp(steps)
    logs = np.cumsum(np.log(z))
    holds = bool((undecided <= np.exp(logs) * (1 + ROUNDING)).all())
    if proof is not None:
        least = np.maximum(e, LEAST_ERROR)
        due = 0.5 * proof.rate * np.log((1 - least) / least)
        holds &= bool((np.abs(due - steps) <= ROUNDING * np.maximum(1.0, np.abs(steps))).all())
        holds &= bool((np.abs(e - proof.errors) <= ROUNDING).all())
    product = math.exp(logs[-1]) if len(steps) else 1.0
    error = float(share[m <= 0].sum())
    figures: dict[str, Any] = {"training_error": error, "z": z, "product_z": product, "loss_bound": product}
    if proof is not None and proof.rate == 1 and e.min(initial=0.5) > LEAST_ERROR:
        figures["exp_bound"] = math.exp(-2 * float(((0.5 - e) ** 2).sum()))
        holds &= product <= figures["exp_bound"] * (1 + ROUNDING)
    if not len(steps):
        return figures, holds
    figures["min_margin"] = float(m.min() / np.abs(steps).sum())
    worst = int(np.argmax(e))
    figures["min_edge"] = 1 - 2 * float(e[worst])
    if rows.stumps is not None and search:
        figures["min_edge"] = largest_edge(rows.X, signs * weights_before(worst))
        figures["margin_gap"] = figures["min_edge"] - figures["min_margin"]
        holds &= figures["margin_gap"] >= -ROUNDING
    return figures, holds


Replay = tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[int], np.ndarray]]


def _weights(share: np.ndarray, m: np.ndarray) -> np.ndarray:
    w = share * np.exp(m.min() - m)
    return w / w.sum()


def _told(said: Iterable[np.ndarray], steps: np.ndarray, rows: BoostedRows) -> Replay:
    """(errors, shares of undecided rows after each round, margins at the end, weights before a round)."""
    share, signs = rows.share, rows.signs
    m, e, undecided = np.zeros(len(share)), np.empty(len(steps)), np.empty(len(steps))
    for t, (h, a) in enumerate(zip(said, steps, strict=True)):
        agree = signs * h[:, 0]
        e[t] = _weights(share, m)[agree < 0].sum()
        m += a * agree
        undecided[t] = share[m <= 0].sum()
    return e, undecided, m, lambda t: share


def _replayed(steps: np.ndarray, rows: BoostedRows, proof: BoostingProof | None) -> Replay:
    """The same of stumps, by the core. Weights are kept in range by what the fit claims; no ratio depends on it."""
    stumps, share = rows.stumps, rows.share
    assert stumps is not None
    claimed = np.full(len(steps), 0.5) if proof is None else np.clip(np.nan_to_num(proof.errors, nan=0.5), 0.0, 1.0)
    factor = (1 - claimed) * np.exp(-steps) + claimed * np.exp(steps)
    m = np.empty(len(share))
    values = np.ascontiguousarray(stumps.values[:, :, 0])
    asked = (stumps.column, stumps.threshold, values, np.asarray(steps, np.float64), factor)
    wrong, total, undecided = _core.replay_stumps(
        rows.X, (rows.y == 0).astype(np.uint8), share, *asked, m, rows.threads
    )
    return wrong / total, undecided, m, lambda t: _weights(share, rows.signs * stumps[:t].scores(rows.X)[:, 0])


def largest_edge(X: np.ndarray, v: np.ndarray) -> float:
    """The largest |sum v h| over all stumps h with values +-1, by sorting every column."""
    best = abs(float(v.sum()))
    for column in X.T:
        gone = np.isnan(column)
        apart = abs(float(v[gone].sum()))
        order = np.argsort(column[~gone], kind="stable")
        x, left = column[~gone][order], np.cumsum(v[~gone][order])
        if not len(x):
            continue
        cuts = np.flatnonzero(np.append(x[1:] > x[:-1], True))
        sums = left[cuts]
        best = max(best, float((np.abs(sums) + np.abs(left[-1] - sums)).max()) + apart)
    return best


def _losses(
    said: Iterable[np.ndarray],
    steps: np.ndarray,
    rows: BoostedRows,
    proof: BoostingProof | None,
    kind: str,
    per_round: int,
    start: float,
) -> tuple[dict[str, Any], bool | None]:
    share, bound = rows.share, loss_of(kind, rows, proof)
    holds: bool | None = True
    F: Any = np.full((len(share), rows.outputs), start)
    size = 0.0
    if rows.stumps is not None and not per_round:
        F = F + rows.stumps.scores(rows.X, rows.threads)
        said, steps = (), np.empty(0)
    for t, (h, a) in enumerate(zip(said, steps, strict=True)):
        F = F + a * h
        if rows.stumps is None:
            size += abs(a) * float(np.abs(h).max(initial=0.0))
        if kind not in ("brown", "squares") and per_round and (t + 1) % per_round == 0 and bound is not None:
            holds = holds and float(share @ _wrong(F, rows)) <= float(share @ bound(F)) * (1 + ROUNDING)
    if rows.stumps is not None:
        size = float(np.abs(rows.stumps.steps) @ np.abs(rows.stumps.values).max(axis=(1, 2), initial=0.0))
    if kind == "squares":
        return {"training_error": float(share @ (rows.y - F[:, 0]) ** 2)}, True
    figures: dict[str, Any] = {"training_error": float(share @ _wrong(F, rows))}
    own, other = _own_and_other(F, rows)
    figures["min_margin"] = float((own - other).min() / size) if size > 0 else 0.0
    if bound is not None:
        figures["loss_bound"] = float(share @ bound(F))
        if kind in ("exponential", "mh", "m1", "labels"):
            figures["product_z"] = figures["loss_bound"]
        holds = holds and figures["training_error"] <= figures["loss_bound"] * (1 + ROUNDING)
    if kind == "brown" and proof is not None and proof.times is not None:
        by_class = share @ _potential(F, rows, proof)
        figures["potential"], figures["time_left"] = float(by_class.mean()), float(proof.times.max())
        holds = holds and bool((abs(by_class - proof.epsilon) <= 1e-9 * (1 + len(steps))).all())
    return figures, holds


def _potential(F: np.ndarray, rows: BoostedRows, proof: BoostingProof) -> np.ndarray:
    """BrownBoost's, of each row and class."""
    signs = rows.signs[:, None] if F.shape[1] == 1 else np.where(np.arange(rows.k) == rows.y[:, None], 1.0, -1.0)
    return 1 - erf((signs * F + proof.times) / erfinv(1 - proof.epsilon))


def _own_and_other(F: np.ndarray, rows: BoostedRows) -> tuple[np.ndarray, np.ndarray]:
    """The score of a row's class and the largest of the others; for a single score half of the margin each."""
    if F.shape[1] == 1 or rows.y.ndim == 2:
        m = (rows.signs.reshape(F.shape) * F).min(axis=1)
        return m / 2, -m / 2
    i = np.arange(len(rows.y))
    rest = F.copy()
    rest[i, rows.y] = -np.inf
    return F[i, rows.y], rest.max(axis=1)


def _wrong(F: np.ndarray, rows: BoostedRows) -> np.ndarray:
    """Whether the label of a row is wrong; of several labels the share that is."""
    if rows.y.ndim == 2:
        return (rows.signs * F <= 0).mean(axis=1)
    own, other = _own_and_other(F, rows)
    return own <= other


def loss_of(kind: str, rows: BoostedRows, proof: BoostingProof | None) -> Callable[[np.ndarray], np.ndarray] | None:
    """A loss of each row that is at least 1 where the label is wrong; None where there is no such bound."""
    if kind == "labels":
        return lambda F: np.exp(-rows.signs * F).mean(axis=1)
    i = np.arange(len(rows.y))
    signs = np.where(np.arange(max(rows.k, 2)) == rows.y[:, None], 1.0, -1.0)

    def brown(F: np.ndarray) -> np.ndarray:
        """A wrong sign has at least the potential of 0; a wrong label has a wrong sign."""
        assert proof is not None
        assert proof.times is not None
        return (_potential(F, rows, proof) / (1 - erf(proof.times / erfinv(1 - proof.epsilon)))).sum(axis=1)

    def m2(F: np.ndarray) -> np.ndarray:
        return np.exp(0.5 * (F - F[i, rows.y][:, None])).sum(axis=1) - 1

    def logit(F: np.ndarray) -> np.ndarray:
        top = F.max(axis=1)
        return (top + np.log(np.exp(F - top[:, None]).sum(axis=1)) - F[i, rows.y]) / math.log(2)

    table: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "exponential": lambda F: np.exp(-rows.signs * F[:, 0]),
        "logistic": lambda F: np.logaddexp(0, -2 * rows.signs * F[:, 0]) / math.log(2),
        "m1": lambda F: np.exp(0.5 * F.sum(axis=1) - F[i, rows.y]),
        "m2": m2,
        "mh": lambda F: np.exp(-signs * F).sum(axis=1) / 2,
        "logit": logit,
        "brown": brown,
    }
    return None if kind == "brown" and proof is None else table.get(kind)


def _claim(figures: dict[str, Any], kind: str, rounds: int, holds: bool | None) -> str:
    said = f"{rounds} round{'s' * (rounds != 1)}: training "
    said += (
        f"{'squared ' * (kind == 'squares')}error{' of labels' * (kind == 'labels')} {figures['training_error']:.4g}"
    )
    if figures.get("exp_bound") is not None:
        said += f" <= product of Z {figures['product_z']:.4g} <= {figures['exp_bound']:.4g}"
    elif figures.get("loss_bound") is not None:
        said += f" <= mean loss {figures['loss_bound']:.4g}"
    if figures.get("margin_gap") is not None:
        said += f"; least margin {figures['min_margin']:.4g}, no sum of stumps has more than {figures['min_edge']:.4g}"
    elif figures.get("min_margin") is not None:
        said += f"; least margin {figures['min_margin']:.4g}"
    return said if holds is not False else f"{said}; a figure does not agree with what the fit claims"
