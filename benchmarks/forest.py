"""How fast are forests, at the same accuracy as the peers'?

Peers: scikit-learn, scikit-learn-intelex, LightGBM's and XGBoost's random forests, YDF, and for single rows onnxruntime
with scikit-learn's forest. Each run is a process of its own with a limit of time, and the learners take turns; the
least CPU seconds of some runs count, and the median of many calls for single rows. Problems: letter, spambase, MNIST,
and 50,000 x 54 numbers of 7 classes from `make_classification`. What was asked is printed beside what was measured.
Data: WIDEMARGIN_DATA; peers: the Python in WIDEMARGIN_PEERS; who is not installed there, or is too slow, is left out.

    python benchmarks/forest.py [problem …] [--trees 100] [--runs 3] [--threads 1] [--who a,b] [--limit 600]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

PROBLEMS = ("synthetic", "letter", "spambase", "mnist")
FORESTS = ("widemargin", "scikit-learn", "intelex", "lightgbm", "xgboost", "ydf", "onnxruntime")
LEARNERS = [*((who, "forest") for who in FORESTS), ("widemargin", "extra"), ("scikit-learn", "extra")]
# (problem, kind, peer): how many times as fast the fit should be.
FITS = {
    ("synthetic", "forest", "scikit-learn"): 12.0,
    ("synthetic", "forest", "intelex"): 6.0,
    ("letter", "forest", "scikit-learn"): 8.0,
    ("letter", "forest", "intelex"): 3.0,
    ("mnist", "forest", "scikit-learn"): 5.5,
    ("mnist", "forest", "intelex"): 6.0,
    ("spambase", "forest", "scikit-learn"): 6.0,
    ("spambase", "forest", "intelex"): 2.5,
    ("synthetic", "extra", "scikit-learn"): 3.7,
    ("letter", "extra", "scikit-learn"): 4.3,
    ("mnist", "extra", "scikit-learn"): 5.5,
    ("spambase", "extra", "scikit-learn"): 5.5,
}
ROW_MICROSECONDS = 30.0  # of a single row beyond the fixed cost


def load(problem: str) -> tuple[Any, ...]:
    """Training and test rows in float32, codes of the classes."""
    if problem == "synthetic":
        from sklearn.datasets import make_classification

        X, y = make_classification(
            60_000, 54, n_informative=20, n_redundant=10, n_classes=7, n_clusters_per_class=3, random_state=0
        )
        n = 50_000
    else:
        sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
        from load import load as stored

        X, y = stored(problem)
        n = {"letter": 16_000, "spambase": 3_601, "mnist": 60_000}[problem]
        if problem == "spambase":
            order = np.random.default_rng(0).permutation(len(y))
            X, y = X[order], y[order]
    X, y = np.ascontiguousarray(X, dtype=np.float32), np.unique(y, return_inverse=True)[1]
    return X[:n], y[:n], X[n:], y[n:]


class Ydf:
    """YDF's random forest with the calls of the others."""

    def __init__(self, trees: int, threads: int, seed: int) -> None:
        self.options = {"num_trees": trees, "num_threads": threads, "random_seed": seed, "max_depth": -1}

    def fit(self, X: np.ndarray, y: np.ndarray) -> Ydf:
        import ydf

        ydf.verbose(0)
        grow = ydf.RandomForestLearner(
            label="y", winner_take_all=False, compute_oob_performances=False, min_examples=1, **self.options
        )
        self.model = grow.train({"x": X, "y": y.astype(str)})
        self.names = np.array(self.model.label_classes()).astype(int)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        said = np.asarray(self.model.predict({"x": X}))
        return self.names[(said > 0.5).astype(int) if said.ndim == 1 else said.argmax(axis=1)]


class Onnx:
    """scikit-learn's forest, which onnxruntime asks."""

    def __init__(self, forest: Any, threads: int) -> None:
        self.forest, self.threads = forest, threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> Onnx:
        import onnxruntime
        from skl2onnx import to_onnx

        self.forest.fit(X, y)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = self.threads
        text = to_onnx(self.forest, X[:1], options={"zipmap": False}).SerializeToString()
        self.session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
        self.name = self.session.get_inputs()[0].name
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.session.run(None, {self.name: X})[0]


def learner(who: str, kind: str, trees: int, threads: int, seed: int, d: int) -> Any:
    name = "RandomForestClassifier" if kind == "forest" else "ExtraTreesClassifier"
    if who == "widemargin":
        import widemargin

        return getattr(widemargin, name)(trees, n_jobs=threads, random_state=seed)
    if who in ("scikit-learn", "onnxruntime"):
        import sklearn.ensemble

        forest = getattr(sklearn.ensemble, name)(trees, n_jobs=threads, random_state=seed)
        return forest if who == "scikit-learn" else Onnx(forest, threads)
    if who == "intelex":
        from sklearnex.ensemble import RandomForestClassifier

        return RandomForestClassifier(trees, n_jobs=threads, random_state=seed)
    if who == "ydf":
        return Ydf(trees, threads, seed)
    share = max(1, int(d**0.5)) / d
    if who == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(
            boosting_type="rf",
            n_estimators=trees,
            n_jobs=threads,
            random_state=seed,
            num_leaves=4096,
            min_child_samples=1,
            subsample=0.632,
            subsample_freq=1,
            feature_fraction_bynode=share,
            verbose=-1,
        )
    from xgboost import XGBRFClassifier

    return XGBRFClassifier(
        n_estimators=trees, n_jobs=threads, random_state=seed, max_depth=20, colsample_bynode=share, reg_lambda=1e-9
    )


def one(request: dict[str, Any]) -> dict[str, Any]:
    """Times and accuracy of one learner on one problem."""
    X, y, Z, z = load(request["problem"])
    small = learner(request["who"], request["kind"], 2, 1, 0, X.shape[1])
    small.fit(X[:2000], y[:2000]).predict(Z[:5])  # imports
    model = learner(request["who"], request["kind"], request["trees"], request["threads"], request["seed"], X.shape[1])
    answer = {}
    for what, work in (("fit", lambda: model.fit(X, y)), ("predict", lambda: model.predict(Z))):
        cpu, wall = time.process_time(), time.perf_counter()
        said = work()
        answer[f"{what}_cpu"], answer[f"{what}_wall"] = time.process_time() - cpu, time.perf_counter() - wall
    answer["accuracy"] = float((np.asarray(said).ravel() == z).mean())
    answer["row_microseconds"] = row_time(model, Z)
    if request["who"] == "widemargin":
        answer["fixed_microseconds"] = row_time(small, Z)
    return answer


def row_time(model: Any, Z: np.ndarray) -> float:
    """The median of some calls, each with another row."""
    model.predict(Z[:1])
    times = []
    for i in range(100):
        row = Z[i : i + 1]
        began = time.perf_counter()
        model.predict(row)
        times.append(time.perf_counter() - began)
    return float(np.median(times)) * 1e6


def ask(request: dict[str, Any], limit: float) -> dict[str, Any] | None:
    own = request["who"] == "widemargin"
    python = sys.executable if own else os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    command = [python, __file__, "--one", json.dumps(request)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=None if own else limit)
    except subprocess.TimeoutExpired:
        print(f"{request['problem']:10} {request['kind']:6} {request['who']:12} more than {limit:.0f} s", flush=True)
        return None
    if run.returncode:
        said = (run.stderr.strip().splitlines() or ["nothing"])[-1]
        print(f"{request['problem']:10} {request['kind']:6} {request['who']:12} left out: {said[:100]}", flush=True)
        return None
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--who", default=",".join(FORESTS))
    parser.add_argument("--kind", default="forest,extra")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one run of a peer")
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    chosen = [(w, k) for w, k in LEARNERS if w in options.who.split(",") and k in options.kind.split(",")]
    for problem in options.problems:
        runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
        left_out: set[tuple[str, str]] = set()
        for seed in range(options.runs):
            for who, kind in chosen:
                if (who, kind) in left_out:
                    continue
                request = {"problem": problem, "who": who, "kind": kind, "trees": options.trees}
                found = ask({**request, "threads": options.threads, "seed": seed}, options.limit)
                if found:
                    runs.setdefault((kind, who), []).append(found)
                else:
                    left_out.add((who, kind))
        keep(problem, report(problem, runs, options), options.threads)


def keep(problem: str, lines: list[dict[str, Any]], threads: int) -> None:
    """Writes what was found in place of what was found before."""
    out = Path(__file__).parent / "results" / "forest.json"
    before = json.loads(out.read_text())["results"] if out.exists() else []
    fresh = {(problem, line["kind"], line["who"], threads) for line in lines}
    kept = [b for b in before if (b["problem"], b["kind"], b["who"], b["threads"]) not in fresh]
    out.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "results": [*kept, *lines]}, indent=1) + "\n")


def report(problem: str, runs: dict[tuple[str, str], list[dict[str, Any]]], options: Any) -> list[dict[str, Any]]:
    lines = []
    for (kind, who), found in sorted(runs.items()):
        least = {k: min(f[k] for f in found) for k in found[0] if k != "accuracy"}
        mean = float(np.mean([f["accuracy"] for f in found]))
        print(
            f"{problem:10} {kind:6} {who:12} fit {least['fit_cpu']:8.3f} s  predict {least['predict_cpu']:7.4f} s  row "
            f"{least['row_microseconds']:8.1f} us  accuracy {mean:.4f}",
            flush=True,
        )
        about = {"problem": problem, "kind": kind, "who": who, "trees": options.trees, "threads": options.threads}
        lines.append({**about, **least, "accuracy": mean, "runs": len(found), "load": round(os.getloadavg()[0], 1)})
    found_by = {(line["kind"], line["who"]): line for line in lines}
    for (kind, who), peer in found_by.items():
        own = found_by.get((kind, "widemargin"))
        if own and who != "widemargin":
            verdicts(own, peer)
    for kind in ("forest", "extra"):
        if own := found_by.get((kind, "widemargin")):
            beyond = own["row_microseconds"] - own["fixed_microseconds"]
            say(own, "a row beyond the fixed cost (us)", beyond, ROW_MICROSECONDS, beyond <= ROW_MICROSECONDS)
    return lines


def verdicts(own: dict[str, Any], peer: dict[str, Any]) -> None:
    """What was asked of our times against a peer's, and what was measured."""
    who, problem = peer["who"], own["problem"]
    gain = own["accuracy"] - peer["accuracy"]
    say(own, f"accuracy against {who} (points)", 100 * gain, -0.3, gain >= -0.003)
    if who == "onnxruntime":
        ratio = peer["row_microseconds"] / own["row_microseconds"]
        return say(own, f"a row against {who}", ratio, 1.0, ratio >= 1)
    fit = peer["fit_cpu"] / own["fit_cpu"]
    wish = FITS.get((problem, own["kind"], who))
    say(own, f"fit against {who}", fit, wish, wish is None or fit >= wish)
    asked = {"scikit-learn": 3.0 if problem == "mnist" else 5.0, "intelex": 2.5}.get(who)
    predict = peer["predict_cpu"] / own["predict_cpu"]
    say(own, f"batch predict against {who}", predict, asked, asked is None or predict >= asked)


def say(own: dict[str, Any], what: str, measured: float, asked: float | None, held: bool) -> None:
    verdict = "" if asked is None else f"asked {asked:6.1f}  {'yes' if held else 'NO'}"
    print(f"{own['problem']:10} {own['kind']:6} {what:44} {measured:8.2f}  {verdict}", flush=True)


if __name__ == "__main__":
    main()
