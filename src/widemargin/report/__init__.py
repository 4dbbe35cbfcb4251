"""What people read and look at: pictures in `widemargin.report.plot`, imported when first used."""

from importlib import import_module as _import_module

__all__ = ["plot"]


def __getattr__(name: str):
    if name in __all__:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
