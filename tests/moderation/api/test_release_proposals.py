"""Proposals of releases and simulations of thresholds, through the api."""

import threading
from typing import Any

import pytest
from django.db import connection, connections
from django.utils.timezone import now
from rest_framework.test import APIClient

from moderation import scorer
from moderation.models import Platform, Promotion, ReleaseProposal, TrainingRun, User
from moderation.models.learning import ProposalKind
from moderation.models.training_runs import TrainingState
from moderation.models.users import Role
from moderation.operations.learning import proposals
from scoring import hosting
from tests.moderation.api.answers import bad_fields, problem
from tests.moderation.api.conftest import ClientFor
from tests.moderation.conftest import Post_, scored
from tests.moderation.fakes import FakeScorer
from tests.moderation.operations.conftest import own_releases

__all__ = ["own_releases"]

SIMULATIONS, PROPOSALS = "/api/v1/simulations/threshold", "/api/v1/release-proposals"
CHOSEN = {"thresholds": {"review_from": 0.6}}


@pytest.fixture
def undecided(post: Post_, fake_scorer: FakeScorer) -> None:
    """Three posts of today between the live and the chosen threshold."""
    fake_scorer.default = 0.5
    scored([post(at=now()) for _ in range(3)], at=now())


@pytest.mark.usefixtures("undecided")
class TestSimulation:
    def test_says_what_the_page_says(self, api: APIClient) -> None:
        found = api.post(SIMULATIONS, CHOSEN).json()

        assert found["posts_per_day"] == pytest.approx(3 / 7)
        assert (found["live"]["review_from"], found["chosen"]["review_from"]) == (0.2, 0.6)
        assert (found["live"]["cases_per_day"], found["chosen"]["cases_per_day"]) == (3 / 7, 0)
        assert found["dry_run"]["changes"] == [{"before": "review", "after": "allow", "posts": 3}]
        assert found["chosen"]["precision"] == {"value": None, "low": 0.0, "high": 1.0, "labels": 0}
        assert all(one["review_from"] == 0.6 for one in found["curve"])

    def test_is_about_the_own_platform(self, other_api: APIClient) -> None:
        found = other_api.post(SIMULATIONS, CHOSEN).json()

        assert (found["posts_per_day"], found["dry_run"]["changes"]) == (0, [])

    @pytest.mark.parametrize(
        ("body", "pointer"),
        [
            ({"thresholds": {"review_from": 0.95}}, "/thresholds/remove_from"),
            ({"thresholds": {"review_from": "0.5"}}, "/thresholds/review_from"),
            ({"thresholds": {"remove_from": 1.1}}, "/thresholds/remove_from"),
            ({"days": 8}, "/days"),
            ({"days": True}, "/days"),
            ({"costs": {"minute": -1}}, "/costs/minute"),
        ],
    )
    def test_names_what_is_wrong(self, api: APIClient, body: dict[str, object], pointer: str) -> None:
        answer = api.post(SIMULATIONS, body)

        assert set(bad_fields(answer)) == {pointer}


@pytest.mark.usefixtures("own_releases")
@pytest.mark.xdist_group("triton")
@pytest.mark.timeout(300)
class TestProposal:
    @pytest.mark.whole
    def test_is_made_listed_and_withdrawn(self, lead_api: APIClient) -> None:
        made = lead_api.post(PROPOSALS, CHOSEN | {"reason": "fewer cases"})
        address = made.headers["Location"]
        listed = lead_api.get(PROPOSALS).json()["data"]
        closed = lead_api.post(f"{address}/refusal").json()

        assert (made.status_code, listed) == (201, [made.json()])
        assert made.json()["thresholds"]["review_from"] == 0.6
        assert (made.json()["is_own"], made.json()["state"], closed["state"]) == (True, "open", "refused")
        problem(lead_api.post(f"{address}/refusal"), status=409, code="proposal_closed")

    def test_is_confirmed_by_nobody_of_the_same_name(
        self, lead: User, lead_api: APIClient, client_for: ClientFor
    ) -> None:
        made = lead_api.post(PROPOSALS, CHOSEN | {"reason": "fewer cases"})
        address = f"{made.headers['Location']}/confirmation"
        moderator = User.objects.create_user("mod", role=Role.MODERATOR)

        problem(client_for(lead).post(address), status=409, code="own_proposal")
        problem(client_for(moderator).post(address), status=403, code="not_allowed")
        problem(client_for(None).post(address), status=403, code="nobody_behind_key")
        assert not Promotion.objects.exists()

    def test_of_thresholds_that_others_share_is_made_on_the_desk(
        self, lead_api: APIClient, other_api: APIClient
    ) -> None:
        answer = lead_api.post(PROPOSALS, CHOSEN | {"reason": "fewer cases"})

        problem(answer, status=409, code="shared_thresholds")
        assert not ReleaseProposal.objects.exists()

    def test_of_a_training_run_is_of_the_own_platform(
        self, lead_api: APIClient, other_api: APIClient, platform: Platform
    ) -> None:
        run = TrainingRun.objects.create(
            platform=platform,
            requested_at=now(),
            state=TrainingState.READY,
            candidate="c" * 64,
            live=scorer.newest(),
            report={"slices": []},
        )
        body = {"training_run": str(run.pk), "reason": "better"}

        made = lead_api.post(PROPOSALS, body)

        assert (made.json()["kind"], made.json()["training_run"]) == ("promotion", str(run.pk))
        problem(lead_api.post(PROPOSALS, body), status=409, code="already_proposed")
        problem(other_api.post(PROPOSALS, body), status=404, code="not_found")
        assert other_api.get(PROPOSALS).json()["data"] == []

    def test_asks_for_one_thing_that_is_not_live(self, lead_api: APIClient) -> None:
        for body in ({"reason": "x"}, CHOSEN | {"training_run": "1", "reason": "x"}, CHOSEN):
            problem(lead_api.post(PROPOSALS, body), status=422, code="invalid_fields")
        live = lead_api.post(PROPOSALS, {"thresholds": {}, "reason": "x"})
        problem(live, status=409, code="already_live")

    def test_says_the_live_release_stays(self, lead: User, platform: Platform, client_for: ClientFor) -> None:
        other = User.objects.create_user("other", role=Role.ML_ENGINEER)
        row = proposals.propose(
            kind=ProposalKind.THRESHOLDS,
            candidate="e" * 64,
            changes={"platform": platform.slug},
            evidence={},
            reason="not kept",
            actor=lead,
            at=now(),
        )

        answer = client_for(other).post(f"{PROPOSALS}/{row.pk}/confirmation")

        problem(answer, status=409, code="not_promoted")
        row.refresh_from_db()
        assert row.closed_at is None

    @pytest.mark.django_db(transaction=True)
    def test_goes_live_once_by_a_second_person_outside_a_transaction(
        self, lead_api: APIClient, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = lead_api.post(PROPOSALS, CHOSEN | {"reason": "fewer cases"})
        other = client_for(User.objects.create_user("other", role=Role.ML_ENGINEER))
        address, once = f"{made.headers['Location']}/confirmation", {"Idempotency-Key": "one"}
        first: list[Any] = []
        is_probed, goes_on = threading.Event(), threading.Event()

        def probe(*_: object, **__: object) -> None:
            is_probed.set()
            assert goes_on.wait(60)

        def confirm() -> None:
            try:
                first.append(other.post(address, headers=once))
            finally:
                connections.close_all()

        monkeypatch.setattr(hosting, "probe", probe)
        thread = threading.Thread(target=confirm)
        thread.start()
        assert is_probed.wait(60)
        meanwhile = lead_api.post(address, headers=once)
        open_transactions = _open_transactions()
        goes_on.set()
        thread.join()
        again = other.post(address, headers=once)

        scorer.forget()
        assert open_transactions == 0
        problem(meanwhile, status=409, code="request_in_flight")
        assert (first[0].status_code, first[0].json()["state"]) == (200, "confirmed")
        assert (again.json(), again.headers["Idempotent-Replayed"]) == (first[0].json(), "true")
        assert scorer.release().id == made.json()["candidate"]
        assert Promotion.objects.count() == 1


def _open_transactions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type = 'client backend'"
        )
        [(number,)] = cursor.fetchall()
    return int(number)
