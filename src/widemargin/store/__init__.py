"""Model files: `save`, `load` and `inspect` .wm files, `dumps` and `loads` bytes; files of LIBSVM, LIBLINEAR, ONNX."""

from .file import FileInfo, dumps, inspect, load, loads, save
from .liblinear import load_liblinear, save_liblinear
from .liblinear_model import LiblinearModel
from .libsvm import load_libsvm, save_libsvm
from .libsvm_model import LibsvmModel
from .onnx_file import save_onnx

__all__ = [
    "FileInfo",
    "LiblinearModel",
    "LibsvmModel",
    "dumps",
    "inspect",
    "load",
    "load_liblinear",
    "load_libsvm",
    "loads",
    "save",
    "save_liblinear",
    "save_libsvm",
    "save_onnx",
]
