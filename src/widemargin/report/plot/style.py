"""One look for all pictures: colours that everybody can tell apart, marks that differ without colour, room for text."""

from __future__ import annotations

from textwrap import fill
from typing import Any

from ...base.errors import MissingExtra

# Okabe and Ito's palette, each class with a mark of its own so that grey prints stay readable.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#8C6D00")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, FAINT = "#222222", "#8A8A8A"
DASHES = ("-", "--", "-.", ":")


def pyplot() -> Any:
    """matplotlib.pyplot, or the error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "a picture") from None
    return plt


def axes(ax: Any, size: tuple[float, float] = (6.0, 4.6)) -> tuple[Any, Any]:
    """(figure, axes): those given, or new ones whose layout makes room for all text."""
    plt = pyplot()
    if ax is None:
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        return figure, ax
    return ax.figure, ax


def grid_of_axes(ax: Any, rows: int, columns: int, size: tuple[float, float], **shared: Any) -> tuple[Any, Any]:
    """(figure, array of axes rows × columns): on a new figure, or in the place of the axes given."""
    plt = pyplot()
    if ax is None:
        return plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **shared)
    ax.set_axis_off()
    inner = ax.get_subplotspec().subgridspec(rows, columns)
    return ax.figure, inner.subplots(squeeze=False, **shared)


def colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def mark(k: int) -> str:
    return MARKS[k % len(MARKS)]


def tint(hexadecimal: str, share: float = 0.16) -> tuple[float, float, float]:
    """The colour thinned with white, for regions."""
    red, green, blue = (int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 1 - share * (1 - red), 1 - share * (1 - green), 1 - share * (1 - blue)


def legend_below(ax: Any, columns: int = 3) -> None:
    """A legend under the axes and their label, where it covers no point."""
    from matplotlib.transforms import ScaledTranslation

    handles, _ = ax.get_legend_handles_labels()
    if not handles:
        return
    below = ScaledTranslation(0, -36 / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + below,
        ncols=min(columns, len(handles)),
        frameon=False,
        fontsize=9,
        handletextpad=0.5,
        columnspacing=1.4,
    )


def title(ax: Any, text: str, note: str = "") -> None:
    """A headline at the left and, under it, a line that says how to read the picture."""
    # Lines are cut by the room there is: about 14 letters of this size to an inch.
    inches = ax.get_position().width * ax.figure.get_size_inches()[0]
    letters = max(20, int(14 * inches))
    lines = fill(text, letters)
    if note:
        lines += "\n" + fill(note, letters)
    ax.set_title(lines, loc="left", fontsize=9.5 if note else 10.5, color=INK, linespacing=1.35)


def plain_frame(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=9)
