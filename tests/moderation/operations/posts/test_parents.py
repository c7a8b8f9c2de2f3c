"""What is kept of a post that another one answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.models import Author, Platform, Revision
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingParent, IncomingPost
from tests.moderation.operations.posts.arrivals import accept

Incoming = Callable[..., IncomingPost]
TOLD = IncomingParent(
    external_id="parent", text="What do you think?", author_external_id="writer", author_name="Wilma"
)


def kept(external_id: str) -> tuple[str, str, str | None]:
    """Return what the revision of a post holds of its parent."""
    row = Revision.objects.select_related("parent_author").get(post__external_id=external_id)
    author = row.parent_author.display_name if row.parent_author else None
    return row.parent_external_id, row.parent_text, author


def test_text_and_author_are_kept_of_one_that_is_not_here(
    platform: Platform, incoming: Incoming, at: datetime
) -> None:
    accept(platform, at, incoming(external_id="one", parent=TOLD))
    accept(platform, at, incoming(external_id="two", parent=TOLD), incoming(external_id="three"))

    assert kept("one") == kept("two") == ("parent", "What do you think?", "Wilma")
    assert kept("three") == ("", "", None)


def test_only_the_id_is_kept_of_one_that_is(platform: Platform, incoming: Incoming, at: datetime) -> None:
    accept(platform, at, incoming(external_id="parent"))

    accept(platform, at, incoming(external_id="one", parent=TOLD))

    assert kept("one") == ("parent", "", None)
    assert not Author.objects.filter(external_id="writer").exists()


def test_of_another_platform_is_another_post(platform: Platform, incoming: Incoming, at: datetime) -> None:
    other = Platform.objects.create(slug="other", name="Other", created_at=at)
    accept(other, at, incoming(external_id="parent"))

    accept(platform, at, incoming(external_id="one", parent=TOLD))

    assert kept("one") == ("parent", "What do you think?", "Wilma")


def test_an_author_who_posts_is_called_as_there(platform: Platform, incoming: Incoming, at: datetime) -> None:
    author = dataclasses.replace(incoming().author, external_id="writer", display_name="Wilma W.")

    accept(platform, at, incoming(author=author), incoming(external_id="one", parent=TOLD))

    assert kept("one") == ("parent", "What do you think?", "Wilma W.")


def test_what_is_told_may_change_within_a_revision_but_not_what_is_answered(
    platform: Platform, incoming: Incoming, at: datetime
) -> None:
    before = incoming(external_id="one", parent=TOLD)
    accept(platform, at, before)

    renamed = dataclasses.replace(TOLD, text="What did you think?", author_name="W.")
    [same] = accept(platform, at, dataclasses.replace(before, parent=renamed))
    moved = dataclasses.replace(TOLD, external_id="another")
    [other] = accept(platform, at, dataclasses.replace(before, parent=moved))

    assert isinstance(same, ingest.Accepted)
    assert not same.is_new
    assert isinstance(other, ingest.Refused)
    assert other.code == "revision_conflict"


@pytest.mark.django_db(transaction=True)
def test_costs_a_new_post_no_more_than_one_statement(
    platform: Platform, incoming: Incoming, at: datetime
) -> None:
    def queries(**given: Any) -> int:
        with CaptureQueriesContext(connection) as asked:
            accept(platform, at, incoming(**given))
        return len(asked)

    alone = queries(external_id="alone")

    assert queries(external_id="one", parent=IncomingParent(external_id="parent")) == alone
    told = IncomingParent(external_id="parent", text="What?")
    assert queries(external_id="two", parent=told) == alone + 1
