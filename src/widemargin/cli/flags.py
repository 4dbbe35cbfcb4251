"""The flags of a model, made from its parameters: names, defaults, constraints and descriptions are the class's own."""

from __future__ import annotations

import argparse
import inspect
import re
from typing import Any

from widemargin.base.params import choices, typed

from .session import UsageError

# Set by other flags (--threads, --seed, --max-time), or of no use here.
ELSEWHERE = ("n_jobs", "random_state", "max_time", "observe", "verbose", "warm_start")


def add_model_flags(parser: argparse.ArgumentParser, name: str, cls: type[Any]) -> None:
    """One flag a parameter of `cls`, in a group of their own."""
    group = parser.add_argument_group(f"parameters of the model {name}")
    told = _descriptions(cls)
    for parameter in parameters(cls):
        default = _spelt(parameter.default)
        what = f"{told.get(parameter.name, '')} Default: {default}.".strip().replace("%", "%%")
        flag = parameter.name.replace("_", "-")
        group.add_argument(f"--{flag}", dest=f"param_{parameter.name}", metavar=_metavar(cls, parameter), help=what)
        if isinstance(parameter.default, bool) and choices(_constraints(cls, parameter.name)) == "true or false":
            group.add_argument(
                f"--no-{flag}",
                dest=f"param_{parameter.name}",
                action="store_const",
                const="false",
                help=argparse.SUPPRESS,
            )


def _metavar(cls: type[Any], parameter: inspect.Parameter) -> str:
    said = choices(_constraints(cls, parameter.name))
    short = said.replace("one of ", "").replace(", ", "|").replace(" or ", "|")
    return "X" if " in the range " in said or len(short) > 40 else short


def parameters(cls: type[Any]) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(cls).parameters.values() if p.name not in ELSEWHERE]


def given_parameters(args: argparse.Namespace, cls: type[Any]) -> dict[str, Any]:
    """The parameters whose flags were given, as values."""
    given = {}
    for parameter in parameters(cls):
        text = getattr(args, f"param_{parameter.name}", None)
        if text is not None:
            given[parameter.name] = value_of(parameter.name, text, _constraints(cls, parameter.name))
    return given


def value_of(name: str, text: str, constraints: list[Any]) -> Any:
    """What the text of a flag means for the parameter."""
    try:
        return typed(text, constraints)
    except ValueError:
        flag = f"--{name.replace('_', '-')}"
        raise UsageError(f"{flag} must be {choices(constraints)}; it is {text!r}") from None


def _constraints(cls: type[Any], name: str) -> list[Any]:
    return cls._parameter_constraints[name]


def _spelt(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _descriptions(cls: type[Any]) -> dict[str, str]:
    """First sentences of the Parameters section; what is said 'As in' another class is looked up in Perceptron."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found |= _described(inspect.getdoc(base) or "") if "Parameters" in (base.__doc__ or "") else {}
    from widemargin import Perceptron

    return {**_described(inspect.getdoc(Perceptron) or ""), **found}


def _described(doc: str) -> dict[str, str]:
    section = doc.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section):
        head, _, body = entry.partition("\n")
        text = re.sub(r":\w+:`([^`]*)`", r"\1", " ".join(body.split()))
        if " : " in head and text:
            for name in head.partition(" : ")[0].split(","):
                found[name.strip()] = text
    return found
