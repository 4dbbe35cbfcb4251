"""How many times faster than its peers is LinearSVC, at an objective that is not worse?

Every learner runs in a process of its own, all in one run, on one thread: CPU seconds (the least of three fits, one
where a fit takes over 10 s) and wall seconds. All solve LIBLINEAR's problem, with its regularised bias; objectives are
recomputed in float64. Ours runs with several tolerances, certificate included; it is compared with a peer by the
quickest of its runs whose objective is not above the peer's. On real sets a peer counts with the quickest of its runs
that comes within 1e-4 of the optimum (ours: gap 1e-4, the default). The optimum is that of a run with gap 1e-9. The
load of the machine stands beside the figures.

    python benchmarks/linear_svm.py [row ...] [--agree] [--path] [--verdict]

row      a problem (text, dense, a9a, ...), or problem:loss; all of them without any option
--agree  objectives beside LIBLINEAR's on real sets, all losses, with weights, and beside SVC's and SVR's, free bias
--path   20 values of C from 1e-3 to 1e3 along a path, against the sum of 20 fits (on the named sets, if any)
--verdict  only the table of what is asked and what was last measured; it also comes at the end of every run
A fit that takes over LIMIT CPU seconds is cut short and has no figure.
WIDEMARGIN_DATA, WIDEMARGIN_PEERS as in kernel_svm.py
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from linear_race import agreement
from linear_race.path import ASKED as ASKED_SHARE
from linear_race.path import path
from linear_race.problems import MADE, REAL, kept

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "linear_svm.json"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "WIDEMARGIN_NUM_THREADS")
TOLS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
# Of each peer: tolerances from its default on, and other options.
PEERS: dict[str, list[tuple[str, dict[str, Any], tuple[float, ...]]]] = {
    "hinge": [
        ("liblinear", {}, (0.1, 0.01)),
        ("sklearn", {}, (1e-2, 1e-4)),
        ("sgd", {}, (1e-3,)),
        ("snapml", {}, (1e-3, 1e-4)),
    ],
    "squared_hinge": [
        ("liblinear", {}, (0.1, 0.01)),
        ("liblinear", {"primal": True}, (0.01, 0.001)),
        ("sklearn", {}, (1e-2, 1e-4)),
        ("sklearn", {"primal": True}, (1e-2, 1e-4)),
        ("snapml", {}, (1e-3, 1e-4)),
    ],
}
MULTICLASS = ("sector", "news20")
LIMIT = 150  # CPU seconds
ASKED = {"dense hinge": {"liblinear": 10.0}, "dense squared_hinge": {"liblinear primal": 2.0},
         "text hinge": {"liblinear": 2.0, "": 1.3}, "text squared_hinge": {"liblinear": 2.0, "": 1.3}}  # fmt: skip
ASKED_REAL = {"": 1.5}  # the fastest of all
TWO_ONLY = ("snapml", "sgd")


def objective(X: Any, y: np.ndarray, coef: np.ndarray, intercept: np.ndarray, loss: str, C: float) -> float:
    """LIBLINEAR's, summed over all parts; the bias is a weight of a constant 1."""
    total = 0.0
    for k, (w, b) in enumerate(zip(coef, intercept, strict=True)):
        t = y if len(coef) == 1 else np.where(y == np.unique(y)[k], 1.0, -1.0)
        slack = np.maximum(0.0, 1 - t * (X @ w + b))
        total += (w @ w + b * b) / 2 + C * float((slack if loss == "hinge" else slack**2).sum())
    return total


def run(problem: str, learner: str, loss: str, tol: float, more: dict[str, Any], repeats: int = 3) -> dict[str, Any]:
    peers = os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    python = sys.executable if learner == "ours" else peers
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "w.npz")
        request = {"problem": problem, "learner": learner, "loss": loss, "C": 1.0, "tol": tol, "more": more,
                   "repeats": repeats, "out": out, "limit": LIMIT}  # fmt: skip
        env = {**os.environ, **dict.fromkeys(THREADS, "1")}
        done = subprocess.run(
            [python, str(HERE / "linear_race" / "one.py"), json.dumps(request)],
            capture_output=True, text=True, env=env, check=False,
        )  # fmt: skip
        if done.returncode == -signal.SIGXCPU:
            return {"failed": f"over {LIMIT} CPU s"}
        if done.returncode != 0:
            return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr else "no answer"}
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        with np.load(out) as found:
            X, y = kept(problem)
            answer["primal"] = objective(X, y, found["coef"], found["intercept"], loss, 1.0)
    return answer


def race(problem: str, loss: str) -> dict[str, Any]:
    best = run(problem, "ours", loss, 1e-8, {}, 1)["primal"]
    rows: dict[str, Any] = {}
    for tol in TOLS:
        rows[f"ours {tol:g}"] = run(problem, "ours", loss, tol, {})
    for learner, more, tols in PEERS[loss]:
        if learner in TWO_ONLY and problem in MULTICLASS:
            continue
        for tol in tols[:1] if problem == "dense" else tols:
            name = f"{learner}{' primal' if more.get('primal') else ''} {tol:g}"
            rows[name] = run(problem, learner, loss, tol, more)
    if problem in MADE:
        catch_up(problem, loss, rows)
    for row in rows.values():
        if "primal" in row:
            row["excess"] = row["primal"] / best - 1
    return rows


def catch_up(problem: str, loss: str, rows: dict[str, Any]) -> None:
    """Smaller tolerances of ours, until no peer's objective is below it."""
    least = min(row["primal"] for row in rows.values() if "primal" in row)
    tol = TOLS[-1]
    while rows[f"ours {tol:g}"].get("primal", np.inf) > least * (1 + 1e-12) and tol > 1e-11:
        tol /= 10
        rows[f"ours {tol:g}"] = run(problem, "ours", loss, tol, {})


def ratios(problem: str, rows: dict[str, Any]) -> dict[str, float]:
    """Peer by peer: its CPU seconds over ours."""
    mine = [row for name, row in rows.items() if name.startswith("ours")]
    out = {}
    if problem in MADE:
        for name, row in rows.items():
            if name.startswith("ours") or "primal" not in row:
                continue
            as_good = [m["cpu"] for m in mine if m["primal"] <= row["primal"] * (1 + 1e-12)]
            out[name] = row["cpu"] / min(as_good) if as_good else 0.0
        return out
    for name, row in rows.items():
        if not name.startswith("ours") and "primal" in row and row["excess"] <= 1e-4:
            out[name] = row["cpu"] / rows["ours 0.0001"]["cpu"]
    return out


def show(problem: str, loss: str, rows: dict[str, Any]) -> None:
    print(f"\n{problem}, {loss}")
    faster = ratios(problem, rows)
    for name, row in rows.items():
        if "failed" in row:
            print(f"  {name:24} {row['failed']}")
            continue
        ratio = f"{faster[name]:8.1f} x" if name in faster else ""
        times = f"{row['cpu']:8.3f} CPU s {row['wall']:8.3f} s"
        print(f"  {name:24} {times}  excess {row['excess']:9.1e}  {row['said']:20}{ratio}", flush=True)
    if faster:
        print(f"  least: {min(faster.values()):.2f} x", flush=True)


def kept_results(**found: Any) -> dict[str, Any]:
    """All that is known, with what was found put in; read anew, since rows may be run side by side."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    known.update(found)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(known, indent=2) + "\n")
    return known


def verdict(known: dict[str, Any]) -> None:
    """What is asked, beside what was measured last."""
    print("\nasked and measured (CPU seconds of the peer over ours; path: share of the fits)")
    for row, asked in {**ASKED, **{f"{p} {x}": ASKED_REAL for p in REAL for x in PEERS}}.items():
        times = known.get(row, {}).get("times", {})
        for peer, least in asked.items():
            mine = {n: t for n, t in times.items() if n.rpartition(" ")[0].startswith(peer)}
            who = min(mine, key=mine.__getitem__) if mine else ""
            said = f"{mine[who]:7.2f}  {'holds' if mine[who] >= least else 'MISSED'}" if mine else "  not measured"
            print(f"  {row:24} {who or peer or 'fastest peer':24} asked {least:5.1f}  {said}")
    for row, figures in known.get("path", {}).items():
        said = "holds" if figures["share"] <= ASKED_SHARE else "MISSED"
        print(f"  path {row:44} asked {ASKED_SHARE:5.2f}  {figures['share']:7.2f}  {said}")
    agreed = known.get("agreement", {})
    if agreed:
        print(f"  same optimum on {agreed['problems']} problems of {len(agreed['sets'])} sets: {agreed['holds']}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*")
    for option in ("--agree", "--path", "--verdict"):
        parser.add_argument(option, action="store_true")
    args = parser.parse_args()
    names = [*MADE, *(REAL if "WIDEMARGIN_DATA" in os.environ else ())]
    wanted = args.rows or [f"{p}:{x}" for p in names for x in PEERS]
    for name in [] if args.agree or args.path or args.verdict else wanted:
        problem, _, only = name.partition(":")
        for loss in [only] if only else list(PEERS):
            found = race(problem, loss)
            show(problem, loss, found)
            times = ratios(problem, found)
            row = {"measured": str(date.today()), "load": os.getloadavg()[1], "runs": found, "times": times}
            kept_results(**{f"{problem} {loss}": row})
    if args.agree:
        sets = agreement.agreement(args.rows)
        kept_results(agreement=agreement.together({**kept_results().get("agreement", {}).get("sets", {}), **sets}))
    if args.path:
        shares = path(args.rows)
        kept_results(path={**kept_results().get("path", {}), **shares})
    verdict(kept_results())


if __name__ == "__main__":
    main()
