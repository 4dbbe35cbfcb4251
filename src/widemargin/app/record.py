"""What `easy` found, as one frozen record that reports and the command line read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..estimator.file_model import FileModel
from ..study.tuning_record import Tuning
from .checks import Check


@dataclass(frozen=True, kw_only=True, eq=False)
class Easy:
    """From a file to a verdict.

    Attributes
    ----------
    model : FileModel
        Predicts the rows of any such file; `save` of `widemargin.store` keeps it.
    tuning : Tuning
        The search, which never saw the test rows.
    checks : tuple of Check
    test : dict
        Figures of the test rows, looked at once.
    pages : dict
        What the report draws: scores, margins, curves.
    verdict : tuple of str
        In plain words.
    python : str
        A script that comes to the same model.
    seconds : float
    """

    source: str
    target: str
    kind: str
    rows: tuple[int, int]
    model: FileModel = field(repr=False)
    tuning: Tuning = field(repr=False)
    checks: tuple[Check, ...]
    reading: tuple[str, ...]
    test: dict[str, Any]
    certificate: dict[str, Any] | None
    pages: dict[str, Any] = field(repr=False)
    verdict: tuple[str, ...]
    python: str = field(repr=False)
    parameters: dict[str, Any]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        return {
            "widemargin": 1,
            "source": self.source,
            "target": self.target,
            "kind": self.kind,
            "rows": {"learn": self.rows[0], "test": self.rows[1]},
            "verdict": list(self.verdict),
            "test": self.test,
            "certificate": self.certificate,
            "checks": [check.to_dict() for check in self.checks],
            "reading": list(self.reading),
            "tuning": self.tuning.to_dict(),
            "pages": self.pages,
            "python": self.python,
            "parameters": self.parameters,
            "seconds": self.seconds,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), allow_nan=False)

    def __str__(self) -> str:
        return "\n".join(self.verdict)
