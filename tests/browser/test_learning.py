"""The pages of second opinions and of learning, full and hostile: accessible, no wider than a phone."""

from __future__ import annotations

import pytest

from moderation.models import Platform, User
from tests.browser.learning_desk import decided, drifted, reviewed, shadowed
from tests.browser.stage import PEOPLE, Open, violations

__all__ = ["decided", "drifted", "reviewed", "shadowed"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.usefixtures("reviewed", "drifted", "shadowed")
def test_full_pages_are_accessible_and_fit_a_phone(
    page_of: Open, platform: Platform, admin: User, lead: User
) -> None:
    Platform.objects.filter(pk=platform.pk).update(name="W" * 80)
    User.objects.filter(pk=lead.pk).update(first_name="W" * 100, last_name=PEOPLE[0])
    page = page_of(admin, reduced_motion="reduce")
    found = {}
    for place in ("/second-reviews/", "/golden-items/", "/queues/", "/quality/drift/", "/models/shadow/2/"):
        page.goto(place)
        found[place] = violations(page)
        page.set_viewport_size({"width": 390, "height": 844})
        found[f"{place}, wider than a phone"] = page.evaluate(
            "document.documentElement.scrollWidth > innerWidth"
        )
        page.set_viewport_size({"width": 1280, "height": 800})

    assert not any(found.values()), found
