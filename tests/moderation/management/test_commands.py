"""Short commands: what they say, and what they refuse."""

import contextlib
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.utils import timezone

from moderation import scorer
from moderation.models import ApiKey, AuditEntry, DeskSettings, Platform, Post, Revision, ScoringJob, User
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.accounts import api_keys
from moderation.operations.infrastructure import vault
from moderation.operations.scoring import score
from scoring.release import SchemaMismatch
from tests.moderation.fakes import RELEASE_ID, FakeScorer


def create(*arguments: str) -> str:
    """Run the command and return what it printed for programs."""
    said = StringIO()
    call_command("create_api_key", *arguments, stdout=said, stderr=StringIO())
    return said.getvalue().strip()


class TestCreateApiKey:
    def test_prints_a_key_that_the_api_accepts(self, platform: Platform) -> None:
        secret = create("social", "--name", "ingest", "--scope", "posts:write", "--days", "30")

        key = api_keys.authenticate(secret=secret, at=timezone.now())
        assert (key.platform, key.name, key.scopes) == (platform, "ingest", ["posts:write"])
        assert key.expires_at is not None
        assert timedelta(days=29) < key.expires_at - timezone.now() < timedelta(days=31)

    def test_may_do_what_platforms_need_for_a_time_unless_told(self, platform: Platform) -> None:
        create("social")
        create("social", "--days", "0")

        key, endless = ApiKey.objects.order_by("pk")
        assert key.scopes == ["posts:write", "complaints:write", "verdicts:read", "webhooks:admin"]
        assert key.expires_at is not None
        assert timedelta(days=89) < key.expires_at - timezone.now() < timedelta(days=91)
        assert endless.expires_at is None

    @pytest.mark.django_db
    def test_registers_a_platform_on_the_way(self) -> None:
        create("acme-social", "--register", "Acme Social")

        assert Platform.objects.get().name == "Acme Social"
        assert set(AuditEntry.objects.values_list("action", flat=True)) == {
            "platform.registered",
            "key.issued",
        }

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("nobody",), "no platform 'nobody'"),
            (("Acme Social", "--register", "Acme"), "small letters"),
            (("social", "--days", "3651"), "from 0 to 3650"),
            (("social", "--scope", "everything"), "invalid choice"),
        ],
    )
    def test_refuses_with_the_cure(self, arguments: tuple[str, ...], said: str) -> None:
        with pytest.raises(CommandError, match=said):
            create(*arguments)

        assert not ApiKey.objects.exists()


class TestCheckRelease:
    def test_names_the_release_that_scores(self, fake_scorer: FakeScorer) -> None:
        said = StringIO()

        call_command("check_release", stdout=said)

        assert said.getvalue() == f"Release {RELEASE_ID[:12]} scores.\n"

    def test_says_why_none_can(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> None:
            raise SchemaMismatch("release 0123 does not know context.mentions: refit it")

        monkeypatch.setattr(scorer.current(), "live", refuse)

        with pytest.raises(
            CommandError, match=r"Posts are not scored: release 0123 does not know context\.mentions"
        ):
            call_command("check_release")


@pytest.fixture
def posts(post: Callable[..., Post], fake_scorer: FakeScorer) -> list[Post]:
    rows = [post(at=timezone.now()) for _ in range(3)]
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=timezone.now())
    return rows


def rescored(*arguments: str) -> str:
    out = StringIO()
    call_command("rescore", *arguments, stdout=out)
    return out.getvalue()


class TestRescore:
    @pytest.mark.parametrize(
        "named",
        ["--platform=social", f"--release={RELEASE_ID[:12]}", "--since=2020-01-01T00:00:00Z", "--all"],
    )
    def test_puts_posts_back_and_says_where_to_go_on(self, posts: list[Post], named: str) -> None:
        said = rescored(named)

        assert set(ScoringJob.objects.values_list("generation", "state")) == {(2, ScoreState.PENDING)}
        assert "3 posts to score again" in said
        assert f"--after {Revision.objects.latest('pk').pk}" in said
        assert "3 posts are scored again" in said

    def test_takes_up_what_made_scoring_fail_also_if_it_was_edited_since(
        self, posts: list[Post], post: Callable[..., Post]
    ) -> None:
        ScoringJob.objects.filter(revision__post=posts[0]).update(state=ScoreState.DEAD, attempts=8)
        post(external_id=posts[0].external_id, text="another text", revision=2, at=timezone.now())

        rescored("--dead")

        taken = ScoringJob.objects.get(generation=2)
        assert (taken.revision.post, taken.state, taken.attempts) == (posts[0], ScoreState.PENDING, 0)

    def test_goes_on_after_an_id(self, posts: list[Post]) -> None:
        second = Revision.objects.order_by("pk")[1]

        assert "1 posts are scored again" in rescored("--all", f"--after={second.pk}")

    def test_stopped_says_where_to_go_on(self, posts: list[Post], monkeypatch: pytest.MonkeyPatch) -> None:
        def stop(**_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(rescore, "PIECE", 1)
        monkeypatch.setattr("time.sleep", lambda _: stop())
        first = Revision.objects.order_by("pk")[0]

        with pytest.raises(CommandError, match=f"--after {first.pk}\\."):
            rescored("--all")

    @pytest.mark.parametrize(
        ("arguments", "refusal"),
        [
            ((), "or else --all"),
            (("--all", "--degraded"), "or else --all"),
            (("--platform=nowhere",), "--platform: no platform 'nowhere'; there are: social"),
            (("--release=0123",), "--release: 0 releases begin with '0123'; the latest: ffffffffffff"),
            (("--since=yesterday",), "--since: 'yesterday' is not a time with offset"),
        ],
    )
    def test_refuses_by_name(self, posts: list[Post], arguments: tuple[str, ...], refusal: str) -> None:
        with pytest.raises(CommandError, match=refusal):
            rescored(*arguments)

        assert not ScoringJob.objects.filter(generation=2).exists()


class TestRenewSecrets:
    @pytest.mark.django_db
    def test_lets_the_old_key_go_and_names_what_no_key_reads(self, settings: Any) -> None:
        old, new, lost = (Fernet.generate_key().decode() for _ in range(3))
        kept = DeskSettings.objects.create()
        for keys, secret in (([old], "of the service"), ([lost], "lost")):
            settings.ENCRYPTION_KEYS = keys
            kept.translation_key = vault.encrypt(secret)
            kept.save()
            settings.ENCRYPTION_KEYS = [new, old]
            said = StringIO()
            with contextlib.suppress(CommandError):
                call_command("renew_secrets", stdout=said)
            kept.refresh_from_db()
            settings.ENCRYPTION_KEYS = [new]
            count = "1 renewed, 0 unreadable" if keys == [old] else "0 renewed, 1 unreadable"
            assert f"DeskSettings.translation_key: {count}" in said.getvalue()
            if keys == [old]:
                assert vault.decrypt(kept.translation_key) == secret

    def test_reaches_the_secrets_of_second_factors(self, moderator: User, settings: Any) -> None:
        old, new = (Fernet.generate_key().decode() for _ in range(2))
        settings.ENCRYPTION_KEYS = [old]
        data = {"secret": vault.encrypt("JBSWY3DP"), "used": ["123456"]}
        factor = Authenticator.objects.create(user=moderator, type="totp", data=data)
        settings.ENCRYPTION_KEYS = [new, old]

        call_command("renew_secrets", stdout=StringIO())

        factor.refresh_from_db()
        settings.ENCRYPTION_KEYS = [new]
        assert (vault.decrypt(factor.data["secret"]), factor.data["used"]) == ("JBSWY3DP", ["123456"])
