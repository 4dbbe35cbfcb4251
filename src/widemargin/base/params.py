"""Declarative checks of parameters. The only file that imports scikit-learn's private constraint classes."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import (
    HasMethods,
    Hidden,
    Integral,
    Interval,
    InvalidParameterError,
    Options,
    RealNotInt,
    StrOptions,
    make_constraint,
    validate_params,
)

__all__ = [
    "Declared",
    "HasMethods",
    "Hidden",
    "Integral",
    "Interval",
    "InvalidParameterError",
    "Options",
    "Real",
    "RealNotInt",
    "StrOptions",
    "choices",
    "count",
    "fraction",
    "positive",
    "typed",
    "validate_params",
]


class Declared:
    """What scikit-learn finds out about a class in every fit, found out once: its parameters, and what they may be.

    Comes before BaseEstimator. Messages are scikit-learn's own.
    """

    _names: ClassVar[dict[type, list[str]]] = {}
    _rules: ClassVar[dict[type, dict[str, tuple[Any, list[Any]]]]] = {}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls not in Declared._names:
            Declared._names[cls] = super()._get_param_names()  # type: ignore[misc]
        return list(Declared._names[cls])

    def _validate_params(self) -> None:
        """A parameter that was left alone is right, if the default of its class is."""
        cls = type(self)
        if cls not in Declared._rules:
            Declared._rules[cls] = {name: _rule(cls, name) for name in cls._get_param_names()}
        for name, (default, rules) in Declared._rules[cls].items():
            value = getattr(self, name)
            if value is not default and not any(rule.is_satisfied_by(value) for rule in rules):
                super()._validate_params()  # type: ignore[misc]


_NOTHING = object()


def _rule(cls: Any, name: str) -> tuple[Any, list[Any]]:
    """The default, if it is right, and the constraints of a parameter; without any, whatever it is will do."""
    rules = cls._parameter_constraints.get(name, [object])
    rules = [make_constraint(one) for one in ([object] if rules == "no_validation" else rules)]
    default = getattr(cls, name, _NOTHING)
    return (default if any(rule.is_satisfied_by(default) for rule in rules) else _NOTHING), rules


def positive(kind: type = Real) -> Interval:
    return Interval(kind, 0, None, closed="neither")


def count(least: int = 1) -> Interval:
    return Interval(Integral, least, None, closed="left")


def fraction(closed: str = "neither") -> Interval:
    return Interval(RealNotInt, 0, 1, closed=closed)


def choices(constraints: list[Any]) -> str:
    """What a parameter may be, in words for people who type it."""
    said = [_in_words(one) for one in map(make_constraint, constraints) if not one.hidden]
    said = [words for words in dict.fromkeys(said) if words]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def typed(text: str, constraints: list[Any]) -> Any:
    """The first reading of typed text that a constraint accepts; ValueError if there is none."""
    accepts = [make_constraint(one) for one in constraints]
    for read in (_word, int, float, _factors, str):
        try:
            value = read(text)
        except ValueError:
            continue
        if any(one.is_satisfied_by(value) for one in accepts):
            return value
    raise ValueError(f"{text!r} is not {choices(constraints)}")


_WORDS = {"none": None, "true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _word(text: str) -> bool | None:
    if text.lower() not in _WORDS:
        raise ValueError(text)
    return _WORDS[text.lower()]


def _factors(text: str) -> dict[str, float]:
    """a=2,b=0.5 as a dictionary."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(sign for _, sign, _ in pairs):
        raise ValueError(text)
    return {label.strip(): float(factor) for label, _, factor in pairs}


def _in_words(one: Any) -> str:
    kind = type(one).__name__
    if kind == "_Booleans":
        return "true or false"
    if kind == "_NoneConstraint":
        return "none"
    if kind in ("_Callables", "_RandomStates", "HasMethods"):
        return ""
    if isinstance(one, Options):
        named = sorted(map(str, one.options))
        return named[0] if len(named) == 1 else f"one of {', '.join(named)}"
    if kind == "_InstancesOf":
        return {dict: "label=factor,label=factor", Integral: "a whole number"}.get(one.type, one.type.__name__)
    return str(one)
