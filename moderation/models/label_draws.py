"""Random draws of posts for unbiased labels."""

from django.db import models
from django.db.models import Q

from moderation.models.person import acting_user, optional_user
from moderation.models.platforms import Platform


class LabelDraw(models.Model):
    """Posts drawn uniformly from those that no human had seen, each a case of its own."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="draws", db_index=False)
    asked_by = acting_user(has_index=False)
    asked_at = models.DateTimeField()
    days = models.PositiveSmallIntegerField(help_text="From how many days back posts were drawn.")
    wanted = models.PositiveIntegerField()
    drawn = models.PositiveIntegerField(default=0)
    population = models.PositiveIntegerField(default=0, help_text="From how many posts they were drawn.")
    idempotency_key = models.UUIDField(
        null=True, blank=True, help_text="Named by the page: a repeated request is the same draw."
    )
    cancelled_at = models.DateTimeField(null=True, blank=True)
    cancelled_by = optional_user(has_index=False)

    class Meta:
        ordering = ("-asked_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("asked_by", "idempotency_key"),
                condition=Q(idempotency_key__isnull=False),
                name="draw_once_per_key",
            ),
        )
        indexes = (models.Index(fields=("platform", "-asked_at"), name="draw_by_platform"),)
