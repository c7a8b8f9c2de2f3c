"""A published Akismet client, unchanged, against this server: only the host differs."""

from collections.abc import Iterator
from typing import Any

import akismet
import httpx
import pytest
from akismet import CheckResponse
from pytest_django.live_server_helper import LiveServer

from moderation.models import Case, Complaint, Post, Revision
from tests.journeys.conftest import new_key
from tests.moderation.fakes import FakeScorer

pytestmark = pytest.mark.django_db(transaction=True)
BLOG = "https://blog.example"
SPAM, MAYBE = "Cheap pills, no prescription!", "Nice post, look at mine"
HAM = "I saw your cat near the river."
SENDER: dict[str, Any] = {
    "comment_author": "Ann",
    "comment_author_email": "ann@mail.example",
    "user_agent": "Mozilla/5.0",
}


class OtherHost(httpx.HTTPTransport):
    """What a line in the hosts file would do: the calls go to this server."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._to = httpx.URL(url)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert request.url.host == "rest.akismet.com"
        request.url = request.url.copy_with(scheme=self._to.scheme, host=self._to.host, port=self._to.port)
        request.headers["host"] = self._to.netloc.decode()
        return super().handle_request(request)


@pytest.fixture
def secret(live_server: LiveServer, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> str:
    # No worker takes messages here, and other tests look at how many wait.
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    fake_scorer.default = 0.05
    fake_scorer.probabilities |= {SPAM: 0.995, MAYBE: 0.5, "Buy followers": 0.95}
    return new_key("blogs", removal="always")


@pytest.fixture
def client(live_server: LiveServer, secret: str) -> Iterator[akismet.SyncClient]:
    """The client as its documentation makes it, which verifies the key."""
    with httpx.Client(transport=OtherHost(live_server.url)) as http:
        yield akismet.SyncClient.validated_client(
            config=akismet.Config(key=secret, url=BLOG), http_client=http
        )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SPAM, CheckResponse.DISCARD),
        ("Buy followers", CheckResponse.SPAM),
        (MAYBE, CheckResponse.HAM),
        (HAM, CheckResponse.HAM),
    ],
)
def test_checks_comments(client: akismet.SyncClient, text: str, found: CheckResponse) -> None:
    assert client.comment_check(user_ip="192.0.2.7", comment_content=text, **SENDER) == found
    assert Post.objects.count() == 1


def test_the_language_of_the_site_is_not_that_of_the_comment(client: akismet.SyncClient) -> None:
    client.comment_check(user_ip="192.0.2.7", comment_content=HAM, blog_lang="de_DE,en_us", **SENDER)

    assert Revision.objects.get().language == ""


def test_a_second_check_finds_the_first_one(client: akismet.SyncClient, fake_scorer: FakeScorer) -> None:
    for address in ("192.0.2.7", "192.0.2.8"):
        found = client.comment_check(user_ip=address, comment_content=SPAM, **SENDER)
        assert found == CheckResponse.DISCARD
    assert fake_scorer.asked == 1


def test_a_missed_spam_is_a_complaint_of_the_site(client: akismet.SyncClient) -> None:
    client.comment_check(user_ip="192.0.2.7", comment_content=HAM, **SENDER)

    assert client.submit_spam(user_ip="192.0.2.7", comment_content=HAM, **SENDER)
    assert client.submit_spam(user_ip="192.0.2.7", comment_content=HAM, **SENDER)

    [complaint] = Complaint.objects.select_related("post", "reporter")
    assert complaint.post == Post.objects.get()
    assert complaint.reporter.external_id == f"akismet-site:{BLOG}"


def test_a_false_positive_goes_to_a_lead(client: akismet.SyncClient) -> None:
    client.comment_check(user_ip="192.0.2.7", comment_content=SPAM, **SENDER)

    assert client.submit_ham(user_ip="192.0.2.7", comment_content=SPAM, **SENDER)

    case = Case.objects.get()
    assert (case.reason, case.is_escalated, case.state) == ("appealed", True, "open")


def test_counts_what_was_used(client: akismet.SyncClient) -> None:
    client.comment_check(user_ip="192.0.2.7", comment_content=HAM, **SENDER)

    assert client.usage_limit()["usage"] == 1


def test_test_comments_leave_no_trace(client: akismet.SyncClient) -> None:
    found = client.comment_check(
        user_ip="192.0.2.7", comment_author="akismet-guaranteed-spam", comment_content="x", is_test=True
    )

    assert found == CheckResponse.SPAM
    assert not Post.objects.exists()


@pytest.mark.parametrize("wrong", ["sk_test_unknown", "0123456789ab"])
def test_a_wrong_key_is_told_so(live_server: LiveServer, secret: str, wrong: str) -> None:
    with httpx.Client(transport=OtherHost(live_server.url)) as http:
        client = akismet.SyncClient(config=akismet.Config(key=wrong, url=BLOG), http_client=http)

        assert client.verify_key() is False
        with pytest.raises(akismet.APIKeyError):
            client.comment_check(user_ip="192.0.2.7", comment_content=SPAM)
