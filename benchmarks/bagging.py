"""How long do many replicates of a tree take, and what does depth cost?

1. 200 bootstrap replicates of a tree on 5,000 × 20 against 20 of scikit-learn's (CPU seconds, one thread, runs
   interleaved, best of some): ours must not take longer.
2. One tree on 1,000,000 rows of one column, all distinct, without any limit: CPU seconds and the peak of memory.

python benchmarks/bagging.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.ensemble

import widemargin as wm

RESULTS = Path(__file__).parent / "results" / "bagging.json"


def seconds(act: Any) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def replicates(rounds: int) -> dict[str, Any]:
    from sklearn.datasets import make_classification

    X, y = make_classification(5000, 20, n_informative=8, n_classes=3, random_state=0)
    X = X.astype(np.float32)
    ours, theirs = [], []
    for seed in range(rounds):
        ours.append(seconds(lambda s=seed: wm.BaggingClassifier(n_estimators=200, random_state=s, n_jobs=1).fit(X, y)))
        peer = sklearn.ensemble.BaggingClassifier(n_estimators=20, random_state=seed)
        theirs.append(seconds(lambda p=peer: p.fit(X, y)))
    return {"ours, 200 trees": min(ours), "scikit-learn, 20 trees": min(theirs), "ratio": min(theirs) / min(ours)}


def deep() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.permutation(1_000_000).astype(np.float32)[:, None]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: dict[str, Any] = {}
    for name, model, y in (
        ("classes", wm.DecisionTreeClassifier(), rng.integers(0, 2, len(X))),
        ("numbers", wm.DecisionTreeRegressor(), rng.normal(size=len(X))),
    ):
        spent = seconds(lambda m=model, t=y: m.fit(X, t))
        found[name] = {"seconds": round(spent, 2), "leaves": model.get_n_leaves(), "depth": model.get_depth()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**found, "peak MB": round(peak / 1024), "MB before": round(before / 1024)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    found = {"replicates": replicates(parser.parse_args().rounds), "deep": deep()}
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
