"""A parameter chosen on a validation set, and one last figure on a test set that had no say in it.

Symbols  score: the higher the better, of the rows of a set by a model learnt from the training rows alone
Method   best: the highest score on the validation set, of equal ones the simplest model; knee: where the loss over the
         logarithm of the parameter, from the simplest model to the best, lies furthest below the line between its ends;
         along C a solution is the start of the next where the estimator has a `path`           [SatopaaEtAl11, Kneedle]
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _num_samples

from ..base.errors import BadInput
from ..model.curve import knee

RULES = ("best", "knee")
PENALTIES = ("alpha", "lam", "lambda_", "reg_lambda", "regularization")  # the larger, the simpler the model


@dataclass(frozen=True, kw_only=True, eq=False)
class ValidationCurve:
    """Scores along a parameter, what was chosen by them, and how that does on rows never used before.

    Attributes
    ----------
    estimator, parameter, scoring : str
    values : tuple
        Of the parameter, numbers rising.
    train_scores, scores : ndarray of shape (n_values,)
        On the training and on the validation rows.
    gaps : ndarray of shape (n_values,)
        Certified relative duality gaps; NaN where there is none.
    seconds : ndarray of shape (n_values,)
        Time of each fit.
    rule : {"best", "knee"}
    chosen_index : int
        The place of what was chosen.
    knee_index : int or None
        The place of the knee; None where the values are not all positive numbers.
    rows : tuple of int
        Of training, validation and test set.
    test_score : float or None
        Of the chosen model, evaluated once; None without a test set.
    model : fitted estimator
        The chosen one, learnt from the training rows.
    """

    estimator: str
    parameter: str
    scoring: str
    values: tuple[Any, ...]
    train_scores: np.ndarray
    scores: np.ndarray
    gaps: np.ndarray
    seconds: np.ndarray
    rule: str
    chosen_index: int
    knee_index: int | None
    rows: tuple[int, int, int]
    test_score: float | None
    model: Any = field(repr=False)

    @property
    def chosen(self) -> Any:
        """The value that was chosen."""
        return self.values[self.chosen_index]

    @property
    def knee(self) -> Any:
        """The value at the knee, or None."""
        return None if self.knee_index is None else self.values[self.knee_index]

    @property
    def Cs(self) -> np.ndarray:
        """The values as numbers, under the name that pictures look for."""
        return np.array(self.values, dtype=np.float64)

    def table(self) -> list[tuple[Any, ...]]:
        """(value, training score, validation score, gap, seconds) a line."""
        columns = (self.train_scores, self.scores, self.gaps, self.seconds)
        return list(zip(self.values, *(c.tolist() for c in columns), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        names = ("value", "train_score", "score", "relative_gap", "seconds")
        plain = [[None if v != v else v for v in map(_plain, line)] for line in self.table()]
        return {
            "estimator": self.estimator,
            "parameter": self.parameter,
            "scoring": self.scoring,
            "rule": self.rule,
            "rows": dict(zip(("train", "validation", "test"), self.rows, strict=True)),
            "table": [dict(zip(names, line, strict=True)) for line in plain],
            "chosen": _plain(self.chosen),
            "knee": _plain(self.knee),
            "validation_score": float(self.scores[self.chosen_index]),
            "test_score": self.test_score,
        }

    def to_json(self) -> str:
        """All of it but the model, as one JSON document."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def __str__(self) -> str:
        head = f"{self.estimator}, {self.scoring} along {self.parameter} ({self.rows[0]} rows to learn)"
        lines = [f"  {'':2}{self.parameter:>12}  {'training':>10}  {'validation':>10}"]
        for k, (value, learnt, held, *_) in enumerate(self.table()):
            mark = "→ " if k == self.chosen_index else "  "
            lines.append(f"  {mark}{_shown(value):>12}  {learnt:>10.5g}  {held:>10.5g}")
        lines.append(f"  chosen by {self.rule}: {_shown(self.chosen)}; knee: {_shown(self.knee)}")
        if self.test_score is not None:
            lines.append(f"  on {self.rows[2]} test rows: {self.test_score:.5g}")
        return "\n".join([head, *lines])


def validation_curve(
    estimator: Any,
    parameter: str,
    values: Sequence[Any],
    X: Any,
    y: Any,
    *,
    validation: Any = 0.25,
    test: Any = 0.25,
    scoring: Any = None,
    rule: str = "best",
    larger_is_simpler: bool | None = None,
    random_state: int | None = 0,
) -> ValidationCurve:
    """Fit at every value, choose on the validation set, and look at the test set once.

    Parameters
    ----------
    estimator : estimator
        Stays as it is. Along "C" with a method `path` (LinearSVC, SVC) each solution is the start of the next.
    parameter : str
        For instance "C", "alpha" or "svc__gamma".
    values : sequence
        Numbers are put in order.
    X, y : the rows to learn from, or all of them where shares are set apart
    validation : float or pair (X, y), default=0.25
        A share of the rows, or rows of their own.
    test : float, pair (X, y) or None, default=0.25
        The same for the test set; None does without.
    scoring : str or callable, optional
        As in scikit-learn; None is the estimator's own `score`.
    rule : {"best", "knee"}, default="best"
    larger_is_simpler : bool, optional
        Which end is the simple one: True for λ, False for C. By default True for parameters called alpha or lambda.
    random_state : int or None, default=0
        Which rows are set apart; classes keep their shares.

    Returns
    -------
    ValidationCurve
    """
    _refuse(estimator, parameter, values, rule)
    values, numeric = _ordered(values)
    simple_last = parameter.split("__")[-1] in PENALTIES if larger_is_simpler is None else larger_is_simpler
    train, held, last = _three_parts(estimator, X, y, validation, test, random_state)
    scorer = check_scoring(estimator, scoring=scoring)
    train_scores, scores, gaps, seconds, models = [], [], [], [], []
    for model, took in _fits(estimator, parameter, values, *train):
        models.append(model)
        seconds.append(took)
        train_scores.append(float(scorer(model, *train)))
        scores.append(float(scorer(model, *held)))
        gaps.append(float(getattr(getattr(model, "certificate_", None), "relative_gap", np.nan)))
    found = np.array(scores)
    knee_at = _knee(values, found, simple_last) if numeric and min(values) > 0 else None
    chosen = _best(found, simple_last)
    if rule == "knee":
        if knee_at is None:
            raise BadInput(f"rule='knee' needs positive numbers, but {parameter} has {list(values)[:4]}: use 'best'.")
        chosen = knee_at
    return ValidationCurve(
        estimator=type(estimator).__name__,
        parameter=parameter,
        scoring=scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score"),
        values=values,
        train_scores=np.array(train_scores),
        scores=found,
        gaps=np.array(gaps),
        seconds=np.array(seconds),
        rule=rule,
        chosen_index=chosen,
        knee_index=knee_at,
        rows=(_num_samples(train[0]), _num_samples(held[0]), 0 if last is None else _num_samples(last[0])),
        test_score=None if last is None else float(scorer(models[chosen], *last)),
        model=models[chosen],
    )


# ---- what is compared ------------------------------------------------------------------------------------------------


def _refuse(estimator: Any, parameter: str, values: Any, rule: str) -> None:
    if parameter not in estimator.get_params():
        known = ", ".join(sorted(estimator.get_params()))
        raise BadInput(f"{type(estimator).__name__} has no parameter {parameter!r}; it has {known}.")
    if len(values) == 0:
        raise BadInput(f"values is empty: give at least one value of {parameter}.")
    if rule not in RULES:
        raise BadInput(f"rule={rule!r}: it must be one of {', '.join(RULES)}.")


def _ordered(values: Any) -> tuple[tuple[Any, ...], bool]:
    """Numbers rising, each once; anything else as it is. Whether they are numbers."""
    listed = [v.item() if isinstance(v, np.generic) else v for v in values]
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) and np.isfinite(v) for v in listed)
    return tuple(sorted(set(listed))) if numeric else tuple(listed), numeric


def _three_parts(estimator: Any, X: Any, y: Any, validation: Any, test: Any, random_state: int | None) -> tuple:
    """(X, y) of training, validation and test set; the last may be None."""
    shares = {name: v for name, v in (("validation", validation), ("test", test)) if isinstance(v, int | float)}
    for name, share in shares.items():
        if isinstance(share, bool) or not 0 < share < 1:
            raise BadInput(f"{name}={share!r}: a share of the rows above 0 and below 1 is needed, or a pair (X, y).")
    if sum(shares.values()) >= 1:
        raise BadInput(f"validation={validation} and test={test} leave no rows to learn from.")

    n = _num_samples(X)

    def parted(rows: tuple[Any, Any], share: float) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        stratify, count = rows[1] if is_classifier(estimator) else None, max(1, round(share * n))
        a, b, c, d = train_test_split(*rows, test_size=count, random_state=random_state, stratify=stratify)
        return (a, c), (b, d)

    train: tuple[Any, Any] = (X, y)
    if "test" in shares:
        train, test = parted(train, shares["test"])
    if "validation" in shares:
        train, validation = parted(train, shares["validation"])
    return train, _pair("validation", validation), None if test is None else _pair("test", test)


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, tuple) or len(given) != 2:
        raise BadInput(f"{name} must be a share of the rows or a pair (X, y); it is a {type(given).__name__}.")
    if _num_samples(given[0]) != _num_samples(given[1]) or _num_samples(given[0]) == 0:
        raise BadInput(f"{name} has {_num_samples(given[0])} rows and {_num_samples(given[1])} labels.")
    return given


def _fits(estimator: Any, parameter: str, values: tuple[Any, ...], X: Any, y: Any) -> Iterator[tuple[Any, float]]:
    """A fitted model for each value and what it took."""
    if parameter == "C" and hasattr(estimator, "path") and not hasattr(estimator, "Cs"):
        path = estimator.path(X, y, values)
        yield from zip(path.models, path.seconds.tolist(), strict=True)
        return
    for value in values:
        began = time.perf_counter()
        model = clone(estimator).set_params(**{parameter: value}).fit(X, y)
        yield model, time.perf_counter() - began


# ---- what is chosen --------------------------------------------------------------------------------------------------


def _best(scores: np.ndarray, simple_last: bool) -> int:
    """The highest score; of equal ones the simplest."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    return len(known) - 1 - int(known[::-1].argmax()) if simple_last else int(known.argmax())


def _knee(values: tuple[Any, ...], scores: np.ndarray, simple_last: bool) -> int:
    """From the simple end; what is λ from the right is 1 / λ from the left."""
    x = np.array(values, dtype=np.float64)
    return len(x) - 1 - knee(1 / x[::-1], scores[::-1]) if simple_last else knee(x, scores)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
