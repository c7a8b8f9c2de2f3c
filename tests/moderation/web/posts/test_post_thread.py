"""What a post answers, on the pages that show the post."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Post
from moderation.operations.erasure import erase
from moderation.operations.posts.incoming_post import IncomingParent
from moderation.queries import parents
from tests.moderation.conftest import Case_, Post_
from tests.moderation.web.conftest import asked, read

HOSTILE = "<b>Zanzibar</b> https://evil.example/now " + "long " * 200
TOLD = IncomingParent(
    external_id="parent/1", text=HOSTILE, author_external_id="writer", author_name="<i>Wilma</i>"
)


@pytest.fixture
def pages(desk: Client, open_case: Case_) -> list[str]:
    """The review page, the post's page and the list of posts, of an answer to a post that never came."""
    case = open_case(external_id="answer", parent=TOLD)
    urls = (f"/review/{case.pk}/", f"/posts/{case.post_id}/", "/posts/?language=")
    return [read(desk, url) for url in urls]


class TestWhatIsTold:
    def test_stands_inert_on_every_page(self, pages: list[str]) -> None:
        for body in pages:
            assert "In reply to" in body
            assert "&lt;b&gt;Zanzibar" in body
            assert "&lt;i&gt;Wilma" in body
            assert "<b>Zanzibar" not in body
            assert "https://evil.example" not in body

    def test_opens_on_demand_where_it_is_long(self, pages: list[str]) -> None:
        for body in pages[:2]:
            assert '<details class="soft above-1 opened">' in body

    def test_is_said_to_be_missing(self, desk: Client, post: Post_) -> None:
        row = post(parent=IncomingParent(external_id="gone"))

        assert "The platform did not send its text." in read(desk, f"/posts/{row.pk}/")


class TestWhatIsStored:
    def test_is_linked_and_shown_as_it_is_now(self, desk: Client, post: Post_, open_case: Case_) -> None:
        case = open_case(external_id="answer", parent=TOLD)
        parent = post(external_id="parent/1", text="Which dentist?")
        post(external_id="parent/1", text="Which doctor?", revision=2)

        for url in (f"/review/{case.pk}/", f"/posts/{case.post_id}/"):
            body = read(desk, url)
            assert f'href="/posts/{parent.pk}/"' in body
            assert "Which doctor?" in body
            assert "Zanzibar" not in body

    def test_is_said_to_be_erased(self, desk: Client, post: Post_) -> None:
        parent = post(external_id="parent/1")
        row = post(parent=TOLD)
        erase.post(post_id=parent.pk, at=timezone.now())

        assert "It was erased." in read(desk, f"/posts/{row.pk}/")

    def test_of_another_platform_is_not_taken_for_it(self, desk: Client, post: Post_, at: Any) -> None:
        row = post(parent=TOLD)
        other = type(row.platform).objects.create(slug="other", name="Other", created_at=at)
        Post.objects.filter(pk=post(external_id="parent/1", text="Not it").pk).update(platform=other)

        assert "Not it" not in read(desk, f"/posts/{row.pk}/")


class TestReplies:
    def test_are_counted_and_listed(self, desk: Client, post: Post_) -> None:
        parent = post(external_id="parent/1")
        one, two, other = post(parent=TOLD), post(parent=TOLD), post(text="Nothing to do with it")

        link = "/posts/?answers_to=parent%2F1"
        assert f'href="{link}"' in read(desk, f"/posts/{parent.pk}/")
        body = read(desk, f"/posts/{one.pk}/")
        assert "1 other reply here" in body
        listed = read(desk, link)
        for row, is_there in ((one, True), (two, True), (other, False)):
            assert (f'href="/posts/{row.pk}/"' in listed) is is_there

    def test_of_an_earlier_revision_do_not_count(self, desk: Client, post: Post_) -> None:
        one = post(parent=TOLD)
        post(external_id="moved", parent=TOLD)
        post(external_id="moved", revision=2)

        assert "other reply" not in read(desk, f"/posts/{one.pk}/")

    def test_are_counted_to_a_bound(self, desk: Client, post: Post_, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parents, "MOST_ANSWERS", 2)
        one, *_ = [post(parent=TOLD) for _ in range(4)]

        assert "2 or more other replies here" in read(desk, f"/posts/{one.pk}/")


def test_list_needs_no_query_more_for_more_answers(desk: Client, post: Post_) -> None:
    post(external_id="parent/1")
    post(parent=TOLD)
    assert len(asked(desk, "/posts/")) == 9
    for number in range(4):
        post(external_id=f"other-{number}")
        post(parent=IncomingParent(external_id=f"other-{number}"))

    assert len(asked(desk, "/posts/")) == 9
