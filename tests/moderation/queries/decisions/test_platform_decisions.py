"""Which decision a platform may know of."""

from __future__ import annotations

from moderation.models import Case, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals, review
from moderation.queries.decisions import platform_decisions
from tests.moderation.conftest import Later


def test_none_that_was_undone_stands(claimed_case: Case, moderator: User, later: Later) -> None:
    made = review.decide(
        case_id=claimed_case.pk,
        case_version=claimed_case.version,
        moderator=moderator,
        verdict=Verdict.SPAM,
        at=later(3),
    )
    assert platform_decisions.standing(post_id=claimed_case.post_id, at=later(90)) == made

    reversals.undo(decision_id=made.pk, moderator=moderator, at=later(5))

    assert platform_decisions.standing(post_id=claimed_case.post_id, at=later(90)) is None
