"""What single trees and forests share: parameters, the fit, and what leaves say of rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2, sqrt
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import _check_monotonic_cst, check_is_fitted

from ..base.callbacks import EpochTasks
from ..base.drive import drive
from ..base.errors import BadInput, DataMismatch
from ..base.params import Integral, Interval, RealNotInt, StrOptions, count
from ..base.records import Stop, Trace
from ..base.seeds import seed_from
from ..certificate.forest import ForestProof, certify_forest
from ..certificate.record import ForestCertificate
from ..data.float32 import float32_blocks
from ..model.prune import pruned
from ..model.trees import Trees
from ..solver.forest import ForestSolver, ForestState, GrowPlan
from .base import Learner
from .tree_input import TreeTraining, read_trees

NEARLY_FREE = 200_000  # rows times trees up to which a certificate costs less than anybody notices


@dataclass(kw_only=True, eq=False, repr=False)
class TreeLearner(Learner):
    """Subclasses say how many trees there are (`_wanted`), what each draws (`_draws`), and how cuts are found."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "max_depth": [count(), None],
        "min_samples_split": [count(2), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [count(), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [
            count(),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            StrOptions({"sqrt", "log2"}),
            None,
        ],
        "max_leaf_nodes": [count(2), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "categorical_features": [list, tuple, np.ndarray, None],
        "max_bins": [Interval(Integral, 2, 256, closed="both"), None],
        "monotonic_cst": [list, tuple, np.ndarray, dict, None],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "honest": ["boolean"],
    }

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    categorical_features: Any = None
    max_bins: int | None = None
    monotonic_cst: Any = None
    ccp_alpha: float = 0.0
    honest: bool = False

    _regression: ClassVar[bool] = False

    # ---- what a subclass says --------------------------------------------------------------------------------------

    def _wanted(self) -> int:
        return 1

    def _draws(self, data: TreeTraining) -> int:
        """Rows that each tree draws; 0: it learns from all of them."""
        return 0

    def _members(self, data: TreeTraining) -> int:
        """Trees that all rows are dealt out to; 0: rows are drawn."""
        return 0

    def _random_cuts(self) -> bool:
        return False

    def _start(self, data: TreeTraining) -> Trees | None:
        """The trees that are there already."""
        return None

    # ---- the fit ---------------------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> TreeTraining:
        self._validate_params()
        data = self._read(X, y, sample_weight)
        start = self._start(data)
        categorical = self._categories(data)
        plan = self._plan(data)
        sums = None if data.weight is None or not plan.draws else np.cumsum(data.weight)
        ground = data.ground(categorical, self.max_bins or 0, plan.random, self._threads())
        solver = ForestSolver(ground, plan, sums, self._threads())
        state = ForestState(data.X.shape[1], data.classes, data.outputs, start)
        stop, self.trace_ = self._grow(solver, state, data, categorical)
        self._keep(data, pruned(state.trees(categorical), self.criterion, float(self.ccp_alpha)), plan)
        self.stop_reason_ = str(stop)
        return data

    def _grow(
        self, solver: ForestSolver, state: ForestState, data: TreeTraining, categorical: np.ndarray | None
    ) -> tuple[Stop, Trace]:
        wanted, tasks = self._wanted(), EpochTasks(self, data, self._wanted())

        def explain(kind: str) -> Stop:
            n = state.grown
            said = {
                "epochs": f"all {n} tree{'s' * (n != 1)} grown",
                "time": f"max_time={self.max_time} s is over after {n} of {wanted} trees: raise max_time or n_jobs.",
                "asked": f"stopped on request after {n} of {wanted} trees.",
            }
            return Stop("converged" if kind == "epochs" else kind, said[kind])

        def fitted() -> dict[str, Any]:
            shown = dict(vars(self))
            self._keep(data, state.trees(categorical), solver.plan)
            now, before = dict(vars(self)), shown
            vars(self).clear()
            vars(self).update(before)
            return {k: v for k, v in now.items() if k not in before or before[k] is not v}

        def snapshot() -> Any:
            copy = type(self)(**self.get_params(deep=False))
            vars(copy).update({k: v for k, v in vars(self).items() if k in ("n_features_in_", "feature_names_in_")})
            copy._keep(data, state.trees(categorical), solver.plan)
            return copy

        if not (tasks.active or self.observe or self.max_time):
            solver.grow(state, max(0, wanted - state.grown))
            trace = Trace(solver.columns)
            trace.append(state.grown, solver.look(state))
            return explain("epochs"), trace
        watch = self._watch((lambda step, columns: tasks.epoch_done(fitted)) if tasks.active else None)
        stop, trace = drive(solver, state, last=wanted, explain=explain, watch=watch, snapshot=snapshot)
        tasks.close(fitted)
        return stop, trace

    def _plan(self, data: TreeTraining) -> GrowPlan:
        n, d = data.X.shape
        leaf = self.min_samples_leaf
        leaf = int(leaf) if isinstance(leaf, Integral) else ceil(leaf * n)
        split = self.min_samples_split
        split = int(split) if isinstance(split, Integral) else max(2, ceil(split * n))
        self.max_features_ = self._columns_to_look_at(d)
        return GrowPlan(
            criterion=self.criterion,
            random=self._random_cuts(),
            max_features=self.max_features_,
            max_depth=self.max_depth or 0,
            max_leaves=self.max_leaf_nodes or 0,
            min_split=max(split, 2 * leaf),
            min_leaf=leaf,
            min_leaf_share=float(self.min_weight_fraction_leaf),
            min_decrease=float(self.min_impurity_decrease),
            seed=seed_from(self.random_state),
            draws=self._draws(data),
            balance=data.balance,
            members=self._members(data),
            honest=bool(self.honest),
            monotonic=self._orders(data),
        )

    def _columns_to_look_at(self, d: int) -> int:
        wish = self.max_features
        if wish is None:
            return d
        if isinstance(wish, str):
            return max(1, int(sqrt(d) if wish == "sqrt" else log2(d)))
        return min(int(wish), d) if isinstance(wish, Integral) else max(1, int(wish * d))

    def _orders(self, data: TreeTraining) -> np.ndarray | None:
        """By column whether what is said may only rise (1) or fall (-1); None where no order is demanded."""
        if self.monotonic_cst is None:
            return None
        signs = _check_monotonic_cst(self, self.monotonic_cst).astype(np.int8)
        if not signs.any():
            return None
        if data.outputs > 1:
            raise BadInput(
                f"Monotonicity constraints are not supported with multiple outputs, and y has {data.outputs}."
            )
        if data.labels and len(data.labels[0]) > 2:
            raise BadInput(
                "Monotonicity constraints are not supported with multiclass classification, and y has "
                f"{len(data.labels[0])} classes."
            )
        if self.criterion == "absolute_error":
            raise BadInput("an order of medians is not offered: leave monotonic_cst or take criterion='squared_error'.")
        return signs

    def _categories(self, data: TreeTraining) -> np.ndarray | None:
        """One mark a column, or None without categories, and where random cuts take them as numbers."""
        wish, d = self.categorical_features, data.X.shape[1]
        if wish is None:
            return None
        marks = np.zeros(d, dtype=np.uint8)
        wish = np.asarray(wish)
        if wish.ndim != 1 or wish.dtype.kind not in "biuUO":
            raise BadInput(f"categorical_features={self.categorical_features!r} must list columns: names or numbers.")
        if wish.dtype.kind in "UO":
            names = list(getattr(self, "feature_names_in_", ()))
            unknown = [name for name in wish if name not in names]
            if unknown:
                raise BadInput(f"categorical_features names {unknown[0]!r}, which is not among the columns.")
            marks[[names.index(name) for name in wish]] = 1
        elif wish.dtype.kind == "b":
            if wish.shape != (d,):
                raise BadInput(f"categorical_features marks {wish.size} columns, but X has {d}.")
            marks[wish] = 1
        else:
            if wish.size and not (-d <= wish.min() and wish.max() < d):
                raise BadInput(f"categorical_features names column {wish.max()}, but X has {d}, numbered from 0.")
            marks[wish.astype(np.intp)] = 1
        values = data.X[:, marks.astype(bool)]
        bad = ~(np.isnan(values) | ((values >= 0) & (values <= 255) & (values == np.floor(values))))
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            raise BadInput(
                f"column {np.flatnonzero(marks)[column]} holds categories, and {values[row, column]:g} in row {row} is "
                "none: use whole numbers from 0 to 255, for example by OrdinalEncoder."
            )
        return marks if marks.any() and not self._random_cuts() else None

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> TreeTraining:
        return read_trees(self, X, y, sample_weight, regression=self._regression, reset=reset)

    def _keep(self, data: TreeTraining, trees: Trees, plan: GrowPlan) -> None:
        self.trees_ = trees
        self.n_outputs_ = data.outputs
        if data.labels:
            classes = [one.classes for one in data.labels]
            sizes = [len(c) for c in classes]
            self.classes_: Any = classes[0] if len(classes) == 1 else classes
            self.n_classes_: Any = sizes[0] if len(classes) == 1 else sizes
        self.proof_: ForestProof | None = ForestProof(
            plan.seed, plan.draws, plan.members, data.n, data.weight is not None
        )

    # ---- certificate -----------------------------------------------------------------------------------------------

    def _certify(self, data: TreeTraining, *, prove: bool = False) -> ForestCertificate:
        return certify_forest(
            self.trees_,
            data.X,
            data.missing,
            data.y,
            proof=self.proof_,
            weight=data.weight,
            claimed=getattr(self, "oob_error_", None),
            data_digest=data.digest,
            threads=self._threads(),
        )

    def _first_certificate(self, data: TreeTraining) -> ForestCertificate:
        """At the end of a fit: all figures where they cost next to nothing."""
        if data.n * len(self.trees_) <= NEARLY_FREE:
            return self._certify(data)
        return ForestCertificate(
            claim=f"{len(self.trees_)} trees; the data are large: certify(model, X, y) recomputes what can be shown",
            kind="estimate",
            data_digest=data.digest,
            n_trees=len(self.trees_),
        )

    def _recertify(self, X: Any, y: Any, sample_weight: Any, *, prove: bool) -> ForestCertificate:
        data = self._read(X, y, sample_weight, reset=False)
        expected = self.certificate_.data_digest
        known = self.classes_ if self.n_outputs_ > 1 else [self.classes_] if data.labels else []
        same = all(np.array_equal(one.classes, own) for one, own in zip(data.labels, known, strict=False))
        if data.digest != expected or not same:
            raise DataMismatch(
                f"these are not the data of the fit: {data.n} rows with digest {data.digest}, the fit had {expected}."
            )
        return self._certify(data, prove=prove)

    # ---- what trees say --------------------------------------------------------------------------------------------

    def _fitted_trees(self) -> Trees:
        if "trees_" not in vars(self):
            check_is_fitted(self)
        return self.trees_

    def _mean_votes(self, X: Any) -> np.ndarray:
        """The mean over trees of what they say of each row: shares of classes or numbers, output after output."""
        trees = self._fitted_trees()
        parts = [trees.votes(rows, missing, self._threads_for(rows)) for _, rows, missing in float32_blocks(self, X)]
        total = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return total if len(trees) == 1 else np.divide(total, len(trees), out=total)

    def _threads_for(self, rows: np.ndarray) -> int:
        """Threads cost more than they save where there is little to do."""
        return self._threads() if len(rows) * len(self.trees_) > 100_000 else 1

    def _leaf_places(self, X: Any) -> np.ndarray:
        trees = self._fitted_trees()
        return np.concatenate(
            [trees.leaves(rows, missing, self._threads_for(rows)) for _, rows, missing in float32_blocks(self, X)]
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.multi_output = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = True
        return tags


class ClassVotes:
    """What trees for classes say: labels and probabilities."""

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest mean probability; of equal ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            NaN stands for a missing value.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        votes = self._mean_votes(X)
        if self.n_outputs_ == 1:
            return self.classes_.take(votes.argmax(axis=1), axis=0)
        chosen = [c.take(v.argmax(axis=1)) for c, v in zip(self.classes_, self._by_output(votes), strict=True)]
        return np.column_stack(chosen)

    def predict_proba(self, X: Any) -> Any:
        """The mean over trees of the shares of the classes in the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one an output
        """
        parts = self._by_output(self._mean_votes(X))
        return parts[0] if self.n_outputs_ == 1 else parts

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one an output
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(one) for one in shares]

    def _by_output(self, votes: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum(self.trees_.classes)[:-1]
        return np.split(votes, ends, axis=1)


class NumberVotes:
    """What trees for numbers say."""

    def predict(self, X: Any) -> np.ndarray:
        """The mean over trees of the mean target in the leaf of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            NaN stands for a missing value.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        votes = self._mean_votes(X)
        return votes[:, 0] if self.n_outputs_ == 1 else votes
