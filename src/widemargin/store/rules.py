"""Rules for what a stored object may hold: types, shapes that agree with each other, ranges, finite numbers.

A shape is a tuple of sizes; a name such as "d" means the same number wherever it occurs in one object:

    fitted = {
        "n_features_in_": Size("d"),
        "classes_": Labels("c"),
        "coef_": Array("f8", ("k", "d")),
        "support_": Array("i8", ("m",), low=0, below="n"),
    }

Rules run on the object itself, before it is saved and after it is loaded, so that what is saved can be loaded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from .reading import check_csr, check_offsets
from .values import Violation

Sizes = dict[str, int]


@dataclass(frozen=True)
class Rule:
    """Anything; with `optional`, also None or absent. `proof` marks what `save(proof=False)` leaves out."""

    _: KW_ONLY
    optional: bool = False
    proof: bool = False

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        """Check the kind of `value` and learn the sizes that it fixes."""

    def check(self, value: Any, name: str, sizes: Sizes) -> None:
        """Check what depends on sizes fixed elsewhere."""


def apply_rules(rules: Mapping[str, Rule], values: Mapping[str, Any], *, partly: bool = False) -> Sizes:
    """Raise Violation unless every value obeys its rule; returns the sizes found. `partly`: values may be missing."""
    sizes: Sizes = {}
    present = {}
    for name, rule in rules.items():
        value = values.get(name)
        if value is not None:
            present[name] = value
            rule.bind(value, name, sizes)
        elif not (rule.optional or partly):
            raise Violation(f"{name} is missing")
    for name, value in present.items():
        rules[name].check(value, name, sizes)
    return sizes


def _set(rule: Rule, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(rule, name, value)  # frozen dataclasses with a constructor of their own


def _fix(symbol: str | int, size: int, name: str, sizes: Sizes) -> None:
    wanted = sizes.setdefault(symbol, size) if isinstance(symbol, str) else symbol
    if wanted != size:
        raise Violation(
            f"{name} has a size of {size} where {symbol if wanted is symbol else f'{symbol} = {wanted}'} is due"
        )


def _bind_shape(shape: tuple[str | int, ...], found: tuple[int, ...], name: str, sizes: Sizes) -> None:
    if len(shape) != len(found):
        raise Violation(f"{name} has {len(found)} dimensions where {len(shape)} are due")
    for symbol, size in zip(shape, found, strict=True):
        _fix(symbol, size, name, sizes)


def _dtype_allowed(dtype: str | tuple[str, ...], found: np.dtype[Any]) -> bool:
    return found.newbyteorder("=") in [np.dtype(one) for one in ((dtype,) if isinstance(dtype, str) else dtype)]


def check_finite(value: Any, name: str) -> None:
    """Raise Violation, naming the first place, if an array of floats holds a NaN or an infinity."""
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
        raise Violation(f"{name} holds {value[where]} at {where}; only finite numbers are allowed there")


@dataclass(frozen=True)
class Array(Rule):
    """A NumPy array of numbers. `below` is a number or a size; `offsets_of` names the size that offsets end at."""

    dtype: str | tuple[str, ...]
    shape: tuple[str | int, ...]
    _: KW_ONLY
    finite: bool = True
    low: float | None = None
    below: str | float | None = None
    offsets_of: str | None = None

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or not _dtype_allowed(self.dtype, value.dtype):
            kind = getattr(value, "dtype", type(value).__name__)
            raise Violation(f"{name} is {kind} where an array of {self.dtype} is due")
        if self.offsets_of is None:
            _bind_shape(self.shape, value.shape, name, sizes)

    def check(self, value: Any, name: str, sizes: Sizes) -> None:
        if self.offsets_of is not None:
            if self.offsets_of not in sizes:
                raise Violation(f"{name} has offsets into {self.offsets_of}, which is not there")
            check_offsets(value, sizes[self.offsets_of], name)
            _bind_shape(self.shape, (len(value) - 1,), name, sizes)
        if self.finite:
            check_finite(value, name)
        if not value.size:
            return
        if self.low is not None and not value.min() >= self.low:
            raise Violation(f"{name} holds {value.min()}, which is below {self.low}")
        if self.below is not None:
            if isinstance(self.below, str) and self.below not in sizes:
                raise Violation(f"{name} has indexes into {self.below}, which is not there")
            limit = sizes[self.below] if isinstance(self.below, str) else self.below
            if not value.max() < limit:
                raise Violation(f"{name} holds {value.max()}, which is not below {limit}")


@dataclass(frozen=True)
class Rows(Rule):
    """A matrix of finite floats, dense or CSR."""

    dtype: str | tuple[str, ...]
    shape: tuple[str | int, str | int]

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        sparse = getattr(value, "format", None) == "csr" and type(value).__module__.startswith("scipy.sparse")
        if not (sparse or isinstance(value, np.ndarray)) or not _dtype_allowed(self.dtype, value.dtype):
            raise Violation(f"{name} is {type(value).__name__} where rows of {self.dtype} are due")
        _bind_shape(self.shape, value.shape, name, sizes)
        if sparse:
            check_csr(value.data, value.indices, value.indptr, value.shape[1], name, ordered=False)
        check_finite(value.data if sparse else value, name)


@dataclass(frozen=True)
class Labels(Rule):
    """Distinct labels of any kind in a one-dimensional array."""

    size: str | int

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUSO":
            raise Violation(f"{name} is no row of labels")
        _fix(self.size, len(value), name, sizes)
        labels = value.tolist()
        try:
            distinct = len(set(labels))
        except TypeError as error:
            raise Violation(f"{name} holds a label that cannot be hashed") from error
        if distinct != len(labels):
            raise Violation(f"{name} holds {len(labels) - distinct} labels twice")


@dataclass(frozen=True)
class Strings(Rule):
    """An object array of str (names of features)."""

    size: str | int

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != object or value.ndim != 1:
            raise Violation(f"{name} is no row of strings")
        if not all(isinstance(item, str) for item in value.tolist()):
            raise Violation(f"{name} holds something that is not a string")
        _fix(self.size, len(value), name, sizes)


@dataclass(frozen=True, init=False)
class Plain(Rule):
    """A plain value: of the given types, or any if none is given; floats are finite unless `finite=False`."""

    types: tuple[type, ...]
    low: float | None
    high: float | None
    finite: bool

    def __init__(
        self,
        *types: type,
        low: float | None = None,
        high: float | None = None,
        finite: bool = True,
        optional: bool = False,
        proof: bool = False,
    ) -> None:
        _set(self, types=types, low=low, high=high, finite=finite, optional=optional, proof=proof)

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        plain = value.item() if isinstance(value, np.generic) else value
        if self.types and type(plain) not in self.types:
            raise Violation(
                f"{name} is {type(value).__name__} where {' or '.join(t.__name__ for t in self.types)} is due"
            )
        if isinstance(plain, float) and self.finite and not math.isfinite(plain):
            raise Violation(f"{name} is {plain}; only finite numbers are allowed there")
        if self.low is not None and not plain >= self.low:
            raise Violation(f"{name} is {plain}, which is below {self.low}")
        if self.high is not None and not plain <= self.high:
            raise Violation(f"{name} is {plain}, which is above {self.high}")


@dataclass(frozen=True)
class Fields(Rule):
    """A dict with exactly these keys, each under its own rule; sizes are shared with the rest of the object."""

    rules: Mapping[str, Rule]

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not dict or set(value) != set(self.rules):
            raise Violation(f"{name} is no dict of {', '.join(self.rules)}")
        for key, item in self._present(value, name):
            self.rules[key].bind(item, f"{name}[{key!r}]", sizes)

    def check(self, value: Any, name: str, sizes: Sizes) -> None:
        for key, item in self._present(value, name):
            self.rules[key].check(item, f"{name}[{key!r}]", sizes)

    def _present(self, value: dict[str, Any], name: str) -> list[tuple[str, Any]]:
        for key, item in value.items():
            if item is None and not self.rules[key].optional:
                raise Violation(f"{name}[{key!r}] is missing")
        return [(key, item) for key, item in value.items() if item is not None]


@dataclass(frozen=True)
class Each(Rule):
    """A list of `size` values, each under the same rule; a size whose name begins with _ may differ between them."""

    size: str
    rule: Rule

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if type(value) is not list:
            raise Violation(f"{name} is no list")
        _fix(self.size, len(value), name, sizes)
        for k, item in enumerate(value):
            own = dict(sizes)
            self.rule.bind(item, f"{name}[{k}]", own)
            self.rule.check(item, f"{name}[{k}]", own)
            sizes.update({key: number for key, number in own.items() if not key.startswith("_")})


@dataclass(frozen=True)
class Predictor(Rule):
    """Another stored object, of any class that predicts."""

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if not hasattr(value, "predict"):
            raise Violation(f"{name} is {type(value).__name__}, which does not predict")


@dataclass(frozen=True, init=False)
class Either(Rule):
    """What obeys one of several rules."""

    rules: tuple[Rule, ...]

    def __init__(self, *rules: Rule, optional: bool = False, proof: bool = False) -> None:
        _set(self, rules=rules, optional=optional, proof=proof)

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        said = []
        for rule in self.rules:
            own = dict(sizes)
            try:
                rule.bind(value, name, own)
                rule.check(value, name, own)
            except Violation as error:
                said.append(str(error))
            else:
                sizes.update(own)
                return
        raise Violation("; ".join(said))


@dataclass(frozen=True)
class Size(Rule):
    """A whole number >= 0 that says how large something else is (n_features_in_)."""

    size: str

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        number = value.item() if isinstance(value, np.generic) else value
        if type(number) is not int or number < 0:
            raise Violation(f"{name} is {value!r} where a size is due")
        _fix(self.size, number, name, sizes)


@dataclass(frozen=True, init=False)
class Part(Rule):
    """Another stored object of one of the named classes; with `size`, a list of that many of them (size="*": any).

    `sizes` tells what the object says of sizes that it shares with its owner: (object) -> {name: size}.
    """

    classes: tuple[str, ...]
    size: str | int | None
    sizes: Callable[[Any], Mapping[str, int]] | None

    def __init__(
        self,
        *classes: str,
        size: str | int | None = None,
        sizes: Callable[[Any], Mapping[str, int]] | None = None,
        optional: bool = False,
        proof: bool = False,
    ) -> None:
        _set(self, classes=classes, size=size, sizes=sizes, optional=optional, proof=proof)

    def bind(self, value: Any, name: str, sizes: Sizes) -> None:
        if self.size is not None:
            if type(value) is not list:
                raise Violation(f"{name} is no list")
            if self.size != "*":
                _fix(self.size, len(value), name, sizes)
        for one in value if self.size is not None else [value]:
            if type(one).__name__ not in self.classes:
                raise Violation(f"{name} is {type(one).__name__} where {' or '.join(self.classes)} is due")
            for symbol, number in self.sizes(one).items() if self.sizes is not None else ():
                _fix(symbol, number, name, sizes)
