"""Bias and variance where the truth is known: three questions, each with its answer measured.

1. How far do figures by bootstrap replicates of one data set lie from those over fresh samples?
2. Does bagging take variance from trees, and from a linear model?
3. Extremely randomised trees try K attributes at each cut, a tenth of the labels are wrong: is the variance of a tree
   the smaller, the smaller K is (as a source of this study says), and is a small K best?
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingRegressor, ExtraTreesClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor, ExtraTreeClassifier

from widemargin.report.plot import BiasVarianceSweepDisplay
from widemargin.study import BiasVarianceSweep, bias_variance, bias_variance_sweep, known_source

RESULTS = Path(__file__).parents[1] / "results"
LEARNERS = {"tree": DecisionTreeRegressor(), "linear": LinearRegression(), "5 neighbours": KNeighborsRegressor()}


def deviation(learner: Any, sets: int, B: int) -> dict[str, float]:
    """Figures over fresh samples, and the mean of those by replicates of one data set, over several sets."""
    s = known_source("friedman1", 300)
    X, y, _ = s.points(1000, repeats=2)
    fresh = bias_variance(learner, X, y, B=2 * B, source=s, noise="repeats").totals
    ours = [bias_variance(learner, *s(np.random.default_rng(k)), B=B).totals for k in range(sets)]
    found = {"fresh bias and noise": fresh["bias"].value + fresh["noise"].value}
    found |= {f"fresh {term}": fresh[term].value for term in ("variance", "loss")}
    for term, word in (("bias", "bias and noise"), ("variance", "variance"), ("loss", "loss")):
        values = np.array([totals[term].value for totals in ours])
        found[f"bootstrap {word}"] = float(values.mean())
        found[f"bootstrap {word}, error"] = float(values.std(ddof=1) / np.sqrt(sets))
    return found


def bagging(B: int, members: int = 25) -> dict[str, float]:
    """Variance of a bagged learner over that of one, on fresh samples."""
    s = known_source("friedman1", 150)
    X, y, _ = s.points(300)

    def variance(learner: Any) -> float:
        return bias_variance(learner, X, y, B=B, source=s).totals["variance"].value

    return {
        name: variance(BaggingRegressor(LEARNERS[name], members)) / variance(LEARNERS[name])
        for name in ("tree", "linear")
    }


def attributes(Ks: list[int], B: int, members: int = 30) -> BiasVarianceSweep:
    """One tree and an ensemble for every K."""
    s = known_source("twonorm", 300, 0.1)
    X, y, _ = s.points(500)
    learners = {"one tree": ExtraTreeClassifier(), f"{members} trees": ExtraTreesClassifier(members)}
    return bias_variance_sweep(learners, "max_features", Ks, X, y, B, source=s, loss="kohavi_wolpert")


def main() -> int:
    deviations = {name: deviation(learner, 20, 100) for name, learner in LEARNERS.items()}
    print("friedman1, 300 rows: fresh samples against replicates of one data set (mean over 20 sets)")
    for name, f in deviations.items():
        cells = [f"{term} {f[f'fresh {term}']:.2f} / {f[f'bootstrap {term}']:.2f}" for term in
                 ("bias and noise", "variance", "loss")]  # fmt: skip
        print(f"  {name:<14}" + "   ".join(cells))
    ratios = bagging(60)
    print("variance of 25 bagged over one: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    Ks = [1, 2, 3, 4, 5, 7, 10, 13, 16, 20]
    sweep = attributes(Ks, 60)
    for name, K, *values in sweep.table():
        print(f"  {name:<10} K = {K:<3}" + "  ".join(f"{t} {v:.4f}" for t, v in zip(sweep.terms, values, strict=True)))
    single, ensemble = (sweep.curve(name, "variance")[0] for name in sweep.records)
    losses = sweep.curve(list(sweep.records)[1], "loss")[0]
    verdict = {
        "variance of one tree falls as K falls": bool(single[0] < single[-1]),
        "variance of the ensemble falls as K falls": bool(ensemble[0] < ensemble[-1]),
        "best K of the ensemble": Ks[int(losses.argmin())],
    }
    print(verdict)
    record = {"deviation": deviations, "bagging": ratios, "attributes": sweep.to_dict(), "verdict": verdict}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "bias_variance.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    BiasVarianceSweepDisplay.from_sweep(sweep).figure_.savefig(RESULTS / "bias_variance.png", dpi=110)
    good = ratios["tree"] < 0.5 and abs(ratios["linear"] - 1) < 0.2
    print("as expected" if good else "NOT as expected", "· details in benchmarks/results/bias_variance.json and .png")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
