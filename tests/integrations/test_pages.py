"""The pages of integrations: connect, ask, dry run, remove; and what they refuse."""

import pytest
from django.test import Client

from integrations import tasks
from integrations.models import Exchange, Integration, IntegrationState
from moderation.models import ActionRule, Platform, User
from tests.integrations.matrix_server import TOKEN, MatrixServer

Asked = list[int]


@pytest.fixture
def desk(admin: User) -> Client:
    desk = Client()
    desk.force_login(admin)
    return desk


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The integrations that are asked at once, in place of a worker."""
    asked: Asked = []
    monkeypatch.setattr(tasks, "soon", lambda *, integration_id: asked.append(integration_id))
    return asked


def test_a_new_platform_is_named_after_its_server(desk: Client, matrix: MatrixServer, asked: Asked) -> None:
    answer = desk.post("/integrations/new/matrix/", {"base_url": matrix.url, "token": TOKEN}, follow=True)

    row = Integration.objects.get()
    assert (row.state, row.is_dry_run, row.platform.name) == (IntegrationState.ACTIVE, True, "127.0.0.1")
    assert asked == [row.pk]
    assert "Connected as @admin:matrix.test" in answer.content.decode()
    assert "dry run" in answer.content.decode()
    assert TOKEN not in answer.content.decode()


def test_says_what_is_wrong_and_keeps_nothing(desk: Client, matrix: MatrixServer, asked: Asked) -> None:
    answer = desk.post("/integrations/new/matrix/", {"base_url": matrix.url, "token": "wrong"})

    assert answer.status_code == 422
    assert "Sign in again" in answer.content.decode()
    assert not Integration.objects.exists()
    assert not Platform.objects.exists()


def test_a_server_is_connected_once(desk: Client, integration: Integration, asked: Asked) -> None:
    answer = desk.post("/integrations/new/matrix/", {"base_url": integration.base_url, "token": TOKEN})

    assert "connected already" in answer.content.decode()


def test_a_new_platform_does_what_the_connector_suggests(
    desk: Client, matrix: MatrixServer, asked: Asked
) -> None:
    desk.post("/integrations/new/matrix/", {"base_url": matrix.url, "token": TOKEN})

    rule = ActionRule.objects.get()
    assert (rule.verdict, rule.decided_by, rule.action) == ("spam", "person", "remove")
    assert rule.needs_second_name
    assert Platform.objects.get().reviews_reports
    page = desk.get(f"/platforms/{rule.platform_id}/settings/").content.decode()
    assert "remove the post (cannot be undone)" in page
    assert page.count("cannot be undone") == 2  # in the choices, and beside the rule


def test_an_existing_platform_keeps_its_actions(
    desk: Client, matrix: MatrixServer, platform: Platform, asked: Asked
) -> None:
    ActionRule.objects.create(platform=platform, verdict="spam", action="hide")

    desk.post("/integrations/new/matrix/", {"base_url": matrix.url, "token": TOKEN, "platform": platform.pk})

    platform.refresh_from_db()
    assert (ActionRule.objects.get().action, platform.reviews_reports) == ("hide", True)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("for-real", "Decisions are carried out."),
        ("pause", "paused"),
        ("direct", "Leave direct messages out"),
        ("secret", "Saved."),
        ("ask", "Asked; reload to see what came."),
        ("nonsense", "Log"),
    ],
)
def test_changes(desk: Client, integration: Integration, asked: Asked, act: str, said: str) -> None:
    address = f"/integrations/{integration.pk}/change/"

    answer = desk.post(address, {"act": act, "secret": "s3cret"}, follow=True)

    assert said in answer.content.decode()
    assert "s3cret" not in answer.content.decode()


def test_new_credentials_are_tried_first(desk: Client, integration: Integration, asked: Asked) -> None:
    address, stored = f"/integrations/{integration.pk}/change/", integration.credentials

    answer = desk.post(address, {"act": "sign-in", "token": "wrong"}, follow=True)
    integration.refresh_from_db()
    assert "Sign in again" in answer.content.decode()
    assert integration.credentials == stored

    answer = desk.post(address, {"act": "sign-in", "token": TOKEN}, follow=True)
    assert "Connected as @admin:matrix.test" in answer.content.decode()


def test_shows_what_to_type_and_where_the_platform_sends(desk: Client, integration: Integration) -> None:
    body = desk.get(f"/integrations/{integration.pk}/").content.decode()

    assert 'name="token"' in body
    assert f"http://testserver/integrations/matrix/{integration.hook}" in body


def test_a_removed_one_is_not_listed(desk: Client, integration: Integration) -> None:
    desk.post(f"/integrations/{integration.pk}/change/", {"act": "remove"})

    assert integration.base_url not in desk.get("/integrations/").content.decode()
    assert desk.get(f"/integrations/{integration.pk}/").status_code == 200


def test_hostile_names_are_inert(desk: Client, integration: Integration) -> None:
    Integration.objects.update(signed_in_as="<script>alert(1)</script>\u202e", last_error="<b>\u202egnihton")
    Exchange.objects.create(
        integration=integration, at=integration.created_at, direction="in", what="<img src=x onerror=1>"
    )

    body = desk.get(f"/integrations/{integration.pk}/").content.decode()

    assert "<script>alert" not in body
    assert "<img src=x" not in body
    assert "\u202e" not in body


def test_speaks_german(desk: Client, matrix: MatrixServer, integration: Integration, asked: Asked) -> None:
    desk.cookies["django_language"] = "de"
    Integration.objects.update(last_error="Lemmy answered with something else than its reports.")
    page = desk.get(f"/integrations/{integration.pk}/").content.decode()
    wrong = {"base_url": matrix.url, "token": "wrong"}
    refused = desk.post("/integrations/new/matrix/", wrong).content.decode()

    assert "Zugriffstoken eines Server-Administrators" in page
    assert "Lemmy hat mit etwas anderem als seinen Meldungen geantwortet." in page
    assert "Die Antwort war 401. Invalid access token Melden Sie sich erneut an." in refused
