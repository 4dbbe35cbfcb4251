"""Do Pegasos and SGDSVC state an honest gap on every data set, as it is?

The rows are those of linear.py: unscaled. Default settings, a few seconds a fit. Asked of each fit: the certificate
holds, and holds when it is recomputed from data, model and proof; the gap is not below 0 by more than rounding, nor
above the objective; and no dual is above any primal that is known. (SGDSVC has a bias and Pegasos has none, so that
Pegasos' objective is an upper bound for both; several classes are compared as sums over the binary parts.)

    python benchmarks/reproduce/gradient.py [--seconds S] [set ...]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from linear import rows

import widemargin as wm

RESULTS = Path(__file__).parents[1] / "results" / "gradient.json"


def told(model: Any, X: Any, y: np.ndarray) -> dict[str, Any]:
    began = time.process_time()
    model.fit(X, y)
    seconds = round(time.process_time() - began, 2)
    c, again = model.certificate_, wm.certify(model, X, y)
    parts = list(c.parts.values()) or [c]
    faults = [] if c.holds and again.holds else [c.claim, again.claim]
    faults += ["recomputed figures differ"] * (abs(again.gap - c.gap) > c.rounding + again.rounding)
    faults += ["a gap below 0"] * any(p.gap < -p.rounding for p in parts)
    faults += ["a gap above the objective"] * any(p.gap > p.primal * (1 + 1e-9) + p.rounding for p in parts)
    return {
        "primal": c.primal,
        "dual": c.dual,
        "relative_gap": c.relative_gap,
        "rounding": c.rounding,
        "epochs": model.n_iter_,
        "seconds": seconds,
        "accuracy": round(model.score(X, y), 4),
        "faults": faults,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--seconds", type=float, default=3.0)
    args = parser.parse_args()
    if "WIDEMARGIN_DATA" not in os.environ:
        print("WIDEMARGIN_DATA is not set: there are no data sets to run on")
        return 0
    sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
    import load

    warnings.simplefilter("ignore")
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if args.sets and RESULTS.exists() else {}
    for name in args.sets or load.names():
        data = rows(name)
        if data is None:
            continue
        X, y = data
        row: dict[str, Any] = {"rows": X.shape[0], "features": X.shape[1], "classes": len(set(y))}
        for model in (wm.Pegasos(max_time=args.seconds), wm.SGDSVC(max_time=args.seconds)):
            row[type(model).__name__] = told(model, X, y)
        pegasos, sgd = row["Pegasos"], row["SGDSVC"]
        if sgd["dual"] > pegasos["primal"] + pegasos["rounding"] + sgd["rounding"]:
            sgd["faults"].append(f"its dual is above Pegasos' objective {pegasos['primal']:.6g}")
        found[name] = row
        for kind in ("Pegasos", "SGDSVC"):
            one = row[kind]
            size, faults = f"{X.shape[0]:7} x {X.shape[1]:<6}", "; ".join(one["faults"])
            worked = f"{one['epochs']:5} epochs {one['seconds']:6.2f} s  gap {one['relative_gap']:.1e}"
            print(f"{name:22} {kind:8} {size} {worked}  accuracy {one['accuracy']:.3f}  {faults}", flush=True)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    wrong = [name for name, row in found.items() if row["Pegasos"]["faults"] or row["SGDSVC"]["faults"]]
    print(f"{len(found) - len(wrong)} of {len(found)} sets with honest gaps" + (f"; not {wrong}" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
