"""The case of an account: the desk says so, and nothing that is true of posts alone."""

import re

from django.test import Client

from moderation.models import Case
from tests.moderation.conftest import Decided
from tests.moderation.web.conftest import read


class TestAccountCase:
    def test_shows_the_profile_as_an_account(self, desk: Client, account_case: Case) -> None:
        body = read(desk, f"/review/{account_case.pk}/")

        assert re.search(r"profile received \d+ \w+ ago", body)
        assert "posted" not in body.split('id="post-text"')[0]
        for part in ("Pill Palace", "Cheap pills without prescription", "Shop:", "1-800-555-0199"):
            assert part in body
        assert "Account id" in body
        assert "Post id" not in body

    def test_is_marked_in_the_queue(self, desk: Client, account_case: Case) -> None:
        assert '<span class="tag tag--accent">account</span>' in read(desk, "/queue/")

    def test_its_page_and_its_decision_say_account(
        self, desk: Client, account_case: Case, decided: Decided
    ) -> None:
        decided(account_case)

        page = read(desk, f"/posts/{account_case.post_id}/")

        assert re.search(r"<h1[^>]*>\s*Account <bdi>Pill Palace</bdi>", page)
        assert "posted" not in page.split("</header>")[0]
        assert "account:42" in read(desk, "/decisions/")
