"""Objectives beside those of others, and the price of a path along C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import MaxAbsScaler

from .problems import REAL, SMALL, kept, real


def agreement() -> dict[str, Any]:
    """Ours over liblinear's objective (regularised bias) and over SVC's (free bias), less 1; weights of rows too."""
    import widemargin as wm

    out: dict[str, Any] = {"measured": str(date.today()), "sets": {}}
    for name in SMALL:
        X, y = real(name)
        X = MaxAbsScaler().fit_transform(X)
        figures = {}
        for loss in ("hinge", "squared_hinge", "logistic"):
            model = wm.LinearSVC(loss=loss, regularize_intercept=True, tol=1e-7).fit(X, y)
            theirs = liblinear(name, loss)
            figures[f"{loss} over liblinear"] = value(X, y, model.coef_[0], model.intercept_[0], loss) / theirs - 1
            assert model.converged_, (name, loss, model.stop_reason_)
        if len(y) < 5000:
            weight = np.random.default_rng(0).uniform(0.2, 3, len(y))
            one = wm.LinearSVC(loss="hinge", tol=1e-7).fit(X, y, sample_weight=weight)
            two = wm.SVC(kernel="linear", gap_tol=1e-6, tol=1e-5).fit(X, y, sample_weight=weight)
            figures["hinge over SVC, free bias, weights"] = one.certificate_.primal / two.certificate_.primal - 1
        out["sets"][name] = figures
        print(f"{name:16}", {k: f"{v:.1e}" for k, v in figures.items()}, flush=True)
    return out


def value(X: Any, y: np.ndarray, w: np.ndarray, b: float, loss: str) -> float:
    m = y * (X @ w + b)
    losses = {
        "hinge": np.maximum(0, 1 - m),
        "squared_hinge": np.maximum(0, 1 - m) ** 2,
        "logistic": np.logaddexp(0, -m),
    }[loss]
    return (w @ w + b * b) / 2 + float(losses.sum())


PEER = """
import json, sys
import numpy as np
sys.path.insert(0, {here!r})
from linear_race.agreement import value
from linear_race.problems import real
from liblinear.liblinearutil import parameter, problem, train
from sklearn.preprocessing import MaxAbsScaler
X, y = real({name!r})
X = MaxAbsScaler().fit_transform(X)
model = train(problem(y, X, bias=1), parameter("-s {kind} -c 1 -B 1 -e {eps} -q"))
w, b = model.get_decfun()
sign = 1.0 if model.get_labels()[0] > 0 else -1.0
print(json.dumps(value(X, y, sign * np.array(w), sign * b, {loss!r})))
"""


def liblinear(name: str, loss: str) -> float:
    kind, eps = {"hinge": (3, 1e-4), "squared_hinge": (2, 1e-6), "logistic": (0, 1e-6)}[loss]
    python = os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    code = PEER.format(here=str(Path(__file__).parents[1]), name=name, kind=kind, eps=eps, loss=loss)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.strip().splitlines()[-1]))


def path() -> dict[str, Any]:
    """CPU seconds of 20 machines along C over those of 20 fits of their own, at the same tolerance."""
    import widemargin as wm

    out: dict[str, Any] = {"measured": str(date.today())}
    Cs = np.logspace(-3, 3, 20)
    warnings.simplefilter("ignore")
    for name in ("a9a", "w8a", "ijcnn1", "reuters"):
        if name not in REAL:
            continue
        X, y = kept(name)
        for loss in ("hinge", "squared_hinge"):
            machine = wm.LinearSVC(loss=loss)
            machine.fit(X[:500], y[:500])
            began = time.process_time()
            along = machine.path(X, y, Cs)
            together = time.process_time() - began
            began = time.process_time()
            apart = [wm.LinearSVC(loss=loss, C=C).fit(X, y) for C in Cs]
            alone = time.process_time() - began
            assert along.gaps.max() <= 1e-4
            assert max(m.certificate_.relative_gap for m in apart) <= 1e-4
            out[f"{name} {loss}"] = {"path": round(together, 3), "fits": round(alone, 3), "share": together / alone}
            print(
                f"{name:8} {loss:14} path {together:7.2f} s, 20 fits {alone:7.2f} s: {together / alone:.2f}", flush=True
            )
    return out
