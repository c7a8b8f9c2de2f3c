"""The command rescore: what it scores again, what it says, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from moderation.models import Post, Revision
from moderation.models.posts import ScoreState
from moderation.operations import rescore
from moderation.operations.scoring import score
from tests.moderation.fakes import RELEASE_ID, FakeScorer


@pytest.fixture
def posts(post: Callable[..., Post], fake_scorer: FakeScorer) -> list[Post]:
    rows = [post(at=timezone.now()) for _ in range(3)]
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=timezone.now())
    return rows


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("rescore", *arguments, stdout=out)
    return out.getvalue()


class TestRescore:
    @pytest.mark.parametrize(
        "named",
        ["--platform=social", f"--release={RELEASE_ID[:12]}", "--since=2020-01-01T00:00:00Z", "--all"],
    )
    def test_puts_posts_back_and_says_where_to_go_on(self, posts: list[Post], named: str) -> None:
        said = run(named)

        assert set(Revision.objects.values_list("generation", "score_state")) == {(2, ScoreState.PENDING)}
        assert "3 posts to score again" in said
        assert f"--after {Revision.objects.latest('pk').pk}" in said
        assert "3 posts are scored again" in said

    def test_takes_up_what_made_scoring_fail_also_if_it_was_edited_since(
        self, posts: list[Post], post: Callable[..., Post]
    ) -> None:
        Revision.objects.filter(post=posts[0]).update(score_state=ScoreState.DEAD, attempts=8)
        post(external_id=posts[0].external_id, text="another text", revision=2, at=timezone.now())

        run("--dead")

        taken = Revision.objects.get(generation=2)
        assert (taken.post, taken.score_state, taken.attempts) == (posts[0], ScoreState.PENDING, 0)

    def test_goes_on_after_an_id(self, posts: list[Post]) -> None:
        second = Revision.objects.order_by("pk")[1]

        assert "1 posts are scored again" in run("--all", f"--after={second.pk}")

    def test_says_where_to_go_on_when_stopped(
        self, posts: list[Post], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(**_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(rescore, "PIECE", 1)
        monkeypatch.setattr("time.sleep", lambda _: stop())
        first = Revision.objects.order_by("pk")[0]

        with pytest.raises(CommandError, match=f"--after {first.pk}\\."):
            run("--all")

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
            run(*arguments)

        assert not Revision.objects.filter(generation=2).exists()
