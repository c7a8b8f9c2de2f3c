"""Thresholds in a real browser: slider, proposal, the second person, live, rolled back."""

import pytest

from moderation import scorer
from moderation.models import User
from moderation.models.users import Role
from tests.browser.stage import Open
from tests.moderation.operations.conftest import own_releases

__all__ = ["own_releases"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_releases"),
    pytest.mark.xdist_group("triton"),
    pytest.mark.timeout(300),
]


def test_two_people_move_a_threshold_and_one_press_takes_it_back(page_of: Open, lead: User) -> None:
    shipped = scorer.release()
    own = page_of(lead, reduced_motion="reduce")
    own.goto("/thresholds/")
    own.locator('[data-slides="review_from"]').fill("20")
    own.locator('[data-slides="review_from"]').dispatch_event("change")
    own.get_by_label("Reason").fill("Fewer cases at night")
    own.get_by_role("button", name="Propose").click()
    own.get_by_text("A second person has to confirm your proposal.").wait_for()
    assert own.get_by_role("button", name="Confirm and go live").count() == 0

    other = page_of(User.objects.create_user("ml_engineer", role=Role.ML_ENGINEER))
    other.goto("/thresholds/")
    other.get_by_role("button", name="Confirm and go live").click()
    other.get_by_text("is live. Workers follow within seconds.").wait_for()
    scorer.forget()
    assert scorer.release().thresholds.review_from == pytest.approx(0.2)

    other.get_by_role("button", name=f"Roll back to {shipped.id[:12]}").click()
    other.get_by_text(f"{shipped.id[:12]} is live. Workers follow within seconds.").wait_for()
    scorer.forget()
    assert scorer.release().id == shipped.id
