"""Extremely randomised trees that try K attributes at each cut, on data with wrong labels: which K is best, and why."""

import sys
from pathlib import Path

import matplotlib
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import ExtraTreeClassifier

from widemargin.report.plot import BiasVarianceSweepDisplay
from widemargin.study import bias_variance_sweep, known_source

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/few_attributes.png")
path.parent.mkdir(parents=True, exist_ok=True)

source = known_source("twonorm", n=150, noise=0.1)  # a tenth of the labels are turned
X, y, _ = source.points(200)
learners = {"one tree": ExtraTreeClassifier(), "20 trees": ExtraTreesClassifier(20)}
options = {"source": source, "loss": "kohavi_wolpert"}
sweep = bias_variance_sweep(learners, "max_features", [1, 2, 5, 10, 20], X, y, B=25, **options)
print(f"{'learner':<12}{'K':>4}" + "".join(f"{term:>10}" for term in sweep.terms))
for name, K, *values in sweep.table():
    print(f"{name:<12}{K:>4}" + "".join(f"{value:>10.4f}" for value in values))
BiasVarianceSweepDisplay.from_sweep(sweep).figure_.savefig(path, dpi=110)
print("picture:", path)
