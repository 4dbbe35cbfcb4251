"""Model files: `save`, `load` and `inspect` .wm files; `dumps` and `loads` for bytes."""

from .file import FileInfo, dumps, inspect, load, loads, save

__all__ = ["FileInfo", "dumps", "inspect", "load", "loads", "save"]
