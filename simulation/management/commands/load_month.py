"""manage.py load_month: fill an empty database with the demonstration's month, ended just now."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from moderation.models import Post, User
from moderation.operations.audit import chain
from moderation.operations.labels import exports
from moderation.operations.outbox import feed
from moderation.queries.labels.labels import LabelFilter
from simulation import month_file


class Command(BaseCommand):
    """What `make run` does at its first start."""

    help = "Fill an empty database with the demonstration's month; one with posts is left alone."

    def handle(self, *_: Any, **__: Any) -> None:
        """Load it, or say why not: the demonstration starts without it, too."""
        # Without the simulated web, links of the month would be fetched from others.
        if Post.objects.exists() or not settings.SIMULATED_WEB_PORT:
            return
        at = timezone.now()
        try:
            posts = month_file.load(month_file.PLACE, at=at)
        except month_file.Unusable as reason:
            self.stderr.write(f"The month of the demonstration was not loaded. {reason}")
        else:
            chain.seal(at=at)
            feed.sweep(at=at)  # an export holds what the feeds have told
            engineer = User.objects.get(username="ml")
            exports.request(requested_by=engineer, wanted=LabelFilter(), at=at)
            self.stdout.write(f"A month of the demonstration: {posts} posts")
