"""The page of settings: who reads and changes them, what is refused, what a change does."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.forms import model_to_dict
from django.test import Client, TestCase
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from moderation.models import AuditEntry, Case, DeskSettings, Platform, User, desk_settings
from moderation.models.desk_settings import LIMITS
from moderation.models.users import Role
from moderation.operations.accounts import desk_settings as changes
from moderation.operations.infrastructure import egress
from moderation.operations.refusals import NotAllowed
from moderation.operations.translation import translate
from moderation.web.middleware.session_use import SessionUseMiddleware
from tests.moderation.conftest import Decided
from tests.moderation.instants import later
from tests.moderation.web.conftest import read

PAGE = "/settings/"
SERVICE = "https://translate.example"


def sent(**changed: Any) -> dict[str, Any]:
    """Return what the form sends, with what the page showed before, and some values changed."""
    stored = model_to_dict(DeskSettings.objects.first() or DeskSettings(), exclude=["translation_key"])
    shown = {f"initial-{name}": value for name, value in stored.items()}
    return {name: value for name, value in (shown | stored | changed).items() if value is not False}


class TestChange:
    def test_is_saved_logged_and_told(self, admin_desk: Client) -> None:
        roles = ["lead", "admin"]
        switches = {"evidence_obeys_robots": "on", "names_networks": "on"}
        admin_desk.post(PAGE, sent(undo_seconds=30, second_factor_roles=roles, **switches))

        row, entry = DeskSettings.objects.get(), AuditEntry.objects.get(action="desk.changed")
        assert (row.undo_seconds, row.evidence_obeys_robots, row.names_networks) == (30, True, True)
        before = {"undo_seconds": 10, "evidence_obeys_robots": False, "names_networks": False}
        assert entry.details["before"] == before | {"second_factor_roles": []}
        assert (row.second_factor_roles, entry.details["second_factor_roles"]) == (roles, roles)
        body = read(admin_desk, PAGE)
        assert "A second factor is required of: – → Lead, Administrator" in body
        assert "Time to undo, in seconds: 10 → 30" in body
        assert "Obey robots.txt: no → yes" in body

    def test_of_nothing_is_not_logged(self, admin_desk: Client) -> None:
        admin_desk.post(PAGE, sent())

        assert not AuditEntry.objects.filter(action="desk.changed").exists()

    @pytest.mark.parametrize("which", [0, 1])
    def test_beyond_its_limits_is_refused_beside_its_field(self, admin_desk: Client, which: int) -> None:
        beyond = {name: limits[which] + (1 if which else -1) for name, limits in LIMITS.items()}

        answer = admin_desk.post(PAGE, sent(**beyond))

        assert (answer.status_code, set(answer.context["form"].errors)) == (422, set(LIMITS))
        assert not DeskSettings.objects.exists()

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("evidence_agent", "Spamdesk\r\nX-Header: 1"),
            ("evidence_agent", ""),
            ("translation_url", "http://127.0.0.1:5000"),
            ("translation_url", "file:///etc/passwd"),
        ],
    )
    def test_to_a_dangerous_text_is_refused(self, admin_desk: Client, name: str, value: str) -> None:
        answer = admin_desk.post(PAGE, sent(**{name: value}))

        assert (answer.status_code, list(answer.context["form"].errors)) == (422, [name])

    @pytest.mark.parametrize("name", LIMITS)
    def test_beyond_its_limits_is_refused_by_the_database(self, db: None, name: str) -> None:
        with pytest.raises(IntegrityError, match=f"{name}_in_range"):
            DeskSettings.objects.create(**{name: LIMITS[name][1] + 1})

    def test_leaves_what_others_changed_since_the_form_was_opened(self, admin_desk: Client) -> None:
        opened = sent(lease_seconds=60)
        admin_desk.post(PAGE, sent(undo_seconds=30))

        admin_desk.post(PAGE, opened)

        row = DeskSettings.objects.get()
        assert (row.undo_seconds, row.lease_seconds) == (30, 60)

    def test_is_for_administrators(self, lead_desk: Client, lead: User) -> None:
        body = read(lead_desk, PAGE)

        lead_desk.post(PAGE, sent(undo_seconds=30))
        assert "Only administrators change the settings above." in body
        with pytest.raises(NotAllowed):
            changes.change(undo_seconds=30, actor=lead, at=later(0))
        assert not DeskSettings.objects.filter(undo_seconds=30).exists()

    def test_holds_for_the_next_decision(
        self, admin_desk: Client, case_in_front: Case, decided: Decided
    ) -> None:
        with TestCase.captureOnCommitCallbacks(execute=True):
            admin_desk.post(PAGE, sent(undo_seconds=45))

        decision = decided(case_in_front)

        assert decision.effective_at - decision.decided_at == timedelta(seconds=45)

    def test_of_a_session_holds_from_the_next_sign_in(
        self, db: None, client: Client, remembered: DeskSettings
    ) -> None:
        remembered.session_hours = 2
        User.objects.create_user("nadia", password="a-long-password-of-hers", role=Role.LEAD)

        client.post("/sign-in/", {"username": "nadia", "password": "a-long-password-of-hers"})

        assert client.session.get_expiry_age() in range(7190, 7201)

    def test_of_an_unused_session_ends_it_and_use_puts_that_off(
        self, db: None, client: Client, remembered: DeskSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        remembered.session_hours, remembered.idle_minutes = 1, 25
        User.objects.create_user("nadia", password="a-long-password-of-hers", role=Role.LEAD)
        client.post("/sign-in/", {"username": "nadia", "password": "a-long-password-of-hers"})
        now = timezone.now()

        def ends_after(address: str, *, minutes: int) -> float:
            """Ask for a page; return how many minutes after the sign-in the session then ends."""
            monkeypatch.setattr(timezone, "now", lambda: now + timedelta(minutes=minutes))
            monkeypatch.setattr(SessionUseMiddleware, "_is_due", lambda *_: True)
            client.get(address)
            return round((client.session.get_expiry_date() - now) / timedelta(minutes=1))

        assert ends_after("/notifications/", minutes=20) == 30
        assert ends_after("/queue/", minutes=20) == 50
        assert ends_after("/queue/", minutes=45) == 60


class TestKeyOfTheTranslation:
    def change(self, admin: User, **chosen: Any) -> None:
        changes.change(**chosen, actor=admin, at=later(0))
        desk_settings.forget()

    def test_is_kept_encrypted_and_never_shown(self, admin: User, admin_desk: Client) -> None:
        self.change(admin, translation_url=SERVICE, translation_key="their-key")
        self.change(admin, undo_seconds=20)

        service = translate.translator()
        assert service is not None
        assert service._key == "their-key"
        told = f"{list(AuditEntry.objects.values('details'))} {read(admin_desk, PAGE)}"
        assert "their-key" not in told
        assert DeskSettings.objects.get().translation_key not in told

    def test_is_never_sent_to_another_address(self, admin: User) -> None:
        self.change(admin, translation_url=SERVICE, translation_key="their-key")
        self.change(admin, translation_url="https://other.example")

        assert DeskSettings.objects.get().translation_key == ""

    def test_a_private_address_needs_the_operator(self, admin: User, settings: Any) -> None:
        with pytest.raises(egress.Refused):
            self.change(admin, translation_url="http://127.0.0.1:5000")

        settings.EGRESS_PRIVATE_HOSTS = ("127.0.0.1",)
        self.change(admin, translation_url="http://127.0.0.1:5000")

        assert DeskSettings.objects.get().translation_url == "http://127.0.0.1:5000"


class TestCurrent:
    def test_is_asked_once_and_again_after_its_time(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = [100.0]
        monkeypatch.setattr("moderation.models.desk_settings.time.monotonic", lambda: clock[0])
        desk_settings.forget()
        first = desk_settings.current().undo_seconds
        DeskSettings.objects.create(undo_seconds=77)

        with CaptureQueriesContext(connection) as queries:
            kept = desk_settings.current().undo_seconds
        clock[0] += 5

        assert (first, kept, len(queries)) == (10, 10, 0)
        assert desk_settings.current().undo_seconds == 77

    @pytest.mark.parametrize("table", ["desksettings", "namedqueue"])
    def test_without_a_table_is_the_last_known_and_leaves_the_transaction_alone(
        self, table: str, db: None, remembered: DeskSettings
    ) -> None:
        remembered.undo_seconds = 33
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE moderation_{table} RENAME TO elsewhere")
        desk_settings.forget()

        assert desk_settings.current().undo_seconds == 33
        assert not Platform.objects.exists()
