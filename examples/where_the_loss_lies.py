"""Bias and variance at every point: a tree varies along the border of two moons, and nowhere else."""

import sys
from pathlib import Path

import matplotlib
from sklearn.datasets import make_moons

from widemargin import DecisionTreeClassifier
from widemargin.report.plot import BiasVarianceMapDisplay
from widemargin.study import bias_variance

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/where_the_loss_lies.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, y = make_moons(400, noise=0.25, random_state=0)
found = bias_variance(DecisionTreeClassifier(), X, y, 60)
print(found)
BiasVarianceMapDisplay.from_study(found, X).figure_.savefig(path, dpi=110)
print("picture:", path)
