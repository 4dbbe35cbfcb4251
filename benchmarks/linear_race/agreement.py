"""Is the optimum that of LIBLINEAR (regularised bias) and of the kernel machine (free bias)? All losses, weights too.

Rows are scaled by the largest number of each feature; LinearSVR is asked for the labels as numbers, with a tube of 0.1.
A figure is ours over theirs, less 1: below 0 where theirs is worse. Asked: it is at most the tolerance, and theirs is
nowhere below the dual objective of ours, which no machine can undercut. Weights of classes and unweighted problems are
solved by liblinear-official, weights of rows by the LIBLINEAR in scikit-learn, which has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from .problems import SMALL, real

TOL, EPS = 1e-7, 0.1
LARGE = 5000  # rows from which the kernel machine is not asked
CLASS_WEIGHT = {1: 2.0, -1: 0.5}
# penalty, loss: liblinear's number and a tolerance at which it is near the end
KINDS = {
    "l2 hinge": (3, 1e-5),
    "l2 squared_hinge": (2, 1e-6),
    "l2 logistic": (0, 1e-6),
    "l1 squared_hinge": (5, 1e-6),
    "l1 logistic": (6, 1e-6),
    "l2 epsilon_insensitive": (13, 1e-5),
    "l2 squared_epsilon_insensitive": (11, 1e-6),
}
NUMBERS = tuple(kind for kind in KINDS if "epsilon" in kind)
UNWEIGHED = ("plain", "class weights")


def scaled(name: str) -> tuple[Any, np.ndarray]:
    from sklearn.preprocessing import MaxAbsScaler

    X, y = real(name)
    return MaxAbsScaler().fit_transform(X), y


def row_weights(y: np.ndarray, weights: str) -> np.ndarray:
    if weights == "plain":
        return np.ones(len(y))
    if weights == "class weights":
        return np.where(y > 0, CLASS_WEIGHT[1], CLASS_WEIGHT[-1])
    return np.random.default_rng(0).uniform(0.2, 3, len(y))


def cases() -> list[tuple[str, str]]:
    return [(k, w) for k in KINDS for w in (*UNWEIGHED, "row weights") if k not in NUMBERS or w != "class weights"]


def value(X: Any, y: np.ndarray, w: np.ndarray, b: float, kind: str, C: np.ndarray) -> float:
    """The objective with LIBLINEAR's bias, a weight as all others."""
    penalty, loss = kind.split()
    z = X @ w + b
    m, off = 1 - y * z, np.maximum(0, np.abs(y - z) - EPS)
    losses = {
        "hinge": np.maximum(0, m),
        "squared_hinge": np.maximum(0, m) ** 2,
        "logistic": np.logaddexp(0, m - 1),
        "epsilon_insensitive": off,
        "squared_epsilon_insensitive": off**2,
    }[loss]
    size = (w @ w + b * b) / 2 if penalty == "l2" else np.abs(w).sum() + abs(b)
    return float(size + C @ losses)


def ours(X: Any, y: np.ndarray, kind: str, weights: str, **more: Any) -> Any:
    import widemargin as wm

    penalty, loss = kind.split()
    machine = (
        wm.LinearSVR(loss=loss, epsilon=EPS, tol=TOL, **more)
        if kind in NUMBERS
        else wm.LinearSVC(penalty=penalty, loss=loss, tol=TOL, **more)
    )
    if weights == "class weights":
        return machine.set_params(class_weight=CLASS_WEIGHT).fit(X, y)
    return machine.fit(X, y, sample_weight=None if weights == "plain" else row_weights(y, weights))


def with_row_weights(X: Any, y: np.ndarray, kind: str) -> tuple[np.ndarray, float]:
    """By the LIBLINEAR in scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC, LinearSVR

    penalty, loss = kind.split()
    settings = {"tol": KINDS[kind][1], "max_iter": 3000, "random_state": 0}
    if kind in NUMBERS:
        theirs = LinearSVR(loss=loss, epsilon=EPS, dual=loss == "epsilon_insensitive", **settings)
    elif loss == "logistic":
        theirs = LogisticRegression(l1_ratio=1 if penalty == "l1" else 0, solver="liblinear", **settings)
    else:
        theirs = LinearSVC(penalty=penalty, loss=loss, dual=loss == "hinge", **settings)
    theirs.fit(X, y, sample_weight=row_weights(y, "row weights"))
    return np.ravel(theirs.coef_), float(np.ravel(theirs.intercept_)[0])


def official(request: dict[str, str]) -> None:
    """What runs in the process of liblinear-official: all problems without weights of rows on one set."""
    from liblinear.liblinearutil import parameter, problem, train

    X, y = scaled(request["name"])
    found = {}
    given = problem(y, X, bias=1)
    for kind, weights in cases():
        if weights not in UNWEIGHED:
            continue
        number, eps = KINDS[kind]
        factors = "".join(f" -w{label} {f}" for label, f in CLASS_WEIGHT.items()) if weights != "plain" else ""
        model = train(given, parameter(f"-s {number} -c 1 -B 1 -p {EPS} -e {eps} -q{factors}"))
        w, b = model.get_decfun()
        sign = 1.0 if kind in NUMBERS or model.get_labels()[0] > 0 else -1.0
        found[f"{kind}, {weights}"] = sign * np.append(w, b)
    np.savez(request["out"], **found)


def by_official(name: str) -> dict[str, np.ndarray]:
    python = os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        request = {"name": name, "out": str(Path(folder) / "w.npz")}
        code = "import json, sys; sys.path.insert(0, sys.argv[1]); from linear_race import agreement; "
        code += "agreement.official(json.loads(sys.argv[2]))"
        here = str(Path(__file__).parents[1])
        subprocess.run([python, "-c", code, here, json.dumps(request)], check=True, capture_output=True)
        with np.load(request["out"]) as found:
            return dict(found)


def beside_liblinear(name: str) -> dict[str, dict[str, float]]:
    X, y = scaled(name)
    theirs, out = by_official(name), {}
    for kind, weights in cases():
        model = ours(X, y, kind, weights, regularize_intercept=True)
        assert model.converged_, (name, kind, weights, model.stop_reason_)
        C = row_weights(y, weights)
        mine = value(X, y, np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), kind, C)
        v = theirs.get(f"{kind}, {weights}")
        w, b = (v[:-1], float(v[-1])) if v is not None else with_row_weights(X, y, kind)
        objective = value(X, y, w, b, kind, C)
        out[f"{kind}, {weights}"] = {
            "over": mine / objective - 1,
            "undercut": max(0.0, 1 - objective / model.certificate_.dual),
        }
    return out


def beside_kernel_machine(name: str) -> dict[str, dict[str, float]]:
    """The free bias: SVC and SVR with the linear kernel."""
    import widemargin as wm

    X, y = scaled(name)
    out: dict[str, dict[str, float]] = {}
    if len(y) >= LARGE:
        return out
    for kind in ("l2 hinge", "l2 epsilon_insensitive"):
        for weights in ("plain", "row weights"):
            other = wm.SVR(kernel="linear", epsilon=EPS) if kind in NUMBERS else wm.SVC(kernel="linear")
            other.set_params(gap_tol=1e-6, tol=1e-5).fit(X, y, sample_weight=row_weights(y, weights))
            one = ours(X, y, kind, weights).certificate_
            out[f"{kind}, free bias, {weights}"] = {
                "over": one.primal / other.certificate_.primal - 1,
                "undercut": max(0.0, 1 - other.certificate_.primal / one.dual),
            }
    return out


def agreement(only: list[str]) -> dict[str, Any]:
    """Figures of all problems, set by set."""
    warnings.simplefilter("ignore")
    sets = {}
    for name in only or SMALL:
        figures = {**beside_liblinear(name), **beside_kernel_machine(name)}
        sets[name] = figures
        over = max(figures, key=lambda k: figures[k]["over"])
        under = max(f["undercut"] for f in figures.values())
        print(f"{name:16} {len(figures):3} problems, ours over theirs at most {figures[over]['over']:.1e} ({over}), "
              f"undercut by {under:.1e}, theirs worse by up to {-min(f['over'] for f in figures.values()):.1e}",
              flush=True)  # fmt: skip
    return sets


def together(sets: dict[str, Any]) -> dict[str, Any]:
    """What all sets say; `near` counts the problems in which theirs is within 1e-4 of ours."""
    every = [f for figures in sets.values() for f in figures.values()]
    over, undercut = max(f["over"] for f in every), max(f["undercut"] for f in every)
    near = sum(abs(f["over"]) <= 1e-4 for f in every)
    holds = bool(over <= TOL and undercut <= 1e-12)
    return {"measured": str(date.today()), "asked": TOL, "problems": len(every), "near": near, "over": over,
            "undercut": undercut, "holds": holds, "sets": sets}  # fmt: skip
