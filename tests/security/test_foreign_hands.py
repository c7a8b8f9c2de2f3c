"""Trial 22. Promise: a key reaches nothing of another platform or outside its scopes, and no URL is open.

Every operation of the OpenAPI document is called with every single scope and with another platform's ids.
The desk's URLs are tested in tests/moderation/web/test_access.py.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from moderation.api import examples
from moderation.models import AuditEntry, Delivery, Platform, Revision, ShadowRun, User
from moderation.models.learning import ProposalKind
from moderation.models.platforms import Scope
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.labels import exports
from moderation.operations.learning import proposals
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.webhooks import endpoints
from moderation.queries.labels.labels import LabelFilter
from tests.moderation.api.conftest import client_of
from tests.moderation.conftest import Case_, Later, judge
from tests.moderation.web.test_access import urlpatterns

DOCUMENT: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
NAMES = [f"{method} {path}" for method, path, _ in OPERATIONS]
OWNED = [one for one in OPERATIONS if "{" in one[1]]
ADDRESS, MAIL = "198.51.100.23", "leak.example"
Ids = dict[str, dict[str, str]]
"""Names and values of a path by the beginning of it."""
Operation = dict[str, Any]


def call(client: APIClient, method: str, path: str, operation: Operation, ids: dict[str, str]) -> Any:
    for name, value in ids.items():
        path = path.replace(f"{{{name}}}", value)
    body = examples.REQUESTS.get(operation["operationId"])
    return client.generic(method, path, "" if body is None else json.dumps(body), "application/json")


def scopes_of(operation: Operation) -> set[str]:
    return {scope for scope in Scope.values if f"`{scope}`" in operation["description"]}


@pytest.fixture
def boss(db: None) -> User:
    return User.objects.create_user("boss", role=Role.ADMIN)


@pytest.fixture
def theirs(
    platform: Platform, open_case: Case_, moderator: User, lead: User, later: Later, at: datetime
) -> Ids:
    """Everything that a platform can own, and the ids that lead to it, by the beginning of the path."""
    endpoint, _ = endpoints.add(platform=platform, url="https://hooks.example/", at=at)
    author = IncomingAuthor(external_id="honest_author", email_domain=MAIL)
    decided, waiting = (open_case(text=text, ip=ADDRESS, author=author) for text in ("one", "two"))
    decision = judge(decided, moderator, at=later(3))
    asked = exports.request(requested_by=lead, platform=platform, wanted=LabelFilter(), at=at)
    # Rules about links and addresses hold for the whole installation; those about authors do not.
    drafted = rules.draft(
        kind="author", value=str(waiting.post.author_id), reason="a scam", actor=lead, at=at, expires_at=None
    )
    proposed = proposals.propose(
        kind=ProposalKind.THRESHOLDS, candidate="c" * 64, changes={"platform": platform.slug}, evidence={},
        reason="fewer cases", actor=lead, at=timezone.now(),
    )  # fmt: skip
    compared = ShadowRun.objects.create(
        candidate="c" * 64, live="d" * 64, share=1, started_by=lead, started_at=at, reached=0
    )
    ids = {
        "shadow-runs": str(compared.pk), "rules": str(drafted.pk), "posts": str(waiting.post_id),
        "cases": str(waiting.pk), "claims": str(waiting.pk), "decisions": str(decision.pk),
        "exports": str(asked.pk), "webhook-endpoints": str(endpoint.pk),
        "deliveries": str(Delivery.objects.get().pk), "release-proposals": str(proposed.pk),
    }  # fmt: skip
    return {kind: {"id": number} for kind, number in ids.items()} | {
        "authors": {"external_id": "honest_author"},
        "queues": {"queue": "all"},
    }


def ids_for(path: str, theirs: Ids) -> dict[str, str]:
    return theirs.get(path.removeprefix("/api/v1/").split("/")[0], {"id": "1"})


OPEN = {
    "/readyz": "probe",
    "/metrics": "asks for a token; production has none without one",
    "/openapi.json": "leads to the next",
    "/api/v1/openapi.json": "documentation",
    "/api/v1/docs": "documentation",
    "/problems/": "documentation",
    "/problems/{}": "documentation",
    "/api/": "answers that nothing is there",
    "/integrations/hook/{}": "asks for the platform's signature",
    "/integrations/matrix/{}/{}": "asks for the secret of the page; only messages are looked at",
    "/integrations/matrix-closed/{}/{}": "the same",
}
AKISMET = {
    "/1.1/verify-key",
    "/1.1/comment-check",
    "/1.1/submit-spam",
    "/1.1/submit-ham",
    "/1.1/get-subscription",
    "/1.{}/usage-limit",
    "/1.{}/",
}
OTHERS = {"/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore", "/api/v1/report"}
"""Of other products' clients: described by those products."""
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


@pytest.mark.drawn(12)
@pytest.mark.parametrize(("method", "path", "operation"), OWNED, ids=[f"{one[0]} {one[1]}" for one in OWNED])
def test_another_platforms_rows_are_not_there(
    method: str, path: str, operation: Operation, theirs: Ids, boss: User, at: datetime
) -> None:
    other = Platform.objects.create(slug="other", name="Other", created_at=at)
    client = client_of(other, boss, at=at)

    answer = call(client, method, path, operation, ids_for(path, theirs))

    if path.startswith("/api/v1/queues/"):
        assert answer.json()["cases"] == []
    else:
        assert answer.status_code == 404, answer.content


@pytest.mark.drawn(12)
@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=NAMES)
def test_every_scope_but_its_own_is_refused(
    method: str, path: str, operation: Operation, platform: Platform, theirs: Ids, boss: User, at: datetime
) -> None:
    own = scopes_of(operation)
    assert own, "the description names no scope"

    for scope in Scope.values:
        lacking = [one for one in Scope.values if one != scope]
        client = client_of(platform, boss, scopes=lacking, at=at)
        if scope in own:
            assert call(client, method, path, operation, ids_for(path, theirs)).status_code == 403, scope
    alone = client_of(platform, boss, scopes=[next(s for s in Scope.values if s not in own)], at=at)
    assert call(alone, method, path, operation, ids_for(path, theirs)).status_code == 403


def test_addresses_and_mail_domains_are_in_no_answer_webhook_or_audit_entry(
    platform: Platform, theirs: Ids, boss: User, at: datetime
) -> None:
    assert ADDRESS in Revision.objects.values_list("ip", flat=True)
    client = client_of(platform, boss, at=at)

    told = b"".join(
        call(client, method, path, operation, ids_for(path, theirs)).content
        for method, path, operation in OPERATIONS
        if method == "GET" and not path.endswith("/file")
    )

    told += str([*Delivery.objects.values_list("body"), *AuditEntry.objects.values_list("details")]).encode()
    assert ADDRESS.encode() not in told
    assert MAIL.encode() not in told


class TestEveryAddress:
    def test_each_belongs_to_an_interface(self) -> None:
        desk = {path for path, entry in EVERY.items() if entry in urlpatterns}

        assert set(EVERY) - desk == set(OPEN) | API | AKISMET | OTHERS

    @pytest.mark.parametrize("path", sorted(API))
    def test_a_session_of_the_desk_opens_no_part_of_the_api(self, path: str, db: None) -> None:
        """Else a page somewhere could make a moderator's browser call it."""
        desk = Client()
        desk.force_login(User.objects.create_user("boss", role=Role.ADMIN, is_superuser=True))
        calls: list[Callable[..., object]] = [desk.get, desk.post, desk.put, desk.patch, desk.delete]

        statuses = {call(path.replace("{}", "1")).status_code for call in calls}  # type: ignore[attr-defined]  # responses

        assert statuses <= {401, 405}
        assert 401 in statuses

    @pytest.mark.parametrize("path", sorted(AKISMET))
    def test_akismets_addresses_ask_for_a_key(self, path: str, client: Client, db: None) -> None:
        answer = client.post(
            path.replace("{}", "1"), {"blog": "http://blog.example/", "user_ip": "192.0.2.1"}
        )

        thanks = "Thanks for making the web a better place."
        assert answer.content.decode() not in {"true", "false", "valid", thanks}
