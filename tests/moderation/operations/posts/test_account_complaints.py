"""Complaints about accounts: the profile is stored and scored, each version once."""

from __future__ import annotations

import dataclasses

import pytest

from moderation.models import Author, Complaint, Platform, Post, Revision, ScoringJob
from moderation.models.posts import ScoreState, Subject
from moderation.operations.posts.account_complaints import IncomingAccount
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.operations.conftest import side_by_side
from tests.moderation.operations.posts.arrivals import PROFILE, complain


class TestRecord:
    def test_stores_the_profile_and_the_complaint(self, platform: Platform) -> None:
        complain(platform)

        row = Post.objects.select_related("author").get()
        assert (row.subject, row.external_id, row.author.external_id) == (Subject.ACCOUNT, "account:42", "42")
        revision = Revision.objects.get()
        assert revision.text.splitlines() == [
            "Pill Palace",
            "Cheap pills without prescription",
            "Shop: https://pills.example/",
            "Phone: 1-800-555-0199",
        ]
        assert (revision.links, revision.media_urls) == (
            ["https://pills.example/"],
            ["https://cdn.example/42.jpg"],
        )
        assert revision.scoring.state == ScoreState.PENDING
        assert row.complaints.count() == 1

    def test_a_repetition_changes_nothing(self, platform: Platform) -> None:
        assert complain(platform).pk == complain(platform).pk
        complain(platform, reporter="another")

        assert Revision.objects.count() == 1
        assert Complaint.objects.count() == 2

    def test_a_changed_profile_is_a_new_revision(self, platform: Platform) -> None:
        complain(platform)

        complain(platform, dataclasses.replace(PROFILE, bio="Cheaper pills"), reporter="another")

        assert list(ScoringJob.objects.values_list("revision__number", "state")) == [
            (1, ScoreState.SUPERSEDED),
            (2, ScoreState.PENDING),
        ]
        assert Post.objects.get().complaints.count() == 2

    @pytest.mark.parametrize("is_known", [True, False])
    def test_takes_a_bare_id(self, platform: Platform, *, is_known: bool) -> None:
        bare = IncomingAccount(author=IncomingAuthor(external_id="42"))
        if is_known:
            complain(platform)

        complain(platform, bare, reporter="another")

        assert Revision.objects.get().text.startswith("Pill Palace") is is_known
        assert Author.objects.filter(external_id="42").count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_two_changes_at_once_are_two_revisions(self, platform: Platform) -> None:
        complain(platform)
        changed = [dataclasses.replace(PROFILE, bio=f"Pills from {town}") for town in ("Rome", "Oslo")]

        side_by_side(
            lambda: complain(platform, changed[0], reporter="first"),
            lambda: complain(platform, changed[1], reporter="second"),
        )

        assert sorted(Revision.objects.values_list("number", flat=True)) == [1, 2, 3]
        assert Complaint.objects.count() == 3
