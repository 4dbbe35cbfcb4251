"""`wm doctor`: all that matters when someone asks why it is slow or does not work."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import sys
from typing import Any

from . import root
from .out import Out
from .session import command_parser

_NEEDED = ("numpy", "scipy", "scikit-learn", "rich", "msgspec", "safetensors", "nanobind-backend")
_OPTIONAL = {"matplotlib": "pictures", "polars": "fast CSV, Parquet", "pyarrow": "Parquet", "pandas": "data frames"}
_FEATURES = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512vl", "avx512bw", "asimd", "sve")


def parse(words: list[str]) -> argparse.Namespace:
    return command_parser("doctor").parse_args(words)


def run(args: argparse.Namespace) -> int:
    document: dict[str, Any] = {
        "versions": _versions(),
        "processor": _processor(),
        "threads": _threads(),
        "blas": _blas(),
        "memory": _memory(),
        "optional": {name: _version(name) for name in _OPTIONAL},
        "environment": {
            k: v for k, v in sorted(os.environ.items()) if k.startswith(("WIDEMARGIN_", "OMP_", "OPENBLAS_"))
        },
    }
    out = Out(args)
    out.document(document)
    out.table("versions", document["versions"].items())
    out.table("processor and threads", [*document["processor"].items(), *document["threads"].items()])
    out.table(
        "BLAS and other thread pools",
        [[b["library"], b["version"], b["threads"], b["architecture"]] for b in document["blas"]],
        ["library", "version", "threads", "architecture"],
    )
    out.table("memory in MB", document["memory"].items())
    out.table(
        "optional packages",
        [(name, f"{version or 'not installed'} ({_OPTIONAL[name]})") for name, version in document["optional"].items()],
    )
    if document["environment"]:
        out.table("environment", document["environment"].items())
    return root.OK


def _versions() -> dict[str, Any]:
    from widemargin import __version__

    found = {"widemargin": __version__, "python": platform.python_version(), "system": platform.platform()}
    return found | {name: _version(name) for name in _NEEDED} | {"executable": sys.executable}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> dict[str, Any]:
    import widemargin.base
    from widemargin import _core

    assert widemargin.base  # reads WIDEMARGIN_SIMD
    flags = _cpu_words()
    return {
        "machine": platform.machine(),
        "features": [name for name in _FEATURES if name in flags],
        "SIMD level in use": _core.simd_level(),
    }


def _cpu_words() -> set[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = [line for line in file if line.lower().startswith(("flags", "features"))]
    except OSError:
        return set()
    return set(lines[0].split()) if lines else set()


def _threads() -> dict[str, Any]:
    import joblib

    from widemargin import _core
    from widemargin.base.threads import threads

    return {
        "processors": os.cpu_count(),
        "usable (cgroup, affinity)": joblib.cpu_count(),
        "threads of --threads -1": threads(-1),
        "threads by default": threads(None),
        "pool": _core.pool_size(),
    }


def _blas() -> list[dict[str, Any]]:
    import numpy  # noqa: F401 - libraries are found once they are loaded
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    return [
        {
            "library": pool.get("internal_api"),
            "version": pool.get("version"),
            "threads": pool.get("num_threads"),
            "architecture": pool.get("architecture"),
            "file": pool.get("filepath"),
        }
        for pool in threadpoolctl.threadpool_info()
    ]


def _memory() -> dict[str, int | None]:
    """In MB; None where the system does not tell."""
    told: dict[str, int | None] = {"total": None, "available": None, "limit of the cgroup": None}
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            kilobytes = {line.partition(":")[0]: line.split()[1] for line in file}
        told |= {"total": int(kilobytes["MemTotal"]) // 1024, "available": int(kilobytes["MemAvailable"]) // 1024}
    except (OSError, KeyError, ValueError):
        pass
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            told["limit of the cgroup"] = int(file.read()) >> 20
    except (OSError, ValueError):  # "max": no limit
        pass
    return told
