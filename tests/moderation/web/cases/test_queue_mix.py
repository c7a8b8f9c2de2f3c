"""The queue mix on the page of named queues, and the lane on a case's page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from moderation.models import Case, User
from moderation.queries.cases import queue_mix
from moderation.queries.cases.queue_mix import Mix

Case_ = Callable[..., Case]
pytestmark = pytest.mark.django_db
WANTED = {"harm": "60", "uncertainty": "10", "diversity": "10", "audit": "20"}


@pytest.fixture
def desk(client: Client, lead: User) -> Client:
    queue_mix.forget()
    client.force_login(lead)
    return client


class TestChange:
    def test_sets_the_shares_and_tells_the_draw(self, desk: Client) -> None:
        before = desk.get(reverse("named-queues")).content.decode()
        answer = desk.post(reverse("queue-mix"), WANTED, follow=True)

        assert queue_mix.mix() == Mix(harm=60, uncertainty=10, diversity=10, audit=20)
        assert "Without an audit share" in before
        assert "The audit lane draws 20.0% of the posts" in " ".join(answer.content.decode().split())

    @pytest.mark.parametrize("audit", ["21", "-1", "x", ""])
    def test_refuses_other_sums_and_words(self, desk: Client, audit: str) -> None:
        answer = desk.post(reverse("queue-mix"), WANTED | {"audit": audit}, follow=True)

        assert queue_mix.mix() == Mix()
        assert "Nothing was changed" in answer.content.decode()

    def test_is_for_leads(self, client: Client, moderator: User) -> None:
        client.force_login(moderator)

        assert client.post(reverse("queue-mix"), WANTED).status_code == 403


class TestLane:
    @pytest.mark.parametrize(
        ("lane", "reason", "is_told"),
        [("uncertainty", "uncertain", True), ("harm", "uncertain", False), ("uncertainty", "second", False)],
    )
    def test_is_told_where_it_says_nothing_of_a_hidden_score(
        self, desk: Client, open_case: Case_, lane: str, reason: str, is_told: bool
    ) -> None:
        case = open_case()
        Case.objects.filter(pk=case.pk).update(lane=lane, reason=reason)

        page = desk.get(reverse("case", args=[case.pk])).content.decode()

        assert ("least certain first" in page) is is_told
