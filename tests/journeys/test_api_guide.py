"""docs/api-guide.md: every curl example is sent over HTTP, and answers as the page says, field by field."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from integrations import platform_verdicts
from moderation.models import Decision, Post, Revision, ScoringJob, User
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.audit import chain
from moderation.operations.outbox import feed
from moderation.operations.quality import refresh
from moderation.operations.scoring import score
from tests.journeys.conftest import new_key
from tests.moderation.fakes import FakeScorer, FakeTopics

GUIDE = (Path(__file__).parents[2] / "docs" / "api-guide.md").read_text()
_EXAMPLE = re.compile(r"```bash\n(curl .*?)```\s+Answer `(\d{3})`(?:(?!```).)*```json\n(.*?)```", re.DOTALL)
SPAM = "Cheap pills, no prescription! Call 1-800-555-0199"

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Example:
    """A request of the page and the answer beside it."""

    command: str
    status: int
    answer: Any


def examples() -> Iterator[Example]:
    """Read the page's examples, in order."""
    for command, status, answer in _EXAMPLE.findall(GUIDE):
        yield Example(command=command, status=int(status), answer=json.loads(answer))


def send(command: str, *, variables: dict[str, str]) -> httpx.Response:
    """Send what the curl command would send."""
    for name, value in variables.items():
        command = command.replace(f"${name}", value)
    words = iter(shlex.split(command.replace("\\\n", " "))[1:])
    url, body, method, headers = "", None, "", {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            headers[name] = value
        elif word in ("-d", "--data-binary"):
            body = next(words).encode()
        elif not word.startswith("-"):
            url = word
    method = method or ("GET" if body is None else "POST")
    # The first request imports the API, which takes longer than httpx waits while other tests run beside.
    return httpx.request(method, url, content=body, headers=headers, trust_env=False, timeout=60)


def settled(command: str, *, variables: dict[str, str]) -> httpx.Response:
    """Send it; again while a feed is still empty, since it tells of nothing before it has settled."""
    deadline = time.monotonic() + 2 * feed.SETTLE.total_seconds()
    answer = send(command, variables=variables)
    while "/labels/changes" in command and not answer.json()["data"] and time.monotonic() < deadline:
        time.sleep(0.1)
        answer = send(command, variables=variables)
    return answer


def remember(command: str, answer: Any, variables: dict[str, str]) -> None:
    """Keep the ids that later examples name."""
    ids: dict[str, tuple[str, Callable[[], str]]] = {
        "/scores": ("POST", lambda: answer["id"]),
        '/webhook-endpoints"': ("ENDPOINT", lambda: answer["id"]),
        "/queues/": ("CASE", lambda: answer["cases"][0]["id"]),
        "/decisions?": ("DECISION", lambda: answer["data"][0]["id"]),
        "/cases/$CASE/decisions": ("DECISION", lambda: answer["id"]),
        '/rules"': ("RULE", lambda: answer["id"]),
    }
    for address, (name, read) in ids.items():
        if address in command:
            variables[name] = read()


def shape(value: Any) -> Any:
    """Return names and JSON types; of an array, each kind of item once."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        kinds = {repr(shape(inner)): shape(inner) for inner in value}
        return [kinds[name] for name in sorted(kinds)]
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
    )


@pytest.fixture
def variables(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the page expects in the environment."""
    secret = new_key("acme-social", acts_as_lead=True, removal="always")
    # The longer name first: $SPAMDESK is the beginning of $SPAMDESK_KEY.
    found = {"SPAMDESK_KEY": secret, "SPAMDESK": live_server.url}
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return found


@pytest.fixture
def scoring(fake_scorer: FakeScorer) -> Any:
    """Return what scores the waiting posts, as if a minute ago: the feed holds back the last seconds."""
    fake_scorer.default = 0.05
    fake_scorer.probabilities |= {SPAM: 0.994, "Huge discount, only today!": 0.5}

    def work() -> None:
        at = timezone.now() - timedelta(minutes=1)
        waiting = list(ScoringJob.objects.filter(state="pending").values_list("pk", flat=True))
        Revision.objects.filter(pk__in=waiting).update(received_at=at)
        score.run(revision_ids=waiting, at=at)

    return work


def test_every_example_answers_as_the_page_says(
    variables: dict[str, str], scoring: Any, fake_topics: FakeTopics
) -> None:
    seen = 0
    for example in examples():
        if "/metrics/quality" in example.command:
            refresh.refresh(at=timezone.now())
        if "/audit" in example.command:
            chain.seal(at=timezone.now())
        response = settled(example.command, variables=variables)

        assert response.status_code == example.status, (example.command, response.text)
        assert shape(response.json()) == shape(example.answer), example.command
        remember(example.command, response.json(), variables)
        if "post-1002" in example.command:
            scoring()
        seen += 1

    assert seen == GUIDE.count("```bash")


def test_the_polling_loop_reads_every_decision_once(
    variables: dict[str, str], scoring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        post = {
            "external_id": f"p-{number}",
            "text": SPAM,
            "posted_at": "2026-03-01T09:30:00Z",
            "author": {"external_id": "spammer"},
        }
        headers = {"Authorization": f"Bearer {variables['SPAMDESK_KEY']}"}
        httpx.post(f"{variables['SPAMDESK']}/api/v1/posts", json=post, headers=headers, trust_env=False)
    scoring()
    _, loop = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    names: dict[str, Any] = {}

    exec(compile(loop, "docs/api-guide.md", "exec"), names)  # the page's own code is what is tested
    first = list(names["new_decisions"](None))
    again = list(names["new_decisions"](first[-1][1]))
    names["api"].close()

    assert [decision["post"]["external_id"] for decision, _ in first] == ["p-0", "p-1", "p-2"]
    assert again == []


def test_the_smallest_app_shows_what_is_no_spam(variables: dict[str, str], scoring: Any) -> None:
    app, _ = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    names: dict[str, Any] = {}

    exec(compile(app, "docs/api-guide.md", "exec"), names)  # the page's own code is what is tested
    for number, text in enumerate(("A cat.", "Huge discount, only today!", SPAM)):
        names["publish"](str(number), text, "ann")
    before = dict(names["is_shown"])
    names["report"]("0", "bob")
    post = Post.objects.get(external_id="1")
    decided_at = timezone.now() - timedelta(minutes=1)
    platform_verdicts.record(
        platform=post.platform,
        external_id="1",
        verdict=Verdict.NOT_SPAM,
        moderator=User.objects.get(),
        at=decided_at,
    )
    deadline = time.monotonic() + 2 * feed.SETTLE.total_seconds()
    while not names["is_shown"]["1"] and time.monotonic() < deadline:
        names["follow"](None)
    names["api"].close()

    assert before == {"0": True, "1": False, "2": False}
    assert names["is_shown"] == {"0": True, "1": True, "2": False}


@pytest.mark.whole
@pytest.mark.usefixtures("scoring")
def test_a_generated_client_goes_the_whole_way_of_a_post(
    variables: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    [command] = re.findall(r"^openapi-python-client (.*)$", GUIDE, re.MULTILINE)
    arguments = shlex.split(command.replace("$SPAMDESK", variables["SPAMDESK"]))
    generator = Path(sys.executable).with_name("openapi-python-client")
    subprocess.run(
        [generator, *arguments, "--output-path", tmp_path / "client"],
        check=True,
        capture_output=True,
        env={**os.environ, "NO_PROXY": "*"},
    )
    monkeypatch.syspath_prepend(tmp_path / "client")
    [snippet] = re.findall(r"```py\n(.*?)```", GUIDE, re.DOTALL)
    names: dict[str, Any] = {}

    exec(compile(snippet, "docs/api-guide.md", "exec"), names)  # the page's own code is what is tested
    names["client"].get_httpx_client().close()

    decision = Decision.objects.get(source="moderator")
    assert (names["judged"].verdict, names["decided"].id) == ("undecided", str(decision.pk))
    assert capsys.readouterr().out.splitlines() == [
        "undecided 0.5",
        "spam post-2001",
        "409 The case was decided before",
        "decided",
        f"acme-social/post-2001/1 1 {names['label'].split} 1.0",
    ]


@pytest.mark.parametrize("scope", Scope.values)
def test_the_page_lists_every_scope(scope: str) -> None:
    assert f"| `{scope}` |" in GUIDE
