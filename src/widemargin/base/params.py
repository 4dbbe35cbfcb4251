"""Declarative checks of parameters. The only file that imports scikit-learn's private constraint classes."""

from __future__ import annotations

from numbers import Real

from sklearn.utils._param_validation import (
    HasMethods,
    Hidden,
    Integral,
    Interval,
    InvalidParameterError,
    Options,
    RealNotInt,
    StrOptions,
    validate_params,
)

__all__ = [
    "HasMethods",
    "Hidden",
    "Integral",
    "Interval",
    "InvalidParameterError",
    "Options",
    "RealNotInt",
    "StrOptions",
    "count",
    "fraction",
    "positive",
    "validate_params",
]


def positive(kind: type = Real) -> Interval:
    return Interval(kind, 0, None, closed="neither")


def count(least: int = 1) -> Interval:
    return Interval(Integral, least, None, closed="left")


def fraction(closed: str = "neither") -> Interval:
    return Interval(RealNotInt, 0, 1, closed=closed)
