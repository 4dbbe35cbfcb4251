"""The linear support vector machine by plain stochastic gradient descent, with a duality gap.

Problem  min over (w, c)   alpha/2 |w|^2 + 1/n sum_i (1 - y_i (w.x_i + c))+
Stops    when the relative duality gap, recomputed in float64, is at most tol
Method   one row at a time, drawn with replacement, steps of m / (e + n) in epoch e; the steps that a row made, over
         those it could have made, are its share in a point of the dual
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from ..base.errors import BadInput
from ..base.params import Interval, positive
from ..solver.gradient import GradientOptions
from .gradient_fit import DRAWING, GradientClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class SGDSVC(GradientClassifier):
    """Linear support vector machine by stochastic gradients, with the proof of how far it is from the optimum.

    A step draws a row, with replacement: w ← w − ηαw, and if y (w·x + b) < 1, also w ← w + ηyx and b ← b + ηy. In epoch
    e = 1, 2, … the step is η = m/(e + n). An epoch has as many steps as there are rows.

    Parameters
    ----------
    alpha : float, default=1e-4
        λ: strength of the penalty α/2 |w|².
    step_scale : float, default=0.1
        m. Long rows want small steps: 1/|x|² or a few times that is a good guess.
    step_delay : float, default=1.0
        n. The first step, m/(1 + n), may not be above 1/alpha.
    fit_intercept : bool, default=True
        Learn a bias, which is not penalised.
    max_iter : int, default=1000
        Most epochs.
    tol : float or None, default=1e-3
        Stop when the relative duality gap, which is recomputed after 1, 2, 3, 4, 6, 9, 13 … epochs, is at most this;
        None: go on to `max_iter`.
    shuffle : bool or {"once", "replace"}, default="replace"
        Every row drawn with replacement, new order every epoch, the given order, or one order for all epochs. The rows
        of `partial_fit` were drawn by whoever gives them: each is visited once.
    warm_start, multiclass, class_weight, random_state, n_jobs, max_time, observe, verbose
        As in :class:`Pegasos`.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, n_steps_, n_updates_, converged_, stop_reason_, certificate_, proof_, trace_
        As in :class:`Pegasos`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **GradientClassifier._parameter_constraints,
        "step_scale": [positive()],
        "step_delay": [Interval(Real, 0, None, closed="left")],
    }

    step_scale: float = 0.1
    step_delay: float = 1.0
    shuffle: bool | str = "replace"

    def _refuse_impossible(self) -> None:
        first = self.step_scale / (1 + self.step_delay)
        if first * self.alpha > 1:
            raise BadInput(
                f"the first step, step_scale / (1 + step_delay) = {first:.4g}, is above 1 / alpha = "
                f"{1 / self.alpha:.4g}: w would swing to and fro. Lower step_scale or alpha."
            )

    def _options(self, seed: int) -> GradientOptions:
        return GradientOptions(
            rule="sgd",
            lam=float(self.alpha),
            scale=float(self.step_scale),
            delay=float(self.step_delay),
            intercept=self.fit_intercept,
            drawing=DRAWING[self.shuffle],
            seed=seed,
        )
