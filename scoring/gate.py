"""The promotion gate: checks on the report that compares a release with the live one.

The report comes from `python -m training evaluate`; nothing is measured here.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

REPORT_FORMAT = 1
JUDGED_BY = "test"
"""The part of the labelled posts that counts; candidates are chosen on `validation`."""
HIGHER_IS_BETTER = {"pr_auc": True, "recall_at_1_fpr": True, "calibration_error": False}

ENOUGH_SPAM, ENOUGH_HAM = 30, 100
"""Minimum posts of a report; a slice with fewer is not held against a release."""
LEAST_OF_SOURCE = 10
"""Minimum posts of a required source, such as the decisions of a platform with a head."""
MARGIN = 0.04
"""Loss of PR-AUC on all posts that the 95 % interval must exclude (non-inferiority)."""
SMALLEST_LOSS = 0.005
"""A significant loss smaller than this is not held against a release."""
ATTACK_LOSS = 0.03
"""Recall in [0, 1] that an attack may cost, or by which the candidate may be worse than the live one."""
LINK_CHANGES_NOTHING = 0.95
"""Least share of honest texts whose route an added link to a popular or small honest site leaves alone."""
SLOWER = 1.5
SLOWER_MS = 2.0
"""The candidate's p95 of scoring a post may be 1.5 times the live one's, or 2 ms more, in processor time."""

NOT_ASKED = "not asked"
"""Prefix of the answer to a check without data in the report; it does not block a release."""


class Verdict(StrEnum):
    """The gate's verdict on a candidate; the answer to a failed check may begin with one of the last two."""

    PASSED = "passed"
    REFUSED = "refused"
    TOO_LITTLE = "too little evidence"
    NOTHING = "nothing to promote"


class Unreadable(Exception):
    """The report is malformed or has another format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check of the gate and its result."""

    question: str
    passed: bool
    answer: str


def stored(found: Iterable[Finding]) -> list[list[Any]]:
    """Return findings as rows of JSON: question, whether it passed, answer."""
    return [[finding.question, finding.passed, finding.answer] for finding in found]


def verdict(rows: Iterable[Sequence[Any]]) -> Verdict:
    """Sum stored findings up: refused if any check but those that lack evidence failed."""
    failed = [answer for _, passed, answer in rows if not passed]
    if any(answer.startswith(Verdict.NOTHING) for answer in failed):
        return Verdict.NOTHING
    if all(answer.startswith(Verdict.TOO_LITTLE) for answer in failed):
        return Verdict.TOO_LITTLE if failed else Verdict.PASSED
    return Verdict.REFUSED


def told(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Describe stored findings in lines: what did not pass, then the verdict."""
    failed = [(question, answer) for question, passed, answer in rows if not passed]
    yield from (f"NOT PASSED  {question}: {answer}" for question, answer in failed)
    yield f"{verdict(rows)}: {len(rows) - len(failed)} of {len(rows)} questions passed"


def read(path: Path) -> dict[str, Any]:
    """Read a report. Raises Unreadable."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise Unreadable(f"{path.name}: {wrong}. Give the report.json that evaluate wrote.") from wrong
    if not isinstance(report, dict):
        raise Unreadable(f"{path.name}: not a report. Give the report.json that evaluate wrote.")
    return report


def findings(report: Mapping[str, Any], *, candidate: str, live: str) -> list[Finding]:
    """Return all findings; a release may go live if all passed. Raises Unreadable.

    `candidate` and `live` are the releases' ids: a report about others proves nothing.
    """
    try:
        if report["format"] != REPORT_FORMAT:
            raise Unreadable(f"the report has format {report['format']}, this code reads {REPORT_FORMAT}")
        return [
            *_subject(report, candidate=candidate, live=live),
            *_evidence(report),
            *(_non_inferiority(part) for part in report["slices"] if part["by"] == "all"),
            *_quality(report["slices"]),
            *_robustness(report["robustness"]),
            *_circumstances(report.get("circumstances")),
            *_links(report["links"]),
            *_latency(report["latency"]),
        ]
    except (KeyError, TypeError, ValueError) as wrong:
        raise Unreadable(f"the report cannot be read: {type(wrong).__name__}: {wrong}") from wrong


def _subject(report: Mapping[str, Any], *, candidate: str, live: str) -> Iterator[Finding]:
    compared = (report["candidate"]["id"], report["live"]["id"])
    yield Finding(
        question="compares this release with the live one",
        passed=compared == (candidate, live),
        answer=f"{compared[0][:12]} with {compared[1][:12]}; live is {live[:12]}",
    )
    same = report["is_unchanged"]
    yield Finding(
        question="differs from the live one",
        passed=not same,
        answer=f"{Verdict.NOTHING}: it scores every post as the live one does" if same else "yes",
    )
    rows = sum(part["rows"] for part in report["slices"] if part["by"] == "all")
    # Reports from before this field existed are of the test part.
    part = report.get("part", JUDGED_BY)
    yield Finding(
        question="looks at posts of the test part",
        passed=rows > 0 and part == JUDGED_BY,
        answer=f"{rows} posts of the {part} part",
    )


def _evidence(report: Mapping[str, Any]) -> Iterator[Finding]:
    """Check that there is enough data: a report over five posts never finds a difference."""
    whole = [part for part in report["slices"] if part["by"] == "all"]
    rows = sum(part["rows"] for part in whole)
    spam = sum(part.get("spam", 0) for part in whole)
    yield _enough(
        "holds enough evidence",
        passed=any(part["is_gated"] for part in whole),
        answer=f"{rows} posts, {spam} of them spam; at least {ENOUGH_SPAM} spam and {ENOUGH_HAM} others",
    )
    sources = {part["name"]: part["rows"] for part in report["slices"] if part["by"] == "source"}
    for source in report.get("required", ()):
        yield _enough(
            f"holds evidence of {source}",
            passed=sources.get(source, 0) >= LEAST_OF_SOURCE,
            answer=f"{sources.get(source, 0)} posts, at least {LEAST_OF_SOURCE}{_fresh(report, source)}",
        )


def _fresh(report: Mapping[str, Any], source: str) -> str:
    """Return how many decisions of a source count outside the test part."""
    count = report.get("fresh", {}).get(source, 0)
    return f"; {count} made since the live release, each judged by a head fitted without it" if count else ""


def _enough(question: str, *, passed: bool, answer: str) -> Finding:
    return Finding(
        question=question, passed=passed, answer=answer if passed else f"{Verdict.TOO_LITTLE}: {answer}"
    )


def _non_inferiority(part: Mapping[str, Any]) -> Finding:
    """Ask whether all posts exclude a loss of MARGIN: finding none proves nothing where they are few."""
    question = f"pr_auc on all posts certainly not {MARGIN} worse"
    figures = part["metrics"]["pr_auc"]
    low, high = figures["difference_interval"]
    if low is None or high is None:
        return _enough(question, passed=False, answer="the difference is not known")
    answer = f"difference {low:+.3f} to {high:+.3f}"
    if low > -MARGIN or high < -SMALLEST_LOSS:
        return Finding(question=question, passed=low > -MARGIN, answer=answer)
    gain = figures["candidate"] - figures["live"]
    # An interval narrows with the root of the posts: as many exclude the margin, or show a loss.
    times = ((gain - low) / (gain + MARGIN)) ** 2 if gain > -MARGIN else math.inf
    if gain < -SMALLEST_LOSS:
        times = min(times, ((high - gain) / (-gain - SMALLEST_LOSS)) ** 2)
    more = 10 * math.ceil(part["rows"] * (times - 1) / 10)
    return _enough(
        question, passed=False, answer=f"{answer}; about {more:,} more posts of the test part would tell"
    )


def _quality(slices: list[Mapping[str, Any]]) -> Iterator[Finding]:
    for part in slices:
        for metric, figures in part["metrics"].items():
            low, high = figures["difference_interval"]
            if low is None or high is None or not part["is_gated"]:
                continue
            loss = -high if HIGHER_IS_BETTER[metric] else low
            yield Finding(
                question=f"{metric} on {part['by']} {part['name']} not worse",
                passed=loss <= SMALLEST_LOSS,
                answer=f"{figures['live']:.3f} live, {figures['candidate']:.3f} candidate; "
                f"difference {low:+.3f} to {high:+.3f}",
            )


def _robustness(attacks: list[Mapping[str, Any]]) -> Iterator[Finding]:
    for attack in attacks:
        before, after = attack["candidate"]["recall_before"], attack["candidate"]["recall_after"]
        live_after = attack["live"]["recall_after"]
        yield Finding(
            question=f"holds under {attack['attack']}",
            passed=before - after <= ATTACK_LOSS or after >= live_after - ATTACK_LOSS,
            answer=f"recall {before:.3f}, attacked {after:.3f}; live attacked {live_after:.3f}",
        )


def _circumstances(asked: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Check the promise on texts in all circumstances, or that the live release is as bad."""
    if asked is None:
        yield Finding(
            question="keeps its promise whatever a text stands in",
            passed=True,
            answer=f"{NOT_ASKED}: fewer than {ENOUGH_SPAM} spam and {ENOUGH_HAM} other labelled texts",
        )
        return
    for row in asked["promises"]:
        yield Finding(
            question=f"whatever a text stands in: {row['promise']}",
            passed=row["is_kept"] or row["is_no_worse"],
            answer=f"{row['live']} live, {row['candidate']} candidate, at worst ({row['circumstance']}); "
            f"{asked['texts']} labelled texts",
        )


def _links(asked: Mapping[str, Any]) -> Iterator[Finding]:
    for kind, share in asked["unchanged"].items():
        yield link_finding(kind, share["candidate"], live=share["live"], texts=asked["texts"])
    rates = asked["spam_with_links"]
    low, high = rates["difference_interval"]
    if low is not None and high is not None:
        yield Finding(
            question="catches spam with links as before where as many honest ones are held",
            passed=-high <= SMALLEST_LOSS,
            answer=f"{rates['live']:.1%} live, {rates['candidate']:.1%} candidate, with {asked['held']:.1%} "
            f"of the honest held; difference {low:+.3f} to {high:+.3f}",
        )


def link_finding(kind: str, share: float, *, texts: int, live: float | None = None) -> Finding:
    """Ask whether honest texts keep their route when a link to a site of this kind is added.

    `share` in [0, 1] must reach LINK_CHANGES_NOTHING or the live release's.
    """
    beside = "" if live is None else f"; live {live:.1%}"
    return Finding(
        question=f"a link to a {kind} site changes no route of an honest text",
        passed=share >= LINK_CHANGES_NOTHING or (live is not None and share >= live),
        answer=f"unchanged in {share:.1%} of {texts} texts, at least {LINK_CHANGES_NOTHING:.0%}{beside}",
    )


def _latency(latency: Mapping[str, Any]) -> Iterator[Finding]:
    live, candidate = float(latency["live_p95_ms"]), float(latency["candidate_p95_ms"])
    yield Finding(
        question="scores a post as fast",
        passed=candidate <= max(live * SLOWER, live + SLOWER_MS),
        answer=f"p95 {live:.1f} ms live, {candidate:.1f} ms candidate, in processor time",
    )
