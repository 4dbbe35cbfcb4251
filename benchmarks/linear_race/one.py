"""One learner on one problem, in a process of its own: seconds, and the weights that it found.

Called with a JSON of the request; the last line printed is a JSON of the answer, the weights go into a file. Imports
and a small fit come before all; the peers' own form of the data is made before the clock starts, where they have one.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).parents[1]))
from linear_race.problems import kept

KINDS = {"hinge": 3, "squared_hinge": 1, "primal": 2}


def ours(X: Any, y: np.ndarray, loss: str, C: float, tol: float, **more: Any) -> Any:
    import widemargin as wm

    def fit() -> Any:
        model = wm.LinearSVC(loss=loss, C=C, tol=tol, regularize_intercept=not more.get("free")).fit(X, y)
        return model.coef_, model.intercept_, f"{model.solver_} {model.n_iter_}"

    return fit


def liblinear(X: Any, y: np.ndarray, loss: str, C: float, tol: float, **more: Any) -> Any:
    from liblinear.liblinearutil import parameter, problem, train

    given = problem(y, sp.csr_matrix(X) if sp.issparse(X) else X, bias=1)
    kind = KINDS["primal"] if more.get("primal") else KINDS[loss]

    def fit() -> Any:
        model = train(given, parameter(f"-s {kind} -c {C} -B 1 -e {tol} -q"))
        weights, labels = [], model.get_labels()
        for k in range(1 if model.get_nr_class() == 2 else model.get_nr_class()):
            w, b = model.get_decfun(label_idx=k)
            weights.append((np.array(w), b))
        order = np.argsort(labels) if len(weights) > 1 else [0]
        sign = 1.0 if len(weights) > 1 or labels[0] > labels[1] else -1.0
        return np.array([sign * weights[k][0] for k in order]), np.array([sign * weights[k][1] for k in order]), ""

    return fit


def sklearn(X: Any, y: np.ndarray, loss: str, C: float, tol: float, **more: Any) -> Any:
    from sklearn.svm import LinearSVC

    def fit() -> Any:
        model = LinearSVC(loss=loss, C=C, tol=tol, dual=not more.get("primal"), random_state=0).fit(X, y)
        return model.coef_, model.intercept_, f"{model.n_iter_}"

    return fit


def sgd(X: Any, y: np.ndarray, loss: str, C: float, tol: float, **more: Any) -> Any:
    from sklearn.linear_model import SGDClassifier

    def fit() -> Any:
        alpha = 1 / (C * X.shape[0])
        model = SGDClassifier(loss=loss, alpha=alpha, tol=tol, random_state=0, average=more.get("average", False))
        model.fit(X, y)
        return model.coef_, model.intercept_, f"{model.n_iter_}"

    return fit


def snapml(X: Any, y: np.ndarray, loss: str, C: float, tol: float, **more: Any) -> Any:
    from snapml import SupportVectorMachine

    X = sp.csr_matrix(X, dtype=np.float32) if sp.issparse(X) else np.asarray(X, np.float32)

    def fit() -> Any:
        model = SupportVectorMachine(loss=loss, regularizer=1 / C, tol=tol, fit_intercept=True, n_jobs=1)
        model.fit(X, y)
        return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_), ""

    return fit


def cpu_seconds() -> float:
    """Of this process. Not time.process_time: a limit of CPU time makes that go in steps of 4 ms."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


LEARNERS = {"ours": ours, "liblinear": liblinear, "sklearn": sklearn, "sgd": sgd, "snapml": snapml}


def main() -> None:
    request = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (request["limit"], request["limit"] + 5))
    warnings.simplefilter("ignore")
    learner = LEARNERS[request["learner"]]
    rng = np.random.default_rng(0)
    small = rng.standard_normal((60, 3))
    learner(small, np.where(small[:, 0] > 0, 1.0, -1.0), request["loss"], 1.0, 0.1)()
    X, y = kept(request["problem"])
    fit = learner(X, y, request["loss"], request["C"], request["tol"], **request["more"])
    runs = []
    for _ in range(request["repeats"]):
        cpu, wall = cpu_seconds(), time.perf_counter()
        coef, intercept, said = fit()
        runs.append((cpu_seconds() - cpu, time.perf_counter() - wall))
        if sum(cpu for cpu, _ in runs) > 10:
            break
    np.savez(request["out"], coef=coef, intercept=intercept)
    cpu, wall = min(runs)
    print(json.dumps({"cpu": cpu, "wall": wall, "runs": len(runs), "said": said}))


if __name__ == "__main__":
    main()
