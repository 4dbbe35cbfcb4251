"""What must be known of a column before it is coded, gathered piece by piece so that streams can be learned from."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from widemargin.base.errors import BadInput, MalformedFile
from widemargin.data.columns import Column, Frame

# Below this share of numbers a column is text; above it, but not 1, the text among the numbers is taken for a mistake.
_MOSTLY_NUMBERS = 0.9
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+", re.ASCII)
_THREE_BEHIND_COMMA = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", re.ASCII)  # 1,234: thousands or a fraction
_PLAIN = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?", re.ASCII)
_GROUPED = re.compile(  # 1,234.56 and 1.234,56, or an apostrophe or a blank that does not break
    r"[+-]?[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+(?:,[0-9]+)?"
    r"|(?:['’\u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?)"
)
_DAY, _MONTH = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_DATE = re.compile(  # 2026-11-18, 18.11.2026, 11/18/26, each with or without a time of day
    rf"(?:[0-9]{{4}}([-/.]){_MONTH}\1{_DAY}"
    rf"|(?:{_DAY}([-/.]){_MONTH}\2|{_MONTH}([-/.]){_DAY}\3)(?:[0-9]{{4}}|[0-9]{{2}}))"
    r"(?:[T ,]+[0-9]{1,2}:[0-9]{2}.*)?",
    re.ASCII,
)


@dataclass
class Sketch:
    """Counts of one column. Once `settle` has passed, it is either all numbers or all text."""

    name: str
    as_text: bool = False
    wants_median: bool = False
    n_rows: int = 0
    n_missing: int = 0
    n_numbers: int = 0
    n_nonzero: int = 0
    total: float = 0.0
    low: float = np.inf
    high: float = -np.inf
    median: float = np.nan
    counts_up: bool = True  # 0, 1, 2, ... or 1, 2, 3, ...: an index column
    is_bool: bool = False
    is_date: bool = False
    declared: tuple[str, ...] | None = None
    texts: Counter[str] = field(default_factory=Counter)
    first_text: tuple[int | None, str] | None = None  # line, cell

    def add(self, column: Column, frame: Frame) -> None:
        self.declared, self.is_bool = column.declared, column.kind == "bool"
        self.is_date = self.is_date or column.kind == "date"
        if self.as_text or column.kind in ("category", "date"):
            texts = column.texts()
            self.texts.update(text for text in texts if text is not None)
            self.n_missing += texts.count(None)
        else:
            self._add_numbers(column, frame)
        self.n_rows += len(column)

    def _add_numbers(self, column: Column, frame: Frame) -> None:
        values, bad = column.numbers()
        if len(bad):
            texts = column.texts()
            self.texts.update(str(texts[row]) for row in bad)
            if self.first_text is None:
                self.first_text = (frame.line(bad[0]), str(texts[bad[0]]))
        known = values[~np.isnan(values)]
        self.n_missing += len(values) - len(known) - len(bad)
        self.n_numbers += len(known)
        if len(known) == 0:
            return
        self.n_nonzero += int(np.count_nonzero(known))
        with np.errstate(over="ignore", invalid="ignore"):  # infinities are refused later, with their place
            self.total += float(np.sum(known))
            if self.wants_median:
                self.median = float(np.median(known))
        self.low, self.high = min(self.low, float(known.min())), max(self.high, float(known.max()))
        if self.counts_up:
            start = values[0] if self.n_rows == 0 else self.low + self.n_rows
            up = start + np.arange(len(values))
            self.counts_up = self.low in (0.0, 1.0) and bool(np.array_equal(values, up))

    @property
    def is_text(self) -> bool:
        return self.as_text or bool(self.texts)

    @property
    def is_empty(self) -> bool:
        return self.n_missing == self.n_rows

    @property
    def is_constant(self) -> bool:
        return len(self.texts) == 1 if self.is_text else self.low == self.high

    @property
    def looks_like_identifier(self) -> bool:
        if self.n_rows < 20:
            return False
        if self.is_text:
            return len(self.texts) > 0.9 * self.n_rows
        return self.counts_up and self.n_numbers == self.n_rows

    @property
    def looks_like_dates(self) -> bool:
        return self.is_date or bool(self.texts and self.n_numbers == 0 and all(map(_DATE.fullmatch, self.texts)))

    @property
    def is_mixed(self) -> bool:
        """Numbers and text: to be read again, as text."""
        return bool(self.texts) and self.n_numbers > 0

    def settle(self, source: str, *, is_target: bool) -> None:
        """Refuse what would silently be coded wrongly."""
        if self.is_date and not self.as_text:
            raise BadInput(
                f"{source}: column {self.name!r} holds dates: ignore it, turn it into numbers first, or list it in "
                "`categorical`"
            )
        if self.first_text is None:
            return
        line, cell = self.first_text
        if self._holds_grouped:
            raise MalformedFile(
                f"column {self.name!r} holds numbers whose thousands are set apart (first {cell!r}): write them "
                "without that sign, or list the column in `categorical` if they are names",
                path=source,
                line=line,
            )
        if all(map(_THREE_BEHIND_COMMA.fullmatch, self.texts)):
            raise MalformedFile(
                f"column {self.name!r} holds numbers with three digits behind a comma ({cell!r}): where it sets "
                "thousands apart write them without it, where it is the decimal sign pass decimal=',', or list the "
                "column in `categorical` if they are names",
                path=source,
                line=line,
            )
        if all(map(_DECIMAL_COMMA.fullmatch, self.texts)):
            raise MalformedFile(
                f"column {self.name!r} holds numbers written with a comma ({cell!r}): pass decimal=',' or list the "
                "column in `categorical` if they are names",
                path=source,
                line=line,
            )
        n_texts = sum(self.texts.values())
        if self.n_numbers >= _MOSTLY_NUMBERS * (self.n_numbers + n_texts) and not is_target:
            raise MalformedFile(
                f"column {self.name!r} holds a number in {self.n_numbers} rows and text in {n_texts}, first {cell!r}: "
                "mend the cell, name it among the missing_values, or list the column in `categorical`",
                path=source,
                line=line,
            )

    @property
    def _holds_grouped(self) -> bool:
        """Nothing but numbers, of which some can only be read with their thousands set apart."""
        if not all(_GROUPED.fullmatch(text) or _PLAIN.fullmatch(text) for text in self.texts):
            return False
        return not all(map(_PLAIN.fullmatch, self.texts))

    @property
    def mean(self) -> float:
        # The sum of huge values may overflow where the mean does not.
        mean = self.total / self.n_numbers
        return float(np.clip(mean, self.low, self.high)) if np.isfinite(mean) else 0.5 * self.low + 0.5 * self.high

    @property
    def most_frequent(self) -> str:
        return min(self.texts, key=lambda text: (-self.texts[text], text))

    @property
    def category_names(self) -> tuple[str, ...]:
        return self.declared if self.declared is not None else tuple(sorted(self.texts))
