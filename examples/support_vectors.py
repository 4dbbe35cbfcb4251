"""Who holds the boundary: support vectors with their alphas, and what a smaller C lets lie inside of the margin."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from widemargin import SVC
from widemargin.report.plot import SupportDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/support_vectors.png")
path.parent.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(5)
X = np.vstack([rng.normal((0, 0), 1, (45, 2)), rng.normal((2.6, 1.8), 1, (45, 2))])
y = np.repeat(["left", "right"], 45)

figure, panels = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
for panel, model in zip(panels, (SVC(kernel="linear", C=1.0), SVC(kernel="rbf", gamma=0.5, C=3.0)), strict=True):
    model.fit(X, y)
    display = SupportDisplay.from_estimator(model, X, y, ax=panel)
    bounded = np.count_nonzero(~display.free)
    print(
        f"{model.kernel}: {len(model.support_)} of {len(y)} rows carry the decision, {bounded} of them with alpha = C"
    )
    print(f"  {model.certificate_.claim}")
figure.savefig(path, dpi=100)
print("picture:", path)
