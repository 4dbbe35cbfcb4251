"""A ring around a disc: no line parts them, a perceptron with a radial kernel does, with a proof in its own space."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from widemargin import AveragedPerceptron, KernelPerceptron, find_separator
from widemargin.report.plot import BoundaryDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/kernel_circles.png")
path.parent.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(0)
radius = np.repeat([0.5, 1.6], 90) + rng.normal(0, 0.18, 180)
angle = rng.uniform(0, 2 * np.pi, 180)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
y = np.repeat(["disc", "ring"], 90)
print("lines:", find_separator(X, y).claim)

figure, panels = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for panel, model in zip(panels, (AveragedPerceptron(), KernelPerceptron(kernel="rbf", gamma=1.0)), strict=True):
    model.fit(X, y)
    BoundaryDisplay.from_estimator(model, X, y, ax=panel)
    print(f"{type(model).__name__}: {model.certificate_.claim}")
print(f"{len(model.support_)} of {len(y)} rows carry the decision")
figure.savefig(path, dpi=100)
print("picture:", path)
