"""The comparison of two releases as one page for people: self-contained HTML, curves as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from scoring import gate
from training import chart
from training.chart import Axis

TEMPLATE = Path(__file__).with_name("comparison_page.html.template")
_RELEASES = ("live", "candidate")


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


def _charts(curves: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> list[str]:
    def of(name: str) -> dict[str, Sequence[Sequence[float]]]:
        return {release: curves[release][name] for release in _RELEASES}

    return [
        chart.lines(
            "Precision and recall", of("precision_recall"), x=Axis(says="recall"), y=Axis(says="precision")
        ),
        chart.lines(
            "Recall at few false positives",
            of("roc"),
            x=Axis(says="false positive rate", high=0.05),
            y=Axis(says="recall"),
        ),
        chart.lines("Calibration", of("calibration"), x=Axis(says="said"), y=Axis(says="was"), diagonal=True),
    ]


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
