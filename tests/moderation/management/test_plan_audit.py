"""The command plan_audit: what it says, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from moderation.models import Platform, Post, Revision
from moderation.operations.scoring import score
from moderation.queries.quality import needed_labels
from tests.moderation.fakes import FakeScorer


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("plan_audit", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
class TestPlan:
    def test_says_how_many_labels_this_weeks_scores_ask_for(
        self,
        post: Callable[..., Post],
        fake_scorer: FakeScorer,
        platform: Platform,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(needed_labels, "_FEWEST_SCORES", 4)
        fake_scorer.default = 0.05
        rows = [post(text=f"text {number}", at=timezone.now()) for number in range(5)]
        ids = list(Revision.objects.filter(post__in=rows).values_list("pk", flat=True))
        score.run(revision_ids=ids, at=timezone.now())

        said = run(f"--platform={platform.slug}", "--within=20")

        assert "5.00%" in said
        assert "0 random labels of the last 28 days are too few" in said
        # (1 - 0.05) / (0.05 * 0.2²) labels, whatever the score, since all are the same
        assert said.split("standard error")[1].split()[:2] == ["475", "475"]

    @pytest.mark.usefixtures("platform")
    def test_has_no_plan_without_posts(self) -> None:
        assert run().startswith("No plan: 0 posts were let through this week")

    @pytest.mark.parametrize(
        ("argument", "named"),
        [("--platform=nobody", "--platform: no platform"), ("--within=0", "--within: 0")],
    )
    def test_refuses_by_the_arguments_name(self, argument: str, named: str) -> None:
        with pytest.raises(CommandError, match=named):
            run(argument)
