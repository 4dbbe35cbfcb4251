"""A perceptron learns to tell two kinds of iris apart: the separator after six of its updates."""

import sys
from pathlib import Path

import matplotlib

from widemargin import Perceptron
from widemargin.data import load_iris
from widemargin.report.plot import PerceptronStepsDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/perceptron_learns.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, species = load_iris()
X, species = X[:100, [0, 2]], species[:100]
X = (X - X.mean(axis=0)) / X.std(axis=0) + 1.5  # off the origin, so that the bias has to be learnt
model = Perceptron(random_state=4).fit(X, species)
print(model.stop_reason_)
print(model.certificate_)

names = ("sepal length (scaled)", "petal length (scaled)")
PerceptronStepsDisplay.from_estimator(model, X, species, feature_names=names).figure_.savefig(path, dpi=110)
print("picture:", path)
