"""Golden items: decided posts whose verdict two leads vouch for, given unmarked to people as a check."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from moderation.models.decisions import Verdict
from moderation.models.person import optional_user
from moderation.models.platforms import Platform
from moderation.models.posts import Post, Revision


class GoldenItem(models.Model):
    """A post and its right verdict. It is given to nobody until a second lead has confirmed it.

    `is_wrong` says that the verdict turned out not to be right: answers to it no longer count.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="golden_items")
    post = models.OneToOneField(Post, on_delete=models.CASCADE, related_name="golden_item")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    reason = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=500, blank=True, help_text="Why the verdict is right.")
    marked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    marked_at = models.DateTimeField()
    confirmed_by = optional_user(has_index=False)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    retired_by = optional_user(
        has_index=False, help_text="Empty where a correction of the decision retired it."
    )
    retired_at = models.DateTimeField(null=True, blank=True)
    is_wrong = models.BooleanField(default=False)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True, confirmed_at__isnull=True)
                | (
                    Q(confirmed_by__isnull=False, confirmed_at__isnull=False)
                    & ~Q(confirmed_by=F("marked_by"))
                ),
                name="golden_item_confirmed_by_another",
            ),
        )
