"""How fast are forests, at the same accuracy as the peers'?

Peers: scikit-learn, scikit-learn-intelex, LightGBM's and XGBoost's random forests. Each run is a process of its own,
and the learners take turns; the least CPU seconds of some runs count. Problems: letter, spambase, MNIST, and 50,000 x
54 numbers of 7 classes from `make_classification`. Data: WIDEMARGIN_DATA; peers: the Python in WIDEMARGIN_PEERS.

    python benchmarks/forest.py [problem …] [--trees 100] [--runs 3] [--threads 1]
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
FORESTS = ("widemargin", "scikit-learn", "intelex", "lightgbm", "xgboost")
LEARNERS = [*((who, "forest") for who in FORESTS), ("widemargin", "extra"), ("scikit-learn", "extra")]


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


def learner(who: str, kind: str, trees: int, threads: int, seed: int, d: int) -> Any:
    name = "RandomForestClassifier" if kind == "forest" else "ExtraTreesClassifier"
    if who == "widemargin":
        import widemargin

        return getattr(widemargin, name)(trees, n_jobs=threads, random_state=seed)
    if who == "scikit-learn":
        import sklearn.ensemble

        return getattr(sklearn.ensemble, name)(trees, n_jobs=threads, random_state=seed)
    if who == "intelex":
        from sklearnex.ensemble import RandomForestClassifier

        return RandomForestClassifier(trees, n_jobs=threads, random_state=seed)
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
    small.fit(X[:200], y[:200]).predict(Z[:5])  # imports
    model = learner(request["who"], request["kind"], request["trees"], request["threads"], request["seed"], X.shape[1])
    answer = {}
    for what, work in (("fit", lambda: model.fit(X, y)), ("predict", lambda: model.predict(Z))):
        cpu, wall = time.process_time(), time.perf_counter()
        said = work()
        answer[f"{what}_cpu"], answer[f"{what}_wall"] = time.process_time() - cpu, time.perf_counter() - wall
    answer["accuracy"] = float((np.asarray(said).ravel() == z).mean())
    began = time.perf_counter()
    for i in range(20):
        model.predict(Z[i : i + 1])
    answer["row_microseconds"] = (time.perf_counter() - began) / 20 * 1e6
    return answer


def ask(request: dict[str, Any]) -> dict[str, Any] | None:
    own = request["who"] == "widemargin"
    python = sys.executable if own else os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    run = subprocess.run([python, __file__, "--one", json.dumps(request)], capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1]) if run.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--who", default=",".join(FORESTS))
    parser.add_argument("--kind", default="forest,extra")
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    chosen = [(w, k) for w, k in LEARNERS if w in options.who.split(",") and k in options.kind.split(",")]
    results = []
    for problem in options.problems:
        runs: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for seed in range(options.runs):
            for who, kind in chosen:
                request = {"problem": problem, "who": who, "kind": kind, "trees": options.trees}
                found = ask({**request, "threads": options.threads, "seed": seed})
                if found:
                    runs.setdefault((kind, who), []).append(found)
        results += report(problem, runs, options)
    out = Path(__file__).parent / "results" / "forest.json"
    out.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "results": results}, indent=1) + "\n")


def report(problem: str, runs: dict[tuple[str, str], list[dict[str, Any]]], options: Any) -> list[dict[str, Any]]:
    lines = []
    for (kind, who), found in sorted(runs.items()):
        ours = runs.get((kind, "widemargin"), found)
        least = {k: min(f[k] for f in found) for k in found[0] if k != "accuracy"}
        mean = float(np.mean([f["accuracy"] for f in found]))
        times = {k: least[k] / min(f[k] for f in ours) for k in ("fit_cpu", "predict_cpu", "row_microseconds")}
        print(
            f"{problem:10} {kind:6} {who:12} fit {least['fit_cpu']:8.3f} s  predict {least['predict_cpu']:7.4f} s  row "
            f"{least['row_microseconds']:8.1f} us  accuracy {mean:.4f}  ours is faster {times['fit_cpu']:5.1f}x "
            f"{times['predict_cpu']:5.1f}x {times['row_microseconds']:6.1f}x",
            flush=True,
        )
        about = {"problem": problem, "kind": kind, "who": who, "trees": options.trees, "threads": options.threads}
        lines.append({**about, **least, "accuracy": mean, "runs": len(found)})
    return lines


if __name__ == "__main__":
    main()
