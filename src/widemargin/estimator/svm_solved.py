"""The solved parts of a support vector machine: one by one, or as columns of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.lazy import lazy
from ..base.records import Stop
from ..certificate.record import SVMCertificate
from ..model.box import BoxProblem
from ..model.dual import DualPoint, DualPoints
from ..solver.pairs import PairFits
from ..solver.svm import BoxSolution


@dataclass
class Solved:
    """A part: its solution, what the model is divided by, and what was proved."""

    problem: BoxProblem
    solution: BoxSolution
    scale: float
    certificate: SVMCertificate = SVMCertificate(claim="not recomputed yet", holds=None)  # noqa: RUF009
    resolution: float = 0.0  # of the objective, where its optimum may be 0

    @lazy
    def point(self) -> DualPoint:
        return DualPoint(self.solution.b, self.solution.rho if len(self.problem.total) == 2 else 0.0)

    @lazy
    def coef(self) -> np.ndarray:
        """Of each item of the part."""
        return self.problem.items(self.solution.b) / self.scale

    @property
    def intercept(self) -> float:
        return self.solution.intercept / self.scale

    @property
    def free(self) -> np.ndarray:
        """Which items have a variable inside of its box."""
        b, p = self.solution.b, self.problem
        inside: np.ndarray = (b > p.lower) & (b < p.upper)
        return np.logical_or.reduce(inside.reshape(-1, p.n))


class SolvedParts(Sequence[Solved]):
    """Any parts, from a list of them; columns have the parts one behind the other."""

    def __init__(self, parts: Sequence[Solved]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, k: Any) -> Any:
        return self._parts[k]

    @property
    def problems(self) -> Sequence[BoxProblem]:
        return [s.problem for s in self]

    @property
    def coef(self) -> np.ndarray:
        return np.concatenate([s.coef for s in self])

    def free(self, here: np.ndarray) -> np.ndarray:
        """Which of the items at these places have a variable inside of its box."""
        return np.concatenate([s.free for s in self])[here]

    @property
    def square(self) -> np.ndarray:
        return np.array([s.solution.square for s in self])

    @property
    def scale(self) -> np.ndarray:
        return np.array([s.scale for s in self])

    @property
    def intercept(self) -> np.ndarray:
        return np.array([s.intercept for s in self])

    @property
    def steps(self) -> np.ndarray:
        return np.array([s.solution.steps for s in self])

    @property
    def kinds(self) -> list[str]:
        return [s.solution.stop.kind for s in self]

    @property
    def points(self) -> DualPoints:
        return DualPoints.of([s.point for s in self])

    @property
    def certificates(self) -> list[SVMCertificate]:
        return [s.certificate for s in self]


class SolvedPairs(SolvedParts):
    """All pairs of classes, as they stand in `fits`; squares and certificates come with `proved`."""

    def __init__(self, fits: PairFits, scale: np.ndarray) -> None:
        self.fits, self._scale = fits, scale
        self._coef = fits.b if (scale == 1).all() else fits.b / np.repeat(scale, fits.problems.sizes)
        self._square, self.resolution = np.full((2, len(scale)), np.nan)
        self._certificates: list[SVMCertificate] = []

    def __len__(self) -> int:
        return len(self._scale)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[q] for q in range(*k.indices(len(self)))]
        fits, p = self.fits, self.fits.problems
        here = slice(int(p.first[k]), int(p.ends[k]))
        stop, steps, square = Stop(fits.kinds[k], ""), int(fits.steps[k]), float(self._square[k])
        found = BoxSolution(fits.b[here], fits.offsets[k], stop, steps, fits.trace(k), square, fits.f[here])
        return Solved(p[k], found, float(self._scale[k]), self._certificates[k], float(self.resolution[k]))

    def __setitem__(self, k: int, s: Solved) -> None:
        here = slice(int(self.fits.problems.first[k]), int(self.fits.problems.ends[k]))
        self.fits.take(k, s.solution)
        self._coef[here], self._certificates[k] = s.coef, s.certificate
        self._scale[k], self._square[k], self.resolution[k] = s.scale, s.solution.square, s.resolution

    @property
    def rho(self) -> np.ndarray:
        return self.fits.rho

    @property
    def problems(self) -> Sequence[BoxProblem]:
        return self.fits.problems

    @property
    def coef(self) -> np.ndarray:
        return self._coef

    def free(self, here: np.ndarray) -> np.ndarray:
        p, b = self.fits.problems, self.fits.b[here]
        return (b > p.lower[here]) & (b < p.upper[here])

    @property
    def square(self) -> np.ndarray:
        return self._square

    @property
    def scale(self) -> np.ndarray:
        return self._scale

    @property
    def intercept(self) -> np.ndarray:
        return self.fits.intercept / self._scale

    @property
    def steps(self) -> np.ndarray:
        return self.fits.steps

    @property
    def kinds(self) -> list[str]:
        return self.fits.kinds

    @property
    def points(self) -> DualPoints:
        return DualPoints(self.fits.b, self.fits.problems.ends, self.rho)

    @property
    def certificates(self) -> list[SVMCertificate]:
        return self._certificates

    def proved(self, square: np.ndarray, resolution: np.ndarray | float, certificates: list[SVMCertificate]) -> None:
        self._square[:], self.resolution[:], self._certificates = square, resolution, certificates
