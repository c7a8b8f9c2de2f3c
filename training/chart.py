"""Line charts as SVG text: two releases, axes, no script, no library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT, _EDGE = 340, 260, 44
_TICKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis from `low` to `high` with its words."""

    says: str
    low: float = 0.0
    high: float = 1.0


def lines(
    title: str, series: Mapping[str, Sequence[Sequence[float]]], *, x: Axis, y: Axis, diagonal: bool = False
) -> str:
    """Return a chart of [x, y] points by the name of their series, which is their CSS class, too."""
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text x="{_WIDTH / 2}" y="14" class="title">{escape(title)}</text>',
        *_frame(x=x, y=y),
    ]
    if diagonal:
        parts.append(_line("diagonal", [(x.low, y.low), (x.high, y.high)], x=x, y=y))
    for name, points in series.items():
        inside = [(point[0], point[1]) for point in points if x.low <= point[0] <= x.high]
        parts.append(_line(name, inside, x=x, y=y))
    return "\n".join([*parts, "</svg>"])


def _line(name: str, points: Sequence[tuple[float, float]], *, x: Axis, y: Axis) -> str:
    places = " ".join(f"{_across(right, x):.1f},{_down(up, y):.1f}" for right, up in points)
    return f'<polyline class="{escape(name)}" points="{places}"/>'


def _frame(*, x: Axis, y: Axis) -> list[str]:
    left, right, top, bottom = _EDGE, _WIDTH - 12, 24, _HEIGHT - _EDGE
    parts = [f'<path class="frame" d="M{left},{top} V{bottom} H{right}"/>']
    for tick in range(_TICKS + 1):
        share = tick / _TICKS
        across, down = x.low + share * (x.high - x.low), y.low + share * (y.high - y.low)
        parts += [
            f'<text x="{_across(across, x):.1f}" y="{bottom + 14}" class="tick">{across:.3g}</text>',
            f'<text x="{left - 5}" y="{_down(down, y) + 3:.1f}" class="tick tick--y">{down:.3g}</text>',
        ]
    middle = (top + bottom) / 2
    return [
        *parts,
        f'<text x="{(left + right) / 2}" y="{_HEIGHT - 8}" class="axis">{escape(x.says)}</text>',
        f'<text x="12" y="{middle}" class="axis" transform="rotate(-90 12 {middle})">{escape(y.says)}</text>',
    ]


def _across(value: float, axis: Axis) -> float:
    return _EDGE + (value - axis.low) / (axis.high - axis.low) * (_WIDTH - 12 - _EDGE)


def _down(value: float, axis: Axis) -> float:
    return _HEIGHT - _EDGE - (value - axis.low) / (axis.high - axis.low) * (_HEIGHT - _EDGE - 24)
