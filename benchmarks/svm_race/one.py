"""One learner on one problem, in a process of its own: times, memory, and the dual point that it found.

Called with a JSON of the request; the last line printed is a JSON of the answer, the dual points go into a file. The
first fit finds cold memory, later ones warm. Imports and a small fit come before all. CPU seconds are those of the
process with all its threads.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).parents[1]))
from svm_race.problems import load

Pairs = list[dict[str, Any]]


def pairs(classes: list[int], counts: Any, coef: Any, rows: Any, intercepts: Any) -> Pairs:
    """LIBSVM's layout taken apart: for every pair of classes its rows, their signed coefficients and the intercept.

    Coefficients are positive for the first class of a pair, and so are its decisions.
    """
    ends = np.cumsum(counts)
    spans = [slice(e - c, e) for e, c in zip(ends, counts, strict=True)]
    found: Pairs = []
    for i in range(len(classes)):
        for j in range(i + 1, len(classes)):
            found.append(
                {
                    "plus": classes[i],
                    "minus": classes[j],
                    "rows": np.concatenate([rows[spans[i]], rows[spans[j]]]),
                    "coef": np.concatenate([coef[j - 1][spans[i]], coef[i][spans[j]]]),
                    "intercept": float(intercepts[len(found)]),
                }
            )
    return found


def sklearn_pairs(model: Any) -> Pairs:
    """Of two classes scikit-learn turns all signs over, so that positive decisions speak for the second."""
    coef = model.dual_coef_.toarray() if sp.issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    sign = -1.0 if len(model.classes_) == 2 else 1.0
    intercepts = sign * np.ravel(model.intercept_)
    return pairs(list(range(len(model.classes_))), model.n_support_, sign * coef, model.support_, intercepts)


class Ours:
    """The certificate's share is measured around its calls; rows of kernel values are counted by the solver."""

    def __init__(self, r: dict[str, Any]) -> None:
        import widemargin as wm
        from widemargin.estimator import svm_fit
        from widemargin.solver.pairs import PairFits
        from widemargin.solver.svm import BoxFit

        self.options = {"C": r["C"], "gamma": r["gamma"], "n_jobs": r["threads"], "cache_size": r["cache"]}
        if r.get("gap_tol"):
            self.options["gap_tol"] = r["gap_tol"]
        self.make, self.share, self.values = wm.SVC, [0.0, 0.0], 0.0
        finished, together = BoxFit.finished, PairFits.run

        def timed(work: Callable[..., Any]) -> Callable[..., Any]:
            def run(*args: Any, **options: Any) -> Any:
                cpu, wall = time.process_time(), time.perf_counter()
                try:
                    return work(*args, **options)
                finally:
                    self.share[0] += time.process_time() - cpu
                    self.share[1] += time.perf_counter() - wall

            return run

        def counted(fit: Any, *args: Any) -> Any:
            rounds, _, rows = (int(v) for v in fit.state.counters[:3])
            self.values += rows * fit.problem.n + rounds * fit.solver.working**2
            return finished(fit, *args)

        def counted_together(fits: Any, *args: Any) -> Any:
            together(fits, *args)
            rounds, rows = fits.counters[:, 0], fits.counters[:, 2]
            self.values += float(rows @ fits.problems.sizes + rounds @ fits.working**2)

        for name in ("certify_parts", "certify_claims", "telling_scores", "joined_expansions"):
            setattr(svm_fit, name, timed(getattr(svm_fit, name)))
        BoxFit.finished, PairFits.run = counted, counted_together

    def fit(self, X: Any, y: np.ndarray) -> Any:
        self.share[:], self.values = [0.0, 0.0], 0.0
        return self.make(**self.options).fit(X, y)

    def pairs(self, model: Any) -> Pairs:
        return sklearn_pairs(model)

    def extra(self, model: Any) -> dict[str, Any]:
        c = model.certificate_
        return {
            "certificate_cpu": self.share[0],
            "certificate_wall": self.share[1],
            "values": self.values,
            "converged": bool(model.converged_),
            "stop": model.stop_reason_,
            "own_relative_gap": float(c.relative_gap),
            "kkt_violation": float(c.kkt_violation),
        }


class Sklearn:
    def __init__(self, r: dict[str, Any]) -> None:
        from sklearn.svm import SVC

        self.make = SVC
        self.options = {"C": r["C"], "gamma": r["gamma"], "cache_size": r["cache"]}

    def fit(self, X: Any, y: np.ndarray) -> Any:
        return self.make(**self.options).fit(X, y)

    def pairs(self, model: Any) -> Pairs:
        return sklearn_pairs(model)

    def extra(self, model: Any) -> dict[str, Any]:
        return {}


class Intelex(Sklearn):
    def __init__(self, r: dict[str, Any]) -> None:
        import daal4py
        from sklearnex.svm import SVC

        daal4py.daalinit(r["threads"])
        super().__init__(r)
        self.make = SVC


class ThunderSVM(Sklearn):
    def __init__(self, r: dict[str, Any]) -> None:
        from thundersvm import SVC

        self.make = SVC
        self.options = {"C": r["C"], "gamma": r["gamma"], "n_jobs": r["threads"], "max_mem_size": r["cache"]}

    def pairs(self, model: Any) -> Pairs:
        coef = np.asarray(model.dual_coef_.todense() if sp.issparse(model.dual_coef_) else model.dual_coef_)
        k = len(model.n_support_)
        return pairs(list(range(k)), model.n_support_, coef, model.support_, np.ravel(model.intercept_))


class Libsvm:
    def __init__(self, r: dict[str, Any]) -> None:
        from libsvm import svmutil

        self.tools = svmutil
        self.flags = f"-q -s 0 -t 2 -c {r['C']} -g {r['gamma']} -m {r['cache']}"

    def fit(self, X: Any, y: np.ndarray) -> Any:
        problem = self.tools.svm_problem(np.asarray(y, dtype=np.float64), sp.csr_matrix(X))
        began = time.process_time(), time.perf_counter()
        model = self.tools.svm_train(problem, self.tools.svm_parameter(self.flags))
        model.took = time.process_time() - began[0], time.perf_counter() - began[1]
        return model

    def pairs(self, model: Any) -> Pairs:
        k = model.get_nr_class()
        coef = np.array(model.get_sv_coef()).T
        rows = np.array(model.get_sv_indices()) - 1
        counts = [model.nSV[i] for i in range(k)]
        intercepts = [-model.rho[p] for p in range(k * (k - 1) // 2)]
        return pairs([int(v) for v in model.get_labels()], counts, coef, rows, intercepts)

    def extra(self, model: Any) -> dict[str, Any]:
        return {}

    def predict(self, model: Any, Z: Any) -> np.ndarray:
        return np.array(self.tools.svm_predict([], sp.csr_matrix(Z), model, "-q")[0])


LEARNERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "ours": Ours,
    "sklearn": Sklearn,
    "intelex": Intelex,
    "thundersvm": ThunderSVM,
    "libsvm": Libsvm,
}


def resident() -> int:
    """The largest resident set so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def repeated(work: Callable[[], Any], r: dict[str, Any], note: Any = None) -> tuple[Any, list[dict[str, Any]]]:
    """`least` times unless once takes longer than `slow` CPU seconds; up to `runs` times within `patience`."""
    runs: list[dict[str, Any]] = []
    result = None
    while len(runs) < r["runs"]:
        if runs:
            spent, again = sum(run["cpu"] for run in runs), runs[-1]["cpu"]
            wanted = len(runs) < r["least"] and again < r["slow"]
            if not wanted and spent + again > r["patience"]:
                break
        result = None  # so that memory of the one before is free
        result, cpu, wall = timed(work)
        cpu, wall = getattr(result, "took", (cpu, wall))
        runs.append({"cpu": cpu, "wall": wall} | (note(result) if note else {}))
    return result, runs


def measure(r: dict[str, Any]) -> dict[str, Any]:
    X, y, Z, z = load(r["data"])
    if r["dense"] and sp.issparse(X):
        X, Z = X.toarray(), Z.toarray()
    learner = LEARNERS[r["learner"]](r)
    small = np.random.default_rng(0).choice(len(y), 200, replace=False)
    small_labels = np.arange(200) % 2
    learner.fit(X[small], small_labels)
    before = resident()
    model, fits = repeated(lambda: learner.fit(X, y), r, learner.extra)
    answer = {"fits": fits, "grown_MB": (resident() - before) / 1e6, "data_MB": _bytes(X) / 1e6}
    found = learner.pairs(model)
    answer["support"] = len(np.unique(np.concatenate([p["rows"] for p in found])))
    np.savez(r["out"], **{f"{k}_{p}": v for p, pair in enumerate(found) for k, v in pair.items()}, pairs=len(found))
    if r["predict"]:
        predict = getattr(learner, "predict", lambda model, Z: model.predict(Z))
        labels, answer["predicts"] = repeated(lambda: predict(model, Z), r)
        answer["accuracy"] = float(np.mean(np.asarray(labels) == z))
    return answer


def _bytes(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sp.issparse(X) else X.nbytes


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    request = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (int(request["limit"]), int(request["limit"]) + 5))
    print(json.dumps(measure(request)))
