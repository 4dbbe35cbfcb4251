"""Model files: `save`, `load` and `inspect` .wm files, `dumps` and `loads` bytes; `save_libsvm`, `load_libsvm`."""

from .file import FileInfo, dumps, inspect, load, loads, save
from .libsvm import load_libsvm, save_libsvm
from .libsvm_model import LibsvmModel

__all__ = ["FileInfo", "LibsvmModel", "dumps", "inspect", "load", "load_libsvm", "loads", "save", "save_libsvm"]
