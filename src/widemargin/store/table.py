"""The static table of what a .wm file may hold: name in the file -> spec with the place of the class.

A module of this table is imported when an object of its type is saved or loaded, never because of a word in a file.
Renaming a class changes only the place; the name in files stays for ever.
"""

from __future__ import annotations

from typing import Any

TABLE: dict[str, Any] = {}
