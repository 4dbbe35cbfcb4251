"""Records of studies as stored types: what took long to find can be drawn again."""

from __future__ import annotations

from .records import DataclassSpec
from .rules import Array, Part, Plain

_STUDY = "widemargin.study"

STUDIES = {
    "Bootstrap": DataclassSpec(
        f"{_STUDY}.replicates:Bootstrap", 1, {name: Plain(int, low=1) for name in ("n", "m", "B")}
    ),
    "Places": DataclassSpec(
        f"{_STUDY}.noise:Places",
        1,
        {
            "n": Plain(int, low=1),
            "same": Array("i8", ("n",), low=0, optional=True),
            "near": Array("i8", ("n", "k"), low=0, optional=True),
        },
    ),
    "BiasVariance": DataclassSpec(
        f"{_STUDY}.bias_record:BiasVariance",
        1,
        {
            "predictions": Array(("f8", "u1", "u2", "u4"), ("B", "n"), finite=False),
            "y": Array(("f8", "i8"), ("n",)),
            "places": Part("Places"),
            "plan": Part("Bootstrap", optional=True),
            "constant": Plain(int, low=0),
        },
    ),
    "BiasVarianceSweep": DataclassSpec(f"{_STUDY}.sweep:BiasVarianceSweep", 1),
}
