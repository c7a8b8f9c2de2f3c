"""Signing in by an OpenID provider that runs here: accounts, roles by groups, refusals."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from oidc_provider_mock import run_server_in_thread

from config.environment import ROLES, Environment
from moderation.models import AuditEntry, DeskSettings, User, desk_settings
from moderation.models.users import Role
from moderation.operations.accounts import sessions, users
from moderation.operations.infrastructure import limits
from moderation.web.accounts import lockout
from tests.config.test_environment import ADDRESSES

GROUPS = {"chiefs": "lead", "staff": "moderator"}


class Provider:
    """A provider on a local port, and the browsers of people whom it knows."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.host = url.removeprefix("http://")

    def knows(self, sub: str, **claims: Any) -> None:
        httpx.put(f"{self.url}/users/{sub}", json=claims).raise_for_status()

    def come_back(self, desk: Client, sub: str, *, query: str = "", **answer: str) -> Any:
        """Go from the desk to the provider, say who one is, and follow back to the desk."""
        there = desk.get(f"/sign-in/with/{self.host}/{query}").headers["Location"]
        back = httpx.post(there, data={"sub": sub, **answer}).headers["Location"]
        return desk.get(back.removeprefix("http://testserver"))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"


@pytest.fixture
def provider(server: str, settings: Any, db: None) -> Provider:
    given = {
        "issuer": server,
        "client_id": "spamdesk",
        "client_secret": "s",
        "groups": GROUPS,
        "name": "Acme ID",
    }
    settings.OIDC = Environment(ADDRESSES | {"SPAMDESK_OIDC": json.dumps(given)}).oidc
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": settings.OIDC["apps"]}
    }
    settings.EGRESS_PRIVATE_HOSTS = ("localhost",)
    return Provider(server)


class TestFirstSignIn:
    def test_makes_an_account_with_the_role_of_the_group(self, provider: Provider, client: Client) -> None:
        page = client.get("/sign-in/?next=/queue/").content.decode()
        assert "Sign in with Acme ID" in page
        claims = {"preferred_username": "nadia", "given_name": "Nadia", "family_name": "Okafor"}
        provider.knows("n-1", **claims, groups=["other", "staff"], email="nadia@acme.example")

        assert provider.come_back(client, "n-1", query="?next=/queue/").headers["Location"] == "/queue/"

        user = User.objects.get()
        assert (user.username, str(user), user.role) == ("nadia", "Nadia Okafor", Role.MODERATOR)
        assert not user.has_usable_password()
        assert client.get("/queue/").status_code == 200
        assert "acme.example" not in str(list(SocialAccount.objects.values())) + user.email
        actions = list(AuditEntry.objects.values_list("action", flat=True))
        assert actions == ["user.provisioned", "user.signed_in_by_provider"]

    @pytest.mark.parametrize("verified", [True, False])
    def test_never_opens_an_account_of_the_same_name_or_mail(
        self, provider: Provider, client: Client, verified: bool
    ) -> None:
        User.objects.create_user("boss", email="boss@acme.example", role=Role.ADMIN, password="x")
        claims = {"preferred_username": "boss", "email": "boss@acme.example", "email_verified": verified}
        provider.knows("evil", **claims, groups=["staff"])

        provider.come_back(client, "evil")

        assert User.objects.get(role=Role.MODERATOR).username != "boss"
        assert User.objects.get(username="boss").role == Role.ADMIN

    @pytest.mark.parametrize("groups", [[], ["other"], "admin", None])
    def test_without_a_role_is_refused(self, provider: Provider, client: Client, groups: object) -> None:
        provider.knows("x", groups=groups)

        answer = provider.come_back(client, "x")

        assert answer.status_code == 403
        assert "has no role here" in answer.content.decode()
        assert not User.objects.exists()


class TestNextSignIn:
    @pytest.fixture
    def lead(self, provider: Provider, client: Client) -> User:
        provider.knows("l-1", preferred_username="lea", groups=["staff", "chiefs"])
        provider.come_back(client, "l-1")
        return User.objects.get(role=Role.LEAD)

    def test_takes_the_role_away_with_the_group(self, provider: Provider, client: Client, lead: User) -> None:
        provider.knows("l-1", groups=["staff"])

        provider.come_back(Client(), "l-1")

        lead.refresh_from_db()
        assert lead.role == Role.MODERATOR
        assert AuditEntry.objects.get(action="user.changed").details == {"role": "moderator", "was": "lead"}

    def test_without_any_group_ends_every_session(
        self, provider: Provider, client: Client, lead: User
    ) -> None:
        assert client.get("/queue/").status_code == 200
        provider.knows("l-1", groups=[])

        assert provider.come_back(Client(), "l-1").status_code == 403

        assert client.get("/queue/").status_code == 302

    def test_of_a_closed_account_is_refused(
        self, provider: Provider, client: Client, lead: User, admin: User, now: Any
    ) -> None:
        users.deactivate(user_id=lead.pk, actor=admin, at=now)

        provider.come_back(client, "l-1")

        assert client.get("/queue/").status_code == 302

    def test_needs_no_second_factor_here(self, provider: Provider, client: Client, lead: User) -> None:
        DeskSettings.objects.create(second_factor_roles=[Role.LEAD])
        desk_settings.forget()

        assert client.get("/queue/").status_code == 200
        assert "added there" in client.get("/account/second-factor/").content.decode()
        assert client.get("/account/second-factor/app/").headers["Location"] == "/account/second-factor/"
        desk_settings.forget()


class TestFailure:
    def test_of_the_provider_is_told(self, provider: Provider, client: Client) -> None:
        provider.knows("d", groups=["staff"])

        assert provider.come_back(client, "d", action="deny").status_code == 403
        assert client.get(f"/sign-in/with/{provider.host}/callback/?code=x&state=forged").status_code == 403
        assert client.get("/sign-in/with/other.example/").status_code == 404

    def test_to_come_back_leaves_nothing(
        self, provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lockout, "_BEGUN", limits.Bucket(name="begun", per_minute=1, burst=2))
        codes = [Client().get(f"/sign-in/with/{provider.host}/").status_code for _ in range(3)]

        assert codes == [302, 302, 429]
        sessions.forget_expired(at=timezone.now() + timedelta(seconds=settings.ACCOUNT_LOGIN_TIMEOUT + 1))
        assert not Session.objects.exists()

    @pytest.mark.parametrize("private", ["localhost", "other.example"])
    def test_to_answer_is_told(self, provider: Provider, client: Client, settings: Any, private: str) -> None:
        settings.OIDC["apps"][0]["settings"]["server_url"] = "http://localhost:9/"
        settings.EGRESS_PRIVATE_HOSTS = (private,)

        answer = client.get(f"/sign-in/with/{provider.host}/")

        assert answer.status_code == 403
        assert "did not confirm" in answer.content.decode()

    def test_to_be_the_issuer_of_the_setting_lets_nobody_in(
        self, provider: Provider, client: Client, settings: Any
    ) -> None:
        settings.OIDC["apps"][0]["settings"]["openid_configuration_overrides"]["issuer"] += "/"
        provider.knows("i", groups=["staff"])

        assert provider.come_back(client, "i").status_code == 403
        assert not User.objects.exists()

    def test_to_ask_for_sign_in_joins_no_accounts(self, provider: Provider, desk: Client) -> None:
        provider.knows("j", groups=["staff"])

        assert provider.come_back(desk, "j", query="?process=connect").status_code == 403
        assert not SocialAccount.objects.exists()


def test_roles_of_the_setting_are_the_desk_s() -> None:
    assert set(Role.values) == ROLES
