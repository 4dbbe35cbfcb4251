"""How many times faster than its peers is SVC, at a duality gap that is not worse?

Every learner runs in a process of its own, all in one run: CPU seconds and wall seconds, the first fit (cold memory)
and the best of all apart; a peer that needs over 40 s fits once, and is compared cold with cold. Same C, gamma and
tol=1e-3; the gap of every learner is recomputed in float64 from its dual coefficients. Ours: 1 and 2 threads,
cache_size "auto" and 200, once with LIBSVM's rule to stop (the violation alone) and, where the peers end with a gap
above our default, once with the least of theirs as gap_tol; time with and without the certificate. The ratios that are
asked for bind CPU seconds on one thread without the certificate, half of each with it. Peers get 2000 MB for kernel
values. `cores` is what two busy threads got just before a run on two.

The share of the roofline: kernel values computed, times what a value costs at the rates of a float32 matrix product and
of NumPy's exponential measured here, over the seconds of the fit. Tiny problems: the median of 200 fits, ours and
scikit-learn's in turn in one process.

    python benchmarks/kernel_svm.py [row ...] [--learners ours "ours stop" sklearn ...] [--kept] [--skip row:learner]

--kept takes peers that this machine has measured before from results/peers_*.json; the table then says so.
WIDEMARGIN_DATA   directory with the data sets; rows that need it are left out without it
WIDEMARGIN_PEERS  a Python that has the peers (`make bench` makes one); without it this one is used, and peers that it
                  lacks are left out
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
ONE = HERE / "svm_race" / "one.py"
OURS = {
    "ours": {},
    "ours cache=200": {"cache": 200},
    "ours stop": {"gap_tol": 1.0},
    "ours at their gap": {},  # gap_tol is the least gap of the peers
    "ours 2 threads": {"threads": 2},
    "ours 2 threads cache=200": {"threads": 2, "cache": 200},
}
PEERS = {
    "sklearn": {},
    "intelex": {},
    "intelex 2 threads": {"threads": 2},
    "libsvm": {},
    "thundersvm": {},
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "WIDEMARGIN_NUM_THREADS")


def machine() -> str:
    """The processor's name and its number of cores: what kept results belong to."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    fields = {k.strip(): v.strip() for k, v in fields.items()}
    words = [fields.get("model name", platform.processor()), fields.get("cpu family", ""), fields.get("model", "")]
    return re.sub(r"[^a-z0-9]+", "-", " ".join([*words, f"{os.cpu_count()} cores"]).lower()).strip("-")


def cores_of_two() -> float:
    """How many cores two busy threads get just now: near 1, no time on two threads means anything."""
    block = bytes(40_000_000)

    def work() -> None:
        for _ in range(12):
            hashlib.sha256(block).digest()  # lets the other thread run

    cpu, wall = time.process_time(), time.perf_counter()
    both = [threading.Thread(target=work) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    return (time.process_time() - cpu) / (time.perf_counter() - wall)


def ask(problem: Any, data: Path, name: str, options: dict[str, Any], limit: float) -> dict[str, Any]:
    """A learner's times and gap; {"failed": why} if it did not run to its end."""
    learner = name.split()[0]
    mine = learner == "ours"
    request = {
        "learner": learner,
        "data": str(data),
        "out": str(data.with_name("points.npz")),
        "C": problem.C,
        "gamma": problem.gamma,
        "threads": 1,
        "cache": "auto" if mine else 2000,
        "dense": learner in problem.dense_for,
        "predict": bool(problem.predict),
        "runs": 5,
        "least": 3 if mine else 2,
        "slow": 60.0 if mine else 40.0,
        "patience": 8.0,
        "limit": limit,
    } | options
    threads = dict.fromkeys(THREADS, str(request["threads"]))
    python = sys.executable if mine else os.environ.get("WIDEMARGIN_PEERS", sys.executable)
    command = [python, "-W", "ignore", str(ONE), json.dumps(request)]
    load, cores = os.getloadavg()[0], cores_of_two() if request["threads"] > 1 else 1.0
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads, check=False)
    if done.returncode != 0:
        why = f"more than {limit:.0f} CPU s" if done.returncode in (-24, -9) else done.stderr.strip().splitlines()[-1:]
        return {"failed": why if isinstance(why, str) else " ".join(why), "load": load}
    from svm_race.judge import gaps

    answer = json.loads(done.stdout.splitlines()[-1]) | {"load": load, "cores": cores}
    answer |= gaps(data, Path(request["out"]), problem.C, problem.gamma)
    return answer


def quickest(runs: list[dict[str, Any]], what: str = "cpu") -> float:
    """The best of all fits: the first one finds cold memory, but is not always the slowest."""
    return min(r[what] for r in runs)


def solve(runs: list[dict[str, Any]], what: str = "cpu") -> float:
    """The best of all fits, without the certificate."""
    return min(r[what] - r[f"certificate_{what}"] for r in runs)


def verdict(mine: dict[str, Any], peer: dict[str, Any], asked: float) -> dict[str, Any]:
    """Best against best; a peer that fitted once was cold, and is compared with our first fit."""
    once = len(peer["fits"]) == 1
    runs = mine["fits"][:1] if once else mine["fits"]
    theirs = quickest(peer["fits"])
    of_solve, of_sum = theirs / solve(runs), theirs / quickest(runs)
    gap = mine["relative_gap"] <= peer["relative_gap"] * 1.0000001
    return {
        "asked": asked,
        "solve": round(of_solve, 2),
        "with_certificate": round(of_sum, 2),
        "gap_not_worse": gap,
        "cold": once,
        "holds": bool(gap and of_solve >= asked and of_sum >= asked / 2),
    }


def judge(problem: Any, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Each way of running ours on one thread against each peer that a ratio is asked for."""
    verdicts: dict[str, Any] = {}
    for mine in ("ours", "ours cache=200", "ours stop", "ours at their gap"):
        for peer, asked in problem.asked.items():
            if "fits" in found.get(mine, {}) and "fits" in found.get(peer, {}):
                verdicts[f"{mine} / {peer}"] = verdict(found[mine], found[peer], asked)
    for peer, asked in problem.predict.items():
        if "predicts" in found.get("ours", {}) and "predicts" in found.get(peer, {}):
            ratio = quickest(found[peer]["predicts"]) / quickest(found["ours"]["predicts"])
            verdicts[f"predict / {peer}"] = {"asked": asked, "predict": round(ratio, 2), "holds": ratio >= asked}
    return verdicts


def show(name: str, found: dict[str, dict[str, Any]], verdicts: dict[str, Any], kept: set[str]) -> None:
    print(f"\n{name}")
    head = f"{'learner':<28}{'CPU s':>9}{'solve':>9}{'cold':>9}{'wall':>9}{'predict':>9}{'gap':>10}{'worst':>10}"
    print(f"{head}{'support':>9}{'MB':>7}{'roof':>6}{'load':>6}{'fits':>5}{'cores':>6}")
    for learner, r in found.items():
        if "failed" in r:
            print(f"{learner:<28}  {r['failed'][:90]}")
            continue
        fits, mine = r["fits"], learner.startswith("ours")
        print(
            f"{learner:<28}{quickest(fits):>9.3f}{solve(fits) if mine else quickest(fits):>9.3f}{fits[0]['cpu']:>9.3f}"
            f"{quickest(fits, 'wall'):>9.3f}{quickest(r['predicts']) if 'predicts' in r else float('nan'):>9.3f}"
            f"{r['relative_gap']:>10.1e}{r['worst_relative_gap']:>10.1e}{r['support']:>9}{r['grown_MB']:>7.0f}"
            f"{format(r['roofline_share'], '.0%') if 'roofline_share' in r else '':>6}{r['load']:>6.1f}"
            f"{len(fits):>5}{r.get('cores', 1):>6.1f}"
            f"{'  (kept)' if learner in kept else ''}{'' if r.get('converged', True) else '  NOT CONVERGED'}"
        )
    for pair, v in verdicts.items():
        ratios = "  ".join(f"{k} {v[k]:.1f}x" for k in ("solve", "with_certificate", "predict") if k in v)
        worse = "  (cold against cold)" if v.get("cold") else ""
        worse += "" if v.get("gap_not_worse", True) else "  (gap is worse)"
        print(f"  {pair:<28}{ratios}  asked {v['asked']}x  {'holds' if v['holds'] else 'DOES NOT HOLD'}{worse}")


def race(problem: Any, wanted: set[str], skip: set[str], limit: float, kept: bool) -> Any:
    from svm_race.judge import roofline
    from svm_race.problems import save

    found: dict[str, dict[str, Any]] = {}
    from_cache: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        data = save(problem, Path(folder))
        roof = roofline(data)
        for name, options in (PEERS | OURS).items():
            if name == "ours at their gap":
                gaps = [r["relative_gap"] for n, r in found.items() if n in PEERS and "relative_gap" in r]
                if not gaps or min(gaps) <= 1e-4:
                    continue
                options = {"gap_tol": min(gaps)}
            if name not in wanted or f"{problem.name}:{name.split()[0]}" in skip:
                continue
            mine = name.startswith("ours")
            before = read(kept_file()).get(problem.name, {})
            if kept and not mine and name in before:
                found[name] = before[name]
                from_cache.add(name)
                continue
            found[name] = ask(problem, data, name, options, limit)
            if mine and "fits" in found[name]:
                values = found[name]["fits"][0]["values"]
                found[name]["roofline_share"] = values * roof["ns_a_value"] * 1e-9 / solve(found[name]["fits"])
            elif not mine:
                keep(kept_file(), problem.name, read(kept_file()).get(problem.name, {}) | {name: found[name]})
    verdicts = judge(problem, found)
    show(problem.name, found, verdicts, from_cache)
    return {"C": problem.C, "gamma": problem.gamma, "roofline": roof, "kept": sorted(from_cache)} | {
        "learners": found,
        "verdicts": verdicts,
    }


def judge_again(file: Path) -> int:
    from svm_race.problems import PROBLEMS

    for name, row in read(file).items():
        if name in PROBLEMS:
            row["verdicts"] = judge(PROBLEMS[name], row["learners"])
            show(name, row["learners"], row["verdicts"], set(row["kept"]))
            keep(file, name, row)
    return 0


def kept_file() -> Path:
    return RESULTS / f"peers_{machine()}.json"


def keep(path: Path, key: str, value: Any) -> None:
    """One entry anew, the others as they are in the file now."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(read(path) | {key: value}, indent=1) + "\n")


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def arguments(rows: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="row", help=f"of {', '.join(rows)}; none: all")
    parser.add_argument(
        "--learners",
        nargs="+",
        default=["ours", *PEERS],
        help="ours (all ways), one way such as 'ours stop', names of peers",
    )
    parser.add_argument("--skip", nargs="*", default=[], metavar="row:learner")
    parser.add_argument("--limit", type=float, default=1200, help="CPU seconds after which a learner is stopped")
    parser.add_argument("--brief", action="store_true", help="one thread and default options only")
    parser.add_argument("--judge", action="store_true", help="verdicts anew from the fits in results/kernel_svm.json")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--again", dest="kept", action="store_false", default=False, help="measure peers in this run (the default)"
    )
    group.add_argument("--kept", dest="kept", action="store_true", help="take peers from an earlier run")
    found = parser.parse_args()
    if unknown := set(found.rows) - set(rows):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return found


def main() -> int:
    from svm_race.problems import NEED_DATA, PROBLEMS
    from svm_race.tiny import tiny

    rows = [*PROBLEMS, "tiny"]
    asked = arguments(rows)
    file = RESULTS / "kernel_svm.json"
    wanted = {n for n in OURS | PEERS if {n, n.split()[0]} & set(asked.learners) and not (asked.brief and " " in n)}
    verdicts = []
    if asked.judge:
        return judge_again(file)
    for name in asked.rows or rows:
        if name in NEED_DATA and "WIDEMARGIN_DATA" not in os.environ:
            print(f"{name}: skipped, WIDEMARGIN_DATA does not name the directory with the data sets")
            continue
        row = tiny() if name == "tiny" else race(PROBLEMS[name], wanted, set(asked.skip), asked.limit, asked.kept)
        verdicts += row["verdicts"].values()
        if "ours" in wanted or name == "tiny":
            keep(file, "machine", machine())
            keep(file, name, row)
    good = sum(v["holds"] for v in verdicts)
    print(f"\n{good} of {len(verdicts)} ratios hold · details in benchmarks/results/kernel_svm.json")
    return 0 if good == len(verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
