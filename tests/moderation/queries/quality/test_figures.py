"""Drawn posts that people passed over: which those are, and that intervals allow for any answer."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from moderation.models import Case, Score
from moderation.models.cases import CaseState
from moderation.models.quality import Measure
from moderation.queries.quality import figures, labelled_posts
from moderation.queries.quality.labelled_posts import LabelledPosts, passed_over
from tests.moderation.conftest import Case_

WEEKS, DRAWN = 200, 400


def posts(rows: list[tuple[str, bool]]) -> LabelledPosts:
    """Return labelled posts of (verdict of the filter, spam)."""
    number = len(rows)
    automatic, is_spam = (np.asarray(column, dtype=object) for column in zip(*rows, strict=True))
    ones, texts = np.ones(number), np.asarray(["en"] * number, dtype=object)
    instants = np.asarray([datetime(2026, 3, 1, tzinfo=UTC)] * number, dtype=object)
    return LabelledPosts(
        post_id=np.arange(number), spam_probability=ones * 0.5, automatic=automatic,
        is_spam=is_spam.astype(bool), chance=ones, is_uniform=np.ones(number, dtype=bool),
        uniform_chance=ones, platform_id=np.ones(number, dtype=np.int64), language=texts, reason=texts,
        release_id=texts, decided_by=np.ones(number, dtype=np.int64), scored_at=instants,
        labelled_at=instants, views=ones * np.nan,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("passed", "found"), [({}, [0]), ({"is_drawn": False}, []), ({"state": CaseState.WITHDRAWN}, [])]
)
def test_waits_though_a_younger_one_was_decided(
    open_case: Case_,
    at: datetime,
    passed: dict[str, object],
    found: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(labelled_posts, "_SPARED", 0)
    cases = [open_case() for _ in range(3)]
    Score.objects.update(is_audit_sample=True, audit_probability=0.1)
    for hour, case in enumerate(cases):
        Case.objects.filter(pk=case.pk).update(is_drawn=True, opened_at=at + timedelta(hours=hour))
    Case.objects.filter(pk=cases[1].pk).update(state=CaseState.DECIDED, closed_at=at + timedelta(hours=3))
    Case.objects.filter(pk=cases[0].pk).update(**passed)

    those = passed_over(since=at - timedelta(days=1), until=at + timedelta(days=1))

    assert those.post_id.tolist() == [cases[place].post_id for place in found]
    assert those.chance.tolist() == pytest.approx([0.1] * len(found))


def world(dice: np.random.Generator) -> tuple[LabelledPosts, LabelledPosts]:
    """Return the three fifths that reach most people, and the others, which hide most of the missed spam."""
    automatic = np.where(dice.random(DRAWN) < 0.2, "remove", "allow")
    reach = dice.normal(2.6, 1.0, DRAWN)
    is_spam = dice.random(DRAWN) < np.where(automatic == "remove", 0.9, 0.06)
    reach -= 1.1 * is_spam
    order = np.argsort(-reach)
    rows = [(str(automatic[place]), bool(is_spam[place])) for place in order]
    drawn = dataclasses.replace(posts(rows), chance=np.full(DRAWN, 0.02))
    is_decided = np.arange(DRAWN) < DRAWN * 3 // 5
    return drawn.where(is_decided), drawn.where(~is_decided)


def test_intervals_hold_whatever_they_are() -> None:
    truth = {
        Measure.MISSED: 0.06, Measure.PRECISION: 0.9, Measure.PREVALENCE: 0.228,
        Measure.RECALL: 0.18 / 0.228, Measure.FALSE_ALARMS: 0.02 / 0.772,
    }  # fmt: skip
    dice, held, naive = np.random.default_rng(3), dict.fromkeys(truth, 0), 0
    for _ in range(WEEKS):
        decided, left = world(dice)
        unknown = dataclasses.replace(left, is_spam=np.zeros(len(left), dtype=bool))
        for one in figures.figures(decided, looks=7, passed=unknown):
            held[one.measure] += one.weighted.low <= truth[one.measure] <= one.weighted.high
        [alone] = figures.figures(decided, looks=7, measures=(Measure.MISSED,))
        naive += alone.weighted.low <= truth[Measure.MISSED] <= alone.weighted.high

    assert min(held.values()) >= 0.94 * WEEKS
    assert naive < 0.5 * WEEKS
