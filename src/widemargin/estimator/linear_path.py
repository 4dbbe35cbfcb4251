"""A linear machine for many C: each solution is the start of the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..base.blas import one_blas_thread
from ..base.drive import Watch
from ..base.warn import warn
from ..certificate.linear import products
from ..loss.losses import Hinge, SquaredHinge, SquaredTube, Tube
from ..model.curve import CPath
from ..model.linear_problem import times_further
from .linear_stop import reached
from .linear_work import LinearWork, Solved
from .svc_path import checked_Cs

TOGETHER = 8  # certificates made at once: rows are read once for them
MOST = 3.0  # times smaller may a variable become at once
SOFTER = 0.2  # of the last sharpness is that of the next start
ALONG: dict[Any, Callable[[float], float]] = {  # where solutions lie on lines that are worth following: in what of C
    (Hinge, "newton"): lambda C: C,
    (Tube, "newton"): lambda C: C,
    (SquaredHinge, "dual descent"): lambda C: 1 / C,
    (SquaredTube, "dual descent"): lambda C: 1 / C,
}
KNOWN = ("n_features_in_", "feature_names_in_")


class AlongC:
    """Comes before a linear machine that has a C."""

    def path(self, X: Any, y: Any, Cs: Any, sample_weight: Any = None) -> CPath:
        """The machines for many C with everything else as here; this one stays as it is.

        The rows are read once; from the smallest C on, each solution is the start of the next. The optimum of each is
        that of a fit of its own, with the same certificate.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        Cs : array-like of float
            Positive and finite, in any order.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        CPath
            `Cs` (rising), `models` (a fitted machine each), `gaps`, `n_iter`, `seconds`
        """
        Cs = checked_Cs(Cs)
        first = clone(self).set_params(C=float(Cs[0]))
        first._validate_params()
        first._refuse_impossible()
        data = first._walked(first._read(X, y, sample_weight))
        watch = Watch(max_time=self.max_time)
        models, waiting, seconds = [], [], np.zeros(len(Cs))
        solved: Any = None
        before: Any = None
        for k, C in enumerate(Cs):
            began = time.perf_counter()
            model = clone(self).set_params(C=float(C))
            vars(model).update({name: vars(first)[name] for name in KNOWN if name in vars(first)})
            starts = starts_from(solved, before)
            before, (work, solved) = solved, model._solve(data, watch, starts, later=True)
            work.fits.clear()
            for s in before or ():
                s.solution.known = None  # memory that nobody asks for again
            models.append(model)
            waiting.append((model, work, solved))
            seconds[k] += time.perf_counter() - began
            if k + 1 == len(Cs) or sum(len(parts) for _, _, parts in waiting) >= TOGETHER:
                began = time.perf_counter()
                end_together(waiting, watch)
                seconds[k + 1 - len(waiting) : k + 1] += (time.perf_counter() - began) / len(waiting)
                waiting = []
        gaps = np.array([m.certificate_.relative_gap for m in models])
        missed = [m for m in models if not m.converged_]
        if missed:
            told = f"{len(missed)} of {len(models)} machines did not reach tol={self.tol:.2g}; C={missed[0].C:g}: "
            warn(told + missed[0].stop_reason_, ConvergenceWarning)
        return CPath(Cs, models, gaps, np.array([m.n_iter_ for m in models]), seconds)


def end_together(waiting: Sequence[tuple[Any, LinearWork, list[Solved]]], watch: Watch) -> None:
    """The certificates that are missing, by one look at the rows for all. What does not bear its own is fitted on."""
    data = waiting[0][1].data
    parts = [(model, s) for model, _, solved in waiting for s in solved if s.certificate.holds is None]
    with one_blas_thread():
        if parts:
            W, B = (np.column_stack([getattr(s.solution, name) for _, s in parts]) for name in "wb")
            Z, V = products(data.X, W[:-1], B)
        for k, (model, s) in enumerate(parts):
            w, b = s.solution.w, s.solution.b
            s.certificate = model._certificate(data, s.problem, w, b, (Z[:, k], V[:, k]))
    for model, work, solved in waiting:
        if all(s.solution.stop.kind != "converged" or reached(model, s.certificate) for s in solved):
            model._end(work, solved)
        else:
            model._learn(data, watch, starts_from(solved))
        vars(model).pop("_ended")


def starts_from(
    solved: Sequence[Solved] | None, before: Sequence[Solved] | None = None
) -> Callable[[Sequence[Any]], list[tuple[Any, ...]]]:
    """Where the parts begin: at the solutions for another C, if there are any, or further along the line from those
    `before` it."""

    def starts(problems: Sequence[Any]) -> list[tuple[Any, ...]]:
        if solved is None:
            return [()] * len(problems)
        older: Sequence[Solved | None] = before or [None] * len(problems)
        return [
            (*carried_on(p, last, old), max(1.0, SOFTER * last.solution.sharpness), last.solution.known)
            for p, last, old in zip(problems, solved, older, strict=True)
        ]

    return starts


def carried_on(problem: Any, last: Solved, old: Solved | None) -> tuple[np.ndarray, np.ndarray]:
    """w and b from which to begin at the price of `problem`.

    As long as the same rows lie on the margin and beyond it, w and b are linear in C where the loss is the hinge or a
    tube [HastieEtAl04]; of their squares b = (K + 1/(2C))^-1 t, in each direction a hyperbola in 1/C. Newton's method
    comes back from a line that led too far; dual descent takes long where bounds were in the way.
    """
    w, b, method = last.solution.w, last.solution.b, last.solution.solver
    along = ALONG.get((type(getattr(problem, "loss", None)), method))
    if old is None or along is None:
        return w, problem.carried(b, last.problem)
    first, second, third = (along(float(p.C[0])) for p in (old.problem, last.problem, problem))
    further = times_further(first, second, third)
    if further is None:
        return w, problem.carried(b, last.problem)
    ahead = w + further * (w - old.solution.w)
    if problem.loss.unbounded:
        return ahead, along_hyperbola(old.solution.b, b, further, third / second)
    return ahead, problem.inside(b + further * (b - old.solution.b))


def along_hyperbola(old: np.ndarray, b: np.ndarray, further: float, least: float) -> np.ndarray:
    """1/b is a line: `further` along it as many times the way from old to b. It falls to no less than `least` times
    what it is (b is at most C times a slack that C makes smaller), and grows to no more than MOST times."""
    ratio = np.divide(b, old, out=np.ones_like(b), where=old != 0)
    return b / np.clip(1 + further * (1 - ratio), least, MOST)
