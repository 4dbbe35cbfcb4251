"""What a path along C costs beside fits of their own."""

from __future__ import annotations

import time
import warnings
from datetime import date
from typing import Any

import numpy as np

from .problems import REAL, kept

ON = ("a9a", "w8a", "ijcnn1", "reuters")
ASKED = 0.35


def path(only: list[str]) -> dict[str, Any]:
    """CPU seconds of 20 machines along C over those of 20 fits of their own, same tolerance; the least of two."""
    import widemargin as wm

    out: dict[str, Any] = {}
    Cs = np.logspace(-3, 3, 20)
    warnings.simplefilter("ignore")
    for name in (n for n in ON if n in REAL and (not only or n in only)):
        X, y = kept(name)
        for loss in ("hinge", "squared_hinge"):
            machine = wm.LinearSVC(loss=loss)
            machine.fit(X[::100], y[::100])
            together, alone = [], []
            for _ in range(2):
                began = time.process_time()
                along = machine.path(X, y, Cs)
                together.append(time.process_time() - began)
                began = time.process_time()
                apart = [wm.LinearSVC(loss=loss, C=C).fit(X, y) for C in Cs]
                alone.append(time.process_time() - began)
            assert along.gaps.max() <= 1e-4
            assert max(m.certificate_.relative_gap for m in apart) <= 1e-4
            share = min(together) / min(alone)
            out[f"{name} {loss}"] = {"measured": str(date.today()), "path": min(together), "fits": min(alone),
                                     "share": share}  # fmt: skip
            print(f"{name:8} {loss:14} path {min(together):7.2f} s, 20 fits {min(alone):7.2f} s: {share:.2f}"
                  f"  (asked {ASKED})", flush=True)  # fmt: skip
    return out
