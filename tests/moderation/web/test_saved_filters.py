"""Filters that a user keeps."""

import pytest
from django.test import Client

from moderation.models import SavedFilter
from moderation.models.preferences import FilterPage
from moderation.web.saved_filters import FORMS


class TestKeptFilters:
    def test_lead_back_to_the_list(self, desk: Client) -> None:
        form = {"page": "posts", "name": "French", "query": "?language=fr&cursor=5&x=1&q="}

        answer = desk.post("/filters/keep/", form)

        assert answer.headers["Location"] == "/posts/?language=fr"
        kept = '<a class="kept__name clipped" href="/posts/?language=fr">'
        assert kept in desk.get("/posts/").content.decode()

    def test_are_ones_own(self, desk: Client, lead_desk: Client) -> None:
        desk.post("/filters/keep/", {"page": "posts", "name": "French", "query": "language=fr"})
        kept = SavedFilter.objects.get()

        lead_desk.post(f"/filters/{kept.pk}/forget/", {"page": "posts"})
        assert SavedFilter.objects.exists()
        assert "French" not in lead_desk.get("/posts/").content.decode()

        desk.post(f"/filters/{kept.pk}/forget/", {"page": "posts"})
        assert not SavedFilter.objects.exists()

    def test_replace_one_of_the_same_name(self, desk: Client) -> None:
        for language in ("fr", "de"):
            desk.post("/filters/keep/", {"page": "queue", "name": "Mine", "query": f"language={language}"})

        assert SavedFilter.objects.get().query == "language=de"

    def test_are_at_most_twenty(self, desk: Client) -> None:
        for number in range(21):
            desk.post("/filters/keep/", {"page": "queue", "name": str(number), "query": ""})

        assert SavedFilter.objects.count() == 20

    @pytest.mark.parametrize("form", [{"page": "queue", "name": ""}, {"page": "nonsense", "name": "x"}])
    def test_need_a_name_and_a_list(self, desk: Client, form: dict[str, str]) -> None:
        desk.post("/filters/keep/", form)

        assert not SavedFilter.objects.exists()

    @pytest.mark.parametrize("page", FilterPage)
    def test_keep_every_filter_of_their_list(self, desk: Client, page: FilterPage) -> None:
        query = "&".join(f"{name}=1" for name in FORMS[page].base_fields)

        answer = desk.post("/filters/keep/", {"page": page, "name": "Mine", "query": query})

        assert answer.headers["Location"] == f"/{page}/?{query}"
