"""Scores of many machines, and which of them to take.

best     the highest mean score; of equal ones the smallest C, then the smallest gamma
one_se   with the gamma of the best: the smallest C whose mean lies within one standard error of the best
knee     with the gamma of the best: where the curve of the loss over log C, as far as its minimum, lies furthest below
         the straight line between its ends: beyond it more C buys little
         [SatopaaEtAl11, Kneedle; BreimanEtAl84, 1 SE]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

RULES = ("best", "one_se", "knee")


@dataclass(frozen=True, eq=False)
class SearchPath:
    """What a search over C and gamma has seen.

    Attributes
    ----------
    Cs : ndarray of shape (n_C,)
        Rising.
    gammas : ndarray of shape (n_gamma,)
        Rising; one NaN where gamma was not searched.
    fold_scores : ndarray of shape (n_gamma, n_C, n_folds)
        Score of each held-out part; NaN where time was over.
    gaps : ndarray of shape (n_gamma, n_C, n_folds)
        The largest relative duality gap of the binary parts, as the solver saw it.
    n_iter : ndarray of int of shape (n_gamma, n_C, n_folds)
        Pairwise steps of all binary parts.
    seconds : ndarray of shape (n_gamma, n_C, n_folds)
        Time of the solvers.
    """

    Cs: np.ndarray
    gammas: np.ndarray
    fold_scores: np.ndarray
    gaps: np.ndarray
    n_iter: np.ndarray
    seconds: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """Mean score, n_gamma x n_C."""
        return self.fold_scores.mean(axis=2)

    @property
    def errors(self) -> np.ndarray:
        """Standard error of the mean score, n_gamma x n_C."""
        folds = self.fold_scores.shape[2]
        return self.fold_scores.std(axis=2, ddof=1) / np.sqrt(folds) if folds > 1 else np.zeros(self.scores.shape)

    @property
    def best(self) -> tuple[int, int]:
        """Numbers of gamma and C."""
        score = np.where(np.isnan(self.scores), -np.inf, self.scores)
        c, g = np.unravel_index(np.argmax(score.T), score.T.shape)
        return int(g), int(c)

    @property
    def one_se(self) -> tuple[int, int]:
        g, c = self.best
        good = self.scores[g] >= self.scores[g, c] - self.errors[g, c]
        return g, int(np.argmax(good)) if good.any() else c

    @property
    def knee(self) -> tuple[int, int]:
        g, _ = self.best
        return g, knee(self.Cs, self.scores[g])

    def chosen(self, rule: str) -> tuple[int, int]:
        return {"best": self.best, "one_se": self.one_se, "knee": self.knee}[rule]

    @property
    def params(self) -> list[dict[str, float]]:
        """All candidates: C by C, and for each all gammas, as scikit-learn orders them."""
        one = np.isnan(self.gammas).all()
        return [{"C": float(C)} if one else {"C": float(C), "gamma": float(g)} for C in self.Cs for g in self.gammas]

    def index(self, g: int, c: int) -> int:
        """The place of a candidate in `params`."""
        return c * len(self.gammas) + g

    def table(self) -> dict[str, Any]:
        """The candidates with their scores, in the form of scikit-learn's GridSearchCV."""
        flat = self.fold_scores.transpose(1, 0, 2).reshape(len(self.params), -1)
        found: dict[str, Any] = {"params": self.params}
        for name in self.params[0]:
            found[f"param_{name}"] = np.ma.array([p[name] for p in self.params], mask=False)
        found |= {f"split{k}_test_score": flat[:, k] for k in range(flat.shape[1])}
        mean = flat.mean(axis=1)
        found |= {"mean_test_score": mean, "std_test_score": flat.std(axis=1)}
        ranks = rankdata(-np.where(np.isnan(mean), -np.inf, mean), method="min")
        return found | {"rank_test_score": ranks.astype(np.int32)}


def knee(Cs: np.ndarray, scores: np.ndarray) -> int:
    """The number of the C at the knee of one curve; the first where the curve is flat or only falls."""
    scores = np.where(np.isnan(scores), -np.inf, scores)
    last = int(np.argmax(scores))
    if last == 0 or not np.isfinite(scores[: last + 1]).all():
        return last
    x = np.log(Cs[: last + 1])
    x = (x - x[0]) / (x[-1] - x[0])
    loss = scores[last] - scores[: last + 1]
    height = float(loss.max())
    return int(np.argmax((1 - x) * loss[0] / height - loss / height))


@dataclass(frozen=True, eq=False)
class CPath:
    """Machines along C, each the start of the next.

    Attributes
    ----------
    Cs : ndarray of shape (n_C,)
        Rising.
    models : list of SVC
        One fitted and certified machine for each C.
    gaps : ndarray of shape (n_C,)
        Certified relative duality gaps, the largest of all binary parts.
    n_iter : ndarray of int of shape (n_C,)
        Pairwise steps of all binary parts.
    seconds : ndarray of shape (n_C,)
        Time for each C.
    """

    Cs: np.ndarray
    models: list[Any]
    gaps: np.ndarray
    n_iter: np.ndarray
    seconds: np.ndarray

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, k: int) -> Any:
        return self.models[k]
