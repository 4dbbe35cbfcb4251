"""A perceptron that seeks a wide margin and gives up on the few rows that make it impossible."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from widemargin import MarginPerceptron
from widemargin.report.plot import BoundaryDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/giving_up.png")
path.parent.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(8)
X = np.vstack([rng.normal((0, 0), 0.7, (40, 2)), rng.normal((3.6, 2.6), 0.7, (40, 2))])
y = np.repeat(["low", "high"], 40)
y[[3, 21, 50]] = "high", "high", "low"  # three labels are wrong

model = MarginPerceptron().fit(X, y)
print("given up:", model.given_up_)
print(f"margin {model.margin_[0]:.4f}; no separator of the other rows has more than {model.margin_upper_[0]:.4f}")
print(model.certificate_)
BoundaryDisplay.from_estimator(model, X, y).figure_.savefig(path, dpi=110)
print("picture:", path)
