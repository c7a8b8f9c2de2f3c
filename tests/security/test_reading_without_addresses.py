"""Promise: an ML engineer reads posts, cases and decisions, and learns no address or e-mail domain of them.

And where the settings say so, a moderator reads names in place of the addresses.

A known address and domain are planted wherever the desk stores one; then every page that the role may open is
read. That the same pages show both to a lead proves that there was something to find.
"""

import re
from collections.abc import Callable, Collection
from datetime import datetime
from html import unescape
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from django.test import Client
from django.utils.timezone import now

from moderation.models import AuditEntry, Case, DeskSettings, Label, Rule, Score, User, network_names
from moderation.models.campaigns import Campaign, CampaignMember, CampaignTrait
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.accounts import users
from moderation.operations.labels import export_build, exports
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.queries.labels.labels import LabelFilter
from scoring.features import NAMES
from tests.moderation.conftest import Case_, judge
from tests.moderation.web.conftest import desk_of
from tests.moderation.web.test_access import ALLOWED, address, urlpatterns

__all__ = ["desk_of"]

Desks = Callable[[User], Client]

ADDRESS, NETWORK, MAIL = "198.51.100.23", "198.51.100.", "leak.example"
RANGE = f"{NETWORK}0/24"
LINK = re.compile(r'(?:href|hx-get|action|data-context|data-around)="([^"#]+)')
WRITES = {
    "account-password",
    "account_reauthenticate",
    "candidate-propose",
    "exports",
    "filter-forget",
    "filter-keep",
    "histories",
    "history",
    "history-remove",
    "judge-again",
    "label-draw",
    "label-draw-cancel",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_deactivate_totp",
    "mfa_generate_recovery_codes",
    "mfa_remove_webauthn",
    "notifications-change",
    "notifications-put-away",
    "preferences",
    "proposal-confirm",
    "proposal-refuse",
    "roll-back",
    "session-end",
    "sessions-end-others",
    "shadow-draw",
    "shadow-start",
    "shadow-stop",
    "shortcuts",
    "thresholds-propose",
    "training-cancel",
    "training-start",
    "try-out",
}
"""Where an ML engineer may send a form: about the own account, and what learning needs."""


@pytest.fixture(autouse=True)
def _no_services(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moderation.operations.infrastructure.probe.ask", lambda _: [])


@pytest.fixture
def engineer(db: None) -> User:
    return User.objects.create_user("engineer", role=Role.ML_ENGINEER)


@pytest.fixture
def planted(open_case: Case_, moderator: User, lead: User, later: Callable[[float], datetime]) -> Case:
    """Posts from one address, decided, held and banned by a rule about it, with every sentence about them."""
    author = IncomingAuthor(external_id="a", display_name="A", email_domain=MAIL)
    decided, banned = (
        open_case(text=f"{word} http://shop.example/", ip=ADDRESS, author=author) for word in ("one", "two")
    )
    judge(decided, moderator, at=later(3))
    rule = rules.impose(
        kind="address",
        value=RANGE,
        effect="hold",
        reason="a botnet",
        actor=lead,
        expires_at=later(86_400),
        at=later(4),
    )
    held = open_case(text="three http://shop.example/", ip=ADDRESS, author=author, at=later(5))
    Score.objects.update(
        contributions=[[name, 1.0, 0.5] for name in NAMES],
        counterfactual={"kind": "address_without_spam", "probability": 0.01, "route": "allow"},
    )
    Score.objects.filter(pk=held.score_id).update(rule=rule)
    Score.objects.filter(pk=banned.score_id).update(ban=rule)
    campaign = Campaign.objects.create(opened_at=later(0), latest_at=later(5), posts=3)
    CampaignTrait.objects.create(campaign=campaign, kind="network", value=RANGE, posts=3)
    for case in (decided, banned, held):
        joined = {"post": case.post, "revision": case.score.revision, "joined_at": later(5), "likeness": 1.0}
        CampaignMember.objects.create(campaign=campaign, **joined)
    return held


def crawl(desk: Client, *, begin_at: Collection[str] = (), most: int = 400) -> dict[str, str]:
    """Read every page that links lead to, from every page that the desk has; the bodies by their address."""
    waiting = [*begin_at] or [address(pattern) for pattern in urlpatterns if pattern.name != "sign-out"]
    seen: dict[str, str] = {}
    while waiting and len(seen) < most:
        place = waiting.pop(0)
        if place in seen:
            continue
        answer = desk.get(place)
        body = b"".join(answer) if answer.streaming else answer.content
        seen[place] = unquote(unescape(body.decode(errors="replace"))) + str(answer.headers)
        for found in LINK.findall(body.decode(errors="replace")):
            link = urlsplit(urljoin(f"http://testserver{place}", unescape(found)))
            if link.netloc == "testserver" and not link.path.startswith(("/static/", "/sign-")):
                waiting.append(f"{link.path}?{link.query}" if link.query else link.path)
    return seen


def leaks(pages: dict[str, str], *secrets: str) -> set[str]:
    return {place for place, body in pages.items() if any(one in body for one in secrets or (NETWORK, MAIL))}


@pytest.mark.whole
class TestPages:
    def test_show_a_lead_the_address_and_an_ml_engineer_none(
        self, planted: Case, lead: User, engineer: User, desk_of: Desks
    ) -> None:
        hidden = crawl(desk_of(engineer))

        telling = {f"/posts/{planted.post_id}/", f"/review/{planted.pk}/"}
        telling.add(f"/authors/{planted.post.author_id}/")
        read = {*telling, "/posts/", "/decisions/", f"/review/{planted.pk}/now/"}
        assert leaks(crawl(desk_of(lead), begin_at=telling, most=len(telling))) == telling
        assert read <= set(hidden)
        assert all("three" in hidden[place] for place in (f"/posts/{planted.post_id}/", "/posts/"))
        assert leaks(hidden) == set()

    def test_do_not_say_by_a_search_whether_an_address_is_right(
        self, planted: Case, engineer: User, desk_of: Desks
    ) -> None:
        desk = desk_of(engineer)

        for given in (ADDRESS, RANGE, "203.0.113.7"):
            found = desk.get("/posts/", {"address": given}).content.decode()
            assert f"/posts/{planted.post_id}/" not in found
        assert desk.get(f"/addresses/{ADDRESS}/").status_code == 403
        assert desk.get(f"/review/{planted.pk}/beside/address/").status_code == 403

    def test_show_them_to_whom_an_administrator_allows_it(
        self, planted: Case, engineer: User, desk_of: Desks
    ) -> None:
        boss = User.objects.create_user("boss", role=Role.ADMIN)
        place, desk = f"/posts/{planted.post_id}/", desk_of(engineer)

        desk_of(boss).post(f"/users/{engineer.pk}/addresses/", {"allowed": "1"})
        allowed = desk.get(place).content.decode()
        desk_of(boss).post(f"/users/{engineer.pk}/addresses/", {"allowed": "0"})
        again = desk.get(place).content.decode()

        assert ADDRESS in allowed
        assert ADDRESS not in again
        told = AuditEntry.objects.filter(subject_id=str(engineer.pk), actor=boss).order_by("pk")
        assert [entry.action for entry in told] == ["user.addresses_allowed", "user.addresses_hidden"]

    def test_ask_again_when_the_role_comes_back(self, engineer: User, at: datetime) -> None:
        boss = User.objects.create_user("boss", role=Role.ADMIN)
        users.allow_addresses(user_id=engineer.pk, is_allowed=True, actor=boss, at=at)

        for role in (Role.MODERATOR, Role.ML_ENGINEER):
            profile = users.Profile(first_name="", last_name="", role=role)
            users.change(user_id=engineer.pk, profile=profile, actor=boss, at=at)

        engineer.refresh_from_db()
        assert not engineer.may_read_addresses
        with pytest.raises(users.NoMLEngineer):
            users.allow_addresses(user_id=boss.pk, is_allowed=True, actor=boss, at=at)


class TestNames:
    @pytest.fixture(autouse=True)
    def _named(self, remembered: DeskSettings) -> None:
        remembered.names_networks = True

    @pytest.mark.whole
    def test_stand_for_addresses_wherever_a_moderator_looks(
        self, planted: Case, moderator: User, lead: User, desk_of: Desks
    ) -> None:
        own, network = (moderator.address_shown(one) for one in (ADDRESS, RANGE))
        post, author = f"/posts/{planted.post_id}/", f"/authors/{planted.post.author_id}/"
        case, campaign = f"/review/{planted.pk}/", f"/campaigns/{Campaign.objects.get().pk}/"
        by_name = {f"/addresses/{one}/" for one in (own, network)}
        Rule.objects.update(effect="ban", expires_at=None)  # in force by now

        read = crawl(desk_of(moderator))

        assert leaks(read, NETWORK) == set()
        told = {post, "/posts/", author, case, f"{case}beside/address/", *by_name}
        assert told <= leaks(read, network_names.words(own))
        assert {f"{case}context/", campaign, *by_name} <= leaks(read, network_names.words(network))
        assert {author, case} <= leaks(read, MAIL)
        assert all("three" in read[place] for place in by_name)
        assert leaks(crawl(desk_of(lead), begin_at=[post, author], most=2), NETWORK) == {post, author}

    def test_cannot_be_had_for_an_address(self, planted: Case, moderator: User, desk_of: Desks) -> None:
        desk, own = desk_of(moderator), moderator.address_shown(ADDRESS)

        for given in (ADDRESS, RANGE, "203.0.113.7", f"{own[:-1]}{'01'[own[-1] == '0']}"):
            found = desk.get("/posts/", {"address": given}).content.decode()
            assert "You cannot search by address" in found
            assert f"/posts/{planted.post_id}/" not in found
            assert desk.get(f"/addresses/{given}/").status_code == 403
        assert f"/posts/{planted.post_id}/" in desk.get("/posts/", {"address": own}).content.decode()

    def test_suffice_to_propose_a_rule(
        self, planted: Case, moderator: User, lead: User, desk_of: Desks, at: datetime
    ) -> None:
        Rule.objects.update(lifted_at=at)
        Label.objects.update(is_spam=False)
        desk, place = desk_of(moderator), f"/review/{planted.pk}/beside/address/rule/"
        form = {"effect": "ban", "reason": "x", "days": "30"}

        tried, done, again = (
            ask(place, form, follow=True).content.decode() for ask in (desk.get, desk.post, desk.post)
        )

        linked = moderator.address_shown(ADDRESS)
        assert Rule.objects.get(imposed_by=moderator).value == ADDRESS
        assert f"state=not_spam&amp;address={linked}" in tried
        assert "has already been proposed" in again
        assert NETWORK not in tried + done + again
        opened = desk_of(lead).get(f"/addresses/{linked}/")
        assert opened.headers["Location"] == f"/addresses/{ADDRESS}/"


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_exports_hold_placeholders_for_who_may_not_read_addresses(
    form: str, planted: Case, lead: User, engineer: User, desk_of: Desks
) -> None:
    at = now()
    with_them, without = (
        exports.request(requested_by=who, wanted=LabelFilter(), form=form, at=at) for who in (lead, engineer)
    )
    for export in (with_them, without):
        export_build.build(export_id=export.pk, at=at)

    files = {}
    for who, export in ((lead, with_them), (engineer, without)):
        answer = desk_of(who).get(f"/exports/{export.pk}/download/")
        files[who] = b"".join(answer)
    refused = desk_of(engineer).get(f"/exports/{with_them.pk}/download/")

    if form != "parquet":  # whose columns are compressed
        assert ADDRESS.encode() in files[lead]
        assert b"0.0.0.0" in files[engineer]
    assert ADDRESS.encode() not in files[engineer]
    assert MAIL.encode() not in files[engineer]
    assert refused.status_code == 403


@pytest.mark.whole
def test_an_ml_engineer_writes_nowhere_else(engineer: User, desk_of: Desks) -> None:
    """A view that only reads answers a POST with 405; a refused one with 403."""
    desk = desk_of(engineer)
    inside = [pattern for pattern in urlpatterns if str(pattern.name) in ALLOWED]

    taken = {
        str(pattern.name) for pattern in inside if desk.post(address(pattern)).status_code not in {403, 405}
    }

    assert taken == WRITES
