"""What is published about boosting, on the sets at hand.

letter    AdaBoost.M1 with trees after 5, 100 and 1000 rounds [SchapireEtAl98, fig. 1]: test error 8.4, 3.3, 3.1 %,
          training error 0, least margin 0.14, 0.52, 0.55. 16,000 rows to learn from, 4,000 to be judged by, five seeds.
tables    [FreundSchapire96, table 2]: single tests of one attribute (M1, and the pseudo-loss of M2) and trees, 100
          rounds, ten times ten-fold cross-validation; scikit-learn's AdaBoost on the same folds and the same trees.
spheres   400 stumps on make_hastie_10_2, 2,000 rows to learn from and 10,000 to be judged by: 5.8 % [HastieEtAl09,
          fig. 10.2].

Trees are grown until leaves are pure, on rows drawn by weight: one that is given weights makes no error, and nothing is
left to boost. Every part is written to results/boosting_accuracy.json when it is done: all can be run in pieces.

Data: WIDEMARGIN_DATA.    python benchmarks/reproduce/boosting.py letter|tables|spheres [set …] [--repeats 10]
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, make_hastie_10_2
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

import widemargin as wm
from widemargin.study import boosting_margins

sys.path.insert(0, str(Path(__file__).parent))
from forests import rows

RESULTS = Path(__file__).parents[1] / "results"
ROUNDS = (5, 100, 1000)
LETTER = {"test error": (8.4, 3.3, 3.1), "least": (0.14, 0.52, 0.55)}
# One attribute test: M1, M2 (None: two classes, where both are the same); trees.
TABLE = {
    "glass": (51.1, 29.4, 22.7),
    "ionosphere": (8.5, None, 5.8),
    "sonar": (16.5, None, 19.0),
    "vehicle": (64.4, 26.1, 22.6),
    "segment": (75.8, 4.2, 1.4),
    "iris": (4.7, 4.8, 5.0),
}
KINDS = ("one test, M1", "one test, M2", "trees")
SPHERES = 5.8


def keep(part: str, name: str, found: dict[str, Any]) -> dict[str, Any]:
    path = RESULTS / "boosting_accuracy.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept.setdefault(part, {})[name] = {**kept.get(part, {}).get(name, {}), **found}
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return kept[part]


def trees(seed: int, rounds: int) -> wm.AdaBoostClassifier:
    base = wm.DecisionTreeClassifier()
    return wm.AdaBoostClassifier(base, n_estimators=rounds, algorithm="M1", sampling="draws", random_state=seed)


# ---- letter ----------------------------------------------------------------------------------------------------------


def letter(seeds: list[int], picture: bool) -> None:
    X, y, n = rows("letter")
    for seed in seeds:
        model = trees(seed, ROUNDS[-1]).fit(X[:n], y[:n])
        record = boosting_margins(model, X[:n], y[:n], X[n:], y[n:], rounds=ROUNDS)
        kept = keep("letter", f"seed {seed}", record.to_dict())
        print(f"seed {seed}\n{record}", flush=True)
        if picture:
            import matplotlib

            matplotlib.use("Agg")
            from widemargin.report.plot import MarginsDisplay

            MarginsDisplay.from_study(record).figure_.savefig(RESULTS / "letter_margins.png", dpi=110)
    for k, t in enumerate(ROUNDS):
        lines = [f["table"][k] for f in kept.values()]
        means = {name: float(np.mean([line[name] for line in lines])) for name in lines[0]}
        print(
            f"{t:5} rounds, mean of {len(lines)} seeds: test error {100 * means['test error']:.2f} % (published "
            f"{LETTER['test error'][k]}), training error {100 * means['training error']:.2f} %, least margin "
            f"{means['least']:.3f} (published {LETTER['least'][k]}), {means['nodes']:.0f} nodes"
        )


# ---- tables ----------------------------------------------------------------------------------------------------------


def set_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    return load_iris(return_X_y=True) if name == "iris" else rows(name)[:2]


def cross_validated(make: Any, X: np.ndarray, y: np.ndarray, repeats: int) -> dict[str, float]:
    """Mean error in percent over folds, and its standard error over repeats."""
    means = []
    for r in range(repeats):
        folds = KFold(10, shuffle=True, random_state=r).split(X)
        wrong = sum(int(np.sum(make(r).fit(X[a], y[a]).predict(X[b]) != y[b])) for a, b in folds)
        means.append(100 * wrong / len(y))
    error = float(np.std(means, ddof=1) / np.sqrt(repeats)) if repeats > 1 else 0.0
    return {"error": round(float(np.mean(means)), 2), "se": round(error, 2)}


def table(name: str, repeats: int, kinds: list[str]) -> None:
    X, y = set_of(name)
    makers = {
        "one test, M1": lambda r: wm.AdaBoostClassifier(n_estimators=100, algorithm="M1"),
        "one test, M2": lambda r: wm.AdaBoostClassifier(n_estimators=100, algorithm="M2"),
        "trees": lambda r: trees(r, 100),
        "scikit-learn": lambda r: AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=100, random_state=r),
    }
    found: dict[str, Any] = {}
    for kind, make in ((kind, makers[kind]) for kind in kinds):
        published = dict(zip(KINDS, TABLE[name], strict=True)).get(kind)
        if kind == "one test, M2" and published is None:
            continue
        found[kind] = {**cross_validated(make, X, y, repeats), "repeats": repeats, "published": published}
        f = found[kind]
        print(f"{name:12} {kind:14} {f['error']:6.2f} ± {f['se']:.2f}   published {f['published']}", flush=True)
    kept = keep("tables", name, found)
    both = [f for f in kept.values() if {"trees", "scikit-learn"} <= set(f)]
    if both:
        ours, theirs = (np.mean([f[kind]["error"] for f in both]) for kind in ("trees", "scikit-learn"))
        print(f"{len(both)} sets, boosted trees: ours {ours:.2f} %, scikit-learn {theirs:.2f} % on average", flush=True)


# ---- spheres ---------------------------------------------------------------------------------------------------------


def spheres(seeds: list[int]) -> None:
    kinds: dict[str, Any] = {
        "RealAdaBoostClassifier": wm.RealAdaBoostClassifier(n_estimators=400),
        "GentleBoostClassifier": wm.GentleBoostClassifier(n_estimators=400),
        "LogitBoostClassifier": wm.LogitBoostClassifier(n_estimators=400),
        "AdaBoostClassifier": wm.AdaBoostClassifier(n_estimators=400),
        "AdaBoostClassifier, least Gini": wm.AdaBoostClassifier(
            wm.DecisionTreeClassifier(max_depth=1), n_estimators=400
        ),
        "AdaBoostClassifier of scikit-learn": AdaBoostClassifier(n_estimators=400),
    }
    samples = [make_hastie_10_2(12_000, random_state=seed) for seed in seeds]
    for name, model in kinds.items():
        errors = [100 * (1 - model.fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])) for X, y in samples]
        found = {"error": round(float(np.mean(errors)), 2), "seeds": len(errors), "published": SPHERES}
        keep("spheres", name, found)
        print(f"{name:36} {found['error']:6.2f} %  mean of {len(errors)} samples, published {SPHERES}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("letter", "tables", "spheres"))
    parser.add_argument("sets", nargs="*", default=list(TABLE))
    parser.add_argument("--seeds", type=lambda text: [int(word) for word in text.split(",")], default=[0, 1, 2, 3, 4])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--kinds", type=lambda text: text.split("; "), default=[*KINDS, "scikit-learn"])
    parser.add_argument("--picture", action="store_true", help="of the margins on letter")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)
    if options.part == "letter":
        letter(options.seeds, options.picture)
    elif options.part == "tables":
        for name in options.sets:
            table(name, options.repeats, options.kinds)
    else:
        spheres(options.seeds)


if __name__ == "__main__":
    main()
