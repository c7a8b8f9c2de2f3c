"""Who is notified of what happens, in the transaction in which it happens, and of nothing twice."""

from datetime import timedelta

import pytest

from moderation.models import (
    Case,
    HourlyCount,
    Notification,
    NotificationChoices,
    Platform,
    Post,
    TrainingRun,
    User,
)
from moderation.models.notifications import NotificationKind
from moderation.models.training_runs import TrainingState
from moderation.models.users import Role
from moderation.operations import activity
from moderation.operations.cases import appeals, claims, notes, review
from moderation.operations.infrastructure import transactions
from moderation.operations.learning import training_runs
from moderation.operations.notifications import notify
from tests.moderation.conftest import Case_, Post_, copies, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.notifications.conftest import Happen


@pytest.fixture
def ml(db: None) -> User:
    return User.objects.create_user("ml", role=Role.ML_ENGINEER)


def told(kind: NotificationKind) -> list[str]:
    rows = Notification.objects.filter(kind=kind).order_by("user__username")
    return list(rows.values_list("user__username", flat=True))


class TestWrite:
    def test_writes_a_row_for_each_chosen_channel_and_none_twice(
        self, choices: NotificationChoices, happen: Happen
    ) -> None:
        for _ in range(2):
            happen(NotificationKind.TRAINING, at=AT)

        rows = Notification.objects.order_by("channel").values_list("channel", "due_at")
        due_at = AT + timedelta(seconds=notify.GATHER_SECONDS)
        assert list(rows) == [("chat", due_at), ("mail", due_at)]

    def test_tells_in_the_browser_who_chose_nothing_and_nobody_who_left(
        self, lead: User, admin: User, moderator: User, happen: Happen
    ) -> None:
        User.objects.filter(pk=admin.pk).update(is_active=False)

        happen(NotificationKind.APPEAL, at=AT)

        assert Notification.objects.get().channel == "browser"
        assert told(NotificationKind.APPEAL) == ["lead"]

    def test_is_refused_outside_the_transaction_of_the_cause(self, lead: User) -> None:
        with pytest.raises(transactions.NotInTransaction):
            notify.write(kind=NotificationKind.SPIKE, subject="posts", at=AT)


class TestCauses:
    def test_an_escalation_tells_leads_but_not_who_escalated(
        self, claimed_case: Case, moderator: User, lead: User, admin: User
    ) -> None:
        note = f"what of this, @{lead.username} @admin?"

        review.escalate(case_id=claimed_case.pk, moderator=moderator, at=later(3), note=note)
        mine = claims.claim(case_id=claimed_case.pk, moderator=lead, at=later(4))
        review.escalate(case_id=mine.pk, moderator=lead, at=later(5))

        assert told(NotificationKind.ESCALATION) == ["admin", "admin", "lead"]
        assert told(NotificationKind.MENTION) == ["admin", "lead"]

    def test_a_mention_tells_the_named(
        self, open_case: Case_, moderator: User, other_moderator: User, ml: User
    ) -> None:
        text = "@other_moderator @moderator @ml"

        notes.write(case=open_case(), author=moderator, text=text, at=AT)

        assert told(NotificationKind.MENTION) == ["other_moderator"]

    def test_an_appeal_tells_leads_once(
        self, open_case: Case_, platform: Platform, moderator: User, lead: User
    ) -> None:
        decision = judge(open_case(), moderator, at=later(2))

        for second in (60, 61):
            appeals.dispute(platform=platform, decision_id=decision.pk, at=later(second))
            appeals.file(platform=platform, external_id=decision.post.external_id or "", at=later(second))

        assert told(NotificationKind.APPEAL) == ["lead"]

    def test_a_spike_tells_leads_once_for_its_hour(self, post: Post_, lead: User) -> None:
        HourlyCount.objects.bulk_create(
            HourlyCount(hour=AT - timedelta(days=day), measure="posts", number=1, counted_at=AT)
            for day in range(1, 5)
        )
        copies(post(at=AT), [{"external_id": f"copy-{number}"} for number in range(40)])
        assert Post.objects.count() == 41

        for minutes in (1, 2, 59):
            activity.count(at=AT + timedelta(minutes=minutes))

        assert told(NotificationKind.SPIKE) == ["lead"]
        assert Notification.objects.get().since == AT

    @pytest.mark.parametrize("starter", ["lead", None])
    def test_a_training_run_tells_who_began_it_else_ml_engineers(
        self, lead: User, ml: User, admin: User, starter: str | None
    ) -> None:
        begun_by = lead if starter else None
        row = TrainingRun.objects.create(requested_by=begun_by, requested_at=AT, attempts=1)

        for state in (TrainingState.FAILED, TrainingState.READY):
            training_runs.end(row, state=state, at=later(60))

        assert told(NotificationKind.TRAINING) == [starter or "ml"]
