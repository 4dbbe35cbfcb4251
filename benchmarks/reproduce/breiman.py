"""Breiman's tables: bagging [Breiman96, table 1] and random forests [Breiman01, table 2] on the sets at hand.

Random forests: 100 splits with a tenth of the rows for testing, 100 trees, columns a node F = 1 or log2 d + 1,
whichever has the smaller out-of-bag error. Bagging: 100 such splits, 50 trees. Errors in percent, with the standard
error over splits, beside the published figures.

Data: WIDEMARGIN_DATA.    python benchmarks/reproduce/breiman.py [set …] [--splits 100]
"""

from __future__ import annotations

import argparse
import json
import sys
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

import widemargin as wm

sys.path.insert(0, str(Path(__file__).parent))
from forests import rows

RESULTS = Path(__file__).parents[1] / "results" / "breiman.json"
FORESTS = {
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
}
BAGS = {"breast_w": (5.9, 3.7), "ionosphere": (11.2, 7.9), "diabetes": (25.3, 23.9), "glass": (30.4, 23.6)}


def parts(y: np.ndarray, split: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(split).permutation(len(y))
    last = len(y) - max(1, round(len(y) / 10))
    return order[:last], order[last:]


def forest_error(X: np.ndarray, y: np.ndarray, split: int) -> float:
    train, test = parts(y, split)
    candidates = [
        wm.RandomForestClassifier(100, max_features=F, oob_score=True, random_state=split).fit(X[train], y[train])
        for F in (1, int(log2(X.shape[1]) + 1))
    ]
    return 1 - min(candidates, key=lambda f: f.oob_error_).score(X[test], y[test])


def bag_errors(X: np.ndarray, y: np.ndarray, split: int) -> tuple[float, float]:
    train, test = parts(y, split)
    tree = wm.DecisionTreeClassifier(random_state=split).fit(X[train], y[train])
    bag = wm.BaggingClassifier(n_estimators=50, random_state=split).fit(X[train], y[train])
    return 1 - tree.score(X[test], y[test]), 1 - bag.score(X[test], y[test])


def told(errors: Any) -> dict[str, float]:
    e = 100 * np.asarray(errors)
    return {"error": round(float(e.mean()), 2), "se": round(float(e.std(ddof=1) / np.sqrt(len(e))), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(FORESTS))
    parser.add_argument("--splits", type=int, default=100)
    options = parser.parse_args()
    for name in options.sets:
        X, y, _ = rows(name)
        found: dict[str, Any] = {"set": name, "splits": options.splits}
        found["forest"] = {**told([forest_error(X, y, s) for s in range(options.splits)]), "published": FORESTS[name]}
        if name in BAGS:
            both = np.array([bag_errors(X, y, s) for s in range(options.splits)]).T
            for kind, errors, published in zip(("tree", "bag"), both, BAGS[name], strict=True):
                found[kind] = {**told(errors), "published": published}
        kept = {f["set"]: f for f in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
        kept[name] = found
        RESULTS.write_text(json.dumps(list(kept.values()), indent=1) + "\n")
        for kind in ("tree", "bag", "forest"):
            if kind in found:
                f = found[kind]
                print(f"{name:12} {kind:7} {f['error']:6.2f} ± {f['se']:.2f}   published {f['published']}", flush=True)


if __name__ == "__main__":
    main()
