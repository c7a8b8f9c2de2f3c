"""The gate's questions: which losses keep a release from going live."""

from typing import Any

import pytest

from scoring import gate
from scoring.gate import Finding, Unreadable, Verdict

LIVE, CANDIDATE = "a" * 64, "b" * 64


def report(**changes: Any) -> dict[str, Any]:
    return {
        "format": 1,
        "candidate": {"id": CANDIDATE},
        "live": {"id": LIVE},
        "is_unchanged": False,
        "slices": [part()],
        "robustness": [attack(before=0.9, after=0.89, live_after=0.89)],
        "links": links(),
        "latency": {"live_p95_ms": 10.0, "candidate_p95_ms": 10.0},
    } | changes


def part(
    metric: str = "pr_auc", *, low: float | None = -0.02, high: float | None = 0.01, is_gated: bool = True
) -> dict[str, Any]:
    found = {"live": 0.9, "candidate": 0.9, "difference_interval": [low, high]}
    equal = found | {"difference_interval": [0.0, 0.0]}
    metrics = {"pr_auc": equal, metric: found}
    return {"by": "all", "name": "all", "rows": 500, "is_gated": is_gated, "metrics": metrics}


def attack(*, before: float, after: float, live_after: float) -> dict[str, Any]:
    return {
        "attack": "spacing",
        "candidate": {"recall_before": before, "recall_after": after},
        "live": {"recall_before": before, "recall_after": live_after},
    }


def links(
    *, live: float = 0.97, candidate: float = 0.96, low: float = -0.1, high: float = 0.1
) -> dict[str, Any]:
    spam = {"live": 0.9, "candidate": 0.8, "difference_interval": [low, high]}
    unchanged = {
        "popular": {"live": live, "candidate": candidate},
        "small": {"live": 0.99, "candidate": 0.99},
    }
    return {"texts": 325, "unchanged": unchanged, "held": 0.2, "spam_with_links": spam}


def circumstances(*, is_kept: bool, is_no_worse: bool) -> dict[str, Any]:
    one = {
        "promise": "honest held ≤ 8 %", "circumstance": "new account", "live": "7.5%", "candidate": "9.1%",
        "is_kept": is_kept, "is_no_worse": is_no_worse,
    }  # fmt: skip
    return {"texts": 927, "spam": 225, "promises": [one]}


def findings(stored: dict[str, Any], *, live: str = LIVE) -> list[Finding]:
    return gate.findings(stored, candidate=CANDIDATE, live=live)


def failed(stored: dict[str, Any], *, live: str = LIVE) -> list[str]:
    return [one.question for one in findings(stored, live=live) if not one.passed]


def test_refuses_a_report_about_another_live_release() -> None:
    assert failed(report(), live="c" * 64) == ["compares this release with the live one"]


def test_refuses_a_report_without_posts() -> None:
    assert failed(report(slices=[])) == ["looks at posts of the test part", "holds enough evidence"]


def test_refuses_a_report_about_what_candidates_are_chosen_by() -> None:
    [finding] = [one for one in findings(report(part="validation")) if not one.passed]

    assert finding.answer == "500 posts of the validation part"
    assert failed(report(part="test")) == []


@pytest.mark.parametrize(
    ("metric", "low", "high", "passes"),
    [
        ("pr_auc", -0.03, 0.001, True),  # may be worse, may be equal
        ("pr_auc", -0.03, -0.001, True),  # certainly worse by next to nothing
        ("pr_auc", -0.03, -0.02, False),
        ("recall_at_1_fpr", -0.30, 0.01, True),
        ("recall_at_1_fpr", -0.30, -0.10, False),
        ("calibration_error", 0.02, 0.05, False),
        ("calibration_error", -0.05, -0.02, True),
        ("calibration_error", -0.01, 0.05, True),
        ("recall_at_1_fpr", None, None, True),
    ],
)
def test_minds_only_certain_losses(metric: str, low: float | None, high: float | None, passes: bool) -> None:
    assert (failed(report(slices=[part(metric, low=low, high=high)])) == []) is passes


def test_does_not_hold_small_slices_against_a_release() -> None:
    small = part(low=-0.5, high=-0.3, is_gated=False) | {"by": "language", "name": "de"}

    assert failed(report(slices=[part(), small])) == []


def test_five_greetings_are_too_little_evidence() -> None:
    """Such a report passed three of three questions, and its release went live."""
    greetings = part(is_gated=False) | {"rows": 5, "spam": 0}

    [finding] = [one for one in findings(report(slices=[greetings])) if not one.passed]

    assert finding.question == "holds enough evidence"
    assert finding.answer == ("too little evidence: 5 posts, 0 of them spam; at least 30 spam and 100 others")


@pytest.mark.parametrize(
    ("candidate", "low", "high", "verdict", "more"),
    [
        (0.90, -0.06, 0.05, Verdict.TOO_LITTLE, "about 630 more"),  # (.06 / .04)² of 500 posts show no loss
        (0.83, -0.13, 0.01, Verdict.TOO_LITTLE, "about 260 more"),  # (.08 / .065)² of them show a loss
        (0.86, -0.10, 0.02, Verdict.TOO_LITTLE, "about 970 more"),
        (0.83, -0.13, -0.03, Verdict.REFUSED, ""),
        (None, None, None, Verdict.TOO_LITTLE, "the difference is not known"),
        (0.89, -0.03, 0.01, Verdict.PASSED, ""),
    ],
)
def test_says_how_many_posts_would_tell(
    candidate: float | None, low: float | None, high: float | None, verdict: Verdict, more: str
) -> None:
    whole = part(low=low, high=high)
    whole["metrics"]["pr_auc"]["candidate"] = candidate

    rows = gate.stored(findings(report(slices=[whole])))

    assert gate.verdict(rows) == verdict
    assert more in "\n".join(gate.told(rows))


def test_a_candidate_that_scores_as_the_live_release_is_nothing_to_promote() -> None:
    rows = gate.stored(findings(report(is_unchanged=True)))

    assert gate.verdict(rows) == Verdict.NOTHING


@pytest.mark.parametrize(("rows", "passes"), [(10, True), (9, False)])
def test_asks_for_the_sources_that_a_head_is_for(rows: int, passes: bool) -> None:
    source = part() | {"by": "source", "name": "decided on messenger", "rows": rows}

    stored = report(slices=[part(), source], required=["decided on messenger"])

    assert (failed(stored) == []) is passes
    assert failed(report(required=["decided on messenger"])) == ["holds evidence of decided on messenger"]


@pytest.mark.parametrize(
    ("before", "after", "live_after", "passes"),
    [(0.9, 0.88, 0.95, True), (0.9, 0.5, 0.5, True), (0.9, 0.5, 0.6, False), (0.9, 0.86, 0.9, False)],
)
def test_bounds_what_an_attack_costs(before: float, after: float, live_after: float, passes: bool) -> None:
    stored = report(robustness=[attack(before=before, after=after, live_after=live_after)])

    assert (failed(stored) == []) is passes


@pytest.mark.parametrize(("live", "candidate", "passes"), [(10, 14, True), (10, 16, False), (1, 2.9, True)])
def test_bounds_latency(live: float, candidate: float, passes: bool) -> None:
    stored = report(latency={"live_p95_ms": live, "candidate_p95_ms": candidate})

    assert (failed(stored) == []) is passes


@pytest.mark.parametrize("stored", [{}, {"format": 2}, report(slices=3), report(latency={})])
def test_names_a_report_that_cannot_be_read(stored: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        findings(stored)


class TestPromise:
    @pytest.mark.parametrize(
        ("is_kept", "is_no_worse", "passes"),
        [(True, False, True), (False, True, True), (False, False, False)],
    )
    def test_is_kept_or_no_worse_than_before(self, is_kept: bool, is_no_worse: bool, passes: bool) -> None:
        stored = report(circumstances=circumstances(is_kept=is_kept, is_no_worse=is_no_worse))

        question = "whatever a text stands in: honest held ≤ 8 %"

        assert failed(stored) == ([] if passes else [question])

    @pytest.mark.parametrize("stored", [report(), report(circumstances=None)])
    def test_is_not_asked_without_labelled_texts(self, stored: dict[str, Any]) -> None:
        [finding] = [one for one in findings(stored) if one.answer.startswith(gate.NOT_ASKED)]

        assert finding.passed
        assert finding.question == "keeps its promise whatever a text stands in"


class TestLinks:
    @pytest.mark.parametrize(
        ("live", "candidate", "passes"),
        [(0.99, 0.95, True), (0.52, 0.52, True), (0.52, 0.51, False), (0.99, 0.94, False)],
    )
    def test_leave_the_routes_of_honest_texts(self, live: float, candidate: float, passes: bool) -> None:
        stored = report(links=links(live=live, candidate=candidate))

        question = "a link to a popular site changes no route of an honest text"

        assert failed(stored) == ([] if passes else [question])

    def test_hide_no_more_spam_than_before(self) -> None:
        question = "catches spam with links as before where as many honest ones are held"

        assert failed(report(links=links(low=-0.1, high=-0.02))) == [question]
