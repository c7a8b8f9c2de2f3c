"""Every address of the desk with every role."""

import re
from collections import defaultdict
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from integrations.urls import pages
from moderation.models import User
from moderation.web.urls import urlpatterns as desk_pages
from tests.moderation.web.conftest import HTMX, DeskOf, flat

urlpatterns = [*desk_pages, *pages]
"""All pages of the desk."""

EVERYONE = {"moderator", "lead", "ml_engineer", "admin"}
DECIDERS = {"moderator", "lead", "admin"}
LEADS = {"lead", "admin"}
EXPORTERS = {"lead", "ml_engineer", "admin"}
ADMINS = {"admin"}
PUBLIC = {"sign-in", "account_login", "mfa_authenticate", "mfa_login_webauthn", "sign-in-device"}
PUBLIC |= {"invitation", "sign-out", "set-language", "openid_connect_login", "openid_connect_callback"}
ALLOWED = {
    name: roles
    for roles, names in (
        (
            EVERYONE,
            """
            home account account-password account_reauthenticate mfa_index mfa_activate_totp
            mfa_add_webauthn mfa_remove_webauthn mfa_deactivate_totp mfa_view_recovery_codes
            mfa_generate_recovery_codes session-end sessions-end-others preferences shortcuts health
            notifications notifications-change notifications-put-away
            try-out case case-text case-counted case-now decisions decisions-csv posts post post-text
            post-picture authors author domains domain filter-keep filter-forget policies policy
            """,
        ),
        (
            DECIDERS,
            """
            pace guidelines blind-review-undo queue bulk-decide bulk bulk-undo review campaigns campaign
            campaign-decide campaign-leave-out campaign-undo campaign-correct review-next review-ahead
            review-beat review-hand-back review-token case-claim case-context case-note case-second
            case-around case-beside case-beside-rule case-author-note case-pause case-decide case-skip
            case-skip-undo case-escalate decision-undo decision-correct post-translation mentions
            mention-done mention-names address first-shift first-shift-start review-level
            case-next-similar
            """,
        ),
        (
            EXPORTERS,
            """
            quality quality-csv drift labels label-draw label-draw-cancel exports thresholds
            thresholds-propose proposal-confirm proposal-refuse proposal-state export export-download models
            feature-search judge-again model-errors model-errors-csv release roll-back shadow-run
            shadow-start shadow-stop shadow-draw training-start training-run training-cancel candidate-propose
            histories history history-remove history-csv
            """,
        ),
        (
            LEADS,
            """
            drift-acknowledge today today-csv appeals second-reviews disagreement-settle desk-settings
            golden-items golden-item-mark golden-item-confirm golden-item-retire audit named-queues
            named-queue named-queue-delete named-queue-assign named-queue-withdraw queue-mix user-languages
            policy-new policy-try policy-activate policy-end rules rule-draft rule-new rule-lift
            picture-list-new picture-list-csv pictures-csv
            platform-settings actions action-answer
            """,
        ),
        (
            ADMINS,
            """
            platforms platform platform-stand endpoint-add endpoint-secret
            endpoint-remove endpoint-test deliveries delivery-again key-issue key-revoke key-akismet
            alias-issue alias-revoke users user
            action-set action-remove
            user-invite user-uninvite
            user-addresses user-switch user-reset user-second-factor user-sessions-end reasons reason
            integrations integration integration-connect integration-signed-in integration-change
            integration-again
            """,
        ),
    )
    for name in names.split()
}
UUID = "00000000-0000-4000-8000-000000000001"
ARGUMENTS = defaultdict[str, Any](
    lambda: 1,
    dict.fromkeys(("key", "public_id", "delivery_id"), UUID),
    digest="0" * 64,
    kind="author",
    name="evil.example",
    token="used",
    table="figures",
    user_id=999,
    address="203.0.113.7",
)
"""Arguments of addresses, by name; most are the number of a row."""

# A style, a handler, or a script that is not a file of ours.
INLINE = re.compile(
    r"\sstyle=|<style|\son[a-z]+=|<script(?![^>]*\ssrc=[\"']?/static/)|javascript:", re.IGNORECASE
)
GUARDED = [pattern for pattern in urlpatterns if pattern.name not in PUBLIC]


def address(pattern: URLPattern) -> str:
    """The pattern's address with arguments that fit."""
    given = {name: ARGUMENTS[name] for name in pattern.pattern.converters}
    return reverse(str(pattern.name), kwargs=given)


@pytest.fixture(autouse=True)
def _no_services(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moderation.operations.infrastructure.probe.ask", lambda _: [])


@pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
class TestGuards:
    @pytest.mark.drawn(24)
    def test_let_in_exactly_the_roles_named(
        self, pattern: URLPattern, people: dict[str, User], desk_of: DeskOf
    ) -> None:
        let_in = set()
        for role, person in people.items():
            desk = desk_of(person)
            answers = [desk.get(address(pattern)), desk.post(address(pattern))]
            assert {answer.headers["Cache-Control"] for answer in answers} == {"private, no-store"}
            codes = {answer.status_code for answer in answers}
            assert not {500, 401} & codes
            if 403 not in codes:
                let_in.add(role)

        assert let_in == ALLOWED[str(pattern.name)]

    def test_send_strangers_to_the_sign_in_page(self, pattern: URLPattern, client: Client, db: None) -> None:
        answers = [client.get(address(pattern)), client.post(address(pattern))]

        for answer in answers:
            assert answer.status_code in {302, 405}
            assert answer.status_code == 405 or answer.headers["Location"].startswith("/sign-in/?next=")

    def test_tell_htmx_that_the_session_ended(self, pattern: URLPattern, client: Client, db: None) -> None:
        answer = client.post(address(pattern), headers=HTMX)

        assert answer.status_code in {401, 405}


SEARCH = ["/posts/", "/authors/", "/domains/", "/decisions/"]
DECIDING = ["/queue/", "/campaigns/", *SEARCH]
LEARNING = ["/quality/", "/quality/drift/", "/models/", "/thresholds/", "/exports/", "/labels/"]
LEARNING += ["/models/errors/", "/models/features/", "/try/", "/health/", "/history/"]
LEADING = ["/today/", "/second-reviews/", "/golden-items/", "/rules/", "/policies/", "/audit/", "/settings/"]
LEADING += ["/decisions/actions/"]
SECTIONS = {
    "moderator": ("Queue Campaigns Search", [*DECIDING, "/try/"]),
    "lead": ("Queue Campaigns Search Today Quality Models Manage", [*DECIDING, *LEARNING, *LEADING]),
    "ml_engineer": ("Search Quality Models Health", [*SEARCH, *LEARNING]),
    "admin": (
        "Queue Campaigns Search Today Quality Models Manage",
        [*DECIDING, *LEARNING, *LEADING, "/platforms/", "/integrations/", "/users/", "/reasons/"],
    ),
}
"""Each role's sections, and the pages that they and their tabs lead to."""
NAVIGATION = re.compile(r'<nav class="(?:topbar__nav|finders|chips)\b.*?</nav>')


@pytest.mark.parametrize("role", SECTIONS)
def test_sections_lead_to_every_page_of_a_role(people: dict[str, User], desk_of: DeskOf, role: str) -> None:
    desk = desk_of(people[role])
    sections, pages = SECTIONS[role]
    found, new = set[str](), {pages[0]}

    while new:
        bars = {
            address: NAVIGATION.findall(flat(desk.get(address).content.decode())) for address in sorted(new)
        }
        assert {" ".join(re.findall(r">([^<>]+)</a>", bar)) for bar, *_ in bars.values()} == {sections}
        assert [address for address, (bar, *_) in bars.items() if "aria-current" not in bar] == []
        found |= new
        new = {
            href for bar in bars.values() for href in re.findall(r'href="(/[^"?#]*)', "".join(bar))
        } - found

    assert found == set(pages)


def test_appeals_stand_beside_the_filters_of_the_queue(desk: Client, lead_desk: Client) -> None:
    link = '<a class="chip-link" href="/appeals/">'

    assert link not in desk.get("/queue/").content.decode()
    assert link in lead_desk.get("/queue/").content.decode()


def test_no_view_is_forgotten() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(ALLOWED) | PUBLIC


@pytest.mark.parametrize(
    "request_line",
    [
        *(f"GET /addresses/{address}/" for address in ("nonsense", "0.0.0.0/0", "203.0.113.7/99", "::/8")),
        *("GET /authors/999/", "GET /campaigns/9/", "GET /domains/unheard.example/", "GET /rules/999999/"),
        *("GET /posts/999/", f"GET /posts/{10**30}/", "GET /models/shadow/999999/"),
        *("GET /policies/99/", "POST /policies/99/end/"),
        *("GET /quality/csv/nothing/", "POST /quality/drift/999/acknowledge/"),
    ],
)
def test_what_is_not_there_is_not_found(admin_desk: Client, request_line: str) -> None:
    method, path = request_line.split()

    assert admin_desk.generic(method, path).status_code == 404


class TestPolicy:
    @pytest.mark.drawn(24)
    @pytest.mark.parametrize("pattern", urlpatterns, ids=lambda pattern: pattern.name)
    def test_allows_nothing_inline_on_any_page(
        self, pattern: URLPattern, people: dict[str, User], desk_of: DeskOf
    ) -> None:
        answer = desk_of(people["admin"]).get(address(pattern), follow=True)

        policy = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        body = answer.getvalue().decode()
        assert not INLINE.search(body)

    @pytest.mark.parametrize("address", ["/sign-in/", "/nowhere/", "/api/v1/docs", "/problems/not-found"])
    def test_holds_for_strangers_too(self, client: Client, db: None, address: str) -> None:
        answer = client.get(address, follow=True)

        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert not INLINE.search(answer.content.decode())
