"""Two machines without classes: a regression that forgives errors up to epsilon, and the region of what is usual."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from widemargin import SVR, OneClassSVM
from widemargin.report.plot import OneClassDisplay, TubeDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/tube_and_region.png")
path.parent.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(2)
figure, panels = plt.subplots(1, 2, figsize=(12, 5.4), layout="constrained")

x = np.sort(rng.uniform(0, 6, 80))
wave = np.sin(x) + rng.normal(0, 0.18, 80)
tube = SVR(C=10, gamma=0.5, epsilon=0.2).fit(x[:, None], wave)
display = TubeDisplay.from_estimator(tube, x[:, None], wave, ax=panels[0])
print(f"{len(tube.support_)} of {len(x)} rows are on the edge of the tube or outside; {tube.certificate_.claim}")

X = np.vstack([rng.normal((0, 0), 0.5, (80, 2)), rng.normal((2, 1.6), 0.35, (60, 2)), rng.uniform(-2, 4, (10, 2))])
region = OneClassSVM(nu=0.1, gamma=0.6).fit(X)
display = OneClassDisplay.from_estimator(region, X, ax=panels[1])
share = len(display.outside) / len(X)
print(
    f"outside: {share:.3f} <= nu = {region.nu} <= {len(region.support_) / len(X):.3f} of the rows are support vectors"
)
figure.savefig(path, dpi=100)
print("picture:", path)
