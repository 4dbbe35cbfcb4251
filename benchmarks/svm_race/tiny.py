"""Small problems, where everything but the solver counts: the median of 200 fits, ours and scikit-learn's in turn."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np

FITS = 200
ASKED = 1.1


def problems() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification

    found = {"iris 150": load_iris(return_X_y=True), "breast cancer 569": load_breast_cancer(return_X_y=True)}
    for n in (150, 500, 1000, 2000):
        found[f"synthetic {n}"] = make_classification(n, 20, n_informative=10, flip_y=0.1, random_state=0)
    found["digits 1797"] = load_digits(return_X_y=True)
    return {name: ((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9), y) for name, (X, y) in found.items()}


def seconds(make: Any, X: np.ndarray, y: np.ndarray) -> float:
    began = time.process_time()
    make().fit(X, y)
    return time.process_time() - began


def tiny(fits: int = FITS) -> dict[str, Any]:
    import threadpoolctl
    from sklearn.svm import SVC

    import widemargin as wm

    rows, verdicts = {}, {}
    print(f"\ntiny problems, median of {fits} fits\n{'rows':<20}{'ours ms':>9}{'sklearn ms':>12}{'ratio':>7}")
    with threadpoolctl.threadpool_limits(1):
        for name, (X, y) in problems().items():
            runs = [(seconds(wm.SVC, X, y), seconds(SVC, X, y)) for _ in range(fits)]
            mine, theirs = (1000 * median(r[k] for r in runs) for k in (0, 1))
            rows[name] = {"ours_ms": mine, "sklearn_ms": theirs}
            verdicts[name] = {"asked": ASKED, "ratio": mine / theirs, "holds": mine <= ASKED * theirs}
            said = "holds" if verdicts[name]["holds"] else "DOES NOT HOLD"
            print(f"{name:<20}{mine:>9.3f}{theirs:>12.3f}{mine / theirs:>7.2f}  asked at most {ASKED}  {said}")
    return {"rows": rows, "verdicts": verdicts, "fits": fits}
