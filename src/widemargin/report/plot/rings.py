"""Rings around support vectors: the larger alpha, the wider; solid where alpha is free, dotted at its bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import INK

FREE, BOUNDED = INK, "#B0307A"


def draw_rings(ax: Any, points: np.ndarray, alpha: np.ndarray, free: np.ndarray, size: float) -> None:
    """`size` is the area of the points inside; alpha is not negative."""
    largest = float(alpha.max(initial=0.0)) or 1.0
    area = size * (1.8 + 4.7 * alpha / largest)
    width = ring_width(len(points))
    for here, edge, dash, label in (
        (free, FREE, "-", "free support vector"),
        (~free, BOUNDED, (0, (1.6, 1.1)), "bounded: α at its limit"),
    ):
        if not here.any():
            continue
        style = {"facecolors": "none", "edgecolors": edge, "linestyles": dash, "zorder": 4}
        ax.scatter(*points[here].T, s=area[here], linewidths=width, **style)
        # The legend's ring keeps its size whatever the alphas are; a line cannot be dotted around a mark.
        ax.scatter([], [], s=70, linewidths=1.2, label=f"{label} ({int(here.sum())})", **style)


def ring_width(count: int) -> float:
    """The width of the line of each of so many rings: a thousand of them must leave the points to be seen."""
    return float(np.clip(120 / max(count, 1), 0.3, 1.2))


def point_size(n: int) -> float:
    """The area of a point among n."""
    return float(np.clip(2400 / max(n, 1), 7, 36))
