"""Pictures, by scikit-learn's Display conventions: `XDisplay.from_estimator(…)`, `.plot(ax=…)`, `figure_`, `ax_`."""

from importlib import import_module as _import_module

_NAMES = {
    "BiasVarianceDisplay": "bias",
    "BiasVarianceMapDisplay": "bias_map",
    "BiasVarianceSweepDisplay": "bias",
    "BoostingErrorsDisplay": "errors",
    "BoostingRoundsDisplay": "rounds",
    "BoundaryDisplay": "boundary",
    "DualAscentDisplay": "ascent",
    "KneeDisplay": "knee",
    "LossesDisplay": "losses",
    "MarginsDisplay": "margins",
    "NoiseLossDisplay": "noise",
    "NoiseScatterDisplay": "noise",
    "OOBCurveDisplay": "oob",
    "OneClassDisplay": "one_class",
    "OrdersDisplay": "orders",
    "PairStepDisplay": "pair_step",
    "PerceptronStepsDisplay": "steps",
    "RegretDisplay": "regret",
    "SupportDisplay": "support",
    "TraceDisplay": "trace",
    "TreeDisplay": "tree",
    "TubeDisplay": "tube",
    "VoteMapDisplay": "votes",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str):
    if name in _NAMES:
        return getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
