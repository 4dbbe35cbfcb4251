"""A forest in three pictures: how it errs as it grows, how its trees vote over the plane, and what one tree asks."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

import widemargin as wm
from widemargin.report.plot import OOBCurveDisplay, TreeDisplay, VoteMapDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/growing_forest.png")
path.parent.mkdir(parents=True, exist_ok=True)

rng = np.random.default_rng(0)
turn = rng.uniform(0, 3.5, 300)
arm = rng.integers(2, size=300)  # two arms of a spiral
X = np.c_[(0.4 + turn) * np.cos(turn + np.pi * arm), (0.4 + turn) * np.sin(turn + np.pi * arm)]
X += rng.normal(scale=0.3, size=X.shape)
y = np.array(["north", "south"])[arm]

forests = {
    "random forest": wm.RandomForestClassifier(200, oob_score=True).fit(X, y),
    "honest trees": wm.RandomForestClassifier(200, oob_score=True, honest=True).fit(X, y),
}
tree = wm.DecisionTreeClassifier(ccp_alpha=0.02).fit(X, y)
for name, forest in forests.items():
    print(f"{name}: {forest.certificate_.claim}")
for name, display in {
    "": OOBCurveDisplay.from_estimator(forests),
    "_votes": VoteMapDisplay.from_estimator(forests["random forest"], X, y),
    "_tree": TreeDisplay.from_estimator(tree, max_depth=3),
}.items():
    place = path.with_name(f"{path.stem}{name}.png")
    display.figure_.savefig(place, dpi=110)
    print("picture:", place)
