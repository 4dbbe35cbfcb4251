"""What reading a table did to it, in sentences."""

from __future__ import annotations

from widemargin.data.columns import counted, text_of_number
from widemargin.data.learn import Learned, is_left_out
from widemargin.data.sketch import Sketch

_SHOWN = 8


def account(learned: Learned, n_dropped: int) -> tuple[str, ...]:
    """One sentence for the file, then one for each column that is not plain numbers, then the rows dropped."""
    encoder = learned.encoder
    form = "CSR" if encoder.sparse else "a list of texts" if learned.coding.text is not None else "a dense array"
    how = f" ({learned.how})" if learned.how else ""
    size = f"{counted(learned.n_rows, 'row')} and {counted(len(encoder.source_columns), 'column')}"
    lines = [f"{learned.source}: {size} read{how}; {counted(encoder.n_features, 'feature')} in {form}"]
    for sketch in learned.sketches:
        lines.extend(_sentences(sketch, learned))
    if n_dropped:
        lines.append(f"{n_dropped} of {learned.n_rows} rows were dropped because a cell is missing")
    return tuple(lines)


def _sentences(sketch: Sketch, learned: Learned) -> list[str]:
    column = f"column {sketch.name!r}"
    if sketch.name == learned.encoder.target:
        return [f"{column} is the target: {_target(sketch, learned)}"]
    if sketch.name in learned.coding.ignore:
        return [f"{column} was ignored, as asked"]
    if learned.coding.text not in (None, sketch.name):
        return [f"{column} was left out: the words of {learned.coding.text!r} are learnt from alone"]
    if is_left_out(sketch, learned.coding):
        return [f"{column} is empty in every row and was left out"]
    code = next(code for code in learned.encoder.columns if code.name == sketch.name)
    if code.kind == "text":
        return [f"{column} is prose; its words are the features"]
    lines = []
    if code.coding == "onehot":
        lines.append(
            f"{column} was one-hot coded into {counted(len(code.categories), 'feature')}: {_listed(code.categories)}"
        )
    elif code.coding == "ordinal":
        lines.append(f"{column} was coded 0 to {len(code.categories) - 1} in the order {_listed(code.categories)}")
    if sketch.n_missing:
        gaps = counted(sketch.n_missing, "missing cell")
        lines.append(f"{column} has {gaps}, {_filled(code.kind, code.coding, code.fill, learned)}")
    if sketch.is_constant:
        lines.append(f"{column} is constant")
    if sketch.looks_like_identifier:
        why = (
            f"{len(sketch.texts)} different values in {sketch.n_rows} rows" if sketch.is_text else "it counts the rows"
        )
        lines.append(f"{column} looks like an identifier ({why}): consider ignoring it")
    if not sketch.is_text and max(abs(sketch.low), abs(sketch.high)) > 2**53:
        lines.append(f"{column} holds values beyond 2^53, where float64 no longer tells neighbouring integers apart")
    return lines


def _target(sketch: Sketch, learned: Learned) -> str:
    kind = learned.encoder.target_kind
    if kind == "text":
        return f"text, {_classes(len(sketch.texts))}: {_listed(tuple(sorted(sketch.texts)))}"
    if kind == "bool":
        return "true or false"
    return f"numbers from {text_of_number(sketch.low)} to {text_of_number(sketch.high)}"


def _classes(n: int) -> str:
    return "1 class" if n == 1 else f"{n} classes"


def _filled(kind: str, coding: str, fill: float | str | None, learned: Learned) -> str:
    policy = learned.coding.missing
    if policy == "drop":
        return "whose rows were dropped"
    if kind == "number":
        return "kept as NaN" if fill is None else f"filled with {fill:.6g} (the {policy})"
    if fill is None:
        return "coded as all zeros" if coding == "onehot" else "kept as NaN"
    return f"filled with {fill!r} (the most frequent)"


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
