"""How much worse a forest does out of the bag when a column no longer tells anything.

Problem  importance of column j = error of out-of-bag votes with the numbers of column j dealt out anew among the rows,
         less the error as it is
Method   [Breiman01, sec. 10], with the votes of the whole forest rather than of single trees
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from ..base.errors import BadInput, DataMismatch
from ..base.seeds import keyed
from ..certificate.forest import oob_votes, row_losses


def oob_importances(forest: Any, X: Any, y: Any, sample_weight: Any, n_repeats: int) -> Bunch:
    """`importances` (columns × repeats), their means and deviations."""
    data = forest._read(X, y, sample_weight, reset=False)
    proof, expected = forest.proof_, forest.certificate_.data_digest
    if proof is None or not proof.draws:
        raise BadInput("importances out of the bag need trees that drew their rows, and the proof of the draws.")
    if data.digest != expected:
        raise DataMismatch(f"these are not the data of the fit: digest {data.digest}, the fit had {expected}.")

    def error(rows: np.ndarray) -> float:
        votes, voters = oob_votes(forest.trees_, rows, data.missing, proof, data.weight, forest._threads())
        seen = voters > 0
        return float(row_losses(votes[seen] / voters[seen, None], data.y[seen], data.classes).mean())

    base, d = error(data.X), data.X.shape[1]
    falls, turned = np.zeros((d, n_repeats)), data.X.copy()
    used = np.unique(forest._used_columns())
    for j in used:  # a column that no tree asks for changes nothing
        for r in range(n_repeats):
            turned[:, j] = data.X[keyed(proof.seed, "turn", int(j) * n_repeats + r).permutation(data.n), j]
            falls[j, r] = error(turned) - base
        turned[:, j] = data.X[:, j]
    return Bunch(importances=falls, importances_mean=falls.mean(axis=1), importances_std=falls.std(axis=1))
