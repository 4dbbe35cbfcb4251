"""Some training labels are turned into wrong ones: what that costs one tree, a forest and AdaBoost."""

import sys
from pathlib import Path

import matplotlib
from sklearn.datasets import load_breast_cancer, load_wine, make_moons

import widemargin as wm
from widemargin.data import load_iris
from widemargin.report.plot import NoiseLossDisplay
from widemargin.study import label_noise_study

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/price_of_wrong_labels.png")
path.parent.mkdir(parents=True, exist_ok=True)

sets = {
    "iris": load_iris(),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "moons": make_moons(300, noise=0.2, random_state=0),
}
learners = {
    "tree": wm.DecisionTreeClassifier(random_state=0),
    "forest": wm.RandomForestClassifier(n_estimators=50, random_state=0),
    "AdaBoost": wm.AdaBoostClassifier(n_estimators=50),
}
study = label_noise_study(learners, sets, repeats=3, shares=(0, 0.1, 0.2))
for row in study.table():
    print(f"{row['learner']:<10}{row['share']:>4.0%} wrong labels cost {row['mean']:6.1%} of accuracy")
NoiseLossDisplay.from_study(study).figure_.savefig(path, dpi=110)
print("picture:", path)
