"""No URL is open by accident: each belongs to API or desk, where tests request it with every role or scope.

The desk's URLs are tested in tests/moderation/web/test_access.py, the API's in test_foreign_hands.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from moderation.models import User
from moderation.models.users import Role
from moderation.web.urls import urlpatterns
from tests.security.test_foreign_hands import OPERATIONS

OPEN = {
    "/healthz": "probe",
    "/readyz": "probe",
    "/metrics": "asks for a token; production has none without one",
    "/api/v1/openapi.json": "documentation",
    "/api/v1/docs": "documentation",
    "/problems/": "documentation",
    "/problems/{}": "documentation",
    "/api/": "answers that nothing is there",
}
AKISMET = {
    "/1.1/verify-key",
    "/1.1/comment-check",
    "/1.1/submit-spam",
    "/1.1/submit-ham",
    "/1.{}/usage-limit",
}
API = {re.sub(r"{\w+}", "{}", path) for _, path, _ in OPERATIONS}


def patterns(within: URLResolver, prefix: str = "/") -> Iterator[tuple[str, URLPattern]]:
    """Yield every address of the product, arguments as {}."""
    for entry in within.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, path)
        else:
            yield normalised(path), entry


def normalised(path: str) -> str:
    plain = path.replace("^", "").replace("(/|$)", "/").replace("\\.", ".").replace("[12]", "{}")
    return re.sub(r"<[^>]+>", "{}", plain).removesuffix("$")


EVERY = dict(patterns(get_resolver()))


def test_each_belongs_to_an_interface() -> None:
    desk = {path for path, entry in EVERY.items() if entry in urlpatterns}

    assert set(EVERY) - desk == set(OPEN) | API | AKISMET


@pytest.mark.parametrize("path", sorted(API))
def test_a_session_of_the_desk_opens_no_part_of_the_api(path: str, db: None) -> None:
    """Else a page somewhere could make a moderator's browser call it."""
    desk = Client()
    desk.force_login(User.objects.create_user("boss", role=Role.ADMIN, is_superuser=True))
    calls: list[Callable[..., object]] = [desk.get, desk.post, desk.put, desk.patch, desk.delete]

    statuses = {call(path.replace("{}", "1")).status_code for call in calls}  # type: ignore[attr-defined]  # responses

    assert statuses <= {401, 405}
    assert 401 in statuses


@pytest.mark.parametrize("path", sorted(AKISMET))
def test_akismets_addresses_ask_for_a_key(path: str, client: Client, db: None) -> None:
    answer = client.post(path.replace("{}", "1"), {"blog": "http://blog.example/", "user_ip": "192.0.2.1"})

    thanks = "Thanks for making the web a better place."
    assert answer.content.decode() not in {"true", "false", "valid", thanks}
