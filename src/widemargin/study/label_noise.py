"""Learners on many data sets with some training labels turned: what do wrong labels cost each of them?

Problem  for each learner and share of wrong labels, the mean over data sets of the accuracy lost against clean labels
Symbols  e(l, s, q) mean error of learner l on set s with a share q of the training labels turned; test labels are clean
Method   random splits, the same for all learners and shares; 95 % intervals by Student's t over sets, of losses
         e(l, s, q) - e(l, s, 0), and of differences of losses of two learners on the same sets. One learner is said to
         stand noise better than another only where such an interval does not contain 0.  [Dietterich00, sec. 3]
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone

from ..base.errors import BadInput
from ..base.files import write_atomically
from ..base.seeds import keyed
from ..data.labels import as_column
from .sources import turned_labels

SHARES = (0.0, 0.05, 0.1, 0.2)


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseStudy:
    """What a study of wrong labels found.

    Attributes
    ----------
    settings : dict
        How rows were split, and what the learners are.
    found : dict of (set, learner, share, repeat) to (error, seconds)
    """

    settings: dict[str, Any]
    found: dict[tuple[str, str, float, int], tuple[float, float]]

    @property
    def learners(self) -> list[str]:
        return list(self.settings["learners"])

    @property
    def shares(self) -> list[float]:
        return list(self.settings["shares"])

    @property
    def sets(self) -> list[str]:
        """Those on which all learners have been tried with all shares, at least once."""
        names = dict.fromkeys(name for name, *_ in self.found)
        return [name for name in names if self.repeats(name)]

    def repeats(self, name: str) -> list[int]:
        """The splits of a set that are complete."""
        tried = sorted({r for one, _, _, r in self.found if one == name})
        wanted = [(learner, share) for learner in self.learners for share in self.shares]
        return [r for r in tried if all((name, *pair, r) in self.found for pair in wanted)]

    def errors(self, learner: str, share: float) -> np.ndarray:
        """Mean error on each of the sets."""
        return self._means(learner, share, 0)

    def seconds(self, learner: str) -> float:
        """Mean time of a fit and its predictions, over sets and shares."""
        return float(np.mean([self._means(learner, share, 1) for share in self.shares]))

    def _means(self, learner: str, share: float, which: int) -> np.ndarray:
        return np.array(
            [np.mean([self.found[s, learner, share, r][which] for r in self.repeats(s)]) for s in self.sets]
        )

    def loss(self, learner: str, share: float) -> np.ndarray:
        """Accuracy lost by wrong labels, on each of the sets."""
        return self.errors(learner, share) - self.errors(learner, 0.0)

    def table(self) -> list[dict[str, Any]]:
        """A line for each learner and share above 0: mean error, mean loss of accuracy and its 95 % interval."""
        return [
            {
                "learner": learner,
                "share": share,
                "clean error": float(self.errors(learner, 0.0).mean()),
                "error": float(self.errors(learner, share).mean()),
                **interval(self.loss(learner, share)),
                "seconds": self.seconds(learner),
            }
            for learner in self.learners
            for share in self.shares
            if share > 0
        ]

    def orderings(self) -> list[dict[str, Any]]:
        """Pairs of learners whose losses differ on the same sets, so that the 95 % interval does not contain 0."""
        found = []
        for share in (q for q in self.shares if q > 0):
            for one, two in combinations(self.learners, 2):
                told = interval(self.loss(two, share) - self.loss(one, share))
                if told["low"] > 0:
                    found.append({"share": share, "better": one, "worse": two, **told})
                elif told["high"] < 0:
                    turned = {"mean": -told["mean"], "low": -told["high"], "high": -told["low"]}
                    found.append({"share": share, "better": two, "worse": one, **turned})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        results = [[*key, *value] for key, value in self.found.items()]
        return {"settings": self.settings, "results": results}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> NoiseStudy:
        """The record that `to_dict` wrote."""
        found = {(s, learner, q, r): (error, seconds) for s, learner, q, r, error, seconds in told["results"]}
        return cls(settings=dict(told["settings"]), found=found)


def interval(values: np.ndarray) -> dict[str, float]:
    """The mean and its 95 % interval by Student's t; NaN for fewer than two values."""
    n = len(values)
    half = student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    mean = float(values.mean()) if n else np.nan
    return {"mean": mean, "low": mean - float(half), "high": mean + float(half)}


def label_noise_study(
    learners: Mapping[str, Any],
    sets: Mapping[str, Any],
    *,
    shares: Sequence[float] = SHARES,
    repeats: int = 5,
    test_share: float = 1 / 3,
    most_rows: int | None = None,
    keep: str | os.PathLike[str] | None = None,
    max_time: float | None = None,
    random_state: int = 0,
    after: Callable[[str, int, NoiseStudy], None] | None = None,
) -> NoiseStudy:
    """Try learners on data sets with shares of the training labels turned into other classes.

    Parameters
    ----------
    learners : dict of str to classifier
    sets : dict of str to (X, y), or to a function that gives them
    shares : sequence of float, default=(0, 0.05, 0.1, 0.2)
        Of training labels that are turned; 0 is always among them.
    repeats : int, default=5
        Random splits of each set, the same for all learners and shares.
    test_share : float, default=1/3
        Of the rows, to be judged by; their labels stay as they are.
    most_rows : int, optional
        Of larger sets so many rows are drawn, anew for each split.
    keep : path, optional
        A JSON file to which every split is written when it is done; what is there already is not done again.
    max_time : float, optional
        Seconds after which no further split is begun.
    random_state : int, default=0
    after : callable, optional
        `after(set, repeat, study)`, as each split is done.

    Returns
    -------
    NoiseStudy
    """
    began = time.monotonic()
    settings = {
        "learners": {name: repr(learner) for name, learner in learners.items()},
        "shares": sorted({0.0, *map(float, shares)}),
        "test_share": float(test_share),
        "most_rows": most_rows,
        "random_state": int(random_state),
    }
    study = _kept(keep, settings)
    for r in range(repeats):
        for name, given in sets.items():
            if r in study.repeats(name):
                continue
            if max_time is not None and time.monotonic() - began > max_time:
                return study
            X, y = given() if callable(given) else given
            for key, value in _split(learners, study, name, X, as_column(y), r):
                study.found[key] = value
            if keep is not None:
                write_atomically(keep, (json.dumps(study.to_dict()) + "\n").encode())
            if after is not None:
                after(name, r, study)
    return study


def _kept(keep: Any, settings: dict[str, Any]) -> NoiseStudy:
    if keep is None or not os.path.exists(keep):
        return NoiseStudy(settings=settings, found={})
    with open(keep, encoding="utf-8") as file:
        study = NoiseStudy.from_dict(json.load(file))
    if study.settings != json.loads(json.dumps(settings)):
        differ = [name for name in settings if study.settings.get(name) != json.loads(json.dumps(settings[name]))]
        raise BadInput(f"{os.fspath(keep)} holds a study with other {', '.join(differ)}: give another file.")
    return study


def _split(learners: Mapping[str, Any], study: NoiseStudy, name: str, X: Any, y: np.ndarray, r: int) -> Any:
    """((set, learner, share, repeat), (error, seconds)) of all learners and shares on one split."""
    told = study.settings
    n = len(y) if told["most_rows"] is None else min(len(y), told["most_rows"])
    order = keyed(told["random_state"], "split", r).permutation(len(y))[:n]
    train, test = np.split(order, [n - max(1, round(told["test_share"] * n))])
    if len(np.unique(y[train])) < 2:
        raise BadInput(f"{name}: {len(train)} training rows hold one class only; give more rows.")
    for share in told["shares"]:
        labels = turned_labels(y[train], share, told["random_state"] + r)
        for learner, template in learners.items():
            began = time.process_time()
            model = clone(template).fit(X[train], labels)
            error = float(np.mean(model.predict(X[test]) != y[test]))
            yield (name, learner, share, r), (error, time.process_time() - began)
