"""Named queues: parts of the queue that leads hand to users, and who works on which; the queue mix."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from moderation.models.platforms import optional_platform

_ONLY = 1


class NamedQueue(models.Model):
    """A part of the queue, an exclusive one for its assigned people only. What is empty restricts nothing."""

    name = models.CharField(max_length=60, unique=True)
    platform = optional_platform(related_name="named_queues")
    languages = ArrayField(models.CharField(max_length=16), default=list, blank=True)
    reasons = ArrayField(
        models.CharField(max_length=16), default=list, blank=True, help_text="Values of CaseReason."
    )
    is_exclusive = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("name",)


class QueueAssignment(models.Model):
    """A user's work: named queues are worked through in the order of their positions."""

    queue = models.ForeignKey(NamedQueue, on_delete=models.CASCADE, related_name="assignments")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="queue_assignments"
    )
    position = models.PositiveSmallIntegerField(default=1)
    daily_limit = models.PositiveIntegerField(
        null=True, blank=True, help_text="Decisions a day from this queue; none: as many as there are."
    )

    class Meta:
        ordering = ("position", "id")
        constraints = (models.UniqueConstraint(fields=("queue", "user"), name="queue_assigned_once"),)


class QueueMix(models.Model):
    """The shares in per cent, in one row; without it, everything comes by harm."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=_ONLY)
    harm = models.PositiveSmallIntegerField(default=100)
    uncertainty = models.PositiveSmallIntegerField(default=0)
    diversity = models.PositiveSmallIntegerField(default=0)
    audit = models.PositiveSmallIntegerField(default=0)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(id=_ONLY), name="one_queue_mix"),
            models.CheckConstraint(
                condition=Q(harm=100 - F("uncertainty") - F("diversity") - F("audit")),
                name="queue_mix_is_whole",
            ),
        )
