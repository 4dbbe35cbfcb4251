"""The records that travel between rooms: why a solver stopped, what it recorded, what it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Stop:
    """Why the work ended: `kind` for programs, `sentence` for people."""

    kind: str  # "converged", "epochs", "time", "stalled", "asked", "flat"
    sentence: str

    @property
    def converged(self) -> bool:
        return self.kind == "converged"

    def __str__(self) -> str:
        return self.sentence


class Trace:
    """Columns by step, sampled at geometric steps so that it stays small.

    Behaves like a read-only mapping from column name to array; `steps` is the first column.
    """

    def __init__(self, columns: tuple[str, ...] = ()) -> None:
        self._columns: dict[str, list[Any]] = {"step": [], **{c: [] for c in columns}}

    def append(self, step: int, values: dict[str, Any]) -> None:
        self._columns["step"].append(step)
        for name in self._columns:
            if name != "step":
                self._columns[name].append(values.get(name, np.nan))

    def extend(self, later: Trace) -> None:
        """What came after the last step here."""
        last = self._columns["step"][-1] if len(self) else -1
        new = [k for k, step in enumerate(later._columns["step"]) if step > last]
        for name, column in self._columns.items():
            column += [later._columns[name][k] for k in new]

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(self._columns[name])

    def __iter__(self):
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns["step"])

    def keys(self):
        return self._columns.keys()

    def to_dict(self) -> dict[str, list[Any]]:
        return {name: np.asarray(column).tolist() for name, column in self._columns.items()}

    def __repr__(self) -> str:
        return f"Trace({len(self)} steps: {', '.join(self._columns)})"


@dataclass
class Solution:
    """What a solver hands over: the numbers found, the proof's raw material, the reason it stopped."""

    primal: Any
    stop: Stop
    proof: dict[str, Any] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)
    counts: dict[str, int] = field(default_factory=dict)
