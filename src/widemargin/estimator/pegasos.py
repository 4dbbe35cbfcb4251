"""Pegasos: stochastic subgradients of the linear support vector machine, with a duality gap.

Problem  min over w   alpha/2 |w|^2 + 1/n sum_i (1 - y_i w.x_i)+,   with a free bias on request
Stops    when the relative duality gap, recomputed in float64, is at most tol
Method   [ShalevShwartzEtAl11]; the gap is ours: the steps that led to w are a point of the dual
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..base.params import count
from ..solver.gradient import GradientOptions
from .gradient_fit import DRAWING, GradientClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class Pegasos(GradientClassifier):
    """Linear support vector machine by Pegasos, with the proof of how far it is from the optimum.

    Step n takes k rows and finds those with y w·x ≤ 1; w ← (1 − 1/n) w + 1/(αnk) Σ y x over them; where |w| is now
    above 1/√α it is scaled down to that. The optimum is that of `LinearSVC(loss="hinge", fit_intercept=False)` with
    C = 1/(αn).

    Parameters
    ----------
    alpha : float, default=1e-4
        λ: strength of the penalty α/2 |w|².
    batch_size : int, default=1
        k: rows of a step. The last step of an epoch takes what is left, and counts for as much.
    average : bool, default=False
        Predict with the mean of the vectors after all steps, the n-th of weight n.
    fit_intercept : bool, default=False
        Learn a bias, which is not penalised; the gap then falls more slowly.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=1e-3
        Stop when the relative duality gap, which is recomputed after 1, 2, 3, 4, 6, 9, 13 … epochs, is at most this;
        None: go on to `max_iter`.
    shuffle : bool or {"once", "replace"}, default=True
        New order every epoch, the given order, one order for all epochs, or every row drawn with replacement.
    warm_start : bool, default=False
        Go on from the last fit: its vectors, and the length of steps after as many epochs. The dual point is made of
        the steps of this fit alone.
    multiclass : {"ovr", "ovo"}, default="ovr"
        Binary parts: each class against the rest, or against each other.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of the classes.
    random_state : int, RandomState instance or None, default=0
        Seed of the orders.
    n_jobs : int, optional
        Threads for the binary parts of a multiclass problem.
    max_time : float, optional
        Most seconds.
    observe : callable, optional
        `observe(epoch, columns, snapshot)`, may return True to stop.
    verbose : int, default=0
        Kept for scikit-learn's signature; use `set_callbacks(ProgressBar())` to see progress.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        One row and one number a binary part.
    classes_ : ndarray
        Labels.
    n_iter_, n_steps_, n_updates_ : int
        Epochs, steps, and rows that were active in them; the last two summed over the binary parts.
    converged_ : bool
        Whether the gap is what was asked for.
    stop_reason_ : str
        Why the fit ended, with the gap that was reached.
    certificate_ : SVMCertificate
        Primal and dual objective and their gap, recomputed in float64 without the solver.
    proof_ : DualPoints or None
        The points of the dual that prove it.
    trace_ : Trace
        Active rows, loss at the visits, and gap when last recomputed, by epoch.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GradientClassifier._parameter_constraints,
        "batch_size": [count()],
        "average": ["boolean"],
    }

    batch_size: int = 1
    average: bool = False
    fit_intercept: bool = False

    def _options(self, seed: int) -> GradientOptions:
        return GradientOptions(
            rule="pegasos",
            lam=float(self.alpha),
            batch=self.batch_size,
            intercept=self.fit_intercept,
            drawing=DRAWING[self.shuffle],
            seed=seed,
            average=self.average,
        )
