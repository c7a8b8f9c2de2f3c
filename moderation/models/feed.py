"""Feeds that platforms poll: entries, and their positions, which are assigned after commit."""

from django.db import models
from django.db.models import Q

from moderation.models.decisions import Decision
from moderation.models.platforms import Platform


class Stream(models.TextChoices):
    """What a platform reads by a cursor of its own."""

    DECISIONS = "decisions"
    LABELS = "labels"


class FeedHead(models.Model):
    """The end of one feed. The holder of this row's lock assigns the next numbers; nobody waits for it."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="feeds", db_index=False)
    stream = models.CharField(max_length=10, choices=Stream.choices)
    number = models.PositiveBigIntegerField(default=0, db_default=0)
    entered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("platform", "stream")
        constraints = (models.UniqueConstraint(fields=("platform", "stream"), name="one_head_per_feed"),)


class FeedEntry(models.Model):
    """A decision, a label or a label's retraction in a feed. A database trigger writes it with its row.

    An entry without a number is unread, and may still be removed. Numbers are assigned after commit, so that
    no late commit appears behind a reader (docs/adr/0013). Positions grow: (`entered_at`, `number`).
    """

    pk = models.CompositePrimaryKey("decision_id", "stream", "is_retraction")
    # The trigger copies both from the decision and its post, whose constraints they have.
    platform = models.ForeignKey(
        Platform, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    stream = models.CharField(max_length=10, choices=Stream.choices)
    decision = models.ForeignKey(
        Decision, on_delete=models.CASCADE, related_name="feed_entries", db_index=False, db_constraint=False
    )
    is_retraction = models.BooleanField(default=False, db_default=False)
    due_at = models.DateTimeField(help_text="Not told before: the time for undoing.")
    number = models.PositiveBigIntegerField(null=True, help_text="1, 2, 3… in each feed.")
    entered_at = models.DateTimeField(null=True, help_text="When it was numbered; never before its elders.")

    class Meta:
        ordering = ("platform", "stream", "entered_at", "number")
        constraints = (
            models.UniqueConstraint(
                fields=("platform", "stream", "entered_at", "number"),
                name="feed_position_once",
                condition=Q(number__isnull=False),
            ),
            models.CheckConstraint(
                condition=Q(number__isnull=True, entered_at__isnull=True)
                | Q(number__isnull=False, entered_at__isnull=False),
                name="feed_position_is_whole",
            ),
        )
        indexes = (
            models.Index(
                fields=("platform", "stream", "due_at", "decision"),
                name="feed_unnumbered",
                condition=Q(number__isnull=True),
            ),
        )
