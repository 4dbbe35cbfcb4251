"""The fit of a forest: draws, out-of-bag figures, trees one by one, importances, proximity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from ..base.callbacks import with_callbacks
from ..base.errors import BadInput
from ..base.params import Integral, Interval, RealNotInt, count
from ..base.records import Stop, Trace
from ..base.warn import warn
from ..certificate.forest import ForestProof, drawn_times, oob_votes, row_losses
from ..data.float32 import read_float32
from ..model.prune import pruned
from ..model.tree_view import TreeView
from ..model.trees import Trees
from ..solver.forest import ForestSolver, ForestState
from .forest_importance import oob_importances
from .tree import DecisionTreeClassifier, DecisionTreeRegressor
from .tree_base import TreeLearner
from .tree_input import TreeTraining
from .whole import whole_or_nothing

LOOK = 5  # trees between two looks at the out-of-bag error


@dataclass(kw_only=True, eq=False, repr=False)
class ForestLearner(TreeLearner):
    """What all forests share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TreeLearner._parameter_constraints,
        "n_estimators": [count()],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "max_samples": [None, Interval(RealNotInt, 0.0, None, closed="neither"), count()],
        "oob_patience": [count(), None],
        "warm_start": ["boolean"],
    }
    _random: ClassVar[bool] = False

    bootstrap: bool = True
    oob_score: bool | Callable[[np.ndarray, np.ndarray], float] = False
    max_samples: int | float | None = None
    oob_patience: int | None = None
    warm_start: bool = False

    @with_callbacks
    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Numbers in float32; NaN stands for a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 3 is a row that stands there three times, 0 one that is absent. Where rows are drawn, they are
            drawn by their weights.

        Returns
        -------
        self
        """
        self._validate_params()
        if not self.bootstrap and self.max_samples is not None:
            raise BadInput(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                f"`max_sample=None`. Here max_samples={self.max_samples}."
            )
        if not self.bootstrap and (self.oob_score or self.oob_patience):
            what = "oob_score" if self.oob_score else "oob_patience"
            raise BadInput(f"Out of bag estimation only available if bootstrap=True, and {what} asks for it.")
        if not self.warm_start:
            vars(self).pop("trees_", None)
        data = self._fit(X, y, sample_weight)
        self._look_out_of_bag(data)
        self.certificate_ = self._first_certificate(data)
        return self

    def _fit_members(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """The trees alone, for a bag that looks after the rest."""
        data = self._fit(X, y, sample_weight)
        self.certificate_ = self._first_certificate(data)
        return self

    def _oob_votes_of(self, X: Any, seed: int, draws: int, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        rows, missing = read_float32(self, X, reset=False)
        return oob_votes(self.trees_, rows, missing, ForestProof(seed, draws), weight, self._threads())

    def _wanted(self) -> int:
        return int(self.n_estimators)

    def _random_cuts(self) -> bool:
        return self._random

    def _draws(self, data: TreeTraining) -> int:
        if not self.bootstrap:
            return 0
        if self.max_samples is None:
            return data.n
        if isinstance(self.max_samples, Integral):
            return int(self.max_samples)
        return max(1, int(self.max_samples * (data.n if data.weight is None else data.weight.sum())))

    def _start(self, data: TreeTraining) -> Trees | None:
        start = vars(self).get("trees_")
        if start is None or not self.warm_start:
            return None
        same = start.n_columns == data.X.shape[1] and start.classes == data.classes and start.n_outputs == data.outputs
        if not same:
            raise BadInput("warm_start adds trees to a forest for the same columns and classes: fit anew without it.")
        if len(start) > self.n_estimators:
            raise BadInput(
                f"n_estimators={self.n_estimators} must be at least the {len(start)} trees that are there "
                "when warm_start is True."
            )
        if len(start) == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning)
        return start

    def _grow(
        self, solver: ForestSolver, state: ForestState, data: TreeTraining, categorical: np.ndarray | None
    ) -> tuple[Stop, Trace]:
        if self.oob_patience is None:
            return super()._grow(solver, state, data, categorical)
        watch, trace = self._watch(), Trace(("trees", "oob_error"))
        proof = ForestProof(solver.plan.seed, solver.plan.draws, solver.plan.members)
        votes, voters, begin = np.zeros((data.n, sum(data.classes) or data.outputs)), np.zeros(data.n, np.int32), 0
        best, at, wanted = np.inf, 0, self._wanted()
        while state.grown < wanted:
            solver.grow(state, min(LOOK, wanted - state.grown))
            trees, end = pruned(state.trees(categorical), self.criterion, float(self.ccp_alpha)), state.grown
            some, who = oob_votes(trees, data.X, data.missing, proof, data.weight, self._threads(), begin, end)
            votes, voters, begin = votes + some, voters + who, end
            error = self._oob_error(votes, voters, data)
            trace.append(end, {"trees": end, "oob_error": error})
            if error < best:
                best, at = error, end
            elif end - at >= self.oob_patience:
                return Stop("flat", f"out-of-bag error {best:.4g} after {at} trees, no better after {end}"), trace
            if watch.out_of_time():
                return Stop("time", f"max_time={self.max_time} s is over after {end} of {wanted} trees."), trace
        return Stop("converged", f"all {state.grown} trees grown"), trace

    # ---- out of bag ------------------------------------------------------------------------------------------------

    def _look_out_of_bag(self, data: TreeTraining) -> None:
        for name in ("oob_score_", "oob_error_", "oob_decision_function_", "oob_prediction_"):
            vars(self).pop(name, None)
        if not self.oob_score or self.proof_ is None:
            return
        steps = _steps(len(self.trees_))
        trace = Trace(("trees", "oob_error"))
        votes, voters = np.zeros(0), np.zeros(0)
        begin = 0
        for end in steps:
            some, who = oob_votes(
                self.trees_, data.X, data.missing, self.proof_, data.weight, self._threads(), begin, end
            )
            votes, voters = (some, who) if begin == 0 else (votes + some, voters + who)
            begin = end
            trace.append(end, {"trees": end, "oob_error": self._oob_error(votes, voters, data)})
        self.trace_ = trace
        self._keep_oob(votes, voters, data)

    def _oob_error(self, votes: np.ndarray, voters: np.ndarray, data: TreeTraining) -> float:
        seen = voters > 0
        if not seen.any():
            return float("nan")
        return float(row_losses(votes[seen] / voters[seen, None], data.y[seen], data.classes).mean())

    def _keep_oob(self, votes: np.ndarray, voters: np.ndarray, data: TreeTraining) -> None:
        seen = voters > 0
        if not seen.all():
            warn(
                f"{int((~seen).sum())} rows were drawn by every tree, so that nothing is known of them out of the bag: "
                "raise n_estimators. Some inputs do not have OOB scores.",
                UserWarning,
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            said = np.where(seen[:, None], votes / voters[:, None], np.nan)
        self.oob_error_ = self._oob_error(votes, voters, data)
        if data.labels:
            parts = self._by_output(said)
            self.oob_decision_function_ = data.spread(parts[0] if len(parts) == 1 else _stacked(parts))
            filled = [np.nan_to_num(part).argmax(axis=1) for part in parts]
            chosen = np.column_stack([one.classes[c] for one, c in zip(data.labels, filled, strict=True)])
        else:
            self.oob_prediction_ = data.spread(said[:, 0] if data.outputs == 1 else said)
            chosen = np.nan_to_num(said)
        truth, chosen = data.targets, chosen[:, 0] if data.outputs == 1 else chosen
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(truth, chosen)
        elif data.labels:  # of several outputs all must be right, as in score
            same = truth == chosen
            self.oob_score_ = accuracy_score(truth, chosen) if data.outputs == 1 else float(same.all(axis=1).mean())
        else:
            self.oob_score_ = r2_score(truth, chosen)

    # ---- trees one by one ------------------------------------------------------------------------------------------

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own."""
        trees = self._fitted_trees()
        made = trees._kept.get("estimators")
        if made is None:
            made = trees._kept["estimators"] = [self._one_tree(t) for t in range(len(trees))]
        return made

    def _one_tree(self, t: int) -> Any:
        kind = DecisionTreeRegressor if self._regression else DecisionTreeClassifier
        shared = set(kind().get_params()) & set(self.get_params()) - {"observe", "max_time", "class_weight"}
        tree = kind(**{name: getattr(self, name) for name in shared})
        tree.splitter = "random" if self._random else "best"
        tree.random_state = self.random_state if self.proof_ is None else self.proof_.seed
        kept = ("n_features_in_", "feature_names_in_", "n_outputs_", "max_features_", "certificate_", "stop_reason_")
        vars(tree).update({name: value for name, value in vars(self).items() if name in kept})
        if not self._regression:
            tree.classes_, tree.n_classes_ = self.classes_, self.n_classes_
        tree.trees_, tree.proof_, tree.trace_ = self.trees_.take(t), None, Trace(("trees",))
        return tree

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree has drawn, as often as it has; only where rows had no weights."""
        check_is_fitted(self)
        proof = self.proof_
        if proof is None or proof.weighted:
            raise AttributeError("the rows that trees drew are known with the proof, and where rows had no weights.")
        if not proof.draws:
            return [np.arange(proof.rows, dtype=np.int32)] * len(self.trees_)
        times = drawn_times(proof, range(len(self.trees_)), proof.rows, None)
        return [np.repeat(np.arange(proof.rows, dtype=np.int32), one) for one in times]

    @property
    def estimator_(self) -> Any:
        """A tree as the forest grows it, not fitted."""
        kind = DecisionTreeRegressor if self._regression else DecisionTreeClassifier
        return kind(splitter="random" if self._random else "best")

    estimator = estimator_

    def __len__(self) -> int:
        return len(self._fitted_trees())

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The mean over trees of the share of each column in the fall of impurity."""
        check_is_fitted(self)
        kept = self.trees_._kept
        if "importances" not in kept:
            total = np.zeros(self.trees_.n_columns)
            for t in range(len(self.trees_)):
                total += TreeView(self.trees_.take(t), self.criterion).compute_feature_importances()
            kept["importances"] = total / total.sum() if total.sum() > 0 else total
        return kept["importances"].copy()

    def oob_permutation_importances(self, X: Any, y: Any, sample_weight: Any = None, *, n_repeats: int = 5) -> Bunch:
        """How much the out-of-bag error rises when a column is dealt out anew among the rows.

        Parameters
        ----------
        X, y, sample_weight : as at fit
            The data of the fit: a forest keeps neither, and other data raise DataMismatch.
        n_repeats : int, default=5
            Deals of each column.

        Returns
        -------
        Bunch with `importances_mean` and `importances_std` of shape (n_features,), and all `importances`
        """
        check_is_fitted(self)
        return oob_importances(self, X, y, sample_weight, n_repeats)

    def _used_columns(self) -> np.ndarray:
        layouts = [self.trees_.layout(t)[2] for t in range(len(self.trees_))]
        columns = np.unique(np.concatenate(layouts))
        return columns[columns >= 0]

    def apply(self, X: Any) -> np.ndarray:
        """The number of the leaf of each row in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        places = self._leaf_places(X)
        out = np.empty(places.shape, dtype=np.int64)
        for t in range(places.shape[1]):
            out[:, t] = TreeView(self.trees_.take(t), self.criterion)._numbers[places[:, t]]
        return out

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """The nodes that each row passes in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        path : CSR matrix of shape (n_samples, nodes of all trees)
        first : ndarray of shape (n_estimators + 1,)
            Where the nodes of each tree begin.
        """
        leaves = self.apply(X)
        paths = [TreeView(self.trees_.take(t), self.criterion).path_to(leaves[:, t]) for t in range(len(self.trees_))]
        return sp.hstack(paths).tocsr(), np.concatenate([[0], np.cumsum([p.shape[1] for p in paths])])

    def proximity(self, X: Any, Z: Any = None) -> np.ndarray:
        """The share of trees in which two rows end in the same leaf.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        Z : array-like or sparse matrix of shape (m_samples, n_features), optional
            X itself where it is left out.

        Returns
        -------
        ndarray of shape (n_samples, m_samples)
        """
        a = self._leaf_places(X)
        b = a if Z is None else self._leaf_places(Z)
        same = np.zeros((len(a), len(b)))
        for t in range(a.shape[1]):
            same += a[:, t, None] == b[None, :, t]
        return same / a.shape[1]


def _stacked(parts: list[np.ndarray]) -> np.ndarray:
    """(rows, classes, outputs), as scikit-learn has it; NaN where an output has fewer classes."""
    most = max(part.shape[1] for part in parts)
    out = np.full((len(parts[0]), most, len(parts)), np.nan)
    for o, part in enumerate(parts):
        out[:, : part.shape[1], o] = part
    return out


def _steps(last: int) -> list[int]:
    """1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14 … and the last."""
    steps, step = [], 1
    while step < last:
        steps.append(step)
        step = max(step + 1, int(step * 1.2))
    return [*steps, last]
