"""Published Akismet clients that put the key into the host name, unchanged; nobody else sees the key."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from moderation.models import Case, Complaint, Post
from tests.journeys import published
from tests.journeys.conftest import new_key
from tests.moderation.fakes import FakeScorer

pytestmark = [pytest.mark.django_db(transaction=True)]
SPAM, HAM = "Cheap pills, no prescription!", "I saw your cat near the river."
Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def secret(fake_scorer: FakeScorer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    settings.AKISMET_HOST = published.HOST
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, published.HOST]
    fake_scorer.default = 0.05
    fake_scorer.probabilities |= {SPAM: 0.995, "Buy followers": 0.95}
    return new_key("blogs", removal="always")


@pytest.fixture
def label(secret: str) -> str:
    """The key as a label of a host name."""
    return secret.replace("_", "-")


def port_of(live_server: LiveServer) -> int:
    return int(live_server.url.rpartition(":")[2])


class TestPythonAkismet:
    """PyPI's python-akismet 0.4.3."""

    SENDER = {"user_ip": "192.0.2.7", "user_agent": "Mozilla/5.0", "comment_author": "Ann"}

    def call(self, live_server: LiveServer, label: str, *calls: tuple[str, str]) -> list[Any]:
        given: Calls = [(name, self.SENDER | {"comment_content": text}) for name, text in calls]
        return published.python_akismet(key=label, port=port_of(live_server), calls=given)

    def test_checks_and_submits(self, live_server: LiveServer, label: str) -> None:
        said = self.call(
            live_server,
            label,
            ("check", SPAM), ("check", "Buy followers"), ("check", HAM),
            ("submit_spam", HAM), ("submit_ham", SPAM),
        )  # fmt: skip

        assert said == [3, 2, 0, None, None]  # certain spam, probable spam, no spam
        assert (Post.objects.count(), Complaint.objects.count()) == (3, 1)
        assert Case.objects.filter(reason="appealed", is_escalated=True).exists()

    def test_is_told_of_a_wrong_key(self, live_server: LiveServer, label: str) -> None:
        [said] = self.call(live_server, "sk-test-" + "0" * 48, ("check", HAM))

        assert "unknown key" in said
        assert not Post.objects.exists()


class TestNpmAkismet:
    """npm's akismet-api 6.0.0."""

    def test_checks_and_submits(self, live_server: LiveServer, label: str) -> None:
        sender = {"ip": "192.0.2.7", "useragent": "Mozilla/5.0", "name": "Ann"}
        given: Calls = [
            ("verifyKey", {}),
            *[("checkSpam", sender | {"content": text}) for text in (SPAM, HAM)],
            ("submitSpam", sender | {"content": HAM}),
            ("submitHam", sender | {"content": SPAM}),
        ]

        said = published.npm_akismet(key=label, port=port_of(live_server), calls=given)

        thanks = "Thanks for making the web a better place."
        assert said == [True, True, False, thanks, thanks]
        assert (Post.objects.count(), Complaint.objects.count()) == (2, 1)

    def test_is_told_of_a_wrong_key(self, live_server: LiveServer, label: str) -> None:
        wrong = "sk-test-" + "0" * 48

        calls: Calls = [("verifyKey", {}), ("checkSpam", {"ip": "192.0.2.7"})]
        said = published.npm_akismet(key=wrong, port=port_of(live_server), calls=calls)

        assert said == [False, "Invalid API key"]


def check(client: Client, host: str, path: str = "/1.1/comment-check", *, ip: str = "192.0.2.1") -> Any:
    comment = {"user_ip": "192.0.2.7", "comment_content": HAM}
    return client.post(path, comment, headers={"host": host}, REMOTE_ADDR=ip)


class TestHost:
    def test_knows_no_capitals(self, client: Client, label: str) -> None:
        for host in (f"{label}.akismet.localhost", f"{label.upper()}.Akismet.LocalHost:8000"):
            assert check(client, host).content == b"false"

    @pytest.mark.parametrize("path", ["/sign-in/", "/api/v1/posts", "/healthz", "/", "/x/../1.1/verify-key"])
    def test_opens_nothing_but_akismets_calls(self, client: Client, label: str, path: str) -> None:
        answer = check(client, f"{label}.akismet.localhost", path)

        assert (answer.status_code, answer.content) == (404, b"Not found.")

    @pytest.mark.parametrize("rest", ["testserver", "evil.example", "akismet.localhost.evil", "localhost"])
    def test_takes_keys_below_the_set_name_alone(self, client: Client, label: str, rest: str) -> None:
        assert check(client, f"{label}.{rest}").status_code == 404
        assert not Post.objects.exists()

    def test_takes_none_without_the_setting(self, client: Client, label: str, settings: Any) -> None:
        settings.AKISMET_HOST = ""

        assert check(client, f"{label}.akismet.localhost").status_code == 404

    @pytest.mark.parametrize("host", ["a.b.akismet.localhost", "akismet.localhost", ".akismet.localhost", ""])
    def test_without_a_key_is_told_so(self, client: Client, secret: str, host: str) -> None:
        answer = check(client, host)

        assert answer.content != b"false"
        assert not Post.objects.exists()

    def test_counts_wrong_keys(self, client: Client, label: str, settings: Any) -> None:
        settings.WRONG_KEYS_PER_MINUTE = settings.WRONG_KEYS_BURST = 60
        statuses = [
            check(client, f"sk-test-{number:048d}.akismet.localhost", ip="192.0.2.99").status_code
            for number in range(80)
        ]

        assert 429 in statuses

    def test_is_in_no_log_and_no_answer(
        self, client: Client, label: str, caplog: pytest.LogCaptureFixture, capfd: Any, settings: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        """Neither right nor wrong, nor where the host is not allowed, redirected, or the view fails."""
        said = [check(client, f"{label}.{rest}") for rest in ("akismet.localhost", "evil.example")]
        said += [check(client, f"{label}.akismet.localhost", "/1.1/nothing")]
        settings.SECURE_SSL_REDIRECT = True
        said += [check(client, f"{label}.akismet.localhost")]
        said += [client.get("/", headers={"host": f"{label}.a.example"})]
        settings.SECURE_SSL_REDIRECT, settings.DEBUG, client.raise_request_exception = False, True, False
        monkeypatch.setattr("moderation.operations.score_now.run", _break)
        broken = check(client, f"{label}.akismet.localhost")

        assert broken.status_code == 500
        output = capfd.readouterr()
        seen = caplog.text + output.out + output.err
        seen += "".join(f"{answer.headers}{answer.content.decode()}" for answer in (*said, broken))
        assert label not in seen
        assert label.replace("-", "_") not in seen


def _break(**_: object) -> None:
    raise RuntimeError("the view fails")
