"""What labels say of a candidate beside the live release: differences, slices, and what the gate is told."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from moderation.queries.learning import shadow_figures
from moderation.queries.learning.shadow_figures import (
    ALL,
    Comparison,
    Difference,
    Mistake,
    Outcome,
    Routes,
    ShadowLabels,
)

THAI = ("language", "th")
Row = tuple[bool, float, str, str, str]
"""Spam, chance, live route, candidate's route, language."""


def compared(rows: list[Row], *, counted: dict[tuple[str, str], Counter[Routes]]) -> Comparison:
    is_spam, chance, live, candidate, language = zip(*rows, strict=True) if rows else [()] * 5
    labels = ShadowLabels(
        is_spam=np.asarray(is_spam, dtype=bool),
        chance=np.asarray(chance, dtype=float),
        live=np.asarray(live, dtype=object),
        candidate=np.asarray(candidate, dtype=object),
        slices={"language": np.asarray(language, dtype=object)},
    )
    return shadow_figures.compare(labels, counted=counted)


def of(found: Comparison, slice_: tuple[str, str], mistake: Mistake) -> Difference:
    [one] = [
        row for row in found.differences if (row.dimension, row.name) == slice_ and row.mistake is mistake
    ]
    return one


class TestCompare:
    def test_is_certain_of_no_difference_where_all_routes_are_the_same(self) -> None:
        found = compared([], counted={ALL: Counter({("allow", "allow"): 900, ("remove", "remove"): 100})})

        assert {(row.low, row.high, row.outcome) for row in found.differences} == {(0.0, 0.0, Outcome.NEAR)}

    def test_bounds_a_difference_without_labels_by_the_share_that_is_routed_differently(self) -> None:
        routes = Counter({("allow", "allow"): 990, ("remove", "allow"): 10})

        missed = of(compared([], counted={ALL: routes}), ALL, Mistake.MISSED)

        assert (missed.low, missed.high, missed.value) == (-0.01, 0.01, None)
        assert missed.outcome == Outcome.OPEN

    def test_names_the_slice_where_spam_gets_through(self) -> None:
        rows: list[Row] = [(True, 0.5, "remove", "allow", "th")] * 30
        rows += [(True, 1.0, "review", "review", "en")] * 50
        routes = Counter({("remove", "allow"): 60, ("allow", "allow"): 940})
        english = Counter({("allow", "allow"): 49_000})

        found = compared(rows, counted={ALL: routes + english, THAI: routes, ("language", "en"): english})

        missed = of(found, THAI, Mistake.MISSED)
        assert missed.outcome == Outcome.WORSE
        assert missed.value == pytest.approx(0.06)
        assert 0.001 < missed.low < 0.06 <= missed.high + 1e-9
        assert ("language", "en") not in {(row.dimension, row.name) for row in found.differences}

    @pytest.mark.parametrize(
        ("row", "alike", "mistake", "outcome"),
        [
            ((False, 0.5, "remove", "allow", "en"), 920, Mistake.WRONG, Outcome.BETTER),
            ((True, 0.5, "remove", "review", "en"), 920, Mistake.REMOVED, Outcome.WORSE),
            ((True, 0.5, "remove", "review", "en"), 920, Mistake.MISSED, Outcome.NEAR),
            ((True, 1.0, "review", "allow", "en"), 100_000, Mistake.MISSED, Outcome.NEAR),
        ],
        ids=["honest posts come back", "a human must see spam", "but it is not missed", "below one of 1,000"],
    )
    def test_weighs_what_changes(self, row: Row, alike: int, mistake: Mistake, outcome: Outcome) -> None:
        is_spam, chance, live, candidate, _ = row
        routes: Counter[Routes] = Counter({(live, candidate): round(40 / chance), ("allow", "allow"): alike})

        found = compared([row] * 40, counted={ALL: routes})

        assert of(found, ALL, mistake).outcome == outcome
        assert is_spam or of(found, ALL, Mistake.MISSED).outcome != Outcome.WORSE

    def test_gives_each_release_its_own_figures_from_the_same_labels(self) -> None:
        rows: list[Row] = [(True, 1.0, "remove", "allow", "en")] * 20
        rows += [(True, 1.0, "remove", "remove", "en")] * 20

        rates = {
            rate.name: (rate.live.value, rate.candidate.value) for rate in compared(rows, counted={}).rates
        }

        assert list(rates["recall"]) == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize(
    ("is_review", "audit", "draws", "expected"),
    [(True, 0.0, [], 1.0), (False, 0.1, [], 0.1), (False, 0.1, [0.5, 0.5], 1 - 0.9 * 0.25)],
)
def test_chance_is_that_of_being_in_any_sample(
    is_review: bool, audit: float, draws: list[float], expected: float
) -> None:
    assert shadow_figures.chance(is_review=is_review, audit=audit, draws=draws) == pytest.approx(expected)


class TestFinding:
    def test_refuses_and_says_where(self) -> None:
        rows: list[Row] = [(True, 0.5, "remove", "allow", "th")] * 30
        routes = Counter({("remove", "allow"): 60, ("allow", "allow"): 940})

        finding = shadow_figures.finding(compared(rows, counted={ALL: routes, THAI: routes}), number=7)

        assert not finding.passed
        assert "language th: missed" in finding.answer
        assert finding.answer.startswith("shadow run 7, 1000 posts")

    def test_passes_what_is_not_certainly_worse(self) -> None:
        routes = Counter({("remove", "allow"): 10, ("allow", "allow"): 990})

        assert shadow_figures.finding(compared([], counted={ALL: routes}), number=7).passed
