"""Single trees.

Problem  as in core/solver/grow.hpp, for one tree on all rows
Stops    when every leaf is pure or a limit is reached
Method   [BreimanEtAl84]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch

from ..base.callbacks import with_callbacks
from ..base.params import StrOptions
from ..model.prune import prune_path
from ..model.tree_view import TreeView
from .tree_base import ClassVotes, NumberVotes, TreeLearner
from .whole import whole_or_nothing

CLASS_CRITERIA = {"gini", "entropy", "log_loss", "information_gain"}
NUMBER_CRITERIA = {"squared_error", "friedman_mse", "absolute_error", "poisson"}


@dataclass(kw_only=True, eq=False, repr=False)
class SingleTree(TreeLearner):
    """What trees for classes and for numbers share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TreeLearner._parameter_constraints,
        "splitter": [StrOptions({"best", "random"})],
    }

    splitter: str = "best"

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Numbers in float32; NaN stands for a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent.

        Returns
        -------
        self
        """
        data = self._fit(X, y, sample_weight)
        self.certificate_ = self._first_certificate(data)
        return self

    def _random_cuts(self) -> bool:
        return self.splitter == "random"

    @property
    def tree_(self) -> TreeView:
        """The tree node by node, as scikit-learn shows it."""
        trees = self._fitted_trees()
        view = trees._kept.get("view")
        if view is None:
            view = trees._kept["view"] = TreeView(trees, self.criterion)
        return view

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each column in the fall of impurity; they sum to 1 where there is a split at all."""
        return self.tree_.compute_feature_importances()

    def get_depth(self) -> int:
        """Edges between the root and the deepest leaf.

        Returns
        -------
        int
        """
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves.

        Returns
        -------
        int
        """
        return self.tree_.n_leaves

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """How a tree on these rows would be cut back as `ccp_alpha` grows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        Bunch with `ccp_alphas` and `impurities`: where the next branch goes, and what the leaves cost from there on
        """
        alphas, costs, _ = prune_path(clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight).tree_)
        return Bunch(ccp_alphas=alphas, impurities=costs)

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The number of the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        check_input : ignored
            X is always looked at.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        places = self._leaf_places(X)[:, 0]
        return self.tree_._numbers[places]

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """The nodes that each row passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        check_input : ignored
            X is always looked at.

        Returns
        -------
        CSR matrix of shape (n_samples, node_count), 1 where a row passes a node
        """
        leaves = self.apply(X)
        return self.tree_.path_to(leaves)


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeClassifier(ClassVotes, ClassifierMixin, SingleTree):
    """A tree for classes.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "information_gain"}, default="gini"
        What a split must lower; "information_gain" is 2 I(split; class) / (H(split) + H(class)).
    splitter : {"best", "random"}, default="best"
        The best cut of each column, or one drawn uniformly between the extremes of the node.
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
        Most leaves; those splits come first that lower the impurity most.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity by this, weighted by its share of all weight.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Factors of the weights, by class; "balanced" makes all classes weigh the same.
    categorical_features : array-like of names, numbers or marks, optional
        Columns whose numbers 0 .. 255 are names of categories: splits divide them into two sets.
    max_bins : int, optional
        At most so many different numbers a column, as bins of equally many rows; None: all of them, cuts are exact.
    monotonic_cst : array-like of int, dict or None, default=None
        By column: what is said may only rise (1) or only fall (-1) with it, or both (0). For one number or two classes.
    ccp_alpha : float, default=0.0
        The tree is cut back until each leaf lowers the cost by more than this.
    honest : bool, default=False
        Half of the rows choose the splits, the other half say what the leaves hold.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Draws columns where there are fewer than all, and decides between equal cuts.
    max_time : float, optional
        Most seconds. A single tree is grown to its end.
    observe : callable, optional
        Called as observe(step, columns, snapshot) when the tree stands.
    verbose : ignored

    Attributes
    ----------
    tree_ : TreeView
        The tree node by node.
    classes_, n_classes_ : ndarray, int, or lists of them for several outputs
    max_features_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : ForestCertificate
        The training error, recomputed from tree and rows.
    proof_ : ForestProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SingleTree._parameter_constraints,
        "criterion": [StrOptions(CLASS_CRITERIA)],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
    }

    criterion: str = "gini"
    class_weight: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeRegressor(NumberVotes, RegressorMixin, SingleTree):
    """A tree for numbers.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        What a split must lower; "friedman_mse" chooses the same splits as "squared_error". "absolute_error" is about
        medians, "poisson" is for counts.
    splitter : {"best", "random"}, default="best"
        The best cut of each column, or one drawn uniformly between the extremes of the node.
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
        Most leaves; those splits come first that lower the impurity most.
    min_impurity_decrease : float, default=0.0
        A split must lower the impurity by this, weighted by its share of all weight.
    categorical_features : array-like of names, numbers or marks, optional
        Columns whose numbers 0 .. 255 are names of categories: splits divide them into two sets.
    max_bins : int, optional
        At most so many different numbers a column, as bins of equally many rows; None: all of them, cuts are exact.
    monotonic_cst : array-like of int, dict or None, default=None
        By column: what is said may only rise (1) or only fall (-1) with it, or both (0). For one number or two classes.
    ccp_alpha : float, default=0.0
        The tree is cut back until each leaf lowers the cost by more than this.
    honest : bool, default=False
        Half of the rows choose the splits, the other half say what the leaves hold.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Draws columns where there are fewer than all, and decides between equal cuts.
    max_time : float, optional
        Most seconds. A single tree is grown to its end.
    observe : callable, optional
        Called as observe(step, columns, snapshot) when the tree stands.
    verbose : ignored

    Attributes
    ----------
    tree_ : TreeView
        The tree node by node.
    max_features_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    certificate_ : ForestCertificate
        The mean squared error on the rows of the fit, recomputed from tree and rows.
    proof_ : ForestProof or None
    stop_reason_, trace_ : str, Trace
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SingleTree._parameter_constraints,
        "criterion": [StrOptions(NUMBER_CRITERIA)],
    }
    _regression: ClassVar[bool] = True

    criterion: str = "squared_error"


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionStump(DecisionTreeClassifier):
    """A tree of one split: the single question that tells most.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "information_gain"}, default="gini"
        What the split must lower.
    splitter : {"best", "random"}, default="best"
        The best cut of each column, or one drawn uniformly between its extremes.
    max_depth : int, default=1
        Most edges between root and leaf.
    min_samples_split : int or float, default=2
        Fewest rows that are split at all.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of all weight in a leaf.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns to look at; None is all of them.
    max_leaf_nodes : int, optional
        Most leaves.
    min_impurity_decrease : float, default=0.0
        The split must lower the impurity by this.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Factors of the weights, by class.
    categorical_features : array-like of names, numbers or marks, optional
        Columns whose numbers 0 .. 255 are names of categories.
    max_bins : int, optional
        At most so many different numbers a column.
    monotonic_cst : array-like of int, dict or None, default=None
        By column: what is said may only rise (1) or only fall (-1) with it, or both (0). For one number or two classes.
    ccp_alpha : float, default=0.0
        The tree is cut back until each leaf lowers the cost by more than this.
    honest : bool, default=False
        Half of the rows choose the splits, the other half say what the leaves hold.
    n_jobs : int, optional
        Threads; the result does not depend on them.
    random_state : int, RandomState or None, default=0
        Draws columns, and decides between equal cuts.
    max_time : float, optional
        Most seconds. The stump is grown to its end.
    observe : callable, optional
        Called as observe(step, columns, snapshot) when the stump stands.
    verbose : ignored

    Attributes
    ----------
    tree_ : TreeView
        Root and leaves.
    classes_, n_classes_ : ndarray, int, or lists of them for several outputs
    certificate_ : ForestCertificate
        The training error, recomputed.
    proof_ : ForestProof or None
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """

    max_depth: int | None = 1

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one question cannot tell three classes apart
        return tags
