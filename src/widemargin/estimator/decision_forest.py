"""A forest whose trees share out the rows.

Problem  all rows are dealt out to T trees at random, each tree grows on its own part: P(c | x) = 1/T sum_t P_t(c | x)
Symbols  T trees, n rows, so n / T rows a tree: together they cost about as much as one tree on all rows
Stops    when there are T trees
Method   every row is out of the bag of all trees but one, so out-of-bag figures are nearly those of the whole forest
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..base.errors import BadInput
from .forest import ForestClassifier
from .tree_input import TreeTraining


@dataclass(eq=False, repr=False)
class DecisionForestClassifier(ForestClassifier):
    """Trees on disjoint parts of the rows; the mean of their probabilities.

    Parameters
    ----------
    n_estimators : int, default=10
        Number of trees, at most as many as there are rows.
    criterion : {"gini", "entropy", "log_loss", "information_gain"}, default="gini"
        What a split must lower.
    max_depth : int, optional
        Most edges between root and leaf.
    min_samples_split : int or float, default=2
        Fewest rows of a node that may be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of all weight in a leaf.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns to look at in each node, drawn anew; None is all of them.
    max_leaf_nodes : int, optional
        Most leaves of a tree.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity by this, weighted by its share of all weight.
    bootstrap : True
        Rows are dealt out, which cannot be switched off.
    oob_score : bool or callable, default=False
        Score each row by the trees that do not have it: accuracy, or callable(y, predictions).
    max_samples : None
        Without meaning here.
    oob_patience : None
        Without meaning here: all trees are needed, or rows would be lost.
    warm_start : False
        Without meaning here: more trees would need other parts.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Seed of the deal and of columns.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Factors of the weights, by class.
    categorical_features : array-like of names, numbers or marks, optional
        Columns whose numbers 0 .. 255 are names of categories.
    max_bins : int, optional
        At most so many different numbers a column.
    monotonic_cst : array-like of int, dict or None, default=None
        By column: what is said may only rise (1) or only fall (-1) with it. For two classes.
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
    classes_, n_classes_ : ndarray, int, or lists of them for several outputs
    oob_score_, oob_error_, oob_decision_function_
        Only with `oob_score`.
    feature_importances_ : ndarray of shape (n_features,)
    max_features_, n_outputs_ : int
    certificate_ : ForestCertificate
    proof_ : ForestProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ForestClassifier._parameter_constraints,
        "bootstrap": [bool],
        "max_samples": [None],
        "oob_patience": [None],
        "warm_start": [bool],
    }

    n_estimators: int = 10
    max_features: int | float | str | None = field(default=None, kw_only=True)

    def _draws(self, data: TreeTraining) -> int:
        return data.n

    def _members(self, data: TreeTraining) -> int:
        if not self.bootstrap or self.warm_start:
            what = "warm_start=True" if self.warm_start else "bootstrap=False"
            raise BadInput(f"rows are dealt out to the trees of a decision forest: {what} has no meaning here.")
        if self.n_estimators > data.n:
            raise BadInput(
                f"n_estimators={self.n_estimators} trees cannot share n_samples={data.n} rows: ask for fewer."
            )
        return int(self.n_estimators)
