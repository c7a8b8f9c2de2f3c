"""The queue mix and languages of people, on the page of settings."""

import pytest
from django.test import Client
from django.urls import reverse

from moderation.models import User
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import Mix
from tests.moderation.caches import forget

WANTED = {"harm": "60", "uncertainty": "10", "diversity": "10", "audit": "20"}


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    forget(queue_mix)


class TestMix:
    def test_sets_the_shares_and_tells_the_draw(self, lead_desk: Client) -> None:
        before = lead_desk.get(reverse("desk-settings")).content.decode()
        answer = lead_desk.post(reverse("queue-mix"), WANTED, follow=True)

        assert queue_mix.mix() == Mix(harm=60, uncertainty=10, diversity=10, audit=20)
        assert "Can’t clear the queue every day?" in before
        page = " ".join(answer.content.decode().split())
        assert "Audit draws 20.0% of the posts" in page
        assert "Harm: wide reach first: 100 → 60" in page

    @pytest.mark.parametrize("audit", ["21", "-1", "x", ""])
    def test_refuses_other_sums_and_words(self, lead_desk: Client, audit: str) -> None:
        answer = lead_desk.post(reverse("queue-mix"), WANTED | {"audit": audit}, follow=True)

        assert queue_mix.mix() == Mix()
        assert "Nothing was changed" in answer.content.decode()


class TestLanguages:
    def test_are_kept_and_shown(self, lead_desk: Client, moderator: User) -> None:
        address = reverse("user-languages", args=[moderator.pk])
        answer = lead_desk.post(address, {"languages": "DE, en"}, follow=True)

        moderator.refresh_from_db()
        assert moderator.languages == ["de", "en"]
        assert answer.redirect_chain[-1][0] == reverse("desk-settings")
        assert 'value="de, en"' in answer.content.decode()

    def test_of_no_known_form_are_refused(self, lead_desk: Client, moderator: User) -> None:
        address = reverse("user-languages", args=[moderator.pk])
        answer = lead_desk.post(address, {"languages": "german"}, follow=True)

        moderator.refresh_from_db()
        assert moderator.languages == []
        assert "Enter codes such as de or pt-br" in answer.content.decode()
