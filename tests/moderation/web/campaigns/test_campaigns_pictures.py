"""Pictures that posts share: on the campaign's page, and among the decided near-duplicates of a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from moderation.models import Campaign, Case, Decision, Evidence, Revision
from moderation.operations.similarity import picture_groups
from tests.moderation.carried_pictures import carry_picture
from tests.moderation.web.conftest import flat

HASH = "8c" * 32


@pytest.fixture(autouse=True)
def _store(settings: Settings, tmp_path: Path) -> None:
    settings.EVIDENCE_DIR = tmp_path / "evidence"


def show(cases: Sequence[Case]) -> None:
    """Let posts show copies of one picture, each with a row of evidence of its own."""
    with transaction.atomic():
        for number, case in enumerate(cases):
            row = carry_picture(case, f"http://pictures.example/{number}.png")
            known = {"pdq": HASH, "pdq_quality": 100}
            Evidence.objects.filter(pk=row.pk).update(
                picture_group=picture_groups.of(known, at=timezone.now())
            )
        picture_groups.join([case.score.revision_id for case in cases])


def cases_of(campaign: Campaign) -> list[Case]:
    return list(Case.objects.filter(post__membership__campaign=campaign).order_by("pk"))


def test_a_campaign_shows_the_pictures_that_its_posts_share(desk: Client, pills: Campaign) -> None:
    show(cases_of(pills)[:3])

    body = flat(desk.get(f"/campaigns/{pills.pk}/").content.decode())

    assert "in 3 posts" in body
    assert "data-shows-pictures" in body
    digest = Evidence.objects.values_list("thumbnail", flat=True).first()
    assert f'/pictures/{digest}/"' in body


def test_a_campaign_without_pictures_waits_for_no_query_more(desk: Client, pills: Campaign) -> None:
    def asked() -> list[str]:
        with CaptureQueriesContext(connection) as sent:
            desk.get(f"/campaigns/{pills.pk}/")
        return [query["sql"] for query in sent.captured_queries]

    asked()
    without = asked()
    assert all('FROM "moderation_campaign"' in sql for sql in without if "revisionpicture" in sql)
    show(cases_of(pills))

    assert len(asked()) == len(without) + 3  # the newest posts, what they show, the pictures


def test_a_decided_post_with_a_copy_of_the_picture_is_a_near_duplicate(
    desk: Client,
    open_case: Callable[..., Case],
    decided: Callable[..., Decision],
    django_assert_num_queries: Any,
) -> None:
    earlier, case = open_case(text="Look at this offer"), open_case(text="Who has seen my grey cat today")
    decided(earlier, verdict="spam")
    desk.get(f"/review/{case.pk}/")
    with CaptureQueriesContext(connection) as plain:
        assert "now 1 spam, 0 not" not in desk.get(f"/review/{case.pk}/").content.decode()
    assert not [query for query in plain.captured_queries if "revisionpicture" in query["sql"]]
    show([earlier, case])

    with django_assert_num_queries(len(plain)):
        body = desk.get(f"/review/{case.pk}/").content.decode()

    assert "now 1 spam, 0 not" in body
    assert Revision.objects.get(pk=case.score.revision_id).pictures.count() == 1
