"""Bias and variance along a parameter: the same replicates for every value, so that differences are the parameter's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..base.errors import BadInput
from .bias_record import BiasVariance
from .bias_study import bias_variance


@dataclass(frozen=True, kw_only=True, eq=False)
class BiasVarianceSweep:
    """Records of several learners at several values of one parameter.

    Attributes
    ----------
    parameter : str
    values : tuple
    records : dict of str to tuple of BiasVariance
        By learner, one record a value.
    """

    parameter: str
    values: tuple[Any, ...]
    records: dict[str, tuple[BiasVariance, ...]]

    def curve(self, learner: str, term: str) -> tuple[np.ndarray, np.ndarray]:
        """(values, standard errors) of a term of the totals along the parameter."""
        figures = [record.totals[term] for record in self.records[learner]]
        return np.array([f.value for f in figures]), np.array([f.error for f in figures])

    def table(self) -> list[tuple[Any, ...]]:
        """(learner, value, bias, variance, loss) a line; noise where it is known is between value and bias."""
        terms = self.terms
        return [
            (name, value, *(record.totals[term].value for term in terms))
            for name, records in self.records.items()
            for value, record in zip(self.values, records, strict=True)
        ]

    @property
    def terms(self) -> tuple[str, ...]:
        first = next(iter(self.records.values()))[0]
        return tuple(term for term in ("noise", "bias", "variance", "loss") if term in first.totals)

    def to_dict(self) -> dict[str, Any]:
        """Values ready for JSON."""
        return {
            "parameter": self.parameter,
            "values": list(self.values),
            "records": {name: [record.to_dict() for record in records] for name, records in self.records.items()},
        }


def bias_variance_sweep(
    learners: Any,
    parameter: str,
    values: Sequence[Any],
    X: Any,
    y: Any,
    B: int = 100,
    *,
    after: Callable[[str, Any, BiasVariance], None] | None = None,
    **options: Any,
) -> BiasVarianceSweep:
    """Study bias and variance at every value of a parameter.

    Parameters
    ----------
    learners : estimator or dict of str to estimator
    parameter : str
        One that all of them have, for example "max_features".
    values : sequence
    X, y, B, **options
        As in :func:`bias_variance`. The replicates or samples are the same for every value.
    after : callable, optional
        `after(learner, value, record)`, as each is done.

    Returns
    -------
    BiasVarianceSweep
    """
    several = dict(learners) if isinstance(learners, Mapping) else {type(learners).__name__: learners}
    if not several or len(values) == 0:
        raise BadInput(f"{len(several)} learners at {len(values)} values: at least one of each is needed.")
    for name, learner in several.items():
        if parameter not in learner.get_params():
            raise BadInput(f"{name} has no parameter {parameter!r}; it has {', '.join(sorted(learner.get_params()))}.")
    records: dict[str, tuple[BiasVariance, ...]] = {}
    for name, learner in several.items():
        found = []
        for value in values:
            record = bias_variance(clone(learner).set_params(**{parameter: value}), X, y, B, **options)
            found.append(record)
            if after is not None:
                after(name, value, record)
        records[name] = tuple(found)
    return BiasVarianceSweep(parameter=parameter, values=tuple(values), records=records)
