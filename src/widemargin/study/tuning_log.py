"""What a search has found so far, a line each, so that a search that was killed goes on where it stood.

Method   every line is one JSON document, flushed to the disk before the search goes on; a last line that is cut off is
         one that never was. The first line says which data and which settings the search is of.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ..base.errors import BadInput, CannotWrite
from ..base.files import write_atomically


class TuningLog:
    """Results by their names; with a path, also in a file.

    Parameters
    ----------
    path : path or None
        None keeps nothing.
    header : dict
        What the search is of: a log of anything else is refused.
    resume : bool
        Go on from what the file holds; otherwise it is begun anew.
    """

    def __init__(self, path: str | os.PathLike[str] | None, header: dict[str, Any], *, resume: bool = False) -> None:
        self.path = None if path is None else os.fspath(path)
        self.known: dict[str, Any] = {}
        if self.path is None:
            return
        lines = self._lines() if resume and os.path.exists(self.path) else []
        if lines and lines[0] != _plain(header):
            odd = [key for key in header if lines[0].get(key) != _plain(header)[key]]
            raise BadInput(
                f"{self.path} is the log of another search ({', '.join(odd) or 'other entries'} differ): "
                "give the same data and settings, or begin anew without resume"
            )
        for line in lines[1:]:
            self.known[line["name"]] = line["result"]
        # What was read is written back whole, so that a line that was cut off does not stay in the way.
        text = "".join(json.dumps(line) + "\n" for line in (lines or [header]))
        write_atomically(self.path, text.encode())

    def _lines(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        with open(self.path or "", encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                except ValueError:
                    line = None
                whole = isinstance(line, dict) and (number == 1 or {"name", "result"} <= set(line))
                if not whole or not text.endswith("\n"):
                    if file.readline():
                        raise BadInput(f"{self.path}, line {number} is no line of a search's log: begin anew")
                    break
                found.append(line)
        return found

    def add(self, name: str, result: Any) -> None:
        """Keep a result before anything else happens."""
        self.known[name] = result
        if self.path is None:
            return
        try:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, "result": result}) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise CannotWrite(f"Cannot write {self.path}: {error.strerror}.") from error


def _plain(header: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(header))
