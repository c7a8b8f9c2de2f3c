"""The page of thresholds: simulation with and without htmx, refusals, proposals with two names."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils.timezone import now

from moderation.models import Post, QualityFigure, ReleaseProposal
from moderation.operations.quality import refresh
from tests.moderation import conftest
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import HTMX, asked, flat

PAGE = "/thresholds/"
CHOSEN = {"review_from": "30", "remove_from": "80", "audit_rate": "3"}
HOSTILE = "<script>alert(1)</script> \u202egnp.exe"
Scored = Callable[[int], None]


@pytest.fixture
def scored(post: Post_, fake_scorer: FakeScorer) -> Scored:
    """Store posts of today that would no longer be reviewed under `CHOSEN`."""

    def run(number: int) -> None:
        fake_scorer.default = 0.25
        conftest.scored([post(text=f"{HOSTILE} {place}", at=now()) for place in range(number)], at=now())

    return run


@pytest.mark.usefixtures("fake_scorer")
class TestSimulation:
    def test_shows_what_is_live_without_any_data(self, lead_desk: Client) -> None:
        page = flat(lead_desk.get(PAGE).content.decode())

        assert "review from 20.0%, removal from 90.0%, audit share 0.0%" in page
        assert "Not enough labels (0 of 20)" in page
        assert "No post would have gone another way." in page
        assert 'id="propose"' not in page

    @pytest.mark.parametrize(("low", "is_broken"), [(0.031, True), (0.02, False)])
    def test_says_that_review_begins_too_late(
        self, lead_desk: Client, low: float, *, is_broken: bool
    ) -> None:
        refresh.refresh(at=now())
        QualityFigure.objects.filter(measure="missed").update(low=low)

        page = flat(lead_desk.get(PAGE).content.decode())

        assert ("At least 3.1% of posts let through" in page) is is_broken

    def test_lists_the_posts_that_would_change(self, lead_desk: Client, scored: Scored) -> None:
        scored(2)

        page = flat(lead_desk.get(PAGE, CHOSEN).content.decode())

        assert "2 posts: review → let through" in page
        assert "<script>alert" not in page
        assert f"/posts/{Post.objects.first().pk}/" in page  # type: ignore[union-attr]  # just stored

    def test_says_in_a_sentence_what_would_change(self, lead_desk: Client, scored: Scored) -> None:
        live = flat(lead_desk.get(PAGE).content.decode())
        scored(14)
        page = flat(lead_desk.get(PAGE, CHOSEN).content.decode())

        assert "These are the live thresholds." in live
        assert '<p class="thresholds__verdict strong">1.9 fewer cases a day.</p>' in page
        assert "2 posts a day. How many of these are spam? Not enough labels (0 of 20)." in page

    def test_htmx_asks_for_the_figures_alone(self, lead_desk: Client) -> None:
        page = lead_desk.get(PAGE, CHOSEN, headers=HTMX).content.decode()

        assert page.lstrip().startswith('<div id="figures"')

    def test_asks_the_database_as_often_for_one_as_for_many(self, lead_desk: Client, scored: Scored) -> None:
        counts = []
        for number in (1, 10):
            scored(number)
            lead_desk.get(PAGE, CHOSEN)
            counts.append(len(asked(lead_desk, PAGE, CHOSEN)))

        assert counts[0] == counts[1] <= 20

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ({"review_from": "95"}, "Removal cannot begin below review."),
            ({"remove_from": "101"}, "less than or equal to 100"),
            ({"audit_rate": "much"}, "Enter a number."),
            ({"days": "3"}, "Select a valid choice"),
        ],
    )
    def test_names_what_is_wrong(self, lead_desk: Client, given: dict[str, str], told: str) -> None:
        answer = lead_desk.get(PAGE, given)

        assert answer.status_code == 422
        assert told in answer.content.decode()

    @pytest.mark.parametrize("given", [{"platform": "nowhere"}, CHOSEN | {"cursor": "nonsense"}])
    def test_finds_no_unknown_platform_or_page(self, lead_desk: Client, given: dict[str, str]) -> None:
        assert lead_desk.get(PAGE, given).status_code == 404


@pytest.mark.usefixtures("own_releases")
@pytest.mark.xdist_group("triton")
@pytest.mark.timeout(300)
class TestProposal:
    def test_needs_a_reason(self, lead_desk: Client) -> None:
        answer = lead_desk.post(f"{PAGE}propose/", CHOSEN)

        assert answer.status_code == 422
        assert "Give a reason." in answer.content.decode()
        assert not ReleaseProposal.objects.exists()

    def test_can_be_withdrawn(self, lead_desk: Client) -> None:
        lead_desk.post(f"{PAGE}propose/", CHOSEN | {"reason": "a try"})
        proposal = ReleaseProposal.objects.get()

        lead_desk.post(f"/releases/proposals/{proposal.pk}/refuse/")

        assert "refused by lead" in flat(lead_desk.get(PAGE).content.decode())
