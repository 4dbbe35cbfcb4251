"""The field: learners that are compared on a table, what each is tuned by, and about how long a fit takes.

Symbols  n rows, e cells that are not 0, k parts to be solved (classes, or 1), d features
Method   seconds of a fit are a formula of n, e, k and d with constants of one core of a small machine. They say what is
         tried on how many rows; no clock has a say in it, so that a search comes to the same end every time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import BadInput

CS = tuple(float(c) for c in np.logspace(-3, 3, 13).round(6))


@dataclass(frozen=True)
class Shape:
    """What a learner must know of a table before it is tried."""

    kind: str  # "classes" or "numbers"
    n: int
    d: int
    entries: float
    k: int = 1
    sparse: bool = False
    text: bool = False
    missing: bool = False
    negative: bool = True

    @property
    def parts(self) -> int:
        """Binary problems of one against the rest."""
        return self.k if self.k > 2 else 1

    def of(self, n: int) -> Shape:
        """The same table with fewer rows."""
        return replace(self, n=n, entries=self.entries * n / max(1, self.n))


def shape_of(X: Any, y: np.ndarray, kind: str) -> Shape:
    """The shape of rows of numbers, or of a list of texts."""
    k = len(np.unique(y)) if kind == "classes" else 1
    if getattr(X, "ndim", 1) == 1:
        letters = sum(map(len, X))
        return Shape(kind, len(X), max(1, letters // 12), letters / 5, k, sparse=True, text=True, negative=False)
    values = X.data if sp.issparse(X) else X
    entries = float(X.nnz if sp.issparse(X) else X.size)
    low = float(np.nanmin(values)) if values.size else 0.0
    gaps = bool(np.isnan(values).any())
    return Shape(kind, X.shape[0], X.shape[1], entries, k, sp.issparse(X), False, gaps, low < 0)


@dataclass(frozen=True)
class Learner:
    """One entrant: how it is made, what it is tuned by.

    Attributes
    ----------
    name : str
    build : callable
        Shape -> unfitted estimator, often a pipeline.
    settings : tuple of dict
        Parameters to be tried, the simplest model first.
    along : str
        The parameter along which a whole path costs little more than one fit, if there is one.
    seconds : callable
        Shape -> about how long one fit takes (a whole path, where there is one).
    suits : callable
        Shape -> whether it can learn from such a table at all.
    """

    name: str
    build: Callable[[Shape], Any]
    settings: tuple[dict[str, Any], ...]
    seconds: Callable[[Shape], float]
    along: str = ""
    suits: Callable[[Shape], bool] = field(default=lambda shape: True)

    def cost(self, shape: Shape) -> float:
        """About how many seconds one fit takes, the counting of words included."""
        return self.seconds(shape) + (1.2e-6 * shape.entries if shape.text else 0.0)

    def groups(self) -> list[list[dict[str, Any]]]:
        """Settings that differ in nothing but the parameter along the path, together."""
        found: dict[tuple, list[dict[str, Any]]] = {}
        for setting in self.settings:
            rest = tuple(sorted((key, repr(value)) for key, value in setting.items() if key != self.along))
            found.setdefault(rest if self.along else (*rest, len(found)), []).append(setting)
        return list(found.values())


def grid(**values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """All combinations, the last parameter fastest."""
    settings: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        settings = [{**setting, name: choice} for setting in settings for choice in choices]
    return tuple(settings)


def chosen(names: Sequence[str] | None, shape: Shape) -> list[Learner]:
    """The learners of these names, or all that suit the table."""
    field = CLASSIFIERS if shape.kind == "classes" else REGRESSORS
    known = list(dict.fromkeys(learner.name for learner in field))
    fitting = {learner.name: learner for learner in field if learner.suits(shape)}
    if names is None:
        return list(fitting.values())
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise BadInput(f"there is no learner {name!r} for {shape.kind}; {guess}the learners are {', '.join(known)}")
        if name not in fitting:
            raise BadInput(f"the learner {name!r} cannot learn from such a table: leave it out")
    return [fitting[name] for name in dict.fromkeys(names)]


# ---- how rows are made ready -----------------------------------------------------------------------------------------


def _piped(last: Callable[[], Any], *, scale: bool, fill: bool = True) -> Callable[[Shape], Any]:
    """Words counted, gaps filled, columns scaled, as far as the table and the learner need it."""

    def build(shape: Shape) -> Any:
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import MaxAbsScaler, StandardScaler

        from ..feature.bag_of_words import BagOfWords

        steps: list[tuple[str, Any]] = []
        if shape.text:
            steps.append(("words", BagOfWords(values="tfidf", tokens="mail", ngram_range=(1, 2), min_df=2)))
        elif fill and shape.missing:
            steps.append(("fill", SimpleImputer(strategy="median", keep_empty_features=True)))
        if scale and not shape.text:
            steps.append(("scale", MaxAbsScaler() if shape.sparse else StandardScaler()))
        return Pipeline([*steps, ("learn", last())])

    return build


def _make(name: str, **parameters: Any) -> Callable[[], Any]:
    """A learner of ours, imported when it is needed."""

    def make() -> Any:
        import widemargin

        return getattr(widemargin, name)(**parameters)

    return make


def _boosted(name: str, **parameters: Any) -> Callable[[], Any]:
    def make() -> Any:
        import widemargin

        tree = widemargin.DecisionTreeRegressor(max_depth=4, max_bins=256, min_samples_leaf=5)
        return getattr(widemargin, name)(estimator=tree, **parameters)

    return make


def _peer(module: str, name: str, **parameters: Any) -> Callable[[], Any]:
    """A learner of scikit-learn's."""

    def make() -> Any:
        from importlib import import_module

        return getattr(import_module(f"sklearn.{module}"), name)(**parameters)

    return make


# ---- about how long a fit takes --------------------------------------------------------------------------------------


def _linear_seconds(s: Shape) -> float:
    each = 1.4e-7 if s.text else 2e-7  # a shorter path
    dense = 0.0 if s.sparse else 4e-10 * s.n * s.d * s.d * s.parts
    return 1e-2 + 2.5e-2 * s.parts + each * s.entries * s.parts + dense


def _kernel_seconds(s: Shape) -> float:
    one = s.n**2 * (4e-9 + 1.5e-10 * s.entries / max(1, s.n))  # of all kernel values
    pairs = s.k * (s.k - 1) / 2
    return 5e-2 + (4.5 * one if s.k <= 2 else 3e-3 * pairs + 12 * one)  # pairs of classes share values


def _forest_seconds(s: Shape) -> float:
    if s.sparse:
        return 0.02 + 1e-6 * s.n * math.log2(max(2, s.n)) * math.sqrt(s.d)
    return 0.02 + 100 * s.n * math.log2(max(2, s.n)) * math.sqrt(s.d) * 1.2e-8


def _boost_seconds(s: Shape) -> float:
    return 0.02 + (200 if s.k <= 5 else 100) * s.parts * (5e-4 + 1.4e-8 * s.n * s.d)


def _neighbour_seconds(s: Shape) -> float:
    return 5e-3 + s.n * s.n * (s.entries / max(1, s.n)) * (2e-10 if not s.sparse else 4e-9)


def _naive_seconds(s: Shape) -> float:
    return 5e-3 + 2e-8 * s.entries


def _dense(s: Shape) -> bool:
    return not s.sparse


def _few_classes(s: Shape) -> bool:
    return _dense(s) and s.k <= 5


def _some_classes(s: Shape) -> bool:
    return _dense(s) and 5 < s.k <= 30


# ---- the field -------------------------------------------------------------------------------------------------------

_FOREST = grid(learn__min_samples_leaf=(5, 1), learn__max_features=("sqrt", 0.4))
_FOREST_NUMBERS = grid(learn__min_samples_leaf=(5, 1), learn__max_features=(0.34, 1.0))
_FOREST_SPARSE = grid(learn__min_samples_leaf=(5, 1), learn__max_features=("sqrt",))  # a share of all words is too many
_GAMMAS = ("scale", 0.003, 0.012, 0.05, 0.2)


def _forests(name: str, maker: str, settings: tuple[dict[str, Any], ...]) -> tuple[Learner, Learner]:
    """One for dense and one for sparse rows."""
    build = _piped(_make(maker, n_estimators=200), scale=False, fill=False)
    return (
        Learner(name, build, settings, _forest_seconds, suits=_dense),
        Learner(name, build, _FOREST_SPARSE, _forest_seconds, suits=lambda s: s.sparse),
    )


CLASSIFIERS = (
    Learner("most frequent", lambda s: _peer("dummy", "DummyClassifier")(), ({},), _naive_seconds),
    Learner(
        "linear-svm",
        _piped(_make("LinearSVC"), scale=True),
        grid(learn__C=CS),
        _linear_seconds,
        "learn__C",
        suits=lambda s: not s.text,
    ),
    Learner(
        "linear-svm",
        _piped(_make("LinearSVC"), scale=True),
        grid(learn__C=(0.3, 1.0, 3.0, 10.0)),  # rows of tf-idf have length one
        _linear_seconds,
        "learn__C",
        suits=lambda s: s.text,
    ),
    Learner(
        "logistic",
        _piped(_make("LinearSVC", loss="logistic"), scale=True),
        grid(learn__C=CS[::2]),
        lambda s: 2 * _linear_seconds(s),
        "learn__C",
        suits=_dense,
    ),
    Learner(
        "svc",
        _piped(_make("SVC", random_state=0), scale=True),
        grid(learn__gamma=_GAMMAS, learn__C=(0.3, 1.0, 3.0, 10.0, 30.0, 100.0)),
        _kernel_seconds,
        "learn__C",
    ),
    *_forests("forest", "RandomForestClassifier", _FOREST),
    *_forests("extra-trees", "ExtraTreesClassifier", _FOREST),
    Learner(
        "logitboost",
        _piped(_boosted("LogitBoostClassifier", n_estimators=200), scale=False),
        grid(learn__learning_rate=(0.1, 0.3), learn__estimator__max_depth=(2, 4, 6)),
        _boost_seconds,
        suits=_few_classes,
    ),
    Learner(
        "logitboost",
        _piped(_boosted("LogitBoostClassifier", n_estimators=100), scale=False),  # a tree a class in every round
        grid(learn__learning_rate=(0.1, 0.3), learn__estimator__max_depth=(4, 6)),
        _boost_seconds,
        suits=_some_classes,
    ),
    Learner(
        "neighbours",
        _piped(_peer("neighbors", "KNeighborsClassifier"), scale=True),
        grid(learn__n_neighbors=(25, 5, 1), learn__weights=("uniform", "distance")),
        _neighbour_seconds,
    ),
    Learner(
        "naive-bayes", _piped(_peer("naive_bayes", "GaussianNB"), scale=False), ({},), _naive_seconds, suits=_dense
    ),
    Learner(
        "naive-bayes-counts",
        _piped(_peer("naive_bayes", "MultinomialNB"), scale=False),
        grid(learn__alpha=(1.0, 0.1, 0.01)),
        _naive_seconds,
        suits=lambda s: s.sparse and not s.negative,
    ),
)

REGRESSORS = (
    Learner("mean", lambda s: _peer("dummy", "DummyRegressor")(), ({},), _naive_seconds),
    Learner(
        "linear",
        _piped(_make("LinearSVR", loss="squared_epsilon_insensitive"), scale=True),  # epsilon = 0: ridge regression
        grid(learn__C=CS),
        _linear_seconds,
        "learn__C",
    ),
    Learner(
        "kernel-ridge",
        _piped(_make("KernelRidge"), scale=True),
        grid(learn__gamma=_GAMMAS, learn__alpha=(10.0, 1.0, 0.1, 0.01)),
        lambda s: 5e-3 + 1e-9 * s.n**2 * s.d**0.5 + 4e-11 * s.n**3,
        suits=lambda s: s.n <= 20_000,
    ),
    *_forests("forest-regressor", "RandomForestRegressor", _FOREST_NUMBERS),
    *_forests("extra-trees-regressor", "ExtraTreesRegressor", _FOREST_NUMBERS),
    Learner(
        "boosting-regressor",
        _piped(_boosted("BoostingRegressor", n_estimators=200), scale=False),
        grid(learn__learning_rate=(0.03, 0.1), learn__estimator__max_depth=(2, 4, 6)),
        _boost_seconds,
        suits=_dense,
    ),
    Learner(
        "neighbours",
        _piped(_peer("neighbors", "KNeighborsRegressor"), scale=True),
        grid(learn__n_neighbors=(25, 10, 5), learn__weights=("uniform", "distance")),
        _neighbour_seconds,
    ),
)
