"""Random forests and extremely randomised trees.

Problem  many trees, each on its own draw of the rows (random forest) or on all rows with cuts at random (extra trees);
         the mean of what they say
Symbols  T trees, n rows, m rows drawn with replacement for each;  a row is out of the bag of a tree that never drew it,
         which happens with probability (1 - 1/n)^m
Stops    when there are n_estimators trees, time is over, or somebody says so; with `oob_patience` when the
         out-of-bag error has not improved for so many trees
Method   [Breiman01]; [GeurtsEtAl06]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from sklearn.base import ClassifierMixin, RegressorMixin

from ..base.params import StrOptions
from .forest_base import ForestLearner
from .forest_numbers import ForestNumbers
from .tree import CLASS_CRITERIA, NUMBER_CRITERIA
from .tree_base import ClassVotes

_PARAMETERS = """
    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {criteria}
        What a split must lower{gain}.
    max_depth : int, optional
        Most edges between root and leaf.
    min_samples_split : int or float, default=2
        Fewest rows of a node that may be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of all weight in a leaf.
    max_features : int, float, {{"sqrt", "log2"}} or None, default={features}
        Columns to look at in each node, drawn anew; None is all of them.
    max_leaf_nodes : int, optional
        Most leaves of a tree; those splits come first that lower the impurity most.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity by this, weighted by its share of all weight.
    bootstrap : bool, default={bootstrap}
        Each tree draws rows with replacement, by their weights; otherwise it learns from all of them.
    oob_score : bool or callable, default=False
        Score each row by the trees that have never drawn it: {score}, or callable(y, predictions).
    max_samples : int, float or None, default=None
        Rows to draw for each tree: a number, or a share of all weight; None is as many as there are.
    oob_patience : int, optional
        Stop when the out-of-bag error has not improved for so many trees.
    warm_start : bool, default=False
        Keep the trees that are there and add to them.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of draws and columns; a tree depends on it and its own number alone.
{classes}    categorical_features : array-like of names, numbers or marks, optional
        Columns whose numbers 0 .. 255 are names of categories: splits divide them into two sets{ordered}.
    max_bins : int, optional
        At most so many different numbers a column, as bins of equally many rows; None: all of them, cuts are exact.
    monotonic_cst : array-like of int, dict or None, default=None
        By column: what is said may only rise (1) or only fall (-1) with it, or both (0). For one number or two classes.
    ccp_alpha : float, default=0.0
        Trees are cut back until each leaf lowers the cost by more than this.
    honest : bool, default=False
        Half of the rows of a tree choose its splits, the other half say what its leaves hold.
    max_time : float, optional
        Most seconds; the trees that stand by then are kept.
    observe : callable, optional
        Called as observe(step, columns, snapshot) now and then; True stops the fit.
    verbose : ignored

    Attributes
    ----------
    estimators_ : list of trees
        Made when asked for; `trees_` holds them all in a few arrays.
{fitted}    feature_importances_ : ndarray of shape (n_features,)
        The mean over trees of the share of each column in the fall of impurity.
    oob_score_, oob_error_ : float
        Only with `oob_score`; the error is a share of wrong labels, or a mean squared error.
    max_features_, n_outputs_ : int
    certificate_ : ForestCertificate
        Training and out-of-bag error, strength and correlation of the trees, and the bound that follows.
    proof_ : ForestProof or None
        The seed of the draws.
    stop_reason_, trace_ : str, Trace
        Why the fit ended; figures by number of trees.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

_CLASS_WEIGHT = """    class_weight : dict, list of dict, {"balanced", "balanced_subsample"} or None, default=None
        Factors of the weights, by class; "balanced" makes all classes weigh the same, "balanced_subsample" in what
        each tree has drawn.
"""
_CLASS_FITTED = """    classes_, n_classes_ : ndarray, int, or lists of them for several outputs
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Shares of the classes by out-of-bag trees; NaN where there is none. Only with `oob_score`.
"""
_NUMBER_FITTED = """    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        By out-of-bag trees; NaN where there is none. Only with `oob_score`.
"""


def _documented(cls: type, *, classes: bool, bootstrap: bool) -> type:
    cls.__doc__ = (
        (cls.__doc__ or "").rstrip()
        + "\n"
        + _PARAMETERS.format(
            criteria='{"gini", "entropy", "log_loss", "information_gain"}, default="gini"'
            if classes
            else '{"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"',
            gain='; "information_gain" is 2 I(split; class) / (H(split) + H(class))' if classes else "",
            features='"sqrt"' if classes else "1.0",
            bootstrap=bootstrap,
            score="accuracy" if classes else "R²",
            classes=_CLASS_WEIGHT if classes else "",
            ordered="" if bootstrap else "; random cuts take them as numbers",
            fitted=_CLASS_FITTED if classes else _NUMBER_FITTED,
        )
    )
    return cls


@dataclass(eq=False, repr=False)
class ForestClassifier(ClassVotes, ClassifierMixin, ForestLearner):
    """What forests for classes share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForestLearner._parameter_constraints,
        "criterion": [StrOptions(CLASS_CRITERIA)],
        "class_weight": [dict, list, StrOptions({"balanced", "balanced_subsample"}), None],
    }

    n_estimators: int = 100
    criterion: str = field(default="gini", kw_only=True)
    max_features: int | float | str | None = field(default="sqrt", kw_only=True)
    class_weight: Any = field(default=None, kw_only=True)


@dataclass(eq=False, repr=False)
class ForestRegressor(ForestNumbers, RegressorMixin, ForestLearner):
    """What forests for numbers share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForestLearner._parameter_constraints,
        "criterion": [StrOptions(NUMBER_CRITERIA)],
    }
    _regression: ClassVar[bool] = True

    n_estimators: int = 100
    criterion: str = field(default="squared_error", kw_only=True)
    max_features: int | float | str | None = field(default=1.0, kw_only=True)


@dataclass(eq=False, repr=False)
class RandomForestClassifier(ForestClassifier):
    """A forest for classes: each tree draws its rows, each node its columns."""

    bootstrap: bool = field(default=True, kw_only=True)


@dataclass(eq=False, repr=False)
class RandomForestRegressor(ForestRegressor):
    """A forest for numbers: each tree draws its rows, each node its columns."""

    bootstrap: bool = field(default=True, kw_only=True)


@dataclass(eq=False, repr=False)
class ExtraTreesClassifier(ForestClassifier):
    """Extremely randomised trees for classes: one cut a column, drawn uniformly; the best of these."""

    bootstrap: bool = field(default=False, kw_only=True)
    _random: ClassVar[bool] = True


@dataclass(eq=False, repr=False)
class ExtraTreesRegressor(ForestRegressor):
    """Extremely randomised trees for numbers: one cut a column, drawn uniformly; the best of these."""

    bootstrap: bool = field(default=False, kw_only=True)
    _random: ClassVar[bool] = True


for _cls, _classes, _draws in (
    (RandomForestClassifier, True, True),
    (RandomForestRegressor, False, True),
    (ExtraTreesClassifier, True, False),
    (ExtraTreesRegressor, False, False),
):
    _documented(_cls, classes=_classes, bootstrap=_draws)
