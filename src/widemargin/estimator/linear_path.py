"""A linear machine for many C: each solution is the start of the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..base.drive import Watch
from ..base.warn import warn
from ..model.curve import CPath
from .svc_path import checked_Cs

SOFTER = 0.4  # of the last sharpness is that of the next start
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
        data = first._read(X, y, sample_weight)
        watch = Watch(max_time=self.max_time)
        models, seconds, solved = [], [], None
        for C in Cs:
            began = time.perf_counter()
            model = clone(self).set_params(C=float(C))
            vars(model).update({name: vars(first)[name] for name in KNOWN if name in vars(first)})
            solved = model._learn(data, watch, starts_from(solved))
            vars(model).pop("_ended")
            models.append(model)
            seconds.append(time.perf_counter() - began)
        gaps = np.array([m.certificate_.relative_gap for m in models])
        missed = [m for m in models if not m.converged_]
        if missed:
            told = f"{len(missed)} of {len(models)} machines did not reach tol={self.tol:.2g}; C={missed[0].C:g}: "
            warn(told + missed[0].stop_reason_, ConvergenceWarning)
        return CPath(Cs, models, gaps, np.array([m.n_iter_ for m in models]), np.array(seconds))


def starts_from(solved: Sequence[Any] | None) -> Callable[[Sequence[Any]], list[tuple[Any, ...]]]:
    """Where the parts begin: at the solutions for another C, if there are any."""

    def starts(problems: Sequence[Any]) -> list[tuple[Any, ...]]:
        if solved is None:
            return [()] * len(problems)
        return [
            (s.solution.w, p.carried(s.solution.b, s.problem), max(1.0, SOFTER * s.solution.sharpness))
            for s, p in zip(solved, problems, strict=True)
        ]

    return starts
