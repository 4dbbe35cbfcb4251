"""Two perceptrons on overlapping kinds of iris: updates fall and stay above zero, since no line parts them."""

import sys
from pathlib import Path

import matplotlib

from widemargin import AveragedPerceptron, PassiveAggressiveClassifier
from widemargin.data import load_iris
from widemargin.report.plot import TraceDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/how_a_fit_went.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, species = load_iris()
two = species != "setosa"
fits = {
    "averaged": AveragedPerceptron(max_iter=300).fit(X[two], species[two]),
    "passive-aggressive": PassiveAggressiveClassifier(max_iter=300).fit(X[two], species[two]),
}
for name, fit in fits.items():
    print(f"{name}: {fit.stop_reason_}")
TraceDisplay.from_estimator(fits, columns=["epoch_updates"]).figure_.savefig(path, dpi=110)
print("picture:", path)
