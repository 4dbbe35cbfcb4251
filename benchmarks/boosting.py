"""How fast is boosting, at the same accuracy as the peers'?

Stumps: AdaBoost of 200 rounds against scikit-learn's AdaBoost and LightGBM at depth 1; 20,000 x 50 and 200,000 x 54
numbers from `make_classification`, and spambase. Trees of depth 6, 100 rounds of log loss, against LightGBM. Text:
1,000 rounds of one word each on 20,000 documents (all of 20 Newsgroups and some of Reuters; computing or not) against
scikit-learn's AdaBoost with stumps on the same counts. Prediction with 1,000 stumps. Each run is a process of its own,
and the learners take turns; the least CPU seconds of some runs count. scikit-learn's rounds all cost the same, so that
of large problems a part is timed and multiplied. Data: WIDEMARGIN_DATA; peers: the Python in WIDEMARGIN_PEERS.

    python benchmarks/boosting.py [task …] [--runs 3] [--threads 1]
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

RESULTS = Path(__file__).parent / "results" / "boosting.json"
# task: (rounds, {peer: rounds that are timed, and how many times as fast we should be})
TASKS: dict[str, tuple[int, dict[str, tuple[int, float]]]] = {
    "stumps": (200, {"scikit-learn": (200, 180.0), "lightgbm": (200, 3.0)}),
    "spambase": (200, {"scikit-learn": (200, 40.0), "lightgbm": (200, 1.5)}),
    "large": (200, {"scikit-learn": (10, 1.0), "lightgbm": (200, 1.0)}),
    "trees": (100, {"lightgbm": (100, 1 / 1.5)}),
    "text": (1000, {"scikit-learn": (10, 20.0)}),
    "predict": (1000, {"scikit-learn": (1000, 20.0)}),
}
SHARED = {"predict": "spambase", "trees": "stumps"}  # tasks on the rows of another


def stored(name: str) -> Any:
    sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
    from load import load

    return load(name)


def documents() -> tuple[Any, np.ndarray]:
    from sklearn.feature_extraction.text import CountVectorizer

    posts, groups = stored("news20")
    more = list(stored("reuters21578")[0])[: 20_000 - len(posts)]
    counts = CountVectorizer(min_df=2).fit_transform([*posts, *more])
    return counts, np.array([str(g).startswith("comp") for g in groups] + [False] * len(more))


def load(task: str) -> tuple[Any, ...]:
    """Training and test rows in float32 (counts for text), codes of two classes."""
    task = SHARED.get(task, task)
    rng = np.random.default_rng(0)
    if task == "text":
        X, y = documents()
        n = 16_000
    elif task == "spambase":
        X, y = stored("spambase")
        n = 3_601
    else:
        from sklearn.datasets import make_classification

        n, d = (20_000, 50) if task == "stumps" else (200_000, 54)
        X, y = make_classification(n * 5 // 4, d, n_informative=20, n_redundant=10, flip_y=0.05, random_state=0)
    order = rng.permutation(len(y))
    X, y = X[order], np.unique(y, return_inverse=True)[1][order]
    if task != "text":
        return *(np.ascontiguousarray(part, dtype=np.float32) for part in (X[:n], X[n:])), y[:n], y[n:]
    return X, X[n:], y, y[n:]  # the whole corpus is learnt from


def learner(task: str, who: str, rounds: int, threads: int) -> Any:
    if who == "scikit-learn":
        from sklearn.ensemble import AdaBoostClassifier

        return AdaBoostClassifier(n_estimators=rounds)
    if who == "lightgbm":
        from lightgbm import LGBMClassifier

        shape = {"max_depth": 6, "num_leaves": 64} if task == "trees" else {"max_depth": 1, "num_leaves": 2}
        return LGBMClassifier(n_estimators=rounds, n_jobs=threads, verbose=-1, **shape)
    import widemargin as wm

    if task == "trees":
        tree = wm.DecisionTreeRegressor(max_depth=6, max_bins=256)
        return wm.LogitBoostClassifier(tree, n_estimators=rounds, learning_rate=0.1, n_jobs=threads)
    if task == "text":
        return wm.TextBooster(rounds, n_jobs=threads)
    return wm.AdaBoostClassifier(n_estimators=rounds, n_jobs=threads)


def one(request: dict[str, Any]) -> dict[str, Any]:
    """Times and accuracy of one learner on one task."""
    task, who, rounds, threads = (request[name] for name in ("task", "who", "rounds", "threads"))
    X, Z, y, z = load(task)
    learner(task, who, 2, 1).fit(X[:500], y[:500]).predict(Z[:5])  # imports
    model, found = learner(task, who, rounds, threads), {}
    work = {"fit": lambda: model.fit(X, y), "predict": lambda: model.predict(Z)}
    for what, run in work.items():
        times = []
        for _ in range(5 if task == "predict" and what == "predict" else 1):
            cpu, wall = time.process_time(), time.perf_counter()
            said = run()
            times.append((time.process_time() - cpu, time.perf_counter() - wall))
        found[f"{what}_cpu"], found[f"{what}_wall"] = (min(t) for t in zip(*times, strict=True))
    scale = request["of"] / rounds
    for name in ("fit_cpu", "fit_wall"):
        found[name] *= scale
    return {**found, "accuracy": float((np.asarray(said).ravel() == z).mean())}


def ask(request: dict[str, Any]) -> dict[str, Any] | None:
    own = request["who"] == "widemargin"
    python = sys.executable if own else os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    run = subprocess.run([python, __file__, "--one", json.dumps(request)], capture_output=True, text=True)
    if run.returncode:
        said = (run.stderr.strip().splitlines() or ["nothing"])[-1]
        print(f"{request['task']:10} {request['who']:12} left out: {said[:100]}", flush=True)
        return None
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    for task in options.tasks:
        rounds, peers = TASKS[task]
        runs: dict[str, list[dict[str, Any]]] = {}
        for _ in range(options.runs):
            for who, timed in [("widemargin", rounds), *((peer, t) for peer, (t, _) in peers.items())]:
                request = {"task": task, "who": who, "rounds": timed, "of": rounds, "threads": options.threads}
                if found := ask(request):
                    runs.setdefault(who, []).append(found)
        keep(task, report(task, runs, options.threads))


def keep(task: str, lines: list[dict[str, Any]]) -> None:
    """Writes what was found in place of what was found before."""
    before = json.loads(RESULTS.read_text())["results"] if RESULTS.exists() else []
    fresh = {(line["task"], line["who"], line["threads"]) for line in lines}
    kept = [b for b in before if (b["task"], b["who"], b["threads"]) not in fresh]
    RESULTS.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "results": [*kept, *lines]}, indent=1) + "\n")


def report(task: str, runs: dict[str, list[dict[str, Any]]], threads: int) -> list[dict[str, Any]]:
    rounds, peers = TASKS[task]
    lines: list[dict[str, Any]] = []
    for who, found in runs.items():
        best = {name: min(f[name] for f in found) for name in found[0]}
        timed = peers[who][0] if who in peers else rounds
        lines.append({"task": task, "who": who, "rounds": rounds, "timed_rounds": timed, "threads": threads, **best})
        lines[-1]["runs"] = len(found)
        print(
            f"{task:10} {who:12} fit {best['fit_cpu']:9.4f} s  predict {best['predict_cpu']:8.5f} s  "
            f"accuracy {best['accuracy']:.4f}{'' if timed == rounds else f' after {timed} of {rounds} rounds'}",
            flush=True,
        )
    by_name = {line["who"]: line for line in lines}
    own, what = by_name.get("widemargin"), "predict" if task == "predict" else "fit"
    for peer, (_, asked) in peers.items():
        if own and peer in by_name:
            cpu, wall = (by_name[peer][f"{what}_{clock}"] / own[f"{what}_{clock}"] for clock in ("cpu", "wall"))
            verdict = "yes" if cpu >= asked else "NO"
            print(
                f"{task:10} {what} against {peer:12} cpu {cpu:8.2f}x wall {wall:8.2f}x  asked {asked:6.2f}  {verdict}"
            )
    return lines


if __name__ == "__main__":
    main()
