"""The page of shadow runs: what it shows, and what may be started, stopped and drawn there."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, ShadowRun, ShadowScore, User
from moderation.models.training_runs import TrainingState
from moderation.operations.releases import triton
from tests.moderation.web.conftest import asked, flat
from tests.moderation.web.learning.test_models import ready

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"


def figures(**changes: Any) -> dict[str, Any]:
    estimate = {"value": None, "low": 0.0, "high": 1.0, "labels": 3}
    row: dict[str, Any] = {
        "dimension": "language",
        "name": HOSTILE,
        "mistake": "missed",
        "posts": 1_000,
        "differing": 60,
        "labels": 30,
        "value": 0.06,
        "low": 0.02,
        "high": 0.06,
        "outcome": "worse",
    }
    return {
        "estimated_at": timezone.now().isoformat(),
        "until": None,
        "routes": [["allow", "allow", 940], ["remove", "allow", 60]],
        "rates": [{"name": "recall", "live": estimate, "candidate": estimate}],
        "differences": [row | changes],
    }


@pytest.fixture
def started(lead: User) -> Callable[..., ShadowRun]:
    def make(**changes: Any) -> ShadowRun:
        values: dict[str, Any] = {
            "candidate": "c" * 64,
            "live": "d" * 64,
            "share": 0.5,
            "started_by": lead,
            "started_at": timezone.now() - timedelta(hours=1),
            "reached": 0,
        }
        return ShadowRun.objects.create(**(values | changes))

    return make


def disagree(run: ShadowRun, case: Case, number: int = 1) -> None:
    """Let the run differ on so many scores, copies of a case's."""
    score = case.score
    for _ in range(number):
        score.pk, score.generation = None, score.generation + 1
        score.save(force_insert=True)
        ShadowScore.objects.create(
            run=run,
            score=score,
            scored_at=timezone.now(),
            spam_probability=0.95,
            route="remove",
            live_route="allow",
            distance=2,
            gap=0.5,
            platform=case.post.platform,
            links="none",
        )


class TestPage:
    def test_names_the_slice_where_the_candidate_is_worse(
        self, lead_desk: Client, started: Callable[..., ShadowRun]
    ) -> None:
        run = started(figures=figures())

        body = flat(lead_desk.get(f"/models/shadow/{run.pk}/").content.decode())

        assert "Certainly worse than the live release" in body
        assert "+60.0 (+20.0 to +60.0) per 1,000 posts" in body
        assert "94.0% (940 of 1,000)" in body
        assert "<script>alert(1)" not in body

    def test_shows_no_figure_of_few_labels(
        self, lead_desk: Client, started: Callable[..., ShadowRun]
    ) -> None:
        run = started(figures=figures(labels=19, outcome="open"))

        body = flat(lead_desk.get(f"/models/shadow/{run.pk}/").content.decode())

        assert "+60.0 (" not in body
        assert "not known: too few labels" in body
        assert "Not enough labels (3 of 20)" in body

    def test_says_what_the_candidate_cannot_do(
        self, lead_desk: Client, started: Callable[..., ShadowRun]
    ) -> None:
        run = started(trouble=f"NotKept: {HOSTILE}", trouble_at=timezone.now())

        body = flat(lead_desk.get(f"/models/shadow/{run.pk}/").content.decode())

        assert "The candidate could not score:" in body
        assert "<script>alert(1)" not in body

    def test_lists_disagreements_page_by_page(
        self, lead_desk: Client, started: Callable[..., ShadowRun], case_in_front: Case
    ) -> None:
        run = started()
        disagree(run, case_in_front, 26)

        first = lead_desk.get(f"/models/shadow/{run.pk}/")
        second = lead_desk.get(f"/models/shadow/{run.pk}/?cursor={first.context['page'].next_cursor}")

        assert len(first.context["rows"]) == 25
        assert len(second.context["rows"]) == 1
        assert second.context["page"].next_cursor == ""

    def test_takes_as_many_queries_for_many_posts_as_for_one(
        self, lead_desk: Client, started: Callable[..., ShadowRun], case_in_front: Case
    ) -> None:
        run = started(figures=figures())

        address = f"/models/shadow/{run.pk}/"
        disagree(run, case_in_front, 1)
        lead_desk.get(address)
        few = len(asked(lead_desk, address))
        disagree(run, case_in_front, 10)

        assert len(asked(lead_desk, address)) == few

    def test_is_404_for_made_up_cursors(self, lead_desk: Client, started: Callable[..., ShadowRun]) -> None:
        assert lead_desk.get(f"/models/shadow/{started().pk}/?cursor=nonsense").status_code == 404


class TestActs:
    @pytest.mark.parametrize(
        ("percent", "told"),
        [("50", "This candidate cannot score here"), ("0", "Choose a share of 0.1 to 100 percent.")],
    )
    def test_says_why_it_does_not_start(self, lead_desk: Client, percent: str, told: str) -> None:
        start = f"/models/training-runs/{ready().pk}/shadow/"

        assert told in flat(lead_desk.post(start, {"percent": percent}, follow=True).content.decode())
        assert not ShadowRun.objects.exists()

    def test_starts_what_a_training_run_made(self, lead_desk: Client) -> None:
        failed = ready(candidate="", state=TrainingState.FAILED)

        answer = lead_desk.post(f"/models/training-runs/{failed.pk}/shadow/", {"percent": "50"})

        assert answer.status_code == 404

    def test_is_offered_and_shown_with_its_candidate(
        self, lead_desk: Client, started: Callable[..., ShadowRun]
    ) -> None:
        ready()
        offered = lead_desk.get("/models/").content.decode()

        run = started()
        shown = lead_desk.get("/models/").content.decode()

        assert "Score in shadow" in offered
        assert "Score in shadow" not in shown
        assert shown.count(f"/models/shadow/{run.pk}/") == 2

    def test_stops_at_one_press(
        self, lead_desk: Client, started: Callable[..., ShadowRun], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(triton, "tidy", lambda: None)
        run = started()

        lead_desk.post(f"/models/shadow/{run.pk}/stop/")

        run.refresh_from_db()
        assert not run.is_open
        answer = lead_desk.post(f"/models/shadow/{run.pk}/stop/", follow=True)
        assert "has already ended" in flat(answer.content.decode())

    @pytest.mark.parametrize(
        ("posts", "told"), [("5", "No post is left"), ("0", "Enter 1 to 500"), ("501", "Enter 1 to 500")]
    )
    def test_says_when_nothing_is_drawn(
        self, lead_desk: Client, started: Callable[..., ShadowRun], posts: str, told: str
    ) -> None:
        answer = lead_desk.post(f"/models/shadow/{started().pk}/draws/", {"posts": posts}, follow=True)

        assert told in flat(answer.content.decode())
