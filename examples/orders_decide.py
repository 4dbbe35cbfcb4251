"""The order of the rows decides which separator a perceptron finds; seeking a wide margin makes all orders agree."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from widemargin import MarginPerceptron, Perceptron
from widemargin.data import load_iris
from widemargin.report.plot import OrdersDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/orders_decide.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, species = load_iris()
X, species = X[:100, [0, 2]], species[:100]
X = (X - X.mean(axis=0)) / X.std(axis=0) + 1.5
names = ("sepal length (scaled)", "petal length (scaled)")
figure, panels = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained")
for panel, learner in zip(panels, (Perceptron(), MarginPerceptron()), strict=True):
    display = OrdersDisplay.from_estimator(learner, X, species, feature_names=names, seeds=range(12), ax=panel)
    angles = [np.degrees(np.arctan2(*fit.coef_[0])) for fit in display.estimators]
    print(f"{type(learner).__name__:<17} w turns by {np.ptp(angles):4.1f} degrees between 12 orders; ", end="")
    print(f"{len(display.unused)} of {len(X)} rows were never used in any of them")
figure.savefig(path, dpi=110)
print("picture:", path)
