"""Are forests as accurate as scikit-learn's, and as Breiman's?

1. Ten random splits (a tenth of the rows for testing; sets with a test part of their own: ten seeds), 100 trees, ours
   and scikit-learn's on the same rows: the mean paired difference in points, with its standard error.
2. Forest-RI against the published errors [Breiman01, table 2]; splits are fewer than there, so errors carry their own
   standard error.

Data: WIDEMARGIN_DATA.    python benchmarks/reproduce/forests.py [set …] [--splits 10]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.ensemble
from sklearn.datasets import load_diabetes

import widemargin

sys.path.insert(0, os.environ.get("WIDEMARGIN_DATA", "."))
RESULTS = Path(__file__).parents[1] / "results"
SMALL = (
    *("breast_w", "credit_g", "diabetes", "ecoli", "glass", "ionosphere", "kr_vs_kp", "segment", "sonar", "vehicle"),
    *("vote", "vowel", "waveform5000"),
)
SPLIT = {"letter": 16_000, "satimage": 4_435, "dna": 2_000, "spambase": None, "covtype_20k": None}
NUMBERS = ("diabetes of scikit-learn", "friedman1")
PUBLISHED = {  # Forest-RI, error in percent [Breiman01, table 2]
    "glass": 20.6,
    "breast_w": 2.9,
    "diabetes": 24.2,
    "sonar": 15.9,
    "vowel": 3.4,
    "ionosphere": 7.1,
    "vehicle": 25.8,
    "credit_g": 24.4,
    "segment": 2.1,
    "ecoli": 12.8,
    "vote": 4.1,
    "letter": 3.5,
    "satimage": 8.6,
}


def rows(name: str) -> tuple[np.ndarray, np.ndarray, int | None]:
    """X, y and the number of training rows where the set says it."""
    if name == "diabetes of scikit-learn":
        return (*load_diabetes(return_X_y=True), None)
    if name == "friedman1":
        from sklearn.datasets import make_friedman1

        return (*make_friedman1(1000, noise=1.0, random_state=0), None)
    from load import load

    X, y = load(f"uci_{name}" if name in SMALL else name)
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return X.astype(np.float32), np.unique(y, return_inverse=True)[1], SPLIT.get(name)


def compare(name: str, splits: int) -> dict[str, Any]:
    X, y, n = rows(name)
    kinds = [f"{kind}{'Regressor' if name in NUMBERS else 'Classifier'}" for kind in ("RandomForest", "ExtraTrees")]
    found: dict[str, Any] = {"set": name, "rows": len(y), "columns": X.shape[1]}
    for kind in kinds:
        scores = []
        for split in range(splits):
            order = np.arange(len(y)) if n else np.random.default_rng(split).permutation(len(y))
            last = n or len(y) - max(1, len(y) // 10)
            train, test = order[:last], order[last:]
            both = [
                getattr(module, kind)(100, random_state=split).fit(X[train], y[train]).score(X[test], y[test])
                for module in (widemargin, sklearn.ensemble)
            ]
            scores.append(both)
        ours, theirs = 100 * np.array(scores).T
        gap = ours - theirs
        found[kind] = {
            "ours": float(ours.mean()),
            "scikit-learn": float(theirs.mean()),
            "difference": float(gap.mean()),
            "error": float(gap.std(ddof=1) / np.sqrt(splits)),
            "own error": float(ours.std(ddof=1) / np.sqrt(splits)),
        }
    if name in PUBLISHED:
        found["published error"] = PUBLISHED[name]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*SMALL, *SPLIT, *NUMBERS])
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_args()
    results = []
    for name in options.sets:
        found = compare(name, options.splits)
        results.append(found)
        for kind in ("RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor", "ExtraTreesRegressor"):
            if kind in found:
                f = found[kind]
                said = f"  published error {found['published error']}" if "published error" in found else ""
                print(
                    f"{name:26} {kind:24} ours {f['ours']:7.3f}  scikit-learn {f['scikit-learn']:7.3f}  difference "
                    f"{f['difference']:+.3f} ± {f['error']:.3f}{said if kind.startswith('RandomForestC') else ''}",
                    flush=True,
                )
    (RESULTS / "forests_accuracy.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
