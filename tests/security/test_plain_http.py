"""Promise: production answers nothing but pages and probes over plain HTTP, and closes every cookie."""

from typing import Any

import pytest
from django.test import Client

from moderation.models import User
from tests.production import settings_like

KEY = {"authorization": "Bearer sk_production_unknown"}


@pytest.fixture(scope="module")
def secure() -> dict[str, Any]:
    """What another process reads, once for all: that takes a second."""
    return settings_like("SECURE_")


@pytest.fixture
def production(secure: dict[str, Any], settings: Any, db: None) -> None:
    for name, value in secure.items():
        if name != "SECURE_PROXY_SSL_HEADER":
            setattr(settings, name, value)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


PASSWORD = "right-and-long-enough"


@pytest.fixture
def closed_cookies(settings: Any) -> None:
    """The cookie settings of a process in production mode, read by such a process."""
    for name, value in settings_like("_COOKIE_").items():
        setattr(settings, name, value)


def test_hsts_binds_this_host_alone() -> None:
    assert list(settings_like("SECURE_HSTS").values()) == [False, False, 31_536_000]


@pytest.mark.usefixtures("production")
class TestPlainHttp:
    @pytest.mark.drawn(4)
    @pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete", "options"])
    @pytest.mark.parametrize("path", ["/api/v1/posts", "/api/v1/decisions", "/api/nothing", "/api/docs"])
    def test_refuses_the_api_without_redirect(self, client: Client, method: str, path: str) -> None:
        answer = getattr(client, method)(path, headers=KEY)

        assert (answer.status_code, answer.headers["Content-Type"]) == (403, "application/problem+json")
        assert "Location" not in answer.headers
        if method != "head":
            assert answer.json()["type"] == "/problems/tls_required"
            assert "Exchange it" in answer.json()["detail"]

    @pytest.mark.parametrize(
        ("path", "headers"),
        [
            ("/sign-in/", {}),
            ("/1.1/comment-check", {}),
            ("/1.1/verify-key", {}),
            ("/nothing/", {}),
            ("/", KEY),
        ],
    )
    def test_refuses_forms_and_plugins(self, client: Client, path: str, headers: dict[str, str]) -> None:
        answer = client.post(path, {"api_key": "k"}, headers=headers)

        assert answer.status_code == 403
        assert "plain HTTP" in answer.content.decode()

    def test_refuses_a_plugins_get_with_its_key(self, client: Client) -> None:
        assert client.get("/1.2/usage-limit?api_key=k").status_code == 403

    def test_leads_a_page_to_https(self, client: Client) -> None:
        answer = client.get("/sign-in/?next=/queue/")

        assert (answer.status_code, answer.headers["Location"]) == (
            301,
            "https://testserver/sign-in/?next=/queue/",
        )
        assert client.get("/sign-in/", headers=KEY).status_code == 403

    @pytest.mark.parametrize("path", ["/readyz?only=database", "/metrics"])
    def test_answers_probes(self, client: Client, path: str) -> None:
        assert client.get(path).status_code == 200

    @pytest.mark.parametrize("path", ["/readyz/../api/v1/posts", "/api/v1/posts?/readyz", "/api/readyz"])
    def test_knows_probes_by_their_whole_path(self, client: Client, path: str) -> None:
        assert client.get(path, headers=KEY).status_code == 403

    def test_believes_the_proxy(self, client: Client) -> None:
        headers = KEY | {"x-forwarded-proto": "https"}

        assert client.post("/api/v1/posts", headers=headers).status_code == 401


def test_every_cookie_that_signing_in_sets_is_closed(closed_cookies: None, db: None) -> None:
    User.objects.create_user("moderator", password=PASSWORD)
    client = Client()
    seen = dict(client.get("/sign-in/", secure=True).cookies)
    seen |= client.post("/sign-in/", {"username": "moderator", "password": PASSWORD}, secure=True).cookies
    seen |= client.post("/language/", {"language": "de", "next": "/account/"}, secure=True).cookies

    assert {"__Host-sessionid", "__Host-csrftoken", "__Host-device", "django_language"} <= set(seen)
    for name, cookie in seen.items():
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax"), name
        assert cookie["domain"] == "", name
