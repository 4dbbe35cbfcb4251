"""Do model files go both ways? LIBSVM and LIBLINEAR read ours, we read theirs, and every row gets the same answer.

On each data set every kind of machine is trained twice, here and by libsvm-official or liblinear-official. Each program
writes its models; the other one reads them, writes them again, and both are asked about all rows. Labels must be equal
on every row whose scores are not 0 to rounding, scores to rounding: 1e-12 of the terms that they are sums of. What is
left of terms that cancel says nothing: of one class whose rows are far from each other all lie on the edge, and where
0 lies among the rows the best weights of a linear machine of one class are 0. LIBSVM writes the numbers of support
vectors with 8 digits: there the reference is what LIBSVM says after it has read its own file.

    python benchmarks/reproduce/files.py [set ...]

Sets that are not named keep the figures that they have.
WIDEMARGIN_DATA   directory with data sets; without it two random ones are taken
WIDEMARGIN_PEERS  a Python that has both packages (`make reproduce` makes one); without it this one is tried
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import widemargin as wm
from widemargin import store
from widemargin.data import write_svmlight

sys.path.insert(0, str(Path(__file__).parents[1]))
from svm_race.problems import shared

RESULTS = Path(__file__).parents[1] / "results" / "files.json"
SETS = {"a9a": 600, "dna": 400, "satimage": 400, "usps": 400, "sector": 300}
SAME = 1e-12
KERNEL = {
    "c_svc": ("-s 0 -t 2 -g {g} -c 2", lambda g: wm.SVC(C=2, gamma=g)),
    "c_svc poly": ("-s 0 -t 1 -d 2 -r 1 -g {g}", lambda g: wm.SVC(kernel="poly", degree=2, coef0=1, gamma=g)),
    "c_svc sigmoid": ("-s 0 -t 3 -g {g} -r -0.5", lambda g: wm.SVC(kernel="sigmoid", gamma=g, coef0=-0.5, max_iter=99)),
    "nu_svc": ("-s 1 -t 0 -n 0.3", lambda g: wm.NuSVC(kernel="linear", nu=0.3)),
    "one_class": ("-s 2 -t 2 -g {g} -n 0.2", lambda g: wm.OneClassSVM(gamma=g, nu=0.2)),
    "epsilon_svr": ("-s 3 -t 2 -g {g} -p 0.2", lambda g: wm.SVR(gamma=g, epsilon=0.2)),
    "nu_svr": ("-s 4 -t 2 -g {g} -n 0.3", lambda g: wm.NuSVR(gamma=g, nu=0.3)),
}  # fmt: skip
LINEAR = {
    "L2R_LR": ("-s 0 -B 1", lambda: wm.LinearSVC(loss="logistic")),
    "L2R_L2LOSS_SVC_DUAL": ("-s 1", lambda: wm.LinearSVC(dual=True, fit_intercept=False)),
    "L2R_L2LOSS_SVC": ("-s 2 -B 0.5", lambda: wm.LinearSVC(regularize_intercept=True, intercept_scaling=0.5)),
    "L2R_L1LOSS_SVC_DUAL": ("-s 3 -B 1", lambda: wm.LinearSVC(loss="hinge")),
    "MCSVM_CS": ("-s 4", lambda: wm.LinearSVC(multi_class="crammer_singer", fit_intercept=False)),
    "L1R_L2LOSS_SVC": ("-s 5 -B 1", lambda: wm.LinearSVC(penalty="l1")),
    "L1R_LR": ("-s 6 -B 1", lambda: wm.LinearSVC(penalty="l1", loss="logistic")),
    "L2R_LR_DUAL": ("-s 7 -B 2", lambda: wm.LinearSVC(loss="logistic", dual=True)),
    "L2R_L2LOSS_SVR": ("-s 11 -B 1", lambda: wm.LinearSVR(loss="squared_epsilon_insensitive")),
    "L2R_L2LOSS_SVR_DUAL": ("-s 12 -B 1", lambda: wm.LinearSVR(loss="squared_epsilon_insensitive", dual=True)),
    "L2R_L1LOSS_SVR_DUAL": ("-s 13", lambda: wm.LinearSVR(fit_intercept=False, epsilon=0.1)),
    "ONECLASS_SVM": ("-s 21 -n 0.2", lambda: wm.OneClassSVM(kernel="linear", nu=0.2)),
}

PEER = """
import json, sys
jobs = json.load(open(sys.argv[1]))
for job in jobs:
    if job["program"] == "libsvm":
        from libsvm import svmutil as u
        from ctypes import c_double
        from libsvm.svm import gen_svm_nodearray, libsvm
        read, train, load, save = u.svm_read_problem, u.svm_train, u.svm_load_model, u.svm_save_model

        # svm_predict of the package has room for one value of nu-SVC, and writes beyond it where there are more pairs.
        def ask(_, rows, model, __):
            k = max(2, model.get_nr_class())
            room = (c_double * (k * (k - 1) // 2))()
            found = [(libsvm.svm_predict_values(model, gen_svm_nodearray(row)[0], room), room[:]) for row in rows]
            one = model.get_svm_type() > 1
            return [label for label, _ in found], None, [values[:1] if one else values for _, values in found]
    else:
        from liblinear import liblinearutil as u
        read, train, load, save, ask = u.svm_read_problem, u.train, u.load_model, u.save_model, u.predict
    y, x = read(job["data"])
    if job["flags"] is not None:
        save(job["theirs"], train(y, x, job["flags"] + " -q"))
    for path in ("ours", "theirs"):
        model = load(job[path])
        save(job[path] + ".again", model)
        labels, _, values = ask([], x, model, "-q")
        job[path + " labels"], job[path + " scores"] = labels, values
json.dump(jobs, open(sys.argv[1], "w"))
"""


def sets() -> dict[str, tuple[Any, np.ndarray]]:
    random, found = np.random.default_rng(0), {}
    for name, n in SETS.items() if "WIDEMARGIN_DATA" in os.environ else ():
        X, y = shared(name, "train") if name in ("a9a", "usps", "sector") else shared(name)
        keep = np.sort(random.permutation(X.shape[0])[:n])
        found[name] = sp.csr_matrix(X[keep], dtype=np.float64), np.unique(y[keep], return_inverse=True)[1] + 1
    for name, k in (("random 2", 2), ("random 4", 4)):
        X = random.standard_normal((200, 6)) * (random.random((200, 6)) < 0.7)
        score = X[:, 0] - X[:, 1] + 0.5 * random.standard_normal(200)
        found[name] = sp.csr_matrix(X), np.argsort(np.argsort(score)) * k // 200 + 1
    return found


def jobs_of(name: str, X: Any, y: np.ndarray, place: Path) -> list[dict[str, Any]]:
    """Our models written; flags for theirs."""
    g, found = 1 / X.shape[1] if X.shape[1] < 1000 else 1.0, []
    for kind, (flags, make) in {**KERNEL, **LINEAR}.items():
        kernel = kind in KERNEL
        if kernel and X.shape[1] > 10_000 and kind != "c_svc":  # one is enough for so many features
            continue
        target = y / y.max() if "svr" in kind.lower() else y
        stem = str(place / f"{name} {kind}".replace(" ", "_"))
        job = {"set": name, "kind": kind, "program": "libsvm" if kernel else "liblinear", "data": f"{stem}.svm"}
        job |= {"ours": f"{stem}.ours", "theirs": f"{stem}.theirs", "flags": flags.format(g=g)}
        model = (make(g) if kernel else make()).fit(X, target)  # type: ignore[operator]
        write_svmlight(X, target, job["data"])
        (store.save_libsvm if kernel else store.save_liblinear)(model, job["ours"])
        job["called"] = model.predict(X).tolist()
        job["terms"] = terms(model.dual_coef_, X, model.kernel_) if hasattr(model, "dual_coef_") else 0.0
        found.append(job)
    return found


def terms(coef: np.ndarray, X: Any, kernel: Any = None) -> float:
    """What the terms of a score may come to without their signs: coefficients of rows, or weights of features."""
    if kernel is not None:
        return float(np.abs(coef).sum() * np.abs(kernel(X, X)).max())
    return float((abs(X)[:, : coef.shape[1]] @ np.abs(coef).T[: X.shape[1]]).max())


def judged(job: dict[str, Any], X: Any) -> dict[str, Any]:
    """Rows whose labels differ, and the largest difference of scores, of both files, read here and there."""
    load = store.load_libsvm if job["program"] == "libsvm" else store.load_liblinear
    told = {"set": job["set"], "kind": job["kind"], "rows": X.shape[0], "labels differ": 0, "scores differ": 0.0}
    for path in ("ours", "theirs"):
        ours = {name: load(f"{job[path]}{name}") for name in ("", ".again")}
        there = np.array(job[f"{path} scores"]).reshape(X.shape[0], -1)
        labels = np.array(job[f"{path} labels"])
        for model in ours.values():
            rounded = path == "ours" and model is ours[".again"] and job["program"] == "libsvm"
            here = model.decision_function(X)
            inside = terms(model.coef, X, model.kernel) if job["program"] == "libsvm" else terms(model.w, X)
            size = max(np.abs(there).max(), np.abs(model.rho).max(), inside)
            sure = np.abs(there).min(axis=1) > SAME * size
            if rounded:  # LIBSVM's 8 digits
                continue
            told["scores differ"] = max(told["scores differ"], float(np.abs(here - there).max() / size))
            called = model.predict(X)
            if "svr" not in job["kind"].lower():
                told["labels differ"] += int(np.count_nonzero((called != labels)[sure]))
        if path == "ours" and "svr" not in job["kind"].lower():  # what the fitted machine itself says
            sure = np.abs(there).min(axis=1) > SAME * max(size, job["terms"])
            told["labels differ"] += int(np.count_nonzero((np.array(job["called"]) != labels)[sure]))
    return told


def compared(name: str, X: Any, y: np.ndarray) -> list[dict[str, Any]]:
    """All kinds of machines on one set."""
    python, found = os.environ.get("WIDEMARGIN_PEERS", sys.executable), []
    with tempfile.TemporaryDirectory() as folder:
        jobs = jobs_of(name, X, y, Path(folder))
        paper = Path(folder) / "jobs.json"
        paper.write_text(json.dumps(jobs))
        subprocess.run([python, "-c", PEER, str(paper)], check=True, stdout=subprocess.DEVNULL)
        for job in json.loads(paper.read_text()):
            told = judged(job, X)
            good = told["labels differ"] == 0 and told["scores differ"] <= SAME
            found.append(told | {"good": good})
            print(f"{name:10} {told['kind']:20} labels differ {told['labels differ']}  scores "
                  f"{told['scores differ']:.1e}{'' if good else '   DIFFERS'}", flush=True)  # fmt: skip
    return found


def main() -> int:
    warnings.simplefilter("ignore")
    wanted, cases = sys.argv[1:], json.loads(RESULTS.read_text())["cases"] if RESULTS.exists() else []
    for name, (X, y) in sets().items():
        if not wanted or name in wanted:
            cases = [case for case in cases if case["set"] != name] + compared(name, X, y)
            good = all(case["good"] for case in cases)
            RESULTS.write_text(json.dumps({"cases": cases, "good": good}, indent=1) + "\n")
    print(f"{sum(case['good'] for case in cases)} of {len(cases)} kinds of models agree in both directions")
    return 0 if all(case["good"] for case in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
