"""What linear machines share: their parameters, and the way from problems to certified solutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..base.drive import Watch
from ..base.heap import keep_freed_memory
from ..base.params import Integral, Interval, Options, StrOptions, count, positive
from ..base.seeds import seed_from
from ..base.warn import warn
from ..certificate.linear import certify_linear
from ..certificate.record import SVMCertificate
from ..data.rows import Training, native_rows
from ..model.dual import DualPoint, DualPoints
from ..model.linear import LinearModel
from ..model.linear_problem import LinearProblem
from ..solver.linear import LinearFit
from ..solver.parts import worst
from .base import Learner
from .linear_stop import interrupted, sentence
from .linear_work import LinearWork, Solved

SMALL, FULL = 1_500_000, 0.3  # numbers of X, and their share that is not 0


@dataclass(kw_only=True, eq=False, repr=False)
class LinearLearner(Learner):
    """Subclasses say which problems the parts are (`_problems`) and what becomes of the solutions (`_shapes`)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Learner._parameter_constraints,
        "C": [positive()],
        "tol": [positive()],
        "dual": ["boolean", StrOptions({"auto"})],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "regularize_intercept": ["boolean"],
        "max_iter": [Options(Integral, {-1}), count()],
        "warm_start": ["boolean"],
    }

    C: float = 1.0
    tol: float = 1e-4
    dual: bool | str = "auto"
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    regularize_intercept: bool = False
    max_iter: int = -1
    warm_start: bool = False

    # ---- what a subclass says ----------------------------------------------------------------------------------

    def _problems(self, data: Training) -> list[Any]:
        raise NotImplementedError

    def _certify(self, data: Training, *, prove: bool = False) -> Any:
        raise NotImplementedError

    def _merged(self, data: Training, certificates: Sequence[Any]) -> Any:
        raise NotImplementedError

    def _beside(self, data: Training) -> dict[str, Any]:
        """Attributes that are known before anything is solved."""
        return {}

    # ---- from data to attributes -------------------------------------------------------------------------------

    def _learn(self, data: Training, watch: Watch, starts: Any = None) -> list[Solved]:
        """Solve all parts and keep what was learnt; what Ctrl-C leaves is kept too."""
        work, solved = self._solve(data, watch, starts)
        self._end(work, solved)
        return solved

    def _solve(
        self, data: Training, watch: Watch, starts: Any = None, later: bool = False
    ) -> tuple[LinearWork, list[Solved]]:
        """`later`: what was solved may have no certificate yet."""
        keep_freed_memory()
        self._seed = seed_from(self.random_state)
        problems = self._problems(data)
        work = LinearWork(self, data, problems, starts(problems) if starts else self._starts(problems))
        try:
            return work, work.solve(watch, later)
        except KeyboardInterrupt:
            if work.begun:
                self._keep(work, work.as_it_is(), interrupted)
            raise
        finally:
            del self._seed

    def _end(self, work: LinearWork, solved: Sequence[Solved]) -> None:
        self._keep(work, solved, sentence)
        work.tasks.close(lambda: self._learnt(work, solved))

    def _keep(self, work: LinearWork, solved: Sequence[Solved], say: Any) -> None:
        for name, value in self._learnt(work, solved).items():
            setattr(self, name, value)
        self.proof_ = DualPoints.of([DualPoint(s.solution.b) for s in solved])
        self.certificate_ = self._merged(work.data, [s.certificate for s in solved])
        self.n_iter_ = max(s.solution.steps for s in solved)
        kinds = [s.solution.stop.kind for s in solved]
        at = kinds.index(worst(kinds))
        words = say(self, solved[at])
        if len(kinds) > 1:
            good = sum(kind == "converged" for kind in kinds)
            words = f"{good} of {len(kinds)} binary parts converged; part {at}: {words}"
        self.converged_ = all(kind == "converged" for kind in kinds)
        self.stop_reason_, self.trace_ = words, solved[at].solution.trace
        self.solver_ = solved[at].solution.solver
        self._ended = kinds[at]

    def _warn(self) -> None:
        """Last of all, since a warning may be made an error: the model is there."""
        if self.__dict__.pop("_ended") not in ("converged", "asked"):
            warn(self.stop_reason_, ConvergenceWarning)

    def _learnt(self, work: LinearWork, solved: Sequence[Solved]) -> dict[str, Any]:
        """The attributes with which an estimator can predict as of now."""
        W = np.vstack([s.solution.w.reshape(-1, work.data.d + 1) for s in solved])
        return {"coef_": W[:, :-1].copy(), "intercept_": W[:, -1].copy(), **self._beside(work.data)}

    def _linear(self, learnt: dict[str, Any]) -> LinearModel:
        return LinearModel(np.atleast_2d(learnt["coef_"]), np.atleast_1d(learnt["intercept_"]))

    @property
    def model_(self) -> LinearModel:
        check_is_fitted(self)
        return self._linear({"coef_": self.coef_, "intercept_": self.intercept_})

    def _starts(self, problems: Sequence[Any]) -> list[tuple[Any, ...]]:
        """(w, b) of the last fit with warm_start, where there are as many parts and rows; else nothing."""
        nothing: list[tuple[Any, ...]] = [()] * len(problems)
        proof = vars(self).get("proof_")
        if not self.warm_start or proof is None or len(proof) != len(problems):
            return nothing
        coef, bias = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        W = np.column_stack([coef, bias])
        many = len(W) // len(problems)
        starts: list[tuple[Any, ...]] = []
        for k, p in enumerate(problems):
            w, b = W[k * many : (k + 1) * many].reshape(p.shape), proof[k].b
            starts.append((w, p.inside(b)) if b.size == p.n_variables and w.size == math.prod(p.shape) else ())
        return starts

    # ---- one part ----------------------------------------------------------------------------------------------

    def _bias(self) -> Any:
        return "none" if not self.fit_intercept else "regularised" if self.regularize_intercept else "free"

    def _price(self, data: Training, rows: np.ndarray | None = None) -> np.ndarray:
        """C of each row."""
        n = data.n if rows is None else len(rows)
        if data.weight is None:
            return np.full(n, float(self.C))
        return self.C * (data.weight if rows is None else data.weight[rows])

    @staticmethod
    def _rows(data: Training) -> tuple[Any, Any]:
        """X and the core's view of it; small sparse rows with few zeros are quicker as dense ones."""
        X = data.X
        if not sp.issparse(X) or math.prod(X.shape) > SMALL or X.nnz < FULL * math.prod(X.shape):
            return X, data.rows
        X = X.toarray(out=np.empty(X.shape, X.dtype))  # NumPy asks for large pages, but not where it clears them
        return X, native_rows(X)

    def _walked(self, data: Training) -> Training:
        """The data with X as `_rows` has it: for many fits of the same rows."""
        X, rows = self._rows(data)
        return data if X is data.X else replace(data, X=X, rows=rows)

    def _fit_of(self, problem: Any) -> Any:
        return LinearFit(problem, self.tol, seed=self._seed, max_steps=self.max_iter, dual=self.dual)

    def _certificate(
        self, data: Training, problem: LinearProblem, w: np.ndarray, b: np.ndarray, made: Any = None
    ) -> SVMCertificate:
        """`made`: what `products` says of w and b, if it was asked for others too."""
        asked, digest = self.tol, data.digest
        return certify_linear(
            problem, w[:-1], float(w[-1]), b, radius=self._radius(data), asked=asked, data_digest=digest, made=made
        )

    @staticmethod
    def _radius(data: Training) -> float:
        """Of the longest row, rounded up."""
        return math.sqrt(data.max_squared_norm) * (1 + 1e-12)


def unproved(digest: str) -> SVMCertificate:
    """Where the proof was left out of a file."""
    return SVMCertificate(claim="the proof was left out of the file", holds=None, data_digest=digest)
