"""Rows of data and where they come from: arrays, tables, files."""

from importlib import import_module
from typing import Any

_NAMES = {
    "Mail": "mail",
    "Table": "table",
    "TableEncoder": "table",
    "learn_encoder": "table",
    "load_iris": "samples",
    "load_iris_tenths": "samples",
    "load_sms_spam": "samples",
    "parse_mail": "mail",
    "read_mail_table": "mailboxes",
    "read_mails": "mailboxes",
    "read_svmlight": "svmlight",
    "read_table": "table",
    "sms_features": "samples",
    "stream_svmlight": "svmlight",
    "stream_table": "table",
    "write_svmlight": "svmlight_writer",
}
__all__ = list(_NAMES)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_NAMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
