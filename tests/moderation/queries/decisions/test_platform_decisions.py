"""Which decision a platform may know of."""

from moderation.models import User
from moderation.operations.cases import reversals
from moderation.queries.decisions import platform_decisions
from tests.moderation.conftest import Case_, Later, judge


def test_none_that_was_undone_stands(open_case: Case_, moderator: User, later: Later) -> None:
    made = judge(open_case(), moderator, at=later(3))
    assert platform_decisions.standing(post_id=made.post_id, at=later(90)) == made

    reversals.undo(decision_id=made.pk, moderator=moderator, at=later(5))

    assert platform_decisions.standing(post_id=made.post_id, at=later(90)) is None
