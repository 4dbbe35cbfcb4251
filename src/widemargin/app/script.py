"""The Python that comes to the same model."""

from __future__ import annotations

from typing import Any

from ..study.tuning_record import Tuning
from .reading import Learnable


def python_script(data: Learnable, tuning: Tuning, estimator: Any, parameters: dict[str, Any]) -> str:
    """A script of a few lines: read, set apart, fit, evaluate, as `easy` did."""
    said = {name: value for name, value in parameters.items() if value is not None and not name == "time"}
    target = "" if data.encoder is None else f", {data.target!r}"
    arguments = "".join(f", {name}={value!r}" for name, value in said.items())
    names = "" if tuning.winner is None else f", learners=[{tuning.winner.learner!r}]"
    return (
        "import widemargin\n\n"
        f"found = widemargin.easy({data.source!r}{target}, time={parameters['time']!r}{arguments})  # the whole search\n"
        f"found = widemargin.easy({data.source!r}{target}, time={parameters['time']!r}{arguments}{names})  # the winner\n"
        "print(found)\n"
        "widemargin.store.save(found.model, 'model.wm')\n\n"
        f"# the model itself, to be fitted to any rows:\n# {' '.join(repr(tuning.estimator).split())}\n"
    )
