"""Named queues: who may have them, what is claimed through them, and what the audit log says."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import IntegrityError, transaction

from moderation.models import AuditEntry, Case, NamedQueue, Platform, QueueMix, User, desk_settings
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations.cases import named_queues, shift
from moderation.operations.cases.named_queues import Content
from moderation.operations.refusals import NotAllowed
from moderation.queries.cases import named_queues as queue_lists
from moderation.queries.cases.queue_filter import Part, QueueFilter
from moderation.queries.cases.queue_mix import Mix
from tests.moderation.conftest import Case_
from tests.moderation.instants import AT, later

pytestmark = pytest.mark.django_db
Assign = Callable[..., None]
WANTED = Mix(harm=50, uncertainty=20, diversity=10, audit=20)


def content(**given: object) -> Content:
    fields: dict[str, object] = {"name": "German", "platform_id": None, "languages": ("de",), "reasons": ()}
    return Content(**fields | given)  # type: ignore[arg-type]  # tests name real fields


@pytest.fixture
def assign(german: NamedQueue, lead: User) -> Assign:
    """Give the German queue to somebody."""

    def run(user: User, *, position: int = 1, daily_limit: int | None = None) -> None:
        named_queues.assign(
            queue_id=german.pk, user=user, position=position, daily_limit=daily_limit, actor=lead, at=AT
        )

    return run


@pytest.fixture
def german(lead: User) -> NamedQueue:
    return named_queues.save(queue_id=None, content=content(), actor=lead, at=AT)


def in_language(case: Case, language: str, *, priority: float = 0.5) -> Case:
    Case.objects.filter(pk=case.pk).update(language=language, priority=priority)
    return case


def held(moderator: User, *parts: Part, at: datetime, ahead: int = 0) -> list[int]:
    cases = shift.hold(moderator=moderator, at=at, ahead=ahead, wanted=QueueFilter(parts=parts))
    return [case.pk for case in cases]


class TestSave:
    def test_changes_what_a_queue_holds(self, german: NamedQueue, lead: User) -> None:
        for is_exclusive in (True, False):
            french = content(languages=("fr",), is_exclusive=is_exclusive)
            named_queues.save(queue_id=german.pk, content=french, actor=lead, at=AT)
            desk_settings.forget()
            assert desk_settings.current().has_exclusive_queues is is_exclusive

        assert NamedQueue.objects.get().languages == ["fr"]
        actions = AuditEntry.objects.order_by("id").values_list("action", "details__is_exclusive")
        assert list(actions) == [("queue.added", False), ("queue.changed", True), ("queue.changed", False)]

    def test_refuses_more_than_a_page_lists(
        self, german: NamedQueue, lead: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(named_queues, "MOST", 1)
        with pytest.raises(named_queues.TooMany):
            named_queues.save(queue_id=None, content=content(name="Other"), actor=lead, at=AT)


class TestAssign:
    def test_is_for_those_who_decide(self, assign: Assign) -> None:
        with pytest.raises(named_queues.CannotDecide):
            assign(User.objects.create_user("engineer", role=Role.ML_ENGINEER))

    def test_again_changes_the_place(self, assign: Assign, moderator: User) -> None:
        for position in (1, 3):
            assign(moderator, position=position, daily_limit=5)

        assert NamedQueue.objects.get().assignments.get().position == 3

    def test_is_taken_back(self, german: NamedQueue, assign: Assign, lead: User, moderator: User) -> None:
        assign(moderator)
        named_queues.withdraw(queue_id=german.pk, user_id=moderator.pk, actor=lead, at=AT)

        assert not german.assignments.exists()
        assert AuditEntry.objects.order_by("id").last().action == "queue.withdrawn"  # type: ignore[union-attr]  # there are entries


def test_deleting_a_queue_leaves_the_cases(german: NamedQueue, open_case: Case_, lead: User) -> None:
    case = in_language(open_case(text="eins"), "de")
    named_queues.delete(queue_id=german.pk, actor=lead, at=AT)

    assert Case.objects.get(pk=case.pk).state == CaseState.OPEN


class TestClaims:
    def test_come_from_the_first_queue_while_it_has_cases(self, open_case: Case_, moderator: User) -> None:
        french = in_language(open_case(text="un"), "fr", priority=0.9)
        first = in_language(open_case(text="eins"), "de", priority=0.1)
        second = in_language(open_case(text="zwei"), "de", priority=0.05)
        parts = (Part(name="German", languages=("de",)), Part(name="French", languages=("fr",)))

        assert held(moderator, *parts, at=later(2)) == [first.pk]
        for done in (first, second):
            Case.objects.filter(pk=done.pk).update(
                state=CaseState.WITHDRAWN, claimed_by=None, lease_end_at=None
            )
        assert held(moderator, *parts, at=later(3)) == [french.pk]

    def test_never_come_from_outside(self, open_case: Case_, moderator: User) -> None:
        in_language(open_case(text="un"), "fr")

        assert held(moderator, Part(name="German", languages=("de",)), at=later(2)) == []
        assert held(moderator, at=later(2)) == []

    def test_come_from_everywhere_through_a_queue_that_restricts_nothing(
        self, open_case: Case_, moderator: User
    ) -> None:
        case = in_language(open_case(text="un"), "fr")
        parts = (Part(name="German", languages=("de",)), Part(name="All"))

        assert held(moderator, *parts, at=later(2)) == [case.pk]

    def test_come_from_one_platform(self, open_case: Case_, platform: Platform, moderator: User) -> None:
        other = Platform.objects.create(slug="other", name="Other", created_at=AT)
        case = open_case(text="here")

        assert Case.objects.get(pk=case.pk).platform == platform
        assert held(moderator, Part(name="Other", platform_id=other.pk), at=later(2)) == []
        assert held(moderator, Part(name="Here", platform_id=platform.pk), at=later(2)) == [case.pk]

    def test_spare_languages_that_the_user_does_not_read(
        self, open_case: Case_, moderator: User, lead: User
    ) -> None:
        french = in_language(open_case(text="un"), "fr", priority=0.9)
        short = in_language(open_case(text=":-)"), "", priority=0.1)
        named_queues.set_languages(user=moderator, languages=("de",), actor=lead, at=AT)

        assert [case.pk for case in shift.hold(moderator=moderator, at=later(2), ahead=0)] == [short.pk]
        shift.hand_back(case_ids=[short.pk], moderator=moderator)
        asked = QueueFilter(language="fr")
        assert [case.pk for case in shift.hold(moderator=moderator, at=later(3), wanted=asked)] == [french.pk]


def test_a_limit_is_reached_by_decisions_of_today_from_its_queue(
    assign: Assign, open_case: Case_, moderator: User
) -> None:
    assign(moderator, daily_limit=1)
    in_language(open_case(text="un"), "fr", priority=0.9)
    case = in_language(open_case(text="eins"), "de", priority=0.95)
    [before] = queue_lists.assigned(user=moderator, at=later(1))

    shift.hold(moderator=moderator, at=later(2))
    choice = shift.Choice(verdict=Verdict.SPAM, case_version=case.version)
    shift.decide(case_id=case.pk, choice=choice, moderator=moderator, at=later(3))

    [after] = queue_lists.assigned(user=moderator, at=later(4))
    [tomorrow] = queue_lists.assigned(user=moderator, at=later(86_400))
    assert (before.is_reached, after.is_reached, tomorrow.is_reached) == (False, True, False)


class TestChange:
    @pytest.mark.parametrize("mix", [Mix(harm=50), Mix(harm=120, audit=-20), Mix(harm=100, audit=1)])
    def test_refuses_what_is_not_whole(self, lead: User, mix: Mix) -> None:
        with pytest.raises(named_queues.NotWhole):
            named_queues.change_mix(mix=mix, actor=lead, at=AT)

        assert not QueueMix.objects.exists()

    def test_is_for_leads(self, moderator: User) -> None:
        with pytest.raises(NotAllowed):
            named_queues.change_mix(mix=WANTED, actor=moderator, at=AT)

    def test_the_database_holds_one_whole_mix(self) -> None:
        for wrong in (QueueMix(harm=90, changed_at=AT), QueueMix(id=2, changed_at=AT)):
            with pytest.raises(IntegrityError), transaction.atomic():
                wrong.save(force_insert=True)
