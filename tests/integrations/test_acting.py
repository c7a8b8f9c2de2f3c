"""A report from a platform to the desk, the decision back, and its reversal, against a stand-in Synapse."""

from datetime import datetime
from functools import partial

import pytest

from integrations import polling, setup
from integrations.models import Exchange, Integration
from moderation.models import Case, Complaint, Decision, Delivery, Post, Revision, User
from moderation.models.cases import CaseReason
from moderation.models.deliveries import DeliveryState
from moderation.operations.webhooks import send
from tests.integrations.matrix_server import TOKEN, MatrixServer
from tests.moderation.conftest import judge, scored
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later

SPAMMER = "@spammer:matrix.test"


@pytest.fixture
def case(integration: Integration, matrix: MatrixServer, fake_scorer: object) -> Case:
    """The case of a reported message."""
    matrix.report("Cheap watches https://watches.test/now")
    assert polling.poll(integration_id=integration.pk, at=AT) == 1
    [case] = scored(list(Post.objects.all()), at=later(1))
    return case


def deliver(integration: Integration, at: datetime) -> list[str]:
    """Carry out what is due; return the states of all deliveries in order."""
    integration.refresh_from_db()
    assert integration.endpoint_id is not None
    send.serve(endpoint_id=integration.endpoint_id, at=at)
    return list(Delivery.objects.order_by("sequence").values_list("state", flat=True))


def spam(case: Case, moderator: User) -> Decision:
    return judge(case, moderator, at=later(5))


class TestIn:
    def test_a_report_is_a_post_with_a_complaint(self, case: Case) -> None:
        complaint = Complaint.objects.get()

        assert case.post.external_id == "matrix:$event-1"
        assert complaint.post == case.post
        assert (complaint.reporter.external_id, complaint.note) == ("@reader-1:matrix.test", "spam, I think")

    def test_asking_again_changes_nothing(
        self, integration: Integration, case: Case, matrix: MatrixServer
    ) -> None:
        assert polling.poll(integration_id=integration.pk, at=later(60)) == 0
        Integration.objects.update(cursor={}, next_poll_at=later(100))
        assert polling.poll(integration_id=integration.pk, at=later(100)) == 1

        assert (Post.objects.count(), Revision.objects.count(), Complaint.objects.count()) == (1, 1, 1)

    def test_a_person_decides_what_is_reported_whatever_the_filter_says(
        self, integration: Integration, matrix: MatrixServer, fake_scorer: FakeScorer
    ) -> None:
        fake_scorer.default = 0.001
        matrix.report("The library is open on Sunday.")
        polling.poll(integration_id=integration.pk, at=later(0))

        [case] = scored(list(Post.objects.all()), at=later(1))

        assert case.reason == CaseReason.REPORTED
        assert not Decision.objects.exists()

    def test_only_one_asks_at_a_time(self, integration: Integration, matrix: MatrixServer) -> None:
        matrix.report("hello")
        Integration.objects.update(next_poll_at=AT)

        assert polling.poll(integration_id=integration.pk, at=AT) == 1
        assert polling.poll(integration_id=integration.pk, at=AT) == 0

    def test_an_outage_makes_the_pauses_longer_and_is_told(
        self, integration: Integration, matrix: MatrixServer
    ) -> None:
        matrix.breaks_at = {"GET /_synapse/admin/v1/event_reports"}

        polling.poll(integration_id=integration.pk, at=later(0))

        integration.refresh_from_db()
        assert integration.failures == 1
        assert integration.next_poll_at == later(60)
        assert "No answer" in integration.last_error

    @pytest.mark.parametrize("event_json", [None, [], {"type": "m.room.encrypted"}, {"content": "x"}, {}])
    def test_hostile_reports_are_left_out_and_take_no_other_with_them(
        self, integration: Integration, matrix: MatrixServer, event_json: object
    ) -> None:
        broken = matrix.report("broken")
        matrix.report("good \0 text " + "x" * 200_000)
        matrix.reports[broken]["event_json"] = event_json

        assert polling.poll(integration_id=integration.pk, at=AT) == 1
        assert Post.objects.get().external_id == "matrix:$event-2"


class TestOut:
    def test_a_decision_is_carried_out_once(
        self, integration: Integration, matrix: MatrixServer, case: Case, moderator: User
    ) -> None:
        spam(case, moderator)

        assert deliver(integration, later(60)) == [DeliveryState.DELIVERED]
        assert matrix.shadow_banned == {SPAMMER}
        assert matrix.reports == {}
        changes = len(matrix.changes())
        Delivery.objects.update(state=DeliveryState.WAITING, next_attempt_at=later(61))
        assert deliver(integration, later(90)) == [DeliveryState.DELIVERED]
        assert len(matrix.changes()) == changes

    def test_a_dry_run_writes_down_what_it_would_do(
        self, integration: Integration, matrix: MatrixServer, case: Case, moderator: User, admin: User
    ) -> None:
        setup.change(integration_id=integration.pk, actor=admin, at=later(2), is_dry_run=True)
        spam(case, moderator)

        assert deliver(integration, later(60)) == [DeliveryState.DELIVERED]
        assert matrix.changes() == []
        calls = Exchange.objects.filter(is_dry_run=True)
        assert [call.what.split("?")[0].split()[0] for call in calls.order_by("id")] == ["POST", "DELETE"]
        assert all(call.delivery is not None for call in calls)

    def test_what_the_platform_refuses_fails_at_once_and_says_what_to_do(
        self, integration: Integration, matrix: MatrixServer, case: Case, moderator: User, admin: User
    ) -> None:
        spam(case, moderator)
        matrix.answer = lambda _: (403, {"error": "not an admin"})  # type: ignore[method-assign,assignment]

        assert deliver(integration, later(60)) == [DeliveryState.FAILED]
        assert "not an admin" in Delivery.objects.get().last_error
        assert "give it the right" in Delivery.objects.get().last_error

        del matrix.answer
        send.replay(delivery_id=str(Delivery.objects.get().pk), at=later(100), actor=admin)
        assert deliver(integration, later(101)) == [DeliveryState.DELIVERED]
        assert matrix.shadow_banned == {SPAMMER}

    @pytest.mark.parametrize("is_paused", [True, False])
    def test_decisions_wait_for_the_end_of_a_pause_or_for_a_sign_in(
        self,
        integration: Integration,
        matrix: MatrixServer,
        case: Case,
        moderator: User,
        admin: User,
        is_paused: bool,
    ) -> None:
        change = partial(setup.change, integration_id=integration.pk, actor=admin)
        change(at=later(2), is_paused=is_paused)
        if not is_paused:
            matrix.answer = lambda _: (401, {})  # type: ignore[method-assign,assignment]
        spam(case, moderator)
        for seconds in (60, 600, 5_000):
            assert deliver(integration, later(seconds)) == [DeliveryState.WAITING]
        assert matrix.shadow_banned == set()

        if not is_paused:
            del matrix.answer
        change(at=later(6_000), is_paused=False)
        assert deliver(integration, later(6_001)) == [DeliveryState.DELIVERED]
        assert matrix.shadow_banned == {SPAMMER}


class TestSetup:
    def test_credentials_are_not_readable_in_the_database(self, integration: Integration) -> None:
        assert TOKEN not in integration.credentials

    def test_a_private_host_is_refused(self, integration: Integration, admin: User) -> None:
        here, inside = integration.platform, "http://10.0.0.7"
        with pytest.raises(setup.CannotConnect, match="not a public address"):
            setup.connect(platform=here, kind="matrix", base_url=inside, credentials={}, actor=admin, at=AT)

    def test_a_removed_one_forgets_its_credentials(
        self, integration: Integration, case: Case, moderator: User, admin: User
    ) -> None:
        spam(case, moderator)
        setup.remove(integration_id=integration.pk, actor=admin, at=later(6))

        integration.refresh_from_db()
        assert integration.credentials == ""
        assert Delivery.objects.get().state == DeliveryState.CANCELLED
