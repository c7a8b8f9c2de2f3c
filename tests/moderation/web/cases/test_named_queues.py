"""The page of named queues, and what assigned users get when they start."""

from itertools import product
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moderation.models import Case, Decision, NamedQueue, Platform, QueueAssignment, User
from moderation.operations.cases import named_queues
from moderation.operations.cases.named_queues import Content
from moderation.queries.cases import backlog
from moderation.queries.cases.named_queues import part_of
from tests.moderation.api.conftest import client_of
from tests.moderation.conftest import Case_, Decided
from tests.moderation.web.conftest import REVIEW_PAGE, DeskOf, asked


@pytest.fixture
def german(lead: User, moderator: User) -> NamedQueue:
    """A queue that the moderator works on."""
    at = timezone.now()
    content = Content(name="German", platform_id=None, languages=("de",), reasons=())
    queue = named_queues.save(queue_id=None, content=content, actor=lead, at=at)
    named_queues.assign(queue_id=queue.pk, user=moderator, position=1, daily_limit=None, actor=lead, at=at)
    return queue


@pytest.fixture
def kept(german: NamedQueue, open_case: Case_) -> Case:
    case = open_case(text="eins https://shop.example/")
    Case.objects.update(language="de")
    NamedQueue.objects.update(is_exclusive=True)
    return case


class TestPage:
    def test_adds_a_queue(self, lead_desk: Client) -> None:
        given = {"name": "Scam <b>", "languages": "DE, pt-BR, de", "reasons": ["complaints"]}
        answer = lead_desk.post(reverse("named-queues"), given | {"is_exclusive": "on"}, follow=True)

        queue = NamedQueue.objects.get()
        assert (queue.languages, queue.reasons, queue.is_exclusive) == (["de", "pt-br"], ["complaints"], True)
        assert "Scam &lt;b&gt;" in answer.content.decode()

    @pytest.mark.parametrize("languages", ["german", "de;en", "d", "<script>"])
    def test_says_what_a_language_is(self, lead_desk: Client, languages: str) -> None:
        answer = lead_desk.post(reverse("named-queues"), {"name": "X", "languages": languages})

        assert answer.status_code == 422
        assert "Enter codes such as de or pt-br" in answer.content.decode()
        assert not NamedQueue.objects.exists()

    def test_refuses_a_name_twice(self, lead_desk: Client, german: NamedQueue) -> None:
        answer = lead_desk.post(reverse("named-queues"), {"name": "German"})

        assert answer.status_code == 422
        assert "This name is already taken." in answer.content.decode()

    def test_changes_and_deletes(self, lead_desk: Client, german: NamedQueue) -> None:
        lead_desk.post(reverse("named-queue", args=[german.pk]), {"name": "Deutsch", "languages": "de, nds"})
        assert NamedQueue.objects.get().name == "Deutsch"

        lead_desk.post(reverse("named-queue-delete", args=[german.pk]))
        assert not NamedQueue.objects.exists()

    def test_assigns_and_removes(self, lead_desk: Client, german: NamedQueue, other_moderator: User) -> None:
        given = {"user": other_moderator.pk, "position": 2, "daily_limit": 40}
        answer = lead_desk.post(reverse("named-queue-assign", args=[german.pk]), given, follow=True)
        assert "at most 40 per day" in answer.content.decode()

        lead_desk.post(reverse("named-queue-withdraw", args=[german.pk, other_moderator.pk]))
        assert not QueueAssignment.objects.filter(user=other_moderator).exists()

    def test_asks_as_often_for_twenty_queues_as_counting_needs(self, lead_desk: Client) -> None:
        NamedQueue.objects.bulk_create(NamedQueue(name=f"Q{n}", languages=["de"]) for n in range(20))

        assert len(asked(lead_desk, reverse("named-queues"))) <= 20 + 12


class TestStart:
    def test_works_through_assigned_queues(self, desk: Client, german: NamedQueue, open_case: Case_) -> None:
        cases = [open_case(text=text) for text in ("one", "eins")]
        Case.objects.update(language="en")
        Case.objects.filter(pk=cases[1].pk).update(language="de", priority=0.001)

        answer = desk.post(reverse("review-next"), follow=True)

        page = answer.content.decode()
        assert answer.redirect_chain[-1][0] == reverse("case", args=[cases[1].pk])
        assert "German" in page
        assert "Work on everything" not in page

    def test_says_when_a_limit_is_reached(self, desk: Client, german: NamedQueue, open_case: Case_) -> None:
        QueueAssignment.objects.update(daily_limit=1)
        for text in ("eins", "zwei"):
            open_case(text=text)
        Case.objects.update(language="de")
        front = desk.post(reverse("review-next")).headers["Location"]
        case = Case.objects.get(pk=int(front.rstrip("/").rpartition("/")[2]))

        given = {"verdict": "spam", "case_version": case.version}
        answer = desk.post(reverse("case-decide", args=[case.pk]), given, follow=True)

        assert answer.redirect_chain[-1][0] == reverse("review")
        assert "German: daily limit of 1 reached" in answer.content.decode()

    def test_a_moderator_is_offered_only_their_own(
        self, desk: Client, desk_of: DeskOf, other_moderator: User, german: NamedQueue
    ) -> None:
        assert "Named queue" in desk.get(reverse("queue")).content.decode()
        assert "Named queue" not in desk_of(other_moderator).get(reverse("queue")).content.decode()


class TestExclusive:
    @pytest.mark.parametrize(("who", "sees"), [("moderator", 1), ("lead", 1), ("other_moderator", 0)])
    def test_shows_its_cases_to_its_people_and_leads(
        self, request: pytest.FixtureRequest, desk_of: DeskOf, kept: Case, who: str, sees: int
    ) -> None:
        desk, author = desk_of(request.getfixturevalue(who)), f"/authors/{kept.post.author_id}/"

        for address in ("/queue/", "/posts/?state=waiting", "/authors/?state=waiting"):
            assert len(desk.get(address).context["page"].rows) == sees, address
        assert desk.get("/queue/").context["overview"].total == sees
        assert desk.get(author).context["figures"].waiting == sees
        assert desk.get("/domains/?which=all").context["page"].rows[0].counts.waiting == sees
        assert [bool(row.pick) for row in desk.get("/posts/").context["page"].rows] == [bool(sees)]
        assert len(desk.get(f"/posts/{kept.post_id}/").context["page"].cases) == sees
        for page in ("", "text/", "context/", "around/", "now/", "beside/author/"):
            assert (desk.get(f"/review/{kept.pk}/{page}").status_code == 200) == bool(sees), page
        assert (desk.post("/review/next/").headers["Location"] == f"/review/{kept.pk}/") == bool(sees)

    @pytest.mark.parametrize("act", ["claim", "decide", "skip", "escalate", "skip/undo"])
    def test_takes_them_from_all_others(self, desk: Client, case_in_front: Case, act: str) -> None:
        NamedQueue.objects.create(name="All", is_exclusive=True)
        number = case_in_front.pk
        form = {"verdict": "spam", "case_version": 1, "key": uuid4(), "case": f"{number}:1", "held": number}

        assert desk.post(f"/review/{number}/{act}/", form, headers=REVIEW_PAGE).status_code == 409
        assert desk.post("/queue/decide/", form).status_code == 404
        assert desk.post("/review/beat/", form).json()["held"] == []
        assert desk.post("/review/next/").headers["Location"] == "/review/"
        assert not Decision.objects.exists()

    def test_gets_back_what_is_undone(self, desk: Client, kept: Case, decided: Decided) -> None:
        undo = f"/decisions/{decided(kept).pk}/undo/"
        QueueAssignment.objects.all().delete()

        assert desk.post(undo, headers=REVIEW_PAGE).status_code == 200
        assert Case.objects.get(state="open").claimed_by is None

    def test_is_as_open_to_a_platform(self, platform: Platform, kept: Case, other_moderator: User) -> None:
        api, body = client_of(platform, other_moderator, at=timezone.now()), {"version": 1, "verdict": "spam"}

        assert len(api.post("/api/v1/queues/all/claims", {"count": 5}).json()["cases"]) == 1
        assert api.post(f"/api/v1/cases/{kept.pk}/decisions", body).status_code == 201

    @pytest.mark.parametrize("reasons", [[], ["audit", "uncertain"], ["audit"]])
    def test_keeps_what_it_holds(self, kept: Case, other_moderator: User, reasons: list[str]) -> None:
        other = Platform.objects.create(slug="other", created_at=timezone.now())
        for place, languages in product((None, kept.platform, other), ([], ["fr", "de"], ["fr"])):
            NamedQueue.objects.update(languages=languages, reasons=reasons, platform=place)
            others = Case.objects.exclude(part_of(NamedQueue.objects.get()).condition)
            assert list(backlog.visible(other_moderator)) == list(others)


class TestLane:
    @pytest.mark.parametrize(
        ("lane", "reason", "is_told"),
        [("uncertainty", "uncertain", True), ("harm", "uncertain", False), ("uncertainty", "second", False)],
    )
    def test_is_told_where_it_says_nothing_of_a_hidden_score(
        self, lead_desk: Client, open_case: Case_, lane: str, reason: str, is_told: bool
    ) -> None:
        case = open_case()
        Case.objects.filter(pk=case.pk).update(lane=lane, reason=reason)

        page = lead_desk.get(reverse("case", args=[case.pk])).content.decode()

        assert ("least certain first" in page) is is_told
