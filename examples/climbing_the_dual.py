"""The dual of a support vector machine, climbed: one coordinate at a time, and in pairs that keep a sum."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from widemargin.report.plot import DualAscentDisplay, PairStepDisplay
from widemargin.study import ascend_dual

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/climbing_the_dual.png")
path.parent.mkdir(parents=True, exist_ok=True)

# Two rows, so that the plane of their alphas is the whole problem.
X, y = np.array([[1.0, 0.4], [0.5, 0.9]]), [0, 1]
for rule in ("round_robin", "greedy"):
    climb = ascend_dual(X, y, C=5.0, kernel="linear", rule=rule, tol=1e-6)
    print(f"{rule}: {len(climb.steps)} steps, objective {climb.objective[-1]:.6g}, gap {climb.gap:.2g}")
DualAscentDisplay.from_climb(climb).figure_.savefig(path, dpi=110)
print("picture:", path)

rng = np.random.default_rng(1)
X = np.vstack([rng.normal((0, 0), 1, (20, 2)), rng.normal((2, 1.5), 1, (20, 2))])
climb = ascend_dual(X, np.repeat(["left", "right"], 20), C=1.0, gamma=0.5)
print(f"pairs: {len(climb.steps)} steps; {climb.certificate.claim}")
pairs = path.with_name(path.stem + "_pairs.png")
PairStepDisplay.from_climb(climb).figure_.savefig(pairs, dpi=110)
print("picture:", pairs)
