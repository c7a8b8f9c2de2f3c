"""Why a person is asked when a post is scored again."""

from __future__ import annotations

import pytest

from moderation.models import Case, Revision, ScoringJob
from moderation.models.cases import CaseReason, CaseState
from moderation.models.posts import ScoreState
from moderation.operations.posts import complaints
from moderation.operations.scoring import score
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import later


def score_again(*, second: float) -> None:
    generation = ScoringJob.objects.values_list("generation", flat=True).get() + 1
    ScoringJob.objects.update(state=ScoreState.PENDING, generation=generation)
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=later(second))


@pytest.mark.parametrize(
    ("before", "after", "is_reported", "reason"),
    [
        ((0.1, None), (0.5, None), True, CaseReason.COMPLAINTS),
        ((0.1, None), (0.5, None), False, CaseReason.UNCERTAIN),
        ((0.1, None), (0.5, 0.9), False, CaseReason.EVIDENCE),
        ((0.1, None), (0.5, 0.9), True, CaseReason.COMPLAINTS),
        ((0.1, 0.6), (0.5, 0.6), False, CaseReason.UNCERTAIN),
        ((0.95, None), (0.5, None), True, CaseReason.UNCERTAIN),
    ],
    ids=["reported", "by counts", "by a picture", "by both", "known before", "reported once removed"],
)
def test_says_what_made_it_doubt_its_own_verdict(
    post: Post_,
    fake_scorer: FakeScorer,
    before: tuple[float, float | None],
    after: tuple[float, float | None],
    is_reported: bool,
    reason: CaseReason,
) -> None:
    """Each pair is the spam probability and what evidence alone says."""
    row = post()
    for second, (probability, evidence) in ((1, before), (3, after)):
        if is_reported and second == 3:
            complaint = complaints.IncomingComplaint(
                post=row.external_id, reporter="reporter", reason="scam", reported_at=later(2)
            )
            complaints.record(platform=row.platform, complaint=complaint, at=later(2))
        fake_scorer.default, fake_scorer.opinions = probability, {row.external_id: {"evidence": evidence}}
        score_again(second=second)

    assert Case.objects.get().reason == reason


@pytest.mark.parametrize("probability", [0.05, 0.95])
def test_a_case_that_somebody_has_keeps_its_reason(
    claimed_case: Case, fake_scorer: FakeScorer, probability: float
) -> None:
    Case.objects.update(reason=CaseReason.OUTVOTED)
    fake_scorer.default = probability

    score_again(second=4)

    claimed_case.refresh_from_db()
    assert (claimed_case.state, claimed_case.reason) == (CaseState.OPEN, CaseReason.OUTVOTED)
