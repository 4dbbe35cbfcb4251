"""How fast does BagOfWords count words, against scikit-learn's CountVectorizer?

CPU seconds of `fit_transform` and `transform` on one thread, best of twenty (of two, but for default settings),
interleaved, in one run, on real texts of WIDEMARGIN_DATA. Dictionary and rows must be the same. Asked: ten times as
fast with default settings.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

import widemargin as wm

RESULTS = Path(__file__).parent / "results" / "text.json"
RUNS = 20
SETTINGS: dict[str, dict[str, Any]] = {
    "words": {},
    "one and two words": {"ngram_range": (1, 2)},
    "two to four letters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
}


def seconds(work: Any) -> tuple[float, Any]:
    began = time.process_time()
    made = work()
    return time.process_time() - began, made


def main() -> int:
    if "WIDEMARGIN_DATA" not in os.environ:
        print("WIDEMARGIN_DATA is not set: there are no texts to count")
        return 0
    sys.path.insert(0, os.environ["WIDEMARGIN_DATA"])
    import load

    table: dict[str, Any] = {}
    for name in ("sms_spam", "reuters21578", "lingspam"):
        texts = list(load.load(name)[0])
        for setting, params in SETTINGS.items():
            best = {"fit": [9e9, 9e9], "transform": [9e9, 9e9]}
            for _ in range(RUNS if not params else 2):
                bags = [CountVectorizer(**params), wm.BagOfWords(**params)]
                rows = []
                for k, bag in enumerate(bags):
                    spent, X = seconds(partial(bag.fit_transform, texts))
                    best["fit"][k] = min(best["fit"][k], spent)
                    best["transform"][k] = min(best["transform"][k], seconds(partial(bag.transform, texts))[0])
                    rows.append(X)
                assert bags[0].vocabulary_ == bags[1].vocabulary_
                assert (rows[0] != rows[1]).nnz == 0
            ratio = {step: theirs / ours for step, (theirs, ours) in best.items()}
            table[f"{name}, {setting}"] = {"seconds": best, "ratio": ratio, "characters": sum(map(len, texts))}
            print(f"{name:14} {setting:22} fit {best['fit'][0]:7.3f} {best['fit'][1]:7.3f} s {ratio['fit']:5.1f}x   "
                  f"transform {ratio['transform']:5.1f}x", flush=True)  # fmt: skip
    RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
