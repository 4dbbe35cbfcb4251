"""How large is a forest, in memory and in a file, against scikit-learn's?

100 trees each; in memory: bytes of the arrays of a fitted forest (scikit-learn: of its nodes and values), both after
tables for prediction were made. Files: .wm against a pickle.

Data: WIDEMARGIN_DATA.    python benchmarks/forest_memory.py [set …]
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import sklearn.ensemble

import widemargin as wm
from widemargin import store

sys.path.insert(0, str(Path(__file__).parent / "reproduce"))
from forests import NUMBERS, rows

RESULTS = Path(__file__).parent / "results" / "forest_memory.json"
SETS = ("letter", "covtype_20k", "mnist", "spambase", "satimage", "waveform5000", "covtype: elevation")


def ours_in_memory(forest: Any) -> int:
    trees = forest.trees_
    says, only = trees.says
    return trees.nbytes + says.nbytes + (0 if only is None else only.nbytes)


def theirs_in_memory(forest: Any) -> int:
    return sum(
        state["nodes"].nbytes + state["values"].nbytes for t in forest.estimators_ for state in [t.tree_.__getstate__()]
    )


def measure(name: str) -> dict[str, Any]:
    X, y, n = rows(name)
    kind = "RandomForestRegressor" if name in NUMBERS else "RandomForestClassifier"
    ours = getattr(wm, kind)(100).fit(X[:n], y[:n])
    theirs = getattr(sklearn.ensemble, kind)(100, random_state=0).fit(X[:n], y[:n])
    ours.predict(X[:10])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest.wm"
        store.save(ours, path)
        file = path.stat().st_size
    found = {
        "set": name,
        "nodes": int(ours.trees_.first[-1]),
        "wm": file,
        "pickle": len(pickle.dumps(theirs)),
        "memory": ours_in_memory(ours),
        "scikit-learn in memory": theirs_in_memory(theirs),
    }
    found["file ratio"] = round(found["pickle"] / found["wm"], 1)
    found["memory ratio"] = round(found["scikit-learn in memory"] / found["memory"], 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    for name in parser.parse_args().sets:
        found = measure(name)
        kept = {f["set"]: f for f in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
        kept[name] = found
        RESULTS.write_text(json.dumps(list(kept.values()), indent=1) + "\n")
        print(
            f"{name:20} {found['nodes']:>8} nodes  file {found['wm'] / 1e6:7.2f} MB, pickle "
            f"{found['pickle'] / 1e6:8.2f} MB ({found['file ratio']}x)  memory "
            f"{found['memory'] / 1e6:7.2f} MB, scikit-learn {found['scikit-learn in memory'] / 1e6:8.2f} MB "
            f"({found['memory ratio']}x)",
            flush=True,
        )


if __name__ == "__main__":
    main()
