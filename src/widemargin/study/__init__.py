"""Experiments on data and on any estimator. Names are imported when first used."""

from importlib import import_module as _import_module

_NAMES = {
    "BiasVariance": "bias_record",
    "BiasVarianceSweep": "sweep",
    "BoostingErrors": "boosting_record",
    "BoostingMargins": "boosting_record",
    "Bootstrap": "replicates",
    "DualAscent": "ascent",
    "Evaluation": "evaluation",
    "FewestMistakes": "mistakes",
    "KnownSource": "sources",
    "NoiseStudy": "label_noise",
    "Replay": "replay",
    "Trial": "tuning_record",
    "Tuning": "tuning_record",
    "ValidationCurve": "validation",
    "ascend_dual": "ascent",
    "bias_variance": "bias_study",
    "bias_variance_sweep": "sweep",
    "boosting_errors": "boosting",
    "boosting_margins": "boosting",
    "bootstrap": "replicates",
    "fewest_mistakes": "mistakes",
    "known_source": "sources",
    "label_noise_study": "label_noise",
    "replay_updates": "replay",
    "tune": "tuning",
    "turned_labels": "sources",
    "validation_curve": "validation",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str):
    if name in _NAMES:
        return getattr(_import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
