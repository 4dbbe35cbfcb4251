"""Golden files of real models, one a family, with what they said when they were saved.

python -m tests.store.golden.models writes those that are not there yet. Never write one again: old files must stay
readable. A new version of a type gets a new file.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import widemargin as wm
from widemargin import store
from widemargin.kernels import RBF, Linear

HERE = Path(__file__).parent / "models"
N = 24
X = np.sin(np.arange(4 * N, dtype=np.float64) ** 1.5).round(3).reshape(N, 4)
SCORE = X @ [1.0, -2.0, 0.5, 0.25]
THREE = np.array(["high", "low", "middle"])[np.digitize(SCORE, [-0.7, 0.7])]
TWO = np.where(SCORE > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=["length", "width", "größe", "weight"])
MIXED = FRAME.assign(colour=np.array(["red", "blue", "teal"])[np.arange(N) * 7 % 3])
HOLES = np.where(np.arange(4 * N).reshape(N, 4) % 7 == 3, np.nan, X).astype(np.float32)
TEXTS = [
    f"{a} {b} at noon" for a in ("free money", "see you", "win a prize", "lunch", "ünïcode", "call") for b in "abcd"
]


def models():
    """{name: (model before fit, rows, targets)}."""
    split = ColumnTransformer([("numbers", StandardScaler(), list(FRAME)), ("words", OneHotEncoder(), ["colour"])])
    tree = wm.DecisionTreeRegressor(max_depth=2)
    return {
        "averaged_perceptron": (wm.AveragedPerceptron(max_iter=5), FRAME, THREE),
        "svc": (wm.SVC(C=3.0, gamma=0.5), X, THREE),
        "linear_svc": (wm.LinearSVC(loss="hinge"), sparse.csr_array(X * (X > 0)), TWO),
        "random_forest": (wm.RandomForestClassifier(4, max_depth=3), HOLES, THREE),
        "adaboost": (wm.AdaBoostClassifier(n_estimators=6), X, TWO),
        "kernel_ridge": (wm.KernelRidge(kernel=RBF(0.5) * 2.0 + Linear()), X.astype(np.float32), SCORE),
        "bag_in_pipeline": (make_pipeline(split, wm.BaggingRegressor(tree, 3)), MIXED, SCORE),
        "bag_of_many": (wm.BaggingClassifier(GaussianNB(), 33, max_features=2), X, TWO),
        "text_in_pipeline": (make_pipeline(wm.BagOfWords(values="tfidf"), MultinomialNB()), TEXTS, TWO),
    }


def answers(model, rows):
    said = {"predict": model.predict(rows).tolist()}
    for how in ("decision_function", "predict_proba"):
        if hasattr(model, how):
            said[how] = getattr(model, how)(rows).tolist()
    return said


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, (model, rows, y) in models().items():
        if not (HERE / f"{name}.wm").exists():
            store.save(model.fit(rows, y), HERE / f"{name}.wm")
            (HERE / f"{name}.json").write_text(json.dumps(answers(model, rows), indent=1))
