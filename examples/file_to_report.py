"""From a file to a tuned model and a page that explains it, and the same model compared with a single tree."""

import csv
import sys
from pathlib import Path

import widemargin
from widemargin.cli import main
from widemargin.data import load_iris
from widemargin.report.page import html_report

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/file_to_report")
folder.mkdir(parents=True, exist_ok=True)

X, species = load_iris()
for name, rows in (("learn", slice(0, None, 2)), ("new", slice(1, None, 2))):
    with (folder / f"{name}.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["sepal length", "sepal width", "petal length", "petal width", "species"])
        out.writerows([*row, kind] for row, kind in zip(X[rows].tolist(), species[rows], strict=True))

learn, new, model, tree = (str(folder / name) for name in ("learn.csv", "new.csv", "model.wm", "tree.wm"))
found = widemargin.easy(learn, "species", time=5, learners=["linear-svm", "naive-bayes"])
print(found)
(folder / "report.html").write_text(html_report(found.to_dict()), encoding="utf-8")
widemargin.store.save(found.model, model)

main(["train", learn, "--target", "species", "--model", "tree", "-o", tree, "--quiet"])
main(["report", model, tree, new, "-o", str(folder / "compared.html")])
