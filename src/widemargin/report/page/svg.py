"""Small charts as SVG text. Colours are CSS variables, so that light, dark and print need one drawing.

Symbols  a chart is a box of WIDE x HIGH units with room for numbers at the left and below
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDE, HIGH = 420, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 40


@dataclass(frozen=True)
class Line:
    """One series: points, its name, and the class that gives it its colour ("a", "b" or "c")."""

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
            return [10.0**e for e in range(first, last + 1, step)]
        width = self.high - self.low
        if width <= 0:
            return [self.low]
        step = 10 ** math.floor(math.log10(width / 3))
        step *= next(m for m in (1, 2, 5, 10) if width / (step * m) <= 5)
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def line_chart(
    lines: Sequence[Line], x_name: str, y_name: str, *, log_x: bool = False, diagonal: bool = False, box: object = None
) -> str:
    """Series over one axis; with `diagonal`, the line on which both axes agree."""
    xs, ys = [v for line in lines for v in line.x], [v for line in lines for v in line.y]
    low_x, high_x, low_y, high_y = _bounds(xs, ys, box, diagonal)
    x = Scale(low_x, high_x, LEFT, WIDE - RIGHT, log_x)
    y = Scale(low_y, high_y, HIGH - BOTTOM, TOP)
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
        short = name if len(name) <= 22 else name[:21] + "…"
        colour = "a" if value >= 0 else "b"
        parts.append(f'<text class="label end" x="{left - 6}" y="{top + 11}"><title>{escape(name)}</title>{escape(short)}</text>')
        parts.append(f'<rect class="bar {colour}" x="{a:.1f}" y="{top}" width="{max(0.5, b - a):.1f}" height="13"/>')
        parts.append(f'<text class="label" x="{b + 4:.1f}" y="{top + 11}">{number(value)}</text>')
    parts.append(f'<text class="label mid" x="{(left + WIDE - 60) / 2}" y="{high_all - 6}">{escape(value_name)}</text>')
    return _svg(parts, value_name, high_all)


def number(value: float) -> str:
    return f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e")


def _bounds(xs: list[float], ys: list[float], box: object, diagonal: bool) -> tuple[float, float, float, float]:
    if isinstance(box, tuple):
        return box
    low_x, high_x, low_y, high_y = min(xs), max(xs), min(ys), max(ys)
    if diagonal:
        low_x = low_y = min(low_x, low_y)
        high_x = high_y = max(high_x, high_y)
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
