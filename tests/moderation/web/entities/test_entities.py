"""The lists and the pages of authors, domains and addresses."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Author, Case, Decision, Label, Post, User
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.queries.entities import authors, domains
from moderation.queries.entities.authors import AuthorFilter
from tests.moderation.conftest import Case_, Decided, Post_, scored
from tests.moderation.counted_case import report_it
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked, flat


@pytest.fixture
def filtered(post: Post_, fake_scorer: FakeScorer) -> Post:
    """Four posts of one author, link and address: the filter removed three, of which a person is to judge one
    blindly, and let one through; return the last removed.
    """
    fake_scorer.probabilities = {"removed": 0.95, "let through": 0.05}
    links, author = ("https://pills.example/a",), IncomingAuthor(external_id="seller")
    given = {"links": links, "author": author, "ip": "203.0.113.7", "at": timezone.now()}
    posts = [post(text=text, **given) for text in ("let through", "removed", "removed", "removed")]
    scored(posts, at=timezone.now())
    row = Decision.objects.get(post=posts[1])
    Case.objects.create(
        post=row.post, score=row.score, platform=row.post.platform, reason="random", priority=0.5,
        opened_at=timezone.now(),
    )  # fmt: skip
    return posts[-1]


class TestFiltered:
    """A domain of 23 posts, 21 of them removed by the filter, looked clean: nobody had judged one."""

    def test_are_told_from_what_people_judged(self, lead_desk: Client, filtered: Post) -> None:
        rule = "/rules/new/?kind=domain&value=pills.example"
        for address in (
            f"/authors/{filtered.author_id}/",
            "/domains/pills.example/",
            "/addresses/203.0.113.7/",
            rule,
        ):
            body = flat(lead_desk.get(address).content.decode())
            assert "Filter removed</dt><dd>2</dd>" in body, address
            assert "Filter let through</dt><dd>1</dd>" in body, address
            assert "Judged spam</dt><dd>0</dd>" in body, address
        assert "The filter removed 2 and let 1 through." in body

    def test_are_counted_in_lists_and_beside_a_case(
        self, desk: Client, lead: User, filtered: Post, linked: Case, fake_scorer: FakeScorer
    ) -> None:
        author, *_ = authors.page(wanted=AuthorFilter(text="seller"), viewer=lead, at=timezone.now()).rows
        domain, *_ = domains.page(viewer=lead, text="pills.example", at=timezone.now()).rows
        beside = flat(desk.get(f"/review/{linked.pk}/beside/address/", headers=HTMX).content.decode())

        assert (author.removed, domain.counts.removed) == (2, 2)
        assert "2 removed by the filter" in beside
        assert "Removed by the filter" in desk.get("/authors/").content.decode()
        assert "Removed by the filter" in desk.get("/domains/").content.decode()

    def test_count_no_more_once_a_person_judged(self, filtered: Post, lead: User) -> None:
        row = Decision.objects.get(post=filtered)
        Label.objects.create(
            decision=row, post=filtered, is_spam=True, similarity_group=uuid4(), labelled_at=timezone.now()
        )

        author, *_ = authors.page(wanted=AuthorFilter(text="seller"), viewer=lead, at=timezone.now()).rows
        domain, *_ = domains.page(viewer=lead, text="pills.example", at=timezone.now()).rows

        assert (author.removed, author.spam) == (1, 1)
        assert (domain.counts.removed, domain.counts.spam) == (1, 1)


class TestAuthors:
    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=Grey", True), ("q=gr", True), ("q=author-77", True), ("q=Grau", False), ("state=waiting", True),
         ("state=spam", False), ("state=reported", False), ("", True)],
    )  # fmt: skip
    def test_are_found(self, desk: Client, open_case: Case_, query: str, is_found: bool) -> None:
        open_case(author=IncomingAuthor(external_id="author-77", display_name="Greta Grey"))

        assert ("Greta Grey" in desk.get(f"/authors/?{query}").content.decode()) is is_found

    def test_most_judged_spam_come_first_then_all(
        self, desk: Client, open_case: Case_, decided: Decided
    ) -> None:
        for name, spam in (("twice", 2), ("fine", 0), ("once", 1)):
            for number in range(spam or 1):
                case = open_case(text=f"{name} {number}", author=IncomingAuthor(external_id=name))
                decided(case, verdict="spam" if spam else "not_spam")

        def names(query: str) -> list[str]:
            return [row.author.external_id for row in desk.get(f"/authors/{query}").context["page"].rows]

        assert names("") == ["twice", "once"]
        assert names("?state=all") == ["once", "fine", "twice"]
        Label.objects.update(labelled_at=timezone.now() - timedelta(days=8))
        assert names("") == ["once", "fine", "twice"]

    def test_who_only_report_are_not_listed(self, desk: Client, platform: Any) -> None:
        Author.objects.create(platform=platform, external_id="reader", first_seen_at=timezone.now())

        assert "reader" not in desk.get("/authors/").content.decode()

    def test_have_a_page_with_posts_domains_and_addresses(self, desk: Client, linked: Case) -> None:
        body = desk.get(f"/authors/{linked.post.author_id}/").content.decode()

        assert "/domains/shop.example/" in body
        assert "/addresses/203.0.113.7/" in body
        assert re.search(r'<rect\s+class="fill--', body)
        assert f"/review/{linked.pk}/" in body
        assert len(asked(desk, f"/authors/{linked.post.author_id}/")) <= 19


class TestDomains:
    def test_are_listed_with_their_history(self, desk: Client, linked: Case) -> None:
        body = desk.get("/domains/").content.decode()

        assert "shop.example" in body
        assert "none yet" in body

    @pytest.mark.parametrize(
        ("query", "is_found"),
        [("q=sho", True), ("q=hop", False), ("which=all", True), ("which=banned", False)],
    )
    def test_are_found(self, desk: Client, linked: Case, query: str, is_found: bool) -> None:
        assert ("shop.example" in desk.get(f"/domains/?{query}", headers=HTMX).content.decode()) is is_found

    def test_tell_leads_what_bans_would_have_hit(self, desk: Client, lead_desk: Client, linked: Case) -> None:
        assert "<strong>1 post</strong> so far" in lead_desk.get("/domains/shop.example/").content.decode()
        assert "so far" not in desk.get("/domains/shop.example/").content.decode().replace("Rules so far", "")

    def test_page_by_name(self, desk: Client, lead: User, open_case: Case_) -> None:
        for number in range(5):
            open_case(text=f"https://shop{number}.example/")
        first = domains.page(viewer=lead, which="all", at=timezone.now(), limit=3)
        second = domains.page(viewer=lead, which="all", at=timezone.now(), limit=3, cursor=first.next_cursor)

        assert [row.name for row in (*first.rows, *second.rows)] == [f"shop{n}.example" for n in range(5)]

    def test_count_each_of_several_things_once(self, lead: User, open_case: Case_, decided: Decided) -> None:
        """Two posts with two links each, two labels, three complaints: no count multiplies another."""
        first = open_case(text="https://shop.example/a https://shop.example/b", at=timezone.now())
        open_case(text="https://shop.example/c https://shop.example/d", at=timezone.now())
        for number in range(3):
            report_it(first.post, at=timezone.now() - timedelta(minutes=number))
        decided(first, verdict="spam")

        [row] = domains.page(viewer=lead, at=timezone.now()).rows

        counts = row.counts
        assert (counts.posts, counts.recent, counts.authors, counts.is_sample) == (2, 2, 1, False)
        assert (counts.spam, counts.not_spam, counts.complaints, counts.waiting) == (1, 0, 3, 1)
        assert not row.has_share

    def test_count_the_latest_links_alone_and_say_so(
        self, desk: Client, lead: User, open_case: Case_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(domains, "SAMPLE", 2)
        for number in range(3):
            open_case(text=f"https://shop.example/{number}", at=timezone.now() - timedelta(days=10 * number))

        [row] = domains.page(viewer=lead, at=timezone.now()).rows
        body = flat(desk.get("/domains/", headers=HTMX).content.decode())

        assert (row.counts.recent, row.counts.posts, row.counts.waiting) == (1, 2, 2)
        assert row.counts.is_sample
        assert body.count(">2+<") == 2

    def test_never_count_fewer_posts_than_in_seven_days(
        self, lead: User, open_case: Case_, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(domains, "SAMPLE", 2)
        for number in range(3):
            open_case(text=f"https://shop.example/{number}", at=timezone.now())

        [row] = domains.page(viewer=lead, at=timezone.now()).rows

        assert (row.counts.recent, row.counts.posts) == (3, 3)

    def test_need_few_queries(self, lead_desk: Client, open_case: Case_) -> None:
        for number in range(6):
            open_case(text=f"https://shop{number}.example/", at=timezone.now())

        lead_desk.get("/domains/")
        assert len(asked(lead_desk, "/domains/")) <= 7


class TestAddresses:
    def test_have_a_page_alone_and_as_a_range(self, desk: Client, linked: Case) -> None:
        alone = desk.get("/addresses/203.0.113.7/").content.decode()
        together = desk.get("/addresses/203.0.113.0/24/").content.decode()

        assert "/addresses/203.0.113.0/24/" in alone
        assert "/addresses/203.0.113.7/" in together

    def test_are_brought_to_their_canonical_form(self, desk: Client) -> None:
        assert desk.get("/addresses/203.0.113.9/24/").headers["Location"] == "/addresses/203.0.113.0/24/"
