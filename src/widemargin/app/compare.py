"""Saved models on one file whose answers are known: each judged, all compared on the same rows.

Method   two models are compared by the rows on which their losses differ. If neither were better, each such row would
         go to one or the other like a coin: the sign test, of right and wrong answers that of [McNemar47]
"""

from __future__ import annotations

import json
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import binomtest
from sklearn.base import is_outlier_detector, is_regressor

from ..base.errors import BadInput
from ..certificate.certify import learnt_from
from ..data.learn import target_name
from ..data.readers import read_frame
from ..estimator.cost_sensitive import without_costs
from ..estimator.file_model import FileModel
from .checks import Check, check_data, copies
from .describe import describe
from .judgement import Judged, judge
from .reading import Learnable

_CHANCE = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """What `compare` found; `to_dict` is what the report is written from.

    Attributes
    ----------
    models : tuple of dict
        name, learner, settings, figures of the rows, certificate, and what the report draws of each model.
    pairs : tuple of dict
        For every two models: the rows on which either does better, and how likely so uneven a share is by chance.
    checks, verdict
        As of `easy`.
    """

    source: str
    target: str
    kind: str
    rows: int
    models: tuple[dict[str, Any], ...] = field(repr=False)
    pairs: tuple[dict[str, Any], ...]
    checks: tuple[Check, ...]
    pages: dict[str, Any] = field(repr=False)
    verdict: tuple[str, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        listed = {"models": list(self.models), "pairs": list(self.pairs), "verdict": list(self.verdict)}
        return {
            "widemargin": 1,
            "rows": {"learn": None, "test": self.rows},
            "checks": [check.to_dict() for check in self.checks],
            **{name: getattr(self, name) for name in ("source", "target", "kind", "pages", "seconds")},
            **listed,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), allow_nan=False)

    def __str__(self) -> str:
        return "\n".join(self.verdict)


def compare(
    models: Sequence[tuple[str, FileModel]],
    source: Any,
    target: str | int | None = None,
    *,
    cost: Callable[[np.ndarray], np.ndarray] | None = None,
    **reading: Any,
) -> Comparison:
    """Judge each of the (name, model) on the rows of a file, and compare them.

    `target` is the column that holds the truth where it has another name than at training; `cost` a function of the
    classes that gives cost[i, j] of a row of class i that is called j; `reading` is `format`, `delimiter`, `header`,
    `encoding`.
    """
    began = clock.perf_counter()
    kinds = {name: _kind(name, model) for name, model in models}
    if len(set(kinds.values())) > 1:
        said = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
        raise BadInput(f"the models predict different things and cannot be compared: {said}")
    kind = next(iter(kinds.values()))
    data = [_rows(name, model, source, target, kind, reading) for name, model in models]
    first, everything = data[0], np.arange(len(data[0].y))
    if any(list(map(str, other.y)) != list(map(str, first.y)) for other in data[1:]):
        raise BadInput(f"the models do not read the same answers out of {first.source}: compare those of one column")
    if cost is not None and kind != "classes":
        raise BadInput("cost is for classes, but these models predict numbers: leave it out")
    costs = [None if cost is None else cost(model.estimator.classes_) for _, model in models]
    judged = [
        judge(model.estimator, rows, None, everything, price)
        for (_, model), rows, price in zip(models, data, costs, strict=True)
    ]
    names = [name for name, _ in models]
    pairs = tuple(_pair(a, b) for a, b in combinations(zip(names, judged, strict=True), 2))
    return Comparison(
        source=first.source,
        target=first.target,
        kind=kind,
        rows=len(first.y),
        models=tuple(_told(*one) for one in zip(names, (model for _, model in models), judged, strict=True)),
        pairs=pairs,
        checks=(_fresh(models, data), *check_data(first, copies(first))),
        pages={"data": describe(first)},
        verdict=_verdict(names, judged, pairs, kind),
        seconds=clock.perf_counter() - began,
    )


# ---- one model -------------------------------------------------------------------------------------------------------


def _kind(name: str, model: FileModel) -> str:
    if is_outlier_detector(model.estimator):
        raise BadInput(f"{name} knows one class only, so there is no truth to compare it by: use wm evaluate")
    return "numbers" if is_regressor(model.estimator) else "classes"


def _rows(name: str, model: FileModel, source: Any, target: Any, kind: str, reading: dict[str, Any]) -> Learnable:
    """The rows as this model takes them, with the true answers."""
    if model.encoder is None:
        if target is not None:
            raise BadInput(f"{name} reads svmlight files, which have the answer in front: leave target out")
        parts = list(model.batches(source, **{key: reading[key] for key in ("format",) if key in reading}))
        if not parts:
            raise BadInput(f"{source} holds no rows: there is nothing to judge by")
        X, y = sp.vstack([X for X, _ in parts], "csr"), np.concatenate([y for _, y in parts])
        rows = Learnable(str(source), X, y, kind, None, zero_based=model.zero_based)
    else:
        rows = _table(model, source, target, kind, **reading)
    _check_answers(name, model, rows)
    return rows


def _table(model: FileModel, source: Any, target: Any, kind: str, *, format: str = "auto", **dialect: Any) -> Learnable:
    assert model.encoder is not None
    frame = read_frame(source, model.encoder.dialect(**dialect), format)
    wanted = target_name(model.encoder.target if target is None else target, frame)
    encoder = replace(model.encoder, target=wanted)
    if frame.n_rows == 0:
        raise BadInput(f"{frame.source} holds no rows: there is nothing to judge by")
    coded = encoder.code(frame)
    assert coded.y is not None
    coded.warn_of_unknown(frame.source)
    names = () if coded.X.ndim == 1 else encoder.feature_names
    missing, constant = _gaps(coded.X, names)
    return Learnable(frame.source, coded.X, coded.y, kind, encoder, names, missing=missing, constant=constant)


def _gaps(X: Any, names: tuple[str, ...]) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    if sp.issparse(X) or X.ndim == 1 or len(X) == 0:
        return (), ()
    counts = np.isnan(X).sum(axis=0)
    with np.errstate(invalid="ignore"):
        same = np.equal(X, X[:1]).all(axis=0)
    missing = tuple((names[j], int(counts[j])) for j in np.flatnonzero(counts))
    return missing, tuple(names[j] for j in np.flatnonzero(same))


def _check_answers(name: str, model: FileModel, rows: Learnable) -> None:
    """A model can be neither right nor wrong about a class that it never saw."""
    if rows.kind == "numbers":
        if rows.y.dtype.kind not in "iuf":
            raise BadInput(f"{rows.source}: the column {rows.target!r} holds text where {name} predicts numbers")
        return
    known = np.asarray(model.estimator.classes_)
    strange = ~np.isin(rows.y, known)
    if strange.any():
        listed = ", ".join(str(label) for label in known[:8])
        raise BadInput(
            f"{rows.source} holds {int(strange.sum())} labels that {name} does not know, the first being "
            f"{str(rows.y[strange][0])!r}; it knows {listed}"
        )


def _fresh(models: Sequence[tuple[str, FileModel]], data: list[Learnable]) -> Check:
    """The figures of a model on the very rows of its fit say nothing."""
    known = []
    for (name, model), rows in zip(models, data, strict=True):
        if learnt_from(without_costs(model.estimator), rows.X, rows.y):
            known.append(name)
    if not known:
        return Check("rows are new", "fine", "no model's certificate is of exactly these rows")
    said = f"{', '.join(known)} learnt from exactly these rows"
    return Check("rows are new", "warning", said, "the figures are too good: judge by rows that no model has seen")


def _told(name: str, model: FileModel, judged: Judged) -> dict[str, Any]:
    return {
        "name": name,
        "learner": judged.pages["explanation"]["learner"],
        "settings": " ".join(repr(model.estimator).split()),
        "test": judged.figures,
        "loss": judged.loss,
        "baseline": judged.baseline,
        "certificate": judged.certificate,
        "pages": judged.pages,
    }


# ---- two models ------------------------------------------------------------------------------------------------------


def _pair(first: tuple[str, Judged], second: tuple[str, Judged]) -> dict[str, Any]:
    (a, one), (b, other) = first, second
    gain = other.losses - one.losses
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else 0.0
    chance = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return {
        "first": a,
        "second": b,
        "first_better": wins,
        "second_better": losses,
        "chance": chance,
        "difference": float(gain.mean()),
        "interval": [float(gain.mean() - half), float(gain.mean() + half)],
    }


def _verdict(names: list[str], judged: list[Judged], pairs: tuple[dict[str, Any], ...], kind: str) -> tuple[str, ...]:
    """Which is best, how good it is, against what, and whether the next one could be as good."""
    order = np.argsort([one.loss for one in judged], kind="stable")
    best = judged[order[0]]
    figures, n = best.figures, len(best.losses)
    if kind == "numbers":
        size = f"is off by {figures['mean_absolute_error']:.4g} on average"
        plain = f"Always the mean has a mean squared error of {best.baseline:.4g}, this {best.loss:.4g}."
    else:
        low, high = figures["accuracy_interval"]
        size = f"is right {figures['accuracy']:.2%} of the time (95 % interval {low:.2%} to {high:.2%})"
        plain = f"Always giving the same answer would be right {1 - best.baseline:.2%} of the time."
        if "cost" in figures:
            plain = f"A row costs {best.loss:.4g} on average; the cheapest single answer {best.baseline:.4g}."
    ahead = len(names) > 1 and best.loss < judged[order[1]].loss
    lead = " does best: it" if ahead else ""
    said = [f"On {n} rows {names[order[0]]}{lead} {size}.", plain]
    if len(names) > 1:
        said.append(_against(names[order[0]], names[order[1]], pairs))
    return (*said, "These figures are honest only if no model has learnt from these rows.")


def _against(best: str, next_: str, pairs: tuple[dict[str, Any], ...]) -> str:
    pair = next(p for p in pairs if {p["first"], p["second"]} == {best, next_})
    wins, losses = pair["first_better"], pair["second_better"]
    if pair["first"] != best:
        wins, losses = losses, wins
    if wins + losses == 0:
        return f"{next_} does as well on every single row."
    end = "hardly chance" if pair["chance"] < _CHANCE else "which may well be chance"
    return (
        f"Of the {wins + losses} rows on which {best} and {next_} differ, {wins} go to {best} and {losses} to {next_}: "
        f"{end} (sign test, p = {pair['chance']:.2g})."
    )
