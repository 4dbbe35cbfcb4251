"""AdaBoost on ten points: each round looks at the rows that those before it got wrong, and the vote is right on all."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

import widemargin as wm
from widemargin.report.plot import BoostingRoundsDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/boosting_rounds.png")
path.parent.mkdir(parents=True, exist_ok=True)

X = np.array([(1, 2), (2, 3), (3, 6), (4, 4), (5, 8), (6, 5), (7, 7), (8, 9), (9, 10), (10, 1)])
y = np.array([1, 1, -1, -1, 1, -1, 1, 1, -1, -1])
model = wm.AdaBoostClassifier(n_estimators=3).fit(X, y)
for stump, error in zip(model, model.estimator_errors_, strict=True):
    print(f"column {stump.column} <= {stump.threshold:g}: weighted error {error:.3f}, step {stump.step:.2f}")
print(model.certificate_.claim)
BoostingRoundsDisplay.from_estimator(model, X, y).figure_.savefig(path, dpi=110)
print("picture:", path)
