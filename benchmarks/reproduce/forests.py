"""Are forests as accurate as scikit-learn's?

Random splits with a tenth of the rows for testing (40 for small sets, whose test parts are tiny, 10 for the others;
sets with a test part of their own: ten seeds), 100 trees, ours and scikit-learn's on the same rows: the mean paired
difference in points (of accuracy, or of 100 R²), with its standard error. Where a set has no number to learn,
"set: column" is one of its own measured columns, told from the others.

Every set is written to results/forests_accuracy.json as soon as it is done, so the study can be run in pieces.
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
RESULTS = Path(__file__).parents[1] / "results" / "forests_accuracy.json"
SMALL = (
    *("breast_w", "credit_g", "diabetes", "ecoli", "glass", "ionosphere", "kr_vs_kp", "segment", "sonar", "vehicle"),
    *("vote", "vowel", "waveform5000"),
)
SPLIT = {"letter": 16_000, "satimage": 4_435, "dna": 2_000, "spambase": None, "covtype_20k": None, "mnist": 6_000}
NUMBERS = {  # set, column to tell, most rows
    "diabetes of scikit-learn": ("", 0, 0),
    "friedman1": ("", 0, 0),
    "glass: refractive index": ("uci_glass", 0, 0),
    "vehicle: compactness": ("uci_vehicle", 0, 0),
    "covtype: elevation": ("covtype_20k", 0, 4_000),
    "waveform: height at 11": ("uci_waveform5000", 10, 3_000),
}
KINDS = ("RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor", "ExtraTreesRegressor")


def rows(name: str) -> tuple[np.ndarray, np.ndarray, int | None]:
    """X, y and the number of training rows where the set says it."""
    if name == "diabetes of scikit-learn":
        return (*load_diabetes(return_X_y=True), None)
    if name == "friedman1":
        from sklearn.datasets import make_friedman1

        return (*make_friedman1(1000, noise=1.0, random_state=0), None)
    from load import load

    if name in NUMBERS:
        source, column, most = NUMBERS[name]
        X = _dense(load(source)[0])
        X = X[np.random.default_rng(0).permutation(len(X))[: most or len(X)]]
        return np.delete(X, column, axis=1).astype(np.float32), X[:, column], None
    X, y = load(f"uci_{name}" if name in SMALL else name)
    if name == "mnist":  # a tenth of both parts
        X, y = X[np.r_[0:60_000:10, 60_000:70_000:10]], y[np.r_[0:60_000:10, 60_000:70_000:10]]
    return _dense(X).astype(np.float32), np.unique(y, return_inverse=True)[1], SPLIT.get(name)


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)


def compare(name: str, splits: int) -> dict[str, Any]:
    X, y, n = rows(name)
    found: dict[str, Any] = {"set": name, "rows": len(y), "columns": X.shape[1], "splits": splits}
    for kind in (k for k in KINDS if k.endswith("Regressor") == (name in NUMBERS)):
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
        }
    return found


def verdict(kept: dict[str, Any]) -> str:
    cells = [(name, kind, f[kind]) for name, f in kept.items() for kind in KINDS if kind in f]
    mean = np.mean([f["difference"] for _, _, f in cells])
    worst = min(cells, key=lambda c: c[2]["difference"] / max(c[2]["error"], 1e-12))
    ratio = worst[2]["difference"] / max(worst[2]["error"], 1e-12)
    return (
        f"{len(kept)} sets, {len(cells)} comparisons: mean difference {mean:+.3f} points; the worst by its standard "
        f"error: {worst[0]}, {worst[1]}, {ratio:+.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*SMALL, *SPLIT, *NUMBERS])
    parser.add_argument("--splits", type=int)
    options = parser.parse_args()
    for name in options.sets:
        found = compare(name, options.splits or (10 if name in SPLIT else 40))
        kept = {f["set"]: f for f in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
        kept[name] = found
        RESULTS.write_text(json.dumps(list(kept.values()), indent=1) + "\n")
        for kind in (k for k in KINDS if k in found):
            f = found[kind]
            print(
                f"{name:26} {kind:24} ours {f['ours']:7.3f}  scikit-learn {f['scikit-learn']:7.3f}  difference "
                f"{f['difference']:+.3f} ± {f['error']:.3f}",
                flush=True,
            )
        print(verdict(kept), flush=True)


if __name__ == "__main__":
    main()
