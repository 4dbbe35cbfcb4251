"""Writes the golden files. Run once per type and version and never again: old files must stay readable.

python -m tests.store.golden.make
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse
from tests.store.toys import SPECS, ToyKernel, ToyLinear, ToyPipeline, ToyRows, ToyState

from widemargin import store
from widemargin.store.registry import temporarily

HERE = Path(__file__).parent
X = np.arange(21.0).reshape(7, 3) % 5 - 2


def objects():
    linear = ToyLinear(
        C=0.1,
        kernel=ToyKernel(0.5, degree=3, inner=ToyKernel()),
        class_weight={"ä": 1.5, 2: 1, None: 0.25, True: float("inf")},
        max_epochs=1 << 80,
    )
    linear.fit(X, np.array(["ä", "b", "ä", "c", "b", "c", "ä"]))
    linear.feature_names_in_ = np.array(["length", "width", "größe"], dtype=object)
    state = ToyState(np.array([0.5, -0.0, 3.0]), np.arange(3), 7, 1, None, [i / 7 for i in range(40)], (True, False))
    rows = ToyRows(neighbours=(1, [2.5, "x"], {}))
    rows.fit(sparse.csr_array(X * (X > 0)))
    pipeline = ToyPipeline(rows, [state]).fit(X[:, :2], np.array([0, 1, 0, 1, 0, 1, 0]))
    return {"toy_linear": linear, "toy_state": state, "toy_pipeline": pipeline}


if __name__ == "__main__":
    with temporarily(SPECS):
        for name, obj in objects().items():
            store.save(obj, HERE / f"{name}.wm")
