"""Trial 31, by name: ids that erased authors had, and words that come back while something is erased."""

from __future__ import annotations

import pytest

from moderation.models import Author, LinkVerdict, Platform, Post, SavedFilter, User
from moderation.models.decisions import Verdict
from moderation.operations import refusals
from moderation.operations.cases import notes, reversals
from moderation.operations.erasure import erase
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import Case_, Incoming, Post_, judge
from tests.moderation.instants import later
from tests.moderation.operations.erasure.erasures import MALLORY, rows_with


class TestIds:
    def test_of_erased_authors_lead_nowhere(self, platform: Platform, post: Post_) -> None:
        author = post(author=MALLORY).author

        erase.author(platform=platform, external_id="mallory", at=later(1))

        author.refresh_from_db()
        assert (author.external_id, author.display_name) == (None, "")
        with pytest.raises(Author.DoesNotExist):
            erase.author(platform=platform, external_id=f"erased:{author.pk}", at=later(2))

    @pytest.mark.parametrize("name", ["erased:{}", "None", "null", ""])
    def test_join_nobody_to_an_erased_author(self, platform: Platform, post: Post_, name: str) -> None:
        gone = post(author=MALLORY).author
        erase.author(platform=platform, external_id="mallory", at=later(1))

        named = IncomingAuthor(external_id=name.format(gone.pk), display_name="Somebody")
        fresh = post(author=named, at=later(2))

        gone.refresh_from_db()
        assert fresh.author_id != gone.pk
        assert gone.display_name == ""

    def test_block_no_erasure(self, platform: Platform, post: Post_) -> None:
        victim = post(author=IncomingAuthor(external_id="victim")).author
        post(author=IncomingAuthor(external_id=f"erased:{victim.pk}"))

        erase.author(platform=platform, external_id="victim", at=later(1))
        erase.author(platform=platform, external_id=f"erased:{victim.pk}", at=later(1))

        assert Author.objects.filter(erased_at__isnull=False, external_id__isnull=True).count() == 2

    def test_of_a_post_are_refused_and_of_an_author_are_new(
        self, platform: Platform, post: Post_, incoming: Incoming
    ) -> None:
        gone = post(external_id="p-1", author=MALLORY)
        erase.author(platform=platform, external_id="mallory", at=later(1))

        again = incoming(external_id="p-1", author=MALLORY, revision=2)
        other = incoming(external_id="p-2", author=MALLORY)
        refused, taken = ingest.accept(platform=platform, posts=[again, other], at=later(2))

        assert isinstance(refused, ingest.Refused)
        assert refused.code == "erased"
        assert isinstance(taken, ingest.Accepted)
        assert Post.objects.get(pk=taken.post_id).author_id != gone.author_id


class TestWords:
    def test_of_a_correction_go(self, open_case: Case_, lead: User) -> None:
        case = open_case(text="spam?")
        wrong = judge(case, lead, at=later(3), note="plugh")
        reversals.correct(
            decision_id=wrong.pk,
            verdict=Verdict.NOT_SPAM,
            moderator=lead,
            at=later(99),
            reason="xyzzy of Mallory",
        )

        erase.post(post_id=case.post_id, at=later(100))

        assert rows_with("xyzzy", "plugh") == []

    def test_written_afterwards_are_refused_or_dropped(self, open_case: Case_, lead: User) -> None:
        case = open_case(text="spam?")
        made = judge(case, lead, at=later(3))
        erase.post(post_id=case.post_id, at=later(4))

        with pytest.raises(refusals.Erased):
            notes.write(case=case, author=lead, text="xyzzy", at=later(5))
        with pytest.raises(refusals.Erased):
            reversals.undo(decision_id=made.pk, moderator=lead, at=later(5))
        reversals.correct(
            decision_id=made.pk, verdict=Verdict.NOT_SPAM, moderator=lead, at=later(99), reason="xyzzy"
        )

        assert rows_with("xyzzy") == []

    def test_of_saved_filters_lose_the_name_and_stay(
        self, platform: Platform, post: Post_, lead: User
    ) -> None:
        post(author=MALLORY)
        filters = {
            "who": "q=mallory+malicious&state=spam",
            "by id": "q=see+mallory",
            "of Mallory Malicious": "state=spam",
            "else": "q=mall",
        }
        for name, query in filters.items():
            SavedFilter.objects.create(user=lead, page="authors", name=name, query=query, created_at=later(0))

        erase.author(platform=platform, external_id="mallory", at=later(1))

        kept = list(SavedFilter.objects.order_by("id").values_list("name", "query"))
        assert [query for _, query in kept] == ["state=spam", "", "state=spam", "q=mall"]
        assert [name.startswith("erased author ") for name, _ in kept] == [True, True, True, False]

    @pytest.mark.parametrize(("name", "query"), [("Spam of this week", "state=spam"), ("Posts", "q=spammer")])
    def test_of_an_author_called_as_a_filter_reads_costs_nobody_a_filter(
        self, platform: Platform, post: Post_, lead: User, name: str, query: str
    ) -> None:
        post(author=IncomingAuthor(external_id="state", display_name="sp"))
        SavedFilter.objects.create(user=lead, page="posts", name=name, query=query, created_at=later(0))

        erase.author(platform=platform, external_id="state", at=later(1))

        assert SavedFilter.objects.values_list("name", "query").get() == (name, query)

    def test_of_providers_go_with_the_last_link(self, post: Post_) -> None:
        one, two = (post(text="look", links=("https://only.example/secret",)) for _ in range(2))
        digest = one.revisions.get().post_links.get().url_digest
        LinkVerdict.objects.create(
            provider="web_risk", subject=digest, value=1.0, fetched_at=later(1), expires_at=later(2)
        )

        left = []
        for row in (one, two):
            erase.post(post_id=row.pk, at=later(3))
            left.append(LinkVerdict.objects.count())

        assert left == [1, 0]
