"""Training runs are asked for one at a time, cancelled by a person, begun by the schedule."""

from datetime import timedelta

import pytest

from moderation.models import AuditEntry, DeskSettings, Label, Platform, TrainingRun, User
from moderation.models.training_runs import TrainingState
from moderation.operations.learning import training_runs
from tests.moderation.instants import later

pytestmark = pytest.mark.django_db


class TestRequest:
    def test_is_recorded(self, decided_posts: None, lead: User) -> None:
        row = training_runs.request(requested_by=lead, at=later(50))

        assert (row.state, row.requested_by, row.attempts) == (TrainingState.WAITING, lead, 0)
        assert AuditEntry.objects.get(action="training.requested").subject_id == str(row.pk)

    def test_refuses_a_platform_without_labels(self, decided_posts: None, lead: User) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=later(0))

        with pytest.raises(training_runs.NothingToLearn):
            training_runs.request(requested_by=lead, platform=other, at=later(50))


class TestCancel:
    def test_makes_room_for_another(self, decided_posts: None, lead: User) -> None:
        row = training_runs.request(requested_by=lead, at=later(50))

        training_runs.cancel(run_id=row.pk, actor=lead, at=later(60))

        row.refresh_from_db()
        assert (row.state, row.ended_at) == (TrainingState.CANCELLED, later(60))
        assert AuditEntry.objects.get(action="training.cancelled").actor == lead
        assert training_runs.request(requested_by=lead, at=later(61)).state == TrainingState.WAITING

    def test_refuses_what_has_ended(self, decided_posts: None, lead: User) -> None:
        row = TrainingRun.objects.create(requested_at=later(50), state=TrainingState.READY)

        with pytest.raises(training_runs.NotOpen):
            training_runs.cancel(run_id=row.pk, actor=lead, at=later(60))


class TestSchedule:
    def test_is_off_by_default(self, decided_posts: None) -> None:
        assert training_runs.schedule(at=later(50)) is None

    def test_begins_a_run_after_so_many_days_if_labels_came(
        self, decided_posts: None, remembered: DeskSettings
    ) -> None:
        remembered.training_days = 7
        week = timedelta(days=7).total_seconds()

        first = training_runs.schedule(at=later(50))
        assert first is not None
        TrainingRun.objects.update(state=TrainingState.READY)
        early = training_runs.schedule(at=later(49 + week))
        without_labels = training_runs.schedule(at=later(51 + week))
        Label.objects.update(labelled_at=later(60))
        second = training_runs.schedule(at=later(52 + week))

        assert (first.requested_by, early, without_labels) == (None, None, None)
        assert second is not None

    def test_leaves_an_open_run_alone(self, decided_posts: None, remembered: DeskSettings) -> None:
        remembered.training_days = 1
        TrainingRun.objects.create(requested_at=later(0), state=TrainingState.RUNNING)

        assert training_runs.schedule(at=later(timedelta(days=2).total_seconds())) is None
