"""Akismet's calls with a person behind them: pending answers, aliases, hosts, trusted sites."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from integrations import platform_verdicts
from integrations.akismet import comments
from moderation.models import ApiKey, Case, Complaint, Decision, Platform, Post, Revision, User
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.accounts import akismet_aliases, api_keys
from moderation.operations.cases import claims
from moderation.operations.infrastructure.limits import Bucket
from tests.moderation.fakes import FakeScorer

SPAM, MAYBE, HAM = "Cheap pills, no prescription!", "Nice post, look at mine", "I saw your cat."
COMMENT = {"blog": "https://blog.example/", "user_ip": "192.0.2.7", "comment_author": "Ann"}
SCOPES = [Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE, Scope.VERDICTS_READ]


@pytest.fixture(autouse=True)
def scores(fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> FakeScorer:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    fake_scorer.probabilities |= {SPAM: 0.95, MAYBE: 0.6, HAM: 0.05}
    return fake_scorer


@pytest.fixture
def issued(platform: Platform) -> tuple[ApiKey, str]:
    return api_keys.issue(platform=platform, name="blog", scopes=SCOPES, expires_at=None, at=timezone.now())


@pytest.fixture
def key(issued: tuple[ApiKey, str]) -> ApiKey:
    return issued[0]


@pytest.fixture
def alias(key: ApiKey, lead: User) -> str:
    return akismet_aliases.issue(key=key, site="Blog.example", actor=lead, at=timezone.now())


def call(client: Client, name: str, key: str, /, text: str = MAYBE, **given: str) -> str:
    form = COMMENT | {"api_key": key, "comment_content": text} | given
    return client.post(f"/1.1/{name}", form).content.decode()


def configure(key: ApiKey, lead: User, *, hours: int | None = None, trusts: bool = False) -> None:
    akismet_aliases.configure(
        key=key, pending_hours=hours, decides_as=lead if trusts else None, actor=lead, at=timezone.now()
    )


def decide(verdict: Verdict, person: User, *, seconds_ago: int = 300) -> None:
    post = Post.objects.get()
    at = timezone.now() - timedelta(seconds=seconds_ago)
    platform_verdicts.record(
        platform=post.platform, external_id=post.external_id, verdict=verdict, moderator=person, at=at
    )


class TestPending:
    @pytest.mark.parametrize(("text", "said"), [(SPAM, "true"), (HAM, "false"), (MAYBE, "pending")])
    def test_is_answered_while_nothing_is_decided(
        self, client: Client, key: ApiKey, alias: str, lead: User, scores: FakeScorer, text: str, said: str
    ) -> None:
        configure(key, lead, hours=4)

        assert call(client, "comment-check", alias, text) == said
        scores.is_degraded = True
        assert call(client, "comment-check", alias, f"{text} Again.") == "pending"

    @pytest.mark.parametrize(("verdict", "said"), [(Verdict.SPAM, "true"), (Verdict.NOT_SPAM, "false")])
    def test_ends_with_the_verdict_of_a_person(
        self, client: Client, key: ApiKey, alias: str, lead: User, verdict: Verdict, said: str
    ) -> None:
        configure(key, lead, hours=4)
        call(client, "comment-check", alias)
        decide(verdict, lead)

        again = {"recheck_reason": "retry", "comment_ID": "3", "user_agent": "another"}
        assert call(client, "comment-check", alias, **again) == said
        assert Post.objects.count() == 1

    def test_lasts_while_the_decision_can_be_undone(
        self, client: Client, key: ApiKey, alias: str, lead: User
    ) -> None:
        configure(key, lead, hours=4)
        call(client, "comment-check", alias)
        decide(Verdict.SPAM, lead, seconds_ago=0)

        assert call(client, "comment-check", alias) == "pending"

    @pytest.mark.parametrize(("probability", "said"), [(0.6, "true"), (0.4, "false")])
    def test_ends_with_what_is_likelier(
        self, client: Client, key: ApiKey, alias: str, lead: User, scores: FakeScorer,
        probability: float, said: str,
    ) -> None:  # fmt: skip
        configure(key, lead, hours=4)
        scores.probabilities[MAYBE] = probability
        call(client, "comment-check", alias)
        Post.objects.update(received_at=timezone.now() - timedelta(hours=5))

        assert call(client, "comment-check", alias) == said


class TestHoneypot:
    @pytest.mark.parametrize(
        "filled", [{"POST_ak_hp_textarea": "x"}, {"honeypot_field_name": "trap", "trap": "x"}]
    )
    def test_says_spam_until_a_person_decides(
        self, client: Client, alias: str, lead: User, filled: dict[str, str]
    ) -> None:
        assert call(client, "comment-check", alias, HAM, **filled) == "true"
        assert call(client, "comment-check", alias, HAM, **filled) == "true"
        assert Complaint.objects.get().reporter.external_id == "akismet-form:https://blog.example/"

        decide(Verdict.NOT_SPAM, lead)

        assert call(client, "comment-check", alias, HAM, **filled) == "false"


class TestAliases:
    def test_stand_for_a_key_on_their_site_alone(self, client: Client, alias: str) -> None:
        given = {"key": alias, "blog": "http://BLOG.example/news"}

        assert len(alias) == 12
        assert client.post("/1.1/verify-key", given).content == b"valid"
        assert client.post("/1.1/verify-key", given | {"blog": "https://b.example"}).content == b"invalid"
        assert client.post("/1.1/verify-key", {"key": alias}).content == b"invalid"

    def test_end_when_revoked_or_with_their_key(self, client: Client, key: ApiKey, lead: User) -> None:
        at = timezone.now()
        first, second = [
            akismet_aliases.issue(key=key, site="blog.example", actor=lead, at=at) for _ in range(2)
        ]
        row = key.akismet_aliases.first()
        assert row is not None
        akismet_aliases.revoke(alias_id=row.pk, actor=lead, at=at)
        assert call(client, "comment-check", first) == "invalid"
        assert call(client, "comment-check", second) == "false"

        api_keys.revoke(key_id=key.pk, actor=lead, at=at)

        assert call(client, "comment-check", second) == "invalid"

    def test_open_nothing_but_akismets_calls(self, client: Client, alias: str) -> None:
        answer = client.get("/api/v1/decisions", headers={"Authorization": f"Bearer {alias}"})

        assert answer.status_code == 401

    def test_serve_few_calls_a_minute(
        self, client: Client, alias: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        few = Bucket(name="alias calls", per_minute=1, burst=2)
        monkeypatch.setattr("moderation.operations.accounts.akismet_aliases._CALLS", few)

        said = [call(client, "comment-check", alias, HAM) for _ in range(3)]

        assert said == ["false", "false", "Too many requests."]

    def test_that_are_guessed_count_like_wrong_keys(self, client: Client, db: None, settings: Any) -> None:
        settings.WRONG_KEYS_PER_MINUTE = settings.WRONG_KEYS_BURST = 20
        blog = COMMENT["blog"]
        answers = [
            client.post("/1.1/verify-key", {"key": f"{n:012x}", "blog": blog}, REMOTE_ADDR="192.0.2.98")
            for n in range(30)
        ]

        assert answers[-1].status_code == 429


class TestHosts:
    def test_akismets_own_name_is_answered_for_its_calls_alone(self, client: Client, alias: str) -> None:
        host = {"host": "rest.akismet.com"}
        given = COMMENT | {"api_key": alias, "comment_content": HAM}

        assert client.post("/1.1/comment-check", given, headers=host).content == b"false"
        for path in ("/", "/sign-in/", "/api/v1/decisions", "/healthz"):
            assert client.get(path, headers=host).status_code == 400
        assert client.post("/1.1/comment-check", given, headers={"host": "evil.example"}).status_code == 400

    @pytest.mark.parametrize("agent", ["Discourse/3.5.0 | discourse-akismet/0.1.0", "Flarum/1.8 | Akismet/1"])
    def test_a_key_before_akismets_name_is_taken(
        self, client: Client, issued: tuple[ApiKey, str], alias: str, agent: str
    ) -> None:
        """As Discourse's and Flarum's plugins call, whose host cannot be changed."""
        form = COMMENT | {"permalink": "https://blog.example/t/1", "comment_content": SPAM, "referrer": ""}
        form |= {"content_type": "forum-post"} if agent.startswith("Disc") else {"comment_type": "reply"}
        for label in (alias, issued[1].replace("_", "-")):
            headers = {"host": f"{label}.rest.akismet.com", "user-agent": agent}
            said = [
                client.post(f"/1.1/{name}", form, headers=headers).content.decode()
                for name in ("comment-check", "submit-ham", "submit-spam")
            ]

            thanks = "Thanks for making the web a better place."
            assert said == ["true", thanks, thanks]
            assert client.get("/", headers=headers).status_code == 404
        assert Post.objects.count() == 1


@pytest.mark.parametrize("path", ["/1.1/get-stats", "/1.1/deactivate", "/1.2/key-sites", "/1.1/"])
def test_what_is_not_there_is_told_in_plain_text(client: Client, db: None, path: str) -> None:
    answer = client.post(path)

    assert (answer.status_code, answer.content) == (404, b"Not found.")


def test_a_subscription_is_active(client: Client, alias: str) -> None:
    answer = client.post("/1.1/get-subscription", {"key": alias, "blog": COMMENT["blog"]}).json()

    assert (answer["status"], answer["limit_reached"]) == ("active", False)
    assert client.post("/1.1/get-subscription", {"key": "0" * 12}).content == b"invalid"


@pytest.mark.parametrize("ip", ["10.1.2.3", "192.168.0.9", "127.0.0.1", "172.20.1.1", "fd00::1", "::1"])
def test_a_private_address_is_none(client: Client, alias: str, ip: str) -> None:
    call(client, "comment-check", alias, HAM, user_ip=ip)

    assert Revision.objects.get().ip is None


def test_the_same_words_with_another_link_are_another_comment() -> None:
    one, other = (
        comments.external_id_of(COMMENT | {"comment_content": f'<a href="https://{host}/">x</a>'})
        for host in ("a.example", "b.example")
    )

    assert one != other


def test_what_a_trusted_site_submits_is_a_complaint_while_somebody_holds_the_case(
    client: Client, key: ApiKey, alias: str, lead: User, moderator: User
) -> None:
    configure(key, lead, trusts=True)
    call(client, "comment-check", alias)
    claims.claim(case_id=Case.objects.get().pk, moderator=moderator, at=timezone.now())

    call(client, "submit-spam", alias)

    assert Complaint.objects.exists()
    assert not Decision.objects.exists()
