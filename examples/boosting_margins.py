"""Boosting goes on after the training error is zero: margins grow, and four errors tell of each round."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import widemargin as wm
from widemargin.report.plot import BoostingErrorsDisplay, MarginsDisplay
from widemargin.study import boosting_errors, boosting_margins

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/boosting_margins.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, X_test, y, y_test = train_test_split(*load_breast_cancer(return_X_y=True), test_size=0.3, random_state=0)
model = wm.AdaBoostClassifier(n_estimators=300).fit(X, y)
errors = boosting_errors(model, X, y, X_test, y_test)
margins = boosting_margins(model, X, y, X_test, y_test, rounds=(5, 30, 300))
print(errors, margins, sep="\n")
figure, (left, right) = plt.subplots(1, 2, figsize=(12.4, 4.8), layout="constrained")
BoostingErrorsDisplay.from_study(errors, ax=left)
MarginsDisplay.from_study(margins, ax=right)
figure.savefig(path, dpi=80)
print("picture:", path)
