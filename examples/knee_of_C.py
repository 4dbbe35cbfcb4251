"""How much C is enough: the cross-validated error along C, its lowest point and its knee."""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.model_selection import cross_val_score

from widemargin import SVC
from widemargin.data import load_iris
from widemargin.report.plot import KneeDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/knee_of_C.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, species = load_iris()
Cs = np.logspace(-2.5, 3, 12)
scores = np.array([cross_val_score(SVC(C=C, gamma=0.05), X[:, :2], species, cv=5) for C in Cs])
error = 1 - scores.mean(axis=1)
for C, e in zip(Cs, error, strict=True):
    print(f"C = {C:<10.4g} error {e:.3f}")

# The knee: the point farthest below the line from the first to the lowest point, on a logarithmic axis.
last = int(error.argmin())
line = np.interp(np.log(Cs[: last + 1]), np.log(Cs[[0, last]]), error[[0, last]])
knee = float(Cs[int((line - error[: last + 1]).argmax())])
display = KneeDisplay(Cs=Cs, error=error, std=scores.std(axis=1), knee=knee, measure="error in 5 folds").plot()
display.figure_.savefig(path, dpi=100)
print(f"lowest error at C = {display.best:.4g}, knee at C = {knee:.4g}; picture: {path}")
