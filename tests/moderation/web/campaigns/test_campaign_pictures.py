"""Pictures that posts of a campaign, or of decided cases, share."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from moderation.models import (
    Campaign,
    Case,
    Evidence,
    Revision,
)
from moderation.operations.similarity import picture_groups
from tests.moderation.carried_pictures import carry_picture
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import asked, flat

HASH = "8c" * 32


def show(cases: Sequence[Case]) -> None:
    """Let posts show copies of one picture, each with a row of evidence of its own."""
    with transaction.atomic():
        for number, case in enumerate(cases):
            row = carry_picture(case, f"http://pictures.example/{number}.png")
            group = picture_groups.of({"pdq": HASH, "pdq_quality": 100}, at=timezone.now())
            Evidence.objects.filter(pk=row.pk).update(picture_group=group)
        picture_groups.join([case.score.revision_id for case in cases])


def cases_of(campaign: Campaign) -> list[Case]:
    return list(Case.objects.filter(post__membership__campaign=campaign).order_by("pk"))


@pytest.mark.usefixtures("evidence_store")
class TestPictures:
    def test_a_campaign_shows_the_pictures_that_its_posts_share(self, desk: Client, pills: Campaign) -> None:
        show(cases_of(pills)[:3])

        body = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

        assert "in 3 posts" in body
        assert "data-shows-pictures" in body
        digest = Evidence.objects.values_list("thumbnail", flat=True).first()
        assert f'/pictures/{digest}/"' in body

    def test_a_campaign_without_pictures_waits_for_no_query_more(self, desk: Client, pills: Campaign) -> None:
        address = f"/campaigns/{pills.pk}/"
        desk.get(address)
        without = asked(desk, address)
        assert all('FROM "moderation_campaign"' in sql for sql in without if "revisionpicture" in sql)
        show(cases_of(pills))

        assert len(asked(desk, address)) == len(without) + 3  # the newest posts, what they show, the pictures

    def test_a_decided_post_with_a_copy_of_the_picture_is_no_near_duplicate(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        earlier, case = open_case(text="Look at this offer"), open_case(text="Who has seen my grey cat today")
        decided(earlier, verdict="spam")
        address = f"/review/{case.pk}/"
        assert "the same picture" not in desk.get(address).content.decode()
        plain = asked(desk, address)
        assert not [sql for sql in plain if "revisionpicture" in sql]
        show([earlier, case])

        assert len(asked(desk, address)) == len(plain) + 1
        body = flat(desk.get(address).content.decode())
        near, alike = body[body.index("Decided near-duplicates") :].split(
            "with the same picture but another text"
        )
        assert "None yet." in near
        assert "Look at this offer" in alike
        assert Revision.objects.get(pk=case.score.revision_id).pictures.count() == 1

    def test_a_near_duplicate_with_the_same_picture_is_shown_once(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        text = "Cheap pills without prescription, ask Dr {}, we ship at night"
        earlier, case = open_case(text=text.format("Miller")), open_case(text=text.format("Smith"))
        decided(earlier, verdict="spam")
        show([earlier, case])

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert "reviewed: 1 spam, 0 not" in body
        assert "the same picture" not in body
