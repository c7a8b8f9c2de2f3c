"""The comparison of two releases as one page for people: self-contained HTML, curves as SVG."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from scoring import gate

TEMPLATE = Path(__file__).with_name("comparison_page.html.template")
_RELEASES = ("live", "candidate")
_WIDTH, _HEIGHT, _EDGE = 340, 260, 44
_TICKS = 4


def page(report: Mapping[str, Any]) -> str:
    """Return the report of `evaluate` as HTML."""
    findings = report["findings"]
    *_, verdict = gate.told(findings)
    latency = {name.removesuffix("_ms"): f"{value:.1f}" for name, value in report["latency"].items()}
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        live=report["live"]["id"][:12],
        candidate=report["candidate"]["id"][:12],
        verdict=f"{verdict}.".capitalize(),
        data=f"Judged on the {report['part']} part of "
        + ", ".join(f"{escape(file['file'])} ({file['rows']:,} posts)" for file in report["data"])
        + ".",
        made_at=report["made_at"],
        charts="\n".join(_charts(report["curves"])),
        findings="\n".join(_finding(*row) for row in sorted(findings, key=lambda row: row[1])),
        slices="\n".join(row for part in report["slices"] for row in _slice(part)),
        robustness="\n".join(map(_attack, report["robustness"])),
        campaigns="\n".join(_campaign(row) for part in report["slices"] for row in part.get("largest", ())),
        **latency,
    )


def line_chart(
    title: str,
    series: Mapping[str, Sequence[Sequence[float]]],
    *,
    x: str,
    y: str,
    x_most: float = 1.0,
    has_diagonal: bool = False,
) -> str:
    """Return a chart in SVG of [x, y] points by the name of their series, which is their CSS class, too.

    The axes begin at 0 and end at `x_most` and at 1.
    """
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text x="{_WIDTH / 2}" y="14" class="title">{escape(title)}</text>',
        *_frame(x=x, y=y, x_most=x_most),
    ]
    if has_diagonal:
        parts.append(_line("diagonal", [(0.0, 0.0), (x_most, 1.0)], x_most=x_most))
    for name, points in series.items():
        inside = [(point[0], point[1]) for point in points if 0.0 <= point[0] <= x_most]
        parts.append(_line(name, inside, x_most=x_most))
    return "\n".join([*parts, "</svg>"])


def _charts(curves: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> list[str]:
    def of(name: str) -> dict[str, Sequence[Sequence[float]]]:
        return {release: curves[release][name] for release in _RELEASES}

    return [
        line_chart("Precision and recall", of("precision_recall"), x="recall", y="precision"),
        line_chart(
            "Recall at few false positives", of("roc"), x="false positive rate", y="recall", x_most=0.05
        ),
        line_chart("Calibration", of("calibration"), x="said", y="was", has_diagonal=True),
    ]


def _line(name: str, points: Sequence[tuple[float, float]], *, x_most: float) -> str:
    places = " ".join(f"{_across(right / x_most):.1f},{_down(up):.1f}" for right, up in points)
    return f'<polyline class="{escape(name)}" points="{places}"/>'


def _frame(*, x: str, y: str, x_most: float) -> list[str]:
    left, right, top, bottom = _EDGE, _WIDTH - 12, 24, _HEIGHT - _EDGE
    parts = [f'<path class="frame" d="M{left},{top} V{bottom} H{right}"/>']
    for tick in range(_TICKS + 1):
        share = tick / _TICKS
        parts += [
            f'<text x="{_across(share):.1f}" y="{bottom + 14}" class="tick">{share * x_most:.3g}</text>',
            f'<text x="{left - 5}" y="{_down(share) + 3:.1f}" class="tick tick--y">{share:.3g}</text>',
        ]
    middle = (top + bottom) / 2
    return [
        *parts,
        f'<text x="{(left + right) / 2}" y="{_HEIGHT - 8}" class="axis">{escape(x)}</text>',
        f'<text x="12" y="{middle}" class="axis" transform="rotate(-90 12 {middle})">{escape(y)}</text>',
    ]


def _across(share: float) -> float:
    return _EDGE + share * (_WIDTH - 12 - _EDGE)


def _down(share: float) -> float:
    return _HEIGHT - _EDGE - share * (_HEIGHT - _EDGE - 24)


def _row(cells: Sequence[str], *, is_failed: bool = False) -> str:
    opening = '<tr class="failed">' if is_failed else "<tr>"
    return opening + "".join(f"<td>{escape(cell)}" for cell in cells) + "</tr>"


def _finding(question: str, passed: bool, answer: str) -> str:  # noqa: FBT001 - a stored row, by place
    unknown = (word for word in (gate.NOT_ASKED, gate.Verdict.TOO_LITTLE) if answer.startswith(word))
    verdict = next(unknown, "yes" if passed else "no")
    return _row((question, verdict, answer), is_failed=not passed)


def _slice(part: Mapping[str, Any]) -> list[str]:
    name = part["name"] if part["by"] == part["name"] else f"{part['by']}: {part['name']}"
    if not part["is_gated"]:
        name += " (too few to hold against a release)"
    return [
        _row(
            (
                name,
                f"{part['rows']:,} ({part['spam']:,})",
                metric.replace("_", " ").replace("1 fpr", "1 % FPR"),
                f"{_number(figures['live'])} ({_interval(figures['live_interval'])})",
                f"{_number(figures['candidate'])} ({_interval(figures['candidate_interval'])})",
                _interval(figures["difference_interval"], sign="+"),
            )
        )
        for metric, figures in part["metrics"].items()
    ]


def _attack(attack: Mapping[str, Any]) -> str:
    recalls = (
        f"{attack[release]['recall_before']:.3f}, {attack[release]['recall_after']:.3f}"
        for release in _RELEASES
    )
    return _row((attack["attack"].replace("_", " "), f"{attack['rows']:,}", *recalls))


def _campaign(one: Mapping[str, Any]) -> str:
    return _row((one["campaign"], str(one["spam"]), *(f"{one[release]:.2f}" for release in _RELEASES)))


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _interval(bounds: Sequence[float | None], *, sign: str = "") -> str:
    low, high = bounds
    return "unknown" if low is None or high is None else f"{low:{sign}.3f} to {high:{sign}.3f}"
