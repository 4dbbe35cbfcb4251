"""CSV and its relatives: any single-character delimiter, quotes, a header or none.

The standard library's parser is the reference and works after a bare install. Where polars is installed, larger files
without quotes are split by it; whatever is unusual (ragged rows, blank lines, stray carriage returns, bytes that do
not decode) goes back to the reference, so that values and messages are the same with and without it.
"""

from __future__ import annotations

import csv
import importlib.util
import io
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from widemargin.base.errors import BadInput, MalformedFile, MissingExtra
from widemargin.data.columns import BLANKS, Cells, Frame, PolarsCells
from widemargin.data.dialect import Dialect, Layout, layout_of
from widemargin.data.source import Opened, lines_of

_POLARS_PAYS_FROM = 1 << 20  # bytes; for less, importing polars costs more than it saves
_CHUNK_ROWS = 50_000
_LONGEST_CELL = 1 << 26  # characters: a quote that is never closed shall not take all memory
_Row = tuple[int, list[str]]  # line on which it begins, fields


def read_csv(opened: Opened, dialect: Dialect, engine: str = "auto") -> Frame:
    """The whole file as one frame."""
    layout = layout_of(opened, dialect)
    stream: Iterable[bytes] = opened.stream
    if _polars_wanted(opened, layout, engine):
        data = opened.stream.read()
        frame = _split_by_polars(data, layout, opened.name)
        if frame is not None:
            return frame
        stream = io.BytesIO(data)
    return next(_frames(stream, layout, opened.name, None))


def stream_csv(opened: Opened, dialect: Dialect, batch_rows: int, engine: str = "auto") -> Iterator[Frame]:
    """The file in frames of at most `batch_rows` rows, one in memory at a time."""
    layout = layout_of(opened, dialect)
    frames = _frames_by_polars if _polars_wanted(opened, layout, engine) else _frames
    return frames(opened.stream, layout, opened.name, batch_rows)


def _frames_by_polars(stream: Iterator[bytes], layout: Layout, name: str, batch_rows: int) -> Iterator[Frame]:
    """Batches split by polars up to the first unusual one; from there on by the reference."""
    names, line, first_row = None, 1, 0
    while True:
        lines = list(islice(stream, batch_rows + (layout.header if names is None else 0)))
        if not lines and names is not None:
            return
        frame = _split_by_polars(b"".join(lines), layout, name, names, line, first_row)
        if frame is None:
            yield from _frames(chain(lines, stream), layout, name, batch_rows, names, line, first_row)
            return
        yield frame
        names, line, first_row = frame.names, line + len(lines), first_row + frame.n_rows


def _frames(
    stream: Iterable[bytes],
    layout: Layout,
    name: str,
    batch_rows: int | None,
    names: tuple[str, ...] | None = None,
    line: int = 1,
    first_row: int = 0,
) -> Iterator[Frame]:
    """The rest of a file whose next line is `line`; `names` are those of its columns if its beginning was read."""
    rows = _rows(stream, layout, name, line)
    if names is None:
        line, fields = next(rows, (1, []))
        if not fields:
            raise BadInput(f"{name} is empty: a table needs at least one row")
        names = _names(fields, layout, name, line)
        if not layout.header:
            rows = chain([(line, fields)], rows)
    while True:
        frame = _gather(rows, names, layout, name, batch_rows, first_row)
        if frame.n_rows or first_row == 0:
            yield frame
        if batch_rows is None or frame.n_rows < batch_rows:
            return
        first_row += frame.n_rows


def _gather(
    rows: Iterator[_Row], names: tuple[str, ...], layout: Layout, name: str, batch_rows: int | None, first_row: int
) -> Frame:
    """The next `batch_rows` rows (None: all of them), turned into columns."""
    width = len(names)
    columns: list[list[str]] = [[] for _ in names]
    lines = array("q")
    left = batch_rows
    while left is None or left > 0:
        chunk = []
        for line, fields in islice(rows, _CHUNK_ROWS if left is None else min(left, _CHUNK_ROWS)):
            if len(fields) != width:
                raise _ragged(line, fields, width, layout, name)
            lines.append(line)
            chunk.append(fields)
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=False):
            column.extend(cells)
        if left is not None:
            left -= len(chunk)
        if not chunk:
            break
    cells = tuple(Cells(column, "unknown", layout.missing, layout.decimal) for column in columns)
    return Frame(names, cells, name, layout.header, row_lines=lines, first_row=first_row, how=_how(layout, names))


def _rows(stream: Iterable[bytes], layout: Layout, name: str, start: int) -> Iterator[_Row]:
    """Rows that are not blank, with the line on which each begins."""
    lines = lines_of(stream, layout.encoding, name, start)
    if layout.delimiter == " ":
        lines = (line.strip(" \t\r\n") for line in lines)
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))  # a mail may be longer than its 128 kB
    reader = csv.reader(lines, strict=True, skipinitialspace=True, **layout.csv_options())
    line = start
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise MalformedFile(
                f"the row that begins here cannot be split: {_words(error)}", path=name, line=line
            ) from error
        if len(fields) > 1 or (fields and fields[0].strip(BLANKS)):
            yield line, fields
        line = start + reader.line_num


def _words(error: csv.Error) -> str:
    text = str(error)
    if "unexpected end of data" in text:
        return "a quote is opened and never closed (pass quote=None where quotes are ordinary characters)"
    if "expected after" in text:
        return f"{text} (double the quote inside a quoted field, or pass quote=None)"
    if "new-line character" in text:
        return "a carriage return stands alone: convert the line ends to \\n"
    if "field larger" in text:
        return f"{text}: probably a quote is opened and never closed"
    return text


def _ragged(line: int, fields: list[str], width: int, layout: Layout, name: str) -> MalformedFile:
    what = "the header" if layout.header else "the first row"
    return MalformedFile(
        f"{len(fields)} fields where {what} has {width} (delimiter {layout.delimiter!r}): mend the line, "
        "or pass the right delimiter",
        path=name,
        line=line,
    )


def _names(fields: list[str], layout: Layout, name: str, line: int) -> tuple[str, ...]:
    if not layout.header:
        return tuple(f"x{i}" for i in range(len(fields)))
    names = [field.strip(BLANKS) or f"x{i}" for i, field in enumerate(fields)]
    for i, word in enumerate(names):
        if word in names[:i]:
            raise MalformedFile(
                f"columns {names.index(word)} and {i} (from 0) are both named {word!r}: give each its own name, "
                "or pass header=False",
                path=name,
                line=line,
            )
    return tuple(names)


def _how(layout: Layout, names: tuple[str, ...]) -> str:
    head = "the first line is the header" if layout.header else f"no header: the columns are x0 to x{len(names) - 1}"
    return f"delimiter {layout.delimiter!r}, {head}"


def _polars_wanted(opened: Opened, layout: Layout, engine: str) -> bool:
    if engine == "python" or (engine == "auto" and len(opened.head) < _POLARS_PAYS_FROM):
        return False
    installed = importlib.util.find_spec("polars") is not None
    if engine == "polars" and not installed:
        raise MissingExtra("polars", "files", "engine='polars'")
    return installed and layout.encoding == "utf-8" and layout.delimiter.isascii() and layout.delimiter != " "


def _split_by_polars(
    data: bytes,
    layout: Layout,
    name: str,
    names: tuple[str, ...] | None = None,
    line: int = 1,
    first_row: int = 0,
) -> Frame | None:
    """Whole lines, from number `line` on, split by polars; None where anything at all is out of the ordinary."""
    import polars

    if line == 1:
        data = data.removeprefix(b"\xef\xbb\xbf")
    odd = b"\0" in data or data.count(b"\r") != data.count(b"\r\n") or data[:1] in (b"", b"\n", b"\r")
    if odd or (layout.quote and layout.quote.encode() in data) or b"\n\n" in data or b"\n\r\n" in data:
        return None
    skip = int(layout.header and names is None)
    if names is None:
        end = data.find(b"\n")
        first = data if end < 0 else data[:end]
        names = _names(first.decode("utf-8", "replace").rstrip("\r").split(layout.delimiter), layout, name, 1)
    n_rows = data.count(b"\n") + (not data.endswith(b"\n")) - skip
    # polars refuses rows that are too long; with none of those, too short ones show in the number of delimiters.
    wanted = (n_rows + skip) * (len(names) - 1)
    if n_rows == 0 or len(names) < 2 or data.count(layout.delimiter.encode()) != wanted:
        return None
    try:
        table = polars.read_csv(
            data,
            separator=layout.delimiter,
            has_header=False,
            skip_rows=skip,
            schema={f"c{i}": polars.String for i in range(len(names))},
            quote_char=None,
        )
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException):
        return None
    if table.height != n_rows:
        return None
    cells = tuple(PolarsCells(column.fill_null(""), "unknown", layout.missing, layout.decimal) for column in table)
    how = _how(layout, names)
    return Frame(names, cells, name, layout.header, first_line=line + skip, first_row=first_row, how=how)
