"""The Python that comes to the same model."""

from __future__ import annotations

from typing import Any

from ..study.tuning_record import Tuning
from .reading import Learnable


def python_script(
    data: Learnable, tuning: Tuning, estimator: Any, parameters: dict[str, Any], learners: Any, more: dict[str, Any]
) -> str:
    """A script of a few lines: read, set apart, fit, evaluate, as `easy` did; `more` is what else it was told."""
    said = {name: value for name, value in parameters.items() if value is not None and name != "time"}
    said |= more
    target = "" if data.encoder is None else f", {data.target!r}"
    arguments = "".join(f", {name}={value!r}" for name, value in said.items())
    call = f"found = widemargin.easy({data.source!r}{target}, time={parameters['time']!r}{arguments}"
    # An average is of what the whole search found; a single learner's search comes to the same setting alone.
    alone = "" if tuning.members else f"{call}, learners=[{tuning.winner.learner!r}])  # the winner\n"
    field = "" if learners is None else f", learners={list(learners)!r}"
    model = tuning.estimator.__repr__(N_CHAR_MAX=10**6)
    return (
        "import widemargin\n\n"
        f"{call}{field})  # the whole search\n"
        f"{alone}"
        "print(found)\n"
        "widemargin.store.save(found.model, 'model.wm')\n\n"
        f"# the model itself, to be fitted to any rows:\n# {' '.join(model.split())}\n"
    )
