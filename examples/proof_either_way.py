"""A proof either way: a separator whose margin nothing can beat by much, or mixtures that no line can part."""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from widemargin import MarginPerceptron, find_separator
from widemargin.data import load_iris_tenths
from widemargin.report.plot import BoundaryDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/proof_either_way.png")
path.parent.mkdir(parents=True, exist_ok=True)
X, species = load_iris_tenths()
X = X[:, [0, 2]]
names = ("sepal length (mm)", "petal length (mm)")
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.9), layout="constrained")

model = MarginPerceptron().fit(X[:100], species[:100])
print(model.certificate_, "\n")
BoundaryDisplay.from_estimator(model, X[:100], species[:100], feature_names=names, ax=left)
share = model.margin_[0] / model.margin_upper_[0]
left.set_title(f"Separable: {share:.0%} of the widest margin, proved", loc="left", fontsize=11)

some = [i for i in range(50, 150) if tuple(X[i]) != (63, 49)]  # two equal flowers would be too easy a proof
X, species = X[some], species[some]
found = find_separator(X, species, exact=True)
print(found.claim)
for kind, colour, mark in (("versicolor", "#D55E00", "s"), ("virginica", "#009E73", "^")):
    part = {i: 2 * share for i, share in found.rational.items() if species[i] == kind}
    point = [sum(share * int(X[i, j]) for i, share in part.items()) for j in (0, 1)]
    print(kind, " + ".join(f"{q}·({X[i, 0]:g}, {X[i, 1]:g})" for i, q in part.items()), f"= ({point[0]}, {point[1]})")
    right.scatter(*X[species == kind].T, s=22, c=colour, marker=mark, alpha=0.35)
    right.plot(*X[list(part)].T, mark + "-", color=colour, markersize=8, label=f"{kind}, mixed")
right.plot(*map(float, point), "*", color="#222222", markersize=15, label="both mixtures")
right.set_title("Not separable: two mixtures are one point, proved", loc="left", fontsize=11)
right.set(xlabel=names[0], ylabel=names[1])
right.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3)
figure.savefig(path, dpi=90)
