"""A platform that is switched off, on again, and deleted."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from moderation.models import (
    AuditEntry,
    Author,
    Case,
    Decision,
    Delivery,
    Erasure,
    Label,
    Platform,
    PlatformDeletion,
    User,
    WebhookEndpoint,
)
from moderation.models.deliveries import DeliveryState
from moderation.models.platforms import Scope
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.accounts import api_keys, platforms, users
from moderation.operations.cases import claims
from moderation.operations.erasure import erase, journal, platform_deletion
from moderation.operations.refusals import NotAllowed, PlatformDeleted, SecondPersonNeeded
from moderation.operations.webhooks import send
from moderation.queries.cases import backlog
from tests.moderation.conftest import Case_, Post_, judge
from tests.moderation.instants import AT, later
from tests.moderation.operations.erasure.erasures import MALLORY, rows_with


@pytest.fixture
def second(admin: User) -> User:
    return User.objects.create_user("second", role=Role.ADMIN)


@pytest.fixture
def off(platform: Platform, admin: User) -> Platform:
    platforms.switch_off(platform_id=platform.pk, actor=admin, at=later(10))
    return platform


@pytest.fixture
def deleted(off: Platform, admin: User, second: User) -> Platform:
    platform_deletion.propose(platform_id=off.pk, actor=admin, at=later(11))
    platform_deletion.confirm(platform_id=off.pk, actor=second, at=later(12))
    return off


class TestOff:
    def test_refuses_its_keys_by_name_until_it_is_on_again(
        self, platform: Platform, admin: User, client: Client
    ) -> None:
        _, secret = api_keys.issue(platform=platform, name="k", scopes=Scope.values, expires_at=None, at=AT)
        headers = {"authorization": f"Bearer {secret}"}
        platforms.switch_off(platform_id=platform.pk, actor=admin, at=AT)

        answer = client.post("/api/v1/posts", {}, content_type="application/json", headers=headers)

        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/platform_off")
        assert answer.json()["detail"] == f"The platform {platform.slug} is switched off."
        platforms.switch_on(platform_id=platform.pk, actor=admin, at=AT)
        assert client.get("/api/v1/posts?external_id=none", headers=headers).status_code == 404
        acts = AuditEntry.objects.filter(subject_kind="platform").values_list("action", flat=True)
        assert {"platform.switched_off", "platform.switched_on"} <= set(acts)

    def test_takes_its_cases_out_of_the_queue(
        self, open_case: Case_, platform: Platform, lead: User, admin: User
    ) -> None:
        case = open_case()
        platforms.switch_off(platform_id=platform.pk, actor=admin, at=later(10))

        assert not claims.claim_next(moderator=lead, at=later(11))
        assert not backlog.visible(lead).exists()
        with pytest.raises(Case.DoesNotExist):
            claims.claim(case_id=case.pk, moderator=lead, at=later(11))

        platforms.switch_on(platform_id=platform.pk, actor=admin, at=later(12))
        assert claims.claim_next(moderator=lead, at=later(13)) == [case]

    def test_sends_nothing(self, open_case: Case_, webhook: Platform, lead: User, admin: User) -> None:
        judge(open_case(), lead, at=later(3))
        platforms.switch_off(platform_id=webhook.pk, actor=admin, at=later(3))

        found = send.sweep(at=later(60))
        sent = send.serve(endpoint_id=WebhookEndpoint.objects.get().pk, at=later(60))

        assert (found, sent) == (0, 0)
        assert Delivery.objects.get().state == DeliveryState.WAITING
        platforms.switch_on(platform_id=webhook.pk, actor=admin, at=later(61))
        assert send.sweep(at=later(62)) == 1


class TestDeletion:
    def test_is_of_one_that_is_off_and_needs_a_second_person(self, platform: Platform, admin: User) -> None:
        with pytest.raises(NotAllowed):
            platform_deletion.propose(platform_id=platform.pk, actor=admin, at=AT)
        platforms.switch_off(platform_id=platform.pk, actor=admin, at=later(10))
        platform_deletion.propose(platform_id=platform.pk, actor=admin, at=later(11))

        with pytest.raises(SecondPersonNeeded):
            platform_deletion.confirm(platform_id=platform.pk, actor=admin, at=later(12))

        platforms.switch_on(platform_id=platform.pk, actor=admin, at=later(13))
        assert not PlatformDeletion.objects.exists()

    @pytest.mark.parametrize("kin", [("admin", "second"), ("second", "admin"), ("boss", "both")])
    def test_is_not_confirmed_by_who_may_be_the_first(
        self, kin: tuple[str, str], off: Platform, admin: User, second: User
    ) -> None:
        boss = User.objects.create_user("boss", role=Role.ADMIN)
        actor = {"admin": admin, "second": second, "boss": boss}[kin[0]]
        for user in (admin, second):
            if kin[1] in (user.username, "both"):
                users.reset_password(user_id=user.pk, actor=actor, at=later(10))
        platform_deletion.propose(platform_id=off.pk, actor=admin, at=later(11))

        with pytest.raises(SecondPersonNeeded):
            platform_deletion.confirm(platform_id=off.pk, actor=second, at=later(12))
        third = User.objects.create_user("third", role=Role.ADMIN)
        platform_deletion.confirm(platform_id=off.pk, actor=third, at=later(12))

    @pytest.mark.usefixtures("webhook")
    def test_erases_in_batches_what_was_said_and_keeps_what_was_decided(
        self, post: Post_, open_case: Case_, platform: Platform, lead: User, admin: User, second: User,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        judge(open_case(author=MALLORY, text="Buy a zyxomma"), lead, at=later(3))
        author = str(post(author=MALLORY, text="Another zyxomma", external_id="second").author_id)
        rules.impose(value=author, kind="author", reason="zyxomma", actor=lead, at=later(4))
        for name, number in (("CHUNK", 1), ("MOST", 1), ("_CHUNKS_AT_ONCE", 1)):
            monkeypatch.setattr(erase, name, number)
        platforms.switch_off(platform_id=platform.pk, actor=admin, at=later(10))
        platform_deletion.propose(platform_id=platform.pk, actor=admin, at=later(11))
        platform_deletion.confirm(platform_id=platform.pk, actor=second, at=later(12))

        counts = [platform_deletion.sweep(at=later(minute)) for minute in range(13, 20)]

        assert counts[:2] == [1, 1]  # posts, a batch at a time
        assert counts[-1] == 0
        post(author=MALLORY, text="A late zyxomma", external_id="late")  # as of a turn that had begun
        assert [platform_deletion.sweep(at=later(minute)) for minute in range(20, 24)] == [1, 1, 0, 0]
        assert PlatformDeletion.objects.get().erased_at is not None
        assert AuditEntry.objects.filter(action="rule.lifted").exists()
        assert rows_with("zyxomma", "mallory") == []
        assert (Decision.objects.count(), Label.objects.count()) == (1, 1)
        assert not WebhookEndpoint.objects.get().secrets.exists()
        assert AuditEntry.objects.filter(action="platform.deleted").count() == 1

    def test_lasts(self, deleted: Platform, admin: User) -> None:
        with pytest.raises(PlatformDeleted):
            platforms.switch_on(platform_id=deleted.pk, actor=admin, at=later(20))

        with pytest.raises(PlatformDeleted):
            api_keys.issue(platform=deleted, name="k", scopes=[], expires_at=None, at=later(20))

        with pytest.raises(PlatformDeletion.DoesNotExist):
            platform_deletion.confirm(platform_id=deleted.pk, actor=admin, at=later(20))

    def test_comes_back_with_the_journal(
        self, post: Post_, deleted: Platform, settings: Settings, tmp_path: Path
    ) -> None:
        settings.ERASURE_JOURNAL = tmp_path / "journal.jsonl"
        journal.write(at=later(13))
        line = settings.ERASURE_JOURNAL.read_text()
        settings.ERASURE_JOURNAL.write_text(line + line.replace(f":{deleted.pk},", f":{deleted.pk + 50},"))
        # As it was in the backup.
        Erasure.objects.all().delete()
        PlatformDeletion.objects.all().delete()
        Platform.objects.update(off_at=None)
        post(author=MALLORY)

        applied = journal.apply(settings.ERASURE_JOURNAL, at=later(20))

        assert (applied.erased, applied.absent) == (1, 1)
        assert not Author.objects.filter(erased_at=None).exists()
        assert Platform.objects.get().off_at is not None
        assert platforms.register(slug="new", name="New", at=AT).pk > deleted.pk + 50
