"""What the data and the counts of a perceptron prove: margins, the bound on its updates, and a bound on every margin.

Problem  from w_1 with step eta, updates w += eta s_i y_i [x_i, 1] whenever y (w.[x, 1]) <= 0: how many can there be?
Symbols  z_i = y_i [x_i, 1]; R = max |z_i|; v any separator, m = min v.z_i; c_i updates caused by row i; s_i its step
         (1 unless weighted) with s_min <= s_i <= s_max
Stops    updates <= |w_1/eta - a v|^2 / (R^2 s_min s_max) with a = s_max R^2 / m; from a zero start R^2 |v|^2 / m^2
         times s_max/s_min. All is rounded outwards: R and |v| up, m down. [Novikoff62], [Haykin09, sec. 1.3]
Method   from a zero start w/eta = sum c_i s_i z_i, so |w| / (eta sum c_i s_i) bounds the margin of every unit
         separator: the hull of the z_i comes as near to 0 as that
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from . import bounded
from .record import PerceptronCertificate
from .separation import separate_signed
from .witness import margin_above


def augmented_margin(X: Any, y: np.ndarray, w: np.ndarray, b: float = 0.0) -> float:
    """min y(w.x + b)/|(w, b)|, rounded down; 0 for w = 0."""
    return _over_length(bounded.least_margin(X, y, w, b, radius(X)), w, b)


def _over_length(least: float, w: np.ndarray, b: float) -> float:
    v = np.append(np.asarray(w, dtype=np.float64), b)
    length = bounded.norm_above(v) if least > 0 else bounded.norm_below(v)
    if length == 0:
        return 0.0
    return least / length * (1 - math.copysign(4 * bounded.UNIT, least))


def radius(X: Any, intercept: bool = True) -> float:
    """Length of the longest row [x, 1], rounded up."""
    return float(bounded.row_norms(X, intercept).max(initial=0.0))


def mistake_bound(
    X: Any,
    y: np.ndarray,
    w: np.ndarray,
    b: float = 0.0,
    *,
    intercept: bool = True,
    w_start: np.ndarray | None = None,
    eta: float = 1.0,
    steps: np.ndarray | None = None,
) -> int | None:
    """Most updates that a perceptron can make on these rows, by the separator (w, b); None if that does not separate.

    `w_start` has d + 1 entries, the last for the intercept; `steps` are the factors of the rows' steps.
    """
    R = radius(X, intercept)
    least = bounded.least_margin(X, y, w, b, R)
    return _bound(least, R, np.append(np.asarray(w, dtype=np.float64), b), w_start, eta, steps)


def _bound(
    least: float, R: float, v: np.ndarray, w_start: np.ndarray | None, eta: float, steps: np.ndarray | None
) -> int | None:
    high, low = (1.0, 1.0) if steps is None else (float(np.max(steps)), float(np.min(steps)))
    if not (0 < least < math.inf and low > 0):
        return None
    if w_start is None or not np.any(w_start):
        root = R * bounded.norm_above(v) / least
        value = root * root * (high / low)
    else:
        start = np.asarray(w_start, dtype=np.float64) / eta
        reach = (high * R * R / least) * v
        root = bounded.norm_above(start - reach, 8 * bounded.UNIT * (np.abs(start) + np.abs(reach))) / R
        value = root * root
        value /= low * high
    value *= 1 + 64 * bounded.UNIT
    return math.floor(value) if math.isfinite(value) else None


def replay_weights(
    X: Any,
    y: np.ndarray,
    counts: np.ndarray,
    eta: float = 1.0,
    *,
    steps: np.ndarray | None = None,
    intercept: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """eta sum c_i s_i y_i [x_i, 1] (d + 1 entries) and how far a loop that adds them one by one may be off."""
    c = np.asarray(counts, dtype=np.float64) * (1.0 if steps is None else steps)
    v, e = bounded.combination(X, c * y, intercept)
    return eta * v, eta * e * _loop_error(counts)


def _loop_error(counts: np.ndarray) -> float:
    """How much worse than one sum over the rows a loop over the updates may be, as a factor."""
    rows, updates = int(np.count_nonzero(counts)), int(np.sum(counts))
    return 4 * bounded.gamma(updates + rows + 8) / bounded.gamma(rows + 3)


def margin_upper_from_counts(
    X: Any, y: np.ndarray, counts: np.ndarray, *, steps: np.ndarray | None = None, intercept: bool = True
) -> float:
    """|sum c_i s_i y_i [x_i, 1]| / sum c_i s_i, rounded up: no unit separator has a larger margin."""
    c = np.asarray(counts, dtype=np.float64) * (1.0 if steps is None else steps)
    return margin_above(X, y, c, intercept)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is never called separation
def certify_perceptron(
    X: Any,
    y: np.ndarray,
    w: np.ndarray,
    b: float,
    *,
    eta: float = 1.0,
    counts: np.ndarray | None = None,
    updates: int | None = None,
    w_start: np.ndarray | None = None,
    steps: np.ndarray | None = None,
    intercept: bool = True,
    plain: bool = True,
    last: tuple[np.ndarray, float] | None = None,
    prove: bool = False,
    exact: bool = False,
    max_squared_norm: float | None = None,
    data_digest: str = "",
) -> PerceptronCertificate:
    """Check a linear model against its data.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Only rows that took part (weight above 0).
    y : ndarray of -1.0 and +1.0
    w, b : ndarray of shape (d,), float
        The model.
    eta : float
        Step of the perceptron.
    counts : ndarray of int of shape (n,), optional
        Updates caused by each row; with them w itself is recomputed.
    updates : int, optional
        Corrections made; needed for the comparison with the bound. Defaults to the sum of counts.
    w_start : ndarray of shape (d + 1,), optional
        Start other than zero.
    steps : ndarray of shape (n,), optional
        Weights of the rows that multiplied the steps.
    intercept : bool
        False if the model has no b.
    plain : bool
        (w, b) is the sum of the updates itself. Pass False for averages, penalties and other rules: then w is not
        replayed and no bound on updates is claimed.
    last : (ndarray, float), optional
        The sum of the updates itself, where the model is made of it (the average of all such sums).
    prove : bool
        Also decide separability by a linear program.
    exact : bool
        Decide it in integer arithmetic.
    max_squared_norm : float, optional
        Largest |x|^2 as the scan of the data found it, to spare a pass.

    Returns
    -------
    PerceptronCertificate
    """
    began = time.perf_counter()
    w = np.asarray(w, dtype=np.float64)
    if updates is None and counts is not None:
        updates = int(np.sum(counts))
    R = radius(X, intercept) if max_squared_norm is None else _radius_from_scan(max_squared_norm, X.shape[1], intercept)
    seen = bounded.margins_within(X, y, w, b, R)
    wrong = int(np.count_nonzero(bounded.signs(X, y, w, b, R, seen) <= 0))
    least = bounded.least_margin(X, y, w, b, R, seen)
    # The signs are exact: where all are right the least margin is above 0 even if float64 cannot say by how much.
    least = max(least, 0.0) if wrong == 0 else least
    figures: dict[str, Any] = {"updates": updates, "radius": R, "rows_wrong": wrong}
    figures |= {"margin": _over_length(least, w, b), "separable": True if wrong == 0 else None}
    faults: list[str] = []
    if counts is not None:
        replay = (eta, w_start) if plain else None
        faults += _count_figures(X, y, np.append(*(last or (w, b))), counts, steps, intercept, replay, figures)
    separator = (w, b) if wrong == 0 else None
    if prove:
        separator = _improve_by_program(X, y, figures, separator, intercept, exact)
    if separator is not None and plain:
        least = least if separator[0] is w else bounded.least_margin(X, y, *separator, R)
        bound = _bound(least, R, np.append(*separator), w_start, eta, steps)
        figures["mistake_bound"] = bound
        if bound is not None and updates is not None and updates > bound:
            faults.append(f"{updates} updates exceed the bound {bound}")
    certificate = PerceptronCertificate(claim="", holds=not faults, data_digest=data_digest, **figures)
    claim = "; ".join(faults) if faults else _claim(certificate, len(y))
    return replace(certificate, claim=claim, seconds=time.perf_counter() - began)


def _radius_from_scan(max_squared_norm: float, d: int, intercept: bool) -> float:
    return math.sqrt(max_squared_norm * (1 + bounded.gamma(2 * d + 8)) + float(intercept)) * (1 + 4 * bounded.UNIT)


def _count_figures(
    X: Any,
    y: np.ndarray,
    v: np.ndarray,
    counts: np.ndarray,
    steps: np.ndarray | None,
    intercept: bool,
    replay: tuple[float, np.ndarray | None] | None,
    figures: dict[str, Any],
) -> list[str]:
    """Adds the bound on every margin to the figures; returns what does not fit: the number of updates, or w itself."""
    faults = []
    total = int(np.sum(counts))
    if np.min(counts, initial=0) < 0 or total != figures["updates"]:
        faults.append(f"the rows' counts sum to {total}, not to the {figures['updates']} updates stated")
    c = np.asarray(counts, dtype=np.float64) * (1.0 if steps is None else steps)
    combined, e = bounded.combination(X, c * y, intercept)
    if total > 0 and not faults:
        whole = float(c.sum())
        upper = bounded.norm_above(combined, e) / (whole * (1 - bounded.gamma(c.size + 4)))
        figures |= {"margin_upper": upper, "witness": c / whole}
    if replay is not None:
        eta, start = replay
        replayed, tolerance = eta * combined, eta * e * _loop_error(counts)
        if start is not None:
            replayed = replayed + start
            tolerance = tolerance + 4 * bounded.gamma(total + 4) * np.abs(start)
        off = np.abs(replayed - v)
        if not np.all(off <= tolerance):
            j = int(np.argmax(off - tolerance))
            faults.append(f"weight {j} is {v[j]:.9g}, off by {off[j]:.3g} from the sum of the updates of the rows")
    return faults


def _improve_by_program(
    X: Any,
    y: np.ndarray,
    figures: dict[str, Any],
    separator: tuple[np.ndarray, float] | None,
    intercept: bool,
    exact: bool,
) -> tuple[np.ndarray, float] | None:
    """Replace what the linear program knows better; returns the wider separator."""
    found = separate_signed(X, y, fit_intercept=intercept, exact=exact)
    figures["separable"] = figures["separable"] or found.separable
    if found.margin_upper <= figures.get("margin_upper", math.inf):
        figures |= {"margin_upper": found.margin_upper, "witness": found.witness}
    if found.coef is not None and found.margin is not None and (separator is None or found.margin > figures["margin"]):
        return found.coef, float(found.intercept or 0.0)
    return separator


def _claim(c: PerceptronCertificate, n: int) -> str:
    bounds = ""
    if c.mistake_bound is not None and c.updates is not None:
        bounds = f"; {c.updates} updates <= bound {c.mistake_bound}"
    upper = f"any unit separator has margin <= {c.margin_upper:.4g}" if c.margin_upper is not None else ""
    if c.rows_wrong == 0:
        return f"(w, b) separates the data with margin {c.margin:.4g}" + (f"; {upper}" if upper else "") + bounds
    said = f"not separated: {c.rows_wrong} of {n} rows on the wrong side"
    if c.separable is False and c.witness is not None:
        return f"{said}; no separator exists (witness of {np.count_nonzero(c.witness)} rows)"
    if c.separable:
        said += ", although a separator exists"
    return said + (f"; {upper}" if upper else "") + bounds
