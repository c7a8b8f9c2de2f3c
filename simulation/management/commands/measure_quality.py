"""Compare scores with the truth that the simulated platform wrote down."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from moderation.models import Post, PostLink, Score
from moderation.models.scores import RouteChoice
from moderation.queries import latest_scores
from simulation import rank_measures


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A simulated post, its truth and its score."""

    kind: str
    role: str
    is_spam: bool
    links: str
    score: Score


class Command(BaseCommand):
    help = "Compare the scores of simulated posts with the truth: ROC-AUC, PR-AUC, routes, recall per kind."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--truth", type=Path, help="file written by simulate; the state folder's if not given"
        )
        parser.add_argument(
            "--run", default="", help="only posts whose id begins like this, e.g. one run's prefix"
        )

    def handle(self, *_: Any, truth: Path | None, run: str, **__: Any) -> None:
        rows = _truths(truth or Path(settings.STATE_DIR) / "simulation" / "truth.jsonl", run=run)
        names = dict(Post.objects.filter(external_id__in=list(rows)).values_list("pk", "external_id"))
        linked = PostLink.objects.filter(revision__post__external_id__in=list(rows))
        with_link = set(linked.values_list("revision__post__external_id", flat=True))
        judged = [
            _Judged(
                kind=rows[names[pk]]["kind"],
                role=rows[names[pk]]["role"],
                is_spam=rows[names[pk]]["is_spam"],
                links="with a link" if names[pk] in with_link else "without a link",
                score=score,
            )
            for pk, score in latest_scores.of(list(names)).items()
        ]
        if not judged:
            raise CommandError(f"None of the {len(rows)} simulated posts has a score in this database yet.")
        degraded = sum(post.score.is_degraded for post in judged)
        self._say(
            f"Simulated posts: {len(rows)} sent, {len(judged)} scored, {degraded} of them without content."
        )
        self._ranks(judged)
        self._routes(judged)
        spam, talk = ([post for post in judged if post.is_spam == is_spam] for is_spam in (True, False))
        self._shares([(post.kind, post) for post in spam], title="Spam (simulated)")
        self._shares([(post.role, post) for post in spam if post.role], title="Spammers (simulated)")
        self._shares([(post.kind, post) for post in talk], title="Ordinary talk (simulated)")
        self._shares([(post.links, post) for post in spam], title="Spam (simulated)")
        self._shares([(post.links, post) for post in talk], title="Ordinary talk (simulated)")

    def _ranks(self, judged: list[_Judged]) -> None:
        self._say("\nprobability   ROC-AUC  PR-AUC  posts  spam")
        for name in ("spam", "content"):
            scored = [(post.is_spam, getattr(post.score, f"{name}_probability")) for post in judged]
            scored = [(is_spam, probability) for is_spam, probability in scored if probability is not None]
            truths = [is_spam for is_spam, _ in scored]
            probabilities = [probability for _, probability in scored]
            auc = rank_measures.roc_auc(truths=truths, probabilities=probabilities)
            precision = rank_measures.average_precision(truths=truths, probabilities=probabilities)
            self._say(f"{name:<12} {auc:8.4f} {precision:7.4f} {len(scored):6} {sum(truths):5}")

    def _routes(self, judged: list[_Judged]) -> None:
        self._say("\nroute      posts  share  of them spam")
        for route in RouteChoice.values:
            routed = [post.is_spam for post in judged if post.score.route == route]
            share = len(routed) / len(judged)
            self._say(f"{route:<8} {len(routed):7} {share:6.1%} {_share(sum(routed), len(routed)):>13}")

    def _shares(self, named: list[tuple[str, _Judged]], *, title: str) -> None:
        routed: dict[str, Counter[str]] = defaultdict(Counter)
        for name, post in named:
            routed[name][post.score.route] += 1
        self._say(f"\n{title:<26} posts  removed  removed or reviewed")
        for name, routes in sorted(routed.items(), key=lambda item: (-item[1].total(), item[0])):
            removed, reviewed = routes[RouteChoice.REMOVE], routes[RouteChoice.REVIEW]
            posts = routes.total()
            self._say(
                f"{name:<26} {posts:5} {_share(removed, posts):>8} {_share(removed + reviewed, posts):>20}"
            )

    def _say(self, line: str) -> None:
        self.stdout.write(line)


def _truths(path: Path, *, run: str) -> dict[str, dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as failure:
        raise CommandError(f"{path}: {failure.strerror}. Run `manage.py simulate` first.") from failure
    return {row["external_id"]: row for row in rows if row["external_id"].startswith(run)}


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
