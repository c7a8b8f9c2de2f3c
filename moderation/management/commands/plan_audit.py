"""Say how many labels a week the figures of quality take."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.models import Platform
from moderation.queries.quality import needed_labels


class Command(BaseCommand):
    help = (
        "Say how many labels a week measure the missed spam to within some per cent, by this week's scores."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--platform", default="", help="slug; all platforms together if not given")
        parser.add_argument("--within", type=float, default=20.0, help="per cent of the missed spam; 20")

    def handle(self, *_: Any, platform: str, within: float, **__: Any) -> None:
        if not 0.0 < within < 100.0:
            raise CommandError(f"--within: {within:g} is not between 0 and 100 per cent")
        plan = needed_labels.of_traffic(
            at=timezone.now(), platform_id=_id_of(platform) if platform else None, within=within / 100.0
        )
        self.stdout.write(_said(plan))


def _id_of(slug: str) -> int:
    try:
        return Platform.objects.values_list("pk", flat=True).get(slug=slug)
    except Platform.DoesNotExist as failure:
        raise CommandError(f"--platform: no platform is called {slug!r}") from failure


def _said(plan: needed_labels.NeededLabels | needed_labels.TooFewScores) -> str:
    if isinstance(plan, needed_labels.TooFewScores):
        return (
            f"No plan: {plan.scores} posts were let through this week, at least {plan.fewest} are needed, "
            "with a probability above 0."
        )
    origin = (
        f"measured by {plan.labels} random labels of the last 28 days"
        if plan.is_measured
        else f"by the model's own probabilities: {plan.labels} random labels of the last 28 days are too few"
    )
    return "\n".join(
        (
            f"Spam among the allowed: {plan.share:.2%} ({origin}); {plan.scores} posts of this week.",
            f"±{plan.within:.0%} of that needs so many labels of allowed posts a week:",
            "",
            "                                      by score   uniformly",
            f"  standard error                      {plan.by_score:8}   {plan.uniform:9}",
            f"  95 % interval, looked at each day   {plan.interval_by_score:8}   {plan.interval_uniform:9}",
            "",
            "Where the model is blind, labels drawn by score say no more than uniform ones.",
        )
    )
