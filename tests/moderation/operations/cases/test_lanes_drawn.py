"""Drawn cases come by age and get their turns: figures hold where the queue is not emptied."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from moderation.models import Case, Score, User
from moderation.models.cases import CaseReason
from moderation.operations.cases import claims, lanes, opening
from moderation.operations.cases.opening import Opening
from moderation.queries.quality import estimates
from tests.moderation.conftest import Case_, copies
from tests.moderation.instants import AT, later

pytestmark = pytest.mark.usefixtures("fresh_mix")

DRAWN, OTHERS, WORLDS = 500, 300, 400
MISSED, REACH, FEWER = 0.03, 2.6, 1.1
"""Spam among posts let through; decades of people whom a post reaches, and how many fewer if it is spam."""


@pytest.fixture
def waiting(open_case: Case_) -> np.ndarray:
    """Open drawn and other cases in any order; return the decades of reach of the drawn ones, by age."""
    score, rng = open_case().score, np.random.default_rng(5)
    Case.objects.all().delete()
    count = DRAWN + OTHERS
    is_drawn = rng.permutation(count) < DRAWN
    decades, sure = rng.normal(REACH, 1.0, count), rng.beta(2.0, 2.0, count)
    posts = copies(score.revision.post, [{"external_id": f"waits-{number}"} for number in range(count)])
    revisions = copies(score.revision, [{"post_id": post.pk} for post in posts])
    scores = copies(
        score,
        [
            {
                "revision_id": revision.pk,
                "is_audit_sample": bool(drawn),
                "expected_harm": (0.5 if drawn else probability) * (1.0 + reach),
            }
            for revision, drawn, probability, reach in zip(revisions, is_drawn, sure, decades, strict=True)
        ],
    )
    for number, one in enumerate(Score.objects.filter(pk__in=[row.pk for row in scores]).order_by("pk")):
        reason = CaseReason.AUDIT if one.is_audit_sample else CaseReason.UNCERTAIN
        own = Opening(post=one.revision.post, score=one, reason=reason)
        lanes.place(opening.all_opened([own], at=AT + timedelta(minutes=number)))
    return decades[is_drawn]


def test_missed_spam_is_within_its_interval_where_three_fifths_are_decided(
    waiting: np.ndarray, moderator: User
) -> None:
    in_order = list(
        Case.objects.filter(reason=CaseReason.AUDIT).order_by("opened_at").values_list("pk", flat=True)
    )

    taken = claims.claim_next(moderator=moderator, at=later(100_000), count=(DRAWN + OTHERS) * 3 // 5)

    chosen = np.flatnonzero(np.isin(in_order, [case.pk for case in taken]))
    likelihood = (np.exp(-((waiting - REACH + far) ** 2) / 2) for far in (FEWER, 0.0))
    spam, fine = (part * share for part, share in zip(likelihood, (MISSED, 1.0 - MISSED), strict=True))
    chances_of_spam = (spam / (spam + fine))[chosen]
    dice, held, shown = np.random.default_rng(7), 0, []
    for _ in range(WORLDS):
        is_spam = dice.random(len(chosen)) < chances_of_spam
        found = estimates.ratio(part=is_spam, whole=np.ones(len(chosen)), chances=np.full(len(chosen), 0.02))
        held += found.low <= MISSED <= found.high
        shown.append(float(is_spam.mean()))
    assert held >= 0.94 * WORLDS
    assert np.mean(shown) == pytest.approx(MISSED, rel=0.3)  # by harm: a quarter of it
    assert chosen.tolist() == list(range(len(chosen)))
    assert len(chosen) >= DRAWN * 2 // 5
