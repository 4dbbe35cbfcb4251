"""Many edited files, each loaded and asked: refused by name or valid, in bounded memory and time, and without code.

python -m tests.store.fuzz 100000      prints what became of so many edits
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
import tracemalloc
import warnings
from collections import Counter

import msgspec
from tests.store.edits import Editor
from tests.store.golden.models import HERE, answers, models

from widemargin import store
from widemargin.base.errors import BadInput, DamagedFile, UnsupportedFile
from widemargin.store.registry import entry_named, stored_names

LONGEST = 5.0  # s of CPU for one file: a hundred times what the slowest takes on a busy machine
CODE = ("exec", "compile", "import", "open", "os.", "subprocess.", "pickle.", "ctypes.", "socket.", "shutil.")
OTHER_ROWS = ("features", "feature names", "fitted", "columns are missing", "NaN", "unknown categories", "fit again")
_watched: list[str] = []
_watching = False
_hooked = False


def _hook(event, arguments):
    if _watching and event.startswith(CODE) and not event.startswith("os.environ"):
        _watched.append(f"{event}{arguments!r}"[:300])


def watch_for_code() -> list[str]:
    """Where events that run, import or open anything are written down while a file is loaded."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_hook)  # for ever: there is no way to take one off
        _hooked = True
    for name in stored_names():
        with contextlib.suppress(msgspec.ValidationError):  # modules and types of the table are known beforehand
            msgspec.convert({}, entry_named(name).schema)
    return _watched


def outcome(data: bytes, rows) -> str:
    """What becomes of a file; raises AssertionError where it is neither refused by name nor a model that answers.

    Without rows the model is not asked.
    """
    global _watching
    tracemalloc.reset_peak()
    before, began = tracemalloc.get_traced_memory()[0], time.process_time()
    try:
        _watching = True
        model = store.loads(data)
    except (DamagedFile, UnsupportedFile) as error:
        return type(error).__name__
    finally:
        _watching = False
        grown, took = tracemalloc.get_traced_memory()[1] - before, time.process_time() - began
        assert grown <= 2 * len(data) + (1 << 20), f"{grown} bytes for a file of {len(data)}"
        assert took < LONGEST, f"{took} s for a file of {len(data)} bytes"
    if not hasattr(model, "predict"):
        return "loaded, no model"
    if rows is None:
        return "loaded"
    try:
        answers(model, rows)
    except BadInput:
        return "loaded, refuses these rows"
    except ValueError as error:
        # the model was taught other columns or names, or was never fitted: scikit-learn's own words
        if any(words in str(error) for words in OTHER_ROWS):
            return "loaded, refuses these rows"
        raise
    return "loaded, answers"


def run(edits: int, seed: int) -> tuple[Counter, list[str]]:
    """What became of `edits` edited golden models, family by family in turn, and what went wrong with which."""
    code = watch_for_code()
    known = {name: ((HERE / f"{name}.wm").read_bytes(), rows) for name, (_, rows, _) in models().items()}
    for data, rows in known.values():
        answers(store.loads(data), rows)  # whatever is imported late
    editors = {name: Editor(data) for name, (data, _) in known.items()}
    del code[:]
    count: Counter = Counter()
    wrong = []
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in range(edits):
                name = sorted(known)[number % len(known)]
                rows = known[name][1] if (number // len(known)) % 4 == 0 else None  # every fourth model is asked
                try:
                    count[name, outcome(editors[name].edited(random.Random(f"{seed}/{number}")), rows)] += 1
                except Exception as error:
                    wrong.append(f"{name}, edit {number} of seed {seed}: {error!r}")
    finally:
        tracemalloc.stop()
    return count, wrong + code


if __name__ == "__main__":
    edits, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    done: Counter = Counter()
    for chunk in range(edits // 1000):
        counted, went_wrong = run(1000, first + chunk)
        done.update({what: sum(n for (_, w), n in counted.items() if w == what) for _, what in counted})
        print(f"{1000 * (chunk + 1)} edits, {time.process_time():.0f} s of CPU", dict(done), *went_wrong)  # noqa: T201
        sys.stdout.flush()
