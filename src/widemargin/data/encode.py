"""The coding of a table: which columns become which numbers. Plain data, so that a model file can carry it.

A `TableEncoder` is learned once (`read_table`) and then applied to any later file: columns are found by name, extra
ones are ignored, missing cells get the value that was fixed in training, categories never seen become all zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from widemargin.base.errors import BadInput
from widemargin.data.coder import Coded, Coder, align
from widemargin.data.columns import Frame
from widemargin.data.dialect import Dialect
from widemargin.data.readers import read_frame
from widemargin.data.table_record import Table, classes_of


@dataclass(frozen=True)
class ColumnCode:
    """One column of the file: a number (one feature), a category (`coding` "onehot" or "ordinal"), or prose ("text").

    `fill` stands in for a missing cell: a number, a category, or None where nothing does.
    """

    name: str
    kind: str
    coding: str = "number"
    categories: tuple[str, ...] = ()
    fill: float | str | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        if self.coding == "onehot":
            return tuple(f"{self.name}={category}" for category in self.categories)
        return (self.name,)


@dataclass(frozen=True)
class TableEncoder:
    """How each column of a file becomes features. Made by `read_table`; saved with `to_dict`."""

    columns: tuple[ColumnCode, ...]
    source_columns: tuple[str, ...]
    target: str | None = None
    target_kind: str | None = None  # "number", "text" or "bool"
    header: bool = True
    missing: str = "error"
    missing_values: tuple[str, ...] = ()
    decimal: str = "."
    quote: str | None = '"'
    sparse: bool = False
    feature_names: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = tuple(name for column in self.columns for name in column.feature_names)
        object.__setattr__(self, "feature_names", names)

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        return {column.name: column.categories for column in self.columns if column.kind == "category"}

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, dictionaries, strings and numbers, ready for JSON."""
        from widemargin.data.encoder_dict import encoder_to_dict

        return encoder_to_dict(self)

    @classmethod
    def from_dict(cls, plain: Any) -> TableEncoder:
        """The inverse of `to_dict`; anything that is not such a dictionary raises `BadInput`."""
        from widemargin.data.encoder_dict import encoder_from_dict

        return encoder_from_dict(plain)

    def dialect(self, **said: Any) -> Dialect:
        """How a text file for this encoder is written, as far as training fixed it."""
        fixed = {"header": self.header, "missing": self.missing_values, "decimal": self.decimal, "quote": self.quote}
        return Dialect(**{**fixed, **{name: value for name, value in said.items() if value is not None}})

    def apply(
        self,
        source: Any,
        *,
        format: str = "auto",
        delimiter: str | None = None,
        header: bool | None = None,
        encoding: str = "utf-8",
        engine: str = "auto",
    ) -> Table:
        """Code another file (path, "-", file object) or data frame exactly as the first one.

        Returns
        -------
        Table
            `y` is None where the file has no target column. No row is ever dropped.

        Raises
        ------
        BadInput
            A column is absent, a cell is missing and training fixed no value for it, a number is infinite.
        MalformedFile
            The file breaks its format, or a numeric column holds text; with the line.
        """
        frame = read_frame(source, self.dialect(delimiter=delimiter, header=header, encoding=encoding), format, engine)
        if frame.n_rows == 0:
            raise BadInput(f"{frame.source} has no rows below the header: there is nothing to code")
        coded = self.code(frame)
        unknown = coded.warn_of_unknown(frame.source)
        report = [f"{frame.source}: {frame.n_rows} rows coded into {self.n_features} features", *unknown]
        return Table(
            coded.X, coded.y, self.feature_names, self.target, classes_of(coded.y), self.categories, self, tuple(report)
        )

    def code(self, frame: Frame, *, dropping: bool = False) -> Coded:
        """X, y of one frame; with `dropping`, rows with a missing cell are marked instead of refused."""
        columns, target = align(self, frame)
        coder = Coder(self, frame, dropping)
        for code, column in zip(self.columns, columns, strict=True):
            coder.add(code, column)
        y = None if target is None else coder.labels(target)
        return Coded(coder.matrix(), y, coder.incomplete, coder.unknown)
