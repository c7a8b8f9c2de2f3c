"""WordPress' own Akismet plugin, unchanged, with our must-use plugin, against this server."""

import json
import os
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from deploy.local import published_clients
from deploy.local.places import ROOT
from integrations import platform_verdicts
from moderation.models import ApiKey, Complaint, Decision, Platform, Post, User
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations.accounts import akismet_aliases, api_keys
from tests.moderation.fakes import FakeScorer

pytestmark = pytest.mark.django_db(transaction=True)
SPAM, HAM = "Cheap pills, no prescription!", "I saw your cat near the river."
MAYBE = 'It\'s "nice" & good: <a href="https://shop.example/x">mine</a> C:\\cats '
_PLUGIN = "usr/share/wordpress/wp-content/plugins/akismet"


class Site:
    """A site of WordPress; what it keeps lasts from act to act."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder, self.state = url, folder, dict[str, Any]()

    def act(self, act: str, given: Any = None, *, key: str = "") -> dict[str, Any]:
        files = [ROOT / "tests/integrations/wordpress.php", self._folder / _PLUGIN]
        files += [ROOT / "integrations/wordpress/spamdesk.php"]
        done = subprocess.run(
            [str(self._folder / "usr/bin/php8.2"), "-n", *map(str, files)],
            input=json.dumps(
                {"url": self._url, "key": key, "act": act, "given": given or {}, "state": self.state}
            ),
            env=os.environ | {"LD_LIBRARY_PATH": str(self._folder / "usr/lib/x86_64-linux-gnu")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        self.state = json.loads(done.stdout)
        return self.state

    def status(self, number: int = 1) -> str:
        return str(self.state["comments"][str(number)]["comment_approved"])


@pytest.fixture
def site(live_server: LiveServer, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setattr("moderation.enqueue._send", lambda task, **given: None)
    fake_scorer.default = 0.5
    fake_scorer.probabilities |= {SPAM: 0.95, HAM: 0.05}
    folder = published_clients.wordpress()
    if folder is None:
        pytest.skip("WordPress and PHP need Debian's packages")
    return Site(live_server.url, folder)


@pytest.fixture
def key(platform: Platform, lead: User) -> ApiKey:
    at, scopes = timezone.now(), [Scope.POSTS_WRITE, Scope.COMPLAINTS_WRITE, Scope.VERDICTS_READ]
    key, _ = api_keys.issue(platform=platform, name="blog", scopes=scopes, expires_at=None, at=at)
    akismet_aliases.configure(key=key, pending_hours=72, decides_as=None, actor=lead, at=at)
    return key


@pytest.fixture
def alias(key: ApiKey, lead: User) -> str:
    return akismet_aliases.issue(key=key, site="blog.example", actor=lead, at=timezone.now())


def decide(verdict: Verdict, person: User) -> None:
    """Decide the one post, so long ago that the time for undoing is over."""
    post = Post.objects.get()
    at = timezone.now() - timedelta(minutes=5)
    platform_verdicts.record(
        platform=post.platform, external_id=post.external_id, verdict=verdict, moderator=person, at=at
    )


def test_its_settings_take_an_alias_for_this_site(site: Site, alias: str) -> None:
    state = site.act("save_key", {"key": alias})

    assert state["options"]["wordpress_api_key"] == alias
    assert state["notices"] == {"status": "new-key-valid"}
    state = site.act("save_key", {"key": f"{int(alias, 16) ^ 1:012x}"})
    assert state["notices"] == {"status": "new-key-invalid"}


@pytest.mark.parametrize(("text", "status"), [(SPAM, "spam"), (HAM, "1")])
def test_a_clear_comment_is_sorted_at_once(site: Site, alias: str, text: str, status: str) -> None:
    site.act("comment", {"comment_author": "Ann", "comment_content": text}, key=alias)

    assert site.status() == status


@pytest.mark.parametrize(("verdict", "status"), [(Verdict.SPAM, "spam"), (Verdict.NOT_SPAM, "1")])
def test_a_comment_is_held_until_a_person_decides(
    site: Site, alias: str, lead: User, verdict: Verdict, status: str
) -> None:
    site.act("comment", {"comment_author": "Ann & Bob", "comment_content": MAYBE}, key=alias)
    assert site.status() == "0"
    assert site.state["options"].get("akismet_alert_code") is None
    site.act("cron", key=alias)
    assert site.status() == "0"
    decide(verdict, lead)

    site.act("cron", key=alias)

    assert site.status() == status
    post = Post.objects.get()
    assert post.author.display_name == "Ann & Bob"
    revision = post.revisions.get()
    assert (revision.language, revision.text) == ("", MAYBE)


def test_a_hidden_field_that_is_filled_in_is_spam(site: Site, alias: str) -> None:
    comment = {"comment_author": "Ann", "comment_content": HAM, "ak_hp_textarea": "x"}

    site.act("comment", comment, key=alias)

    assert site.status() == "spam"
    [complaint] = Complaint.objects.all()
    assert complaint.post == Post.objects.get()
    assert complaint.note == "A field was filled in that people do not see."


@pytest.mark.parametrize(("act", "text", "verdict"), [("spam", HAM, "spam"), ("ham", SPAM, "not_spam")])
def test_a_trusted_sites_moderators_decide(
    site: Site, alias: str, key: ApiKey, lead: User, act: str, text: str, verdict: str
) -> None:
    akismet_aliases.configure(key=key, pending_hours=None, decides_as=lead, actor=lead, at=timezone.now())
    site.act("comment", {"comment_author": "Ann", "comment_content": text}, key=alias)

    site.act(act, {"id": 1}, key=alias)

    made = Decision.objects.get(decided_by=lead)
    assert (made.verdict, made.post) == (verdict, Post.objects.get())
    assert not Complaint.objects.exists()
