"""Small charts as SVG text. Colours are CSS variables, so that light, dark and print need one drawing.

Symbols  a chart is a box of WIDE x HIGH units with room for numbers at the left and below
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from .words import number

WIDE, HIGH = 420, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 40


@dataclass(frozen=True)
class Line:
    """One series: points, its name, and the class that gives it its colour ("a" to "f")."""

    x: Sequence[float]
    y: Sequence[float]
    name: str
    colour: str = "a"
    marks: bool = False
    joined: bool = True


@dataclass(frozen=True)
class Scale:
    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        a, b, v = (math.log10(t) if self.log else t for t in (self.low, self.high, value))
        return self.start + (self.end - self.start) * ((v - a) / (b - a) if b > a else 0.5)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, (last - first) // 4)
            tens = [10.0**e for e in range(first, last + 1, step)]
            if len(tens) > 1:
                return tens
            fine = (m * 10.0**e for e in range(first - 1, last + 2) for m in (1, 2, 5))
            return [v for v in fine if self.low <= v <= self.high] or [self.low, self.high]
        width = self.high - self.low
        if width <= 0:
            return [self.low]
        step = 10 ** math.floor(math.log10(width / 3))
        step *= next(m for m in (1, 2, 5, 10) if width / (step * m) <= 5)
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def line_chart(
    lines: Sequence[Line],
    x_name: str,
    y_name: str,
    *,
    log_x: bool = False,
    log_y: bool = False,
    diagonal: bool = False,
    box: object = None,
) -> str:
    """Series over one axis; with `diagonal`, the line on which both axes agree."""
    xs, ys = [v for line in lines for v in line.x], [v for line in lines for v in line.y]
    low_x, high_x, low_y, high_y = _bounds(xs, ys, box, diagonal, log_y)
    x = Scale(low_x, high_x, LEFT, WIDE - RIGHT, log_x)
    y = Scale(low_y, high_y, HIGH - BOTTOM, TOP, log_y)
    parts = [_axes(x, y, x_name, y_name)]
    if diagonal:
        a, b = max(low_x, low_y), min(high_x, high_y)
        parts.append(f'<line class="guide" x1="{x(a):.1f}" y1="{y(a):.1f}" x2="{x(b):.1f}" y2="{y(b):.1f}"/>')
    for line in lines:
        points = [(x(u), y(v)) for u, v in zip(line.x, line.y, strict=True)]
        if line.joined:
            path = " ".join(f"{u:.1f},{v:.1f}" for u, v in points)
            parts.append(f'<polyline class="line {line.colour}" points="{path}"/>')
        if line.marks or not line.joined:
            parts += [f'<circle class="mark {line.colour}" cx="{u:.1f}" cy="{v:.1f}" r="3"/>' for u, v in points]
    names = [(line.name, line.colour) for line in lines if line.name]
    return _svg(parts, f"{y_name} over {x_name}") + _legend(names)


def bar_chart(bars: Sequence[tuple[str, float]], value_name: str) -> str:
    """Bars to the right (and left, where values are negative), one a name."""
    if not bars:
        return ""
    low, high = min(0.0, *(v for _, v in bars)), max(0.0, *(v for _, v in bars))
    row, left = 20, 150
    high_all = row * len(bars) + 30
    x = Scale(low, high, left, WIDE - 60)
    parts = []
    for k, (name, value) in enumerate(bars):
        top, a, b = k * row + 4, x(min(0.0, value)), x(max(0.0, value))
        colour = "a" if value >= 0 else "b"
        parts.append(_name(name, left - 6, top + 11))
        parts.append(f'<rect class="bar {colour}" x="{a:.1f}" y="{top}" width="{max(0.5, b - a):.1f}" height="13"/>')
        parts.append(f'<text class="label" x="{b + 4:.1f}" y="{top + 11}">{number(value)}</text>')
    parts.append(f'<text class="label mid" x="{(left + WIDE - 60) / 2}" y="{high_all - 6}">{escape(value_name)}</text>')
    return _svg(parts, value_name, high_all)


def interval_chart(rows: Sequence[tuple[str, float, float, float]], name: str, write: Callable[[float], str]) -> str:
    """(name, low, high, value): a dot on its interval, one a row, all on one axis."""
    low, high = min(r[1] for r in rows), max(r[2] for r in rows)
    row, left = 26, 150
    x = Scale(low, high, left, WIDE - 70)
    parts = []
    for k, (who, a, b, value) in enumerate(rows):
        y = 16 + k * row
        parts.append(_name(who, left - 6, y + 4))
        parts.append(f'<line class="line a" x1="{x(a):.1f}" y1="{y}" x2="{x(b):.1f}" y2="{y}"/>')
        parts.append(f'<circle class="mark a" cx="{x(value):.1f}" cy="{y}" r="4.5"/>')
        parts.append(f'<text class="label" x="{WIDE - 62}" y="{y + 4}">{escape(write(value))}</text>')
    high_all = row * len(rows) + 34
    for place, value in (("", low), (" end", high)):
        parts.append(f'<text class="label{place}" x="{x(value):.1f}" y="{high_all - 20}">{escape(write(value))}</text>')
    parts.append(f'<text class="label mid" x="{(left + WIDE - 70) / 2}" y="{high_all - 5}">{escape(name)}</text>')
    return _svg(parts, name, high_all)


def histogram(counts: Sequence[int]) -> str:
    """A few bars as wide as a word."""
    if not counts:
        return ""
    most, width = max(counts), 96 / len(counts)
    bars = (
        f'<rect class="bar a" x="{k * width:.2f}" y="{20 - 20 * c / most:.2f}" width="{width - 0.8:.2f}" '
        f'height="{20 * c / most:.2f}"/>'
        for k, c in enumerate(counts)
        if c
    )
    return f'<svg class="spark" viewBox="0 0 96 20" aria-hidden="true">{"".join(bars)}</svg>'


def _name(name: str, x: float, y: float) -> str:
    """A name that ends at x; what is too long is cut, and whole in the tip."""
    short = name if len(name) <= 22 else name[:21] + "…"
    return f'<text class="label end" x="{x}" y="{y}"><title>{escape(name)}</title>{escape(short)}</text>'


def _bounds(
    xs: list[float], ys: list[float], box: object, diagonal: bool, log_y: bool
) -> tuple[float, float, float, float]:
    if isinstance(box, tuple):
        return box
    low_x, high_x, low_y, high_y = min(xs), max(xs), min(ys), max(ys)
    if diagonal:
        low_x = low_y = min(low_x, low_y)
        high_x = high_y = max(high_x, high_y)
    if log_y:
        return low_x, high_x, low_y / 1.3, high_y * 1.3
    room = 0.05 * (high_y - low_y) or 0.5
    return low_x, high_x, low_y - room, high_y + room


def _axes(x: Scale, y: Scale, x_name: str, y_name: str) -> str:
    parts = []
    for value in x.ticks():
        parts.append(f'<line class="grid" x1="{x(value):.1f}" y1="{TOP}" x2="{x(value):.1f}" y2="{HIGH - BOTTOM}"/>')
        parts.append(f'<text class="label mid" x="{x(value):.1f}" y="{HIGH - BOTTOM + 15}">{number(value)}</text>')
    for value in y.ticks():
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y(value):.1f}" x2="{WIDE - RIGHT}" y2="{y(value):.1f}"/>')
        parts.append(f'<text class="label end" x="{LEFT - 5}" y="{y(value) + 4:.1f}">{number(value)}</text>')
    middle = (TOP + HIGH - BOTTOM) / 2
    parts.append(f'<text class="label mid" x="{(LEFT + WIDE - RIGHT) / 2}" y="{HIGH - 6}">{escape(x_name)}</text>')
    parts.append(f'<text class="label mid" transform="translate(11 {middle}) rotate(-90)">{escape(y_name)}</text>')
    return "".join(parts)


def _svg(parts: list[str], title: str, high: float = HIGH) -> str:
    head = f'<svg viewBox="0 0 {WIDE} {high}" role="img" aria-label="{escape(title, quote=True)}">'
    return head + "".join(parts) + "</svg>"


def _legend(names: list[tuple[str, str]]) -> str:
    if len(names) < 2:
        return ""
    items = "".join(f'<span><i class="key {colour}"></i>{escape(name)}</span>' for name, colour in names)
    return f'<p class="legend">{items}</p>'
