"""A proof that no straight line parts two kinds of iris: mixtures of each kind that fall on the same point."""

import sys
from fractions import Fraction
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from widemargin import find_separator
from widemargin.data import load_iris_tenths

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/no_separator.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, species = load_iris_tenths()
X, species = X[50:, [0, 2]], species[50:]
both = (X == [63, 49]).all(axis=1)  # two flowers of different kinds that are equal: too easy a proof
X, species = X[~both], species[~both]
found = find_separator(X, species, exact=True)
print(found.claim)

share = {row: Fraction(part) * 2 for row, part in found.rational.items()}
meet = {}
for kind in found.classes:
    of_kind = {row: part for row, part in share.items() if species[row] == kind}
    meet[kind] = [sum(part * int(X[row, j]) for row, part in of_kind.items()) for j in (0, 1)]
    mixture = " + ".join(f"{part} · ({X[row, 0]:g}, {X[row, 1]:g})" for row, part in of_kind.items())
    print(f"{kind:>11}: {mixture} = ({meet[kind][0]}, {meet[kind][1]}), shares sum to {sum(of_kind.values())}")
assert meet["versicolor"] == meet["virginica"], "the two mixtures must be one point"

figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
for kind, colour, mark in (("versicolor", "#0072B2", "o"), ("virginica", "#D55E00", "s")):
    rows = [row for row in share if species[row] == kind]
    ax.scatter(*X[species == kind].T, s=22, c=colour, marker=mark, alpha=0.35, label=kind)
    ax.plot(*X[rows].T, mark + "-", color=colour, markersize=8, label=f"{kind}, mixed")
ax.plot(*map(float, meet["virginica"]), "*", color="#222222", markersize=15, label="both mixtures")
ax.set(xlabel="sepal length (tenths of a cm)", ylabel="petal length (tenths of a cm)")
ax.set_title("A line with each kind on its side would part this point from itself", loc="left", fontsize=10)
ax.legend(frameon=False, fontsize=9, loc="upper left")
figure.savefig(path, dpi=110)
print("picture:", path, f"({np.count_nonzero(found.witness)} rows prove it)")
