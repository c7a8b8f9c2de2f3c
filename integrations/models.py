"""Connected platforms, what they call our posts, the log of both directions; imports of past actions."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models import Delivery, Platform, Post, WebhookEndpoint
from moderation.models.person import optional_user


class IntegrationState(models.TextChoices):
    """Until somebody has signed in nothing is asked or sent; a removed one stays for its log."""

    SIGN_IN = "sign_in", _("waits for sign-in")
    ACTIVE = "active", _("connected")
    PAUSED = "paused", _("paused")
    REMOVED = "removed", _("removed")


class Integration(models.Model):
    """A platform's server that we ask for reports and that carries decisions out.

    `credentials` and `webhook_secret` are encrypted; `hook` is the last part of the address that the platform
    sends to. Decisions go through `endpoint`, which keeps their order, retries and failures. `cursor` is the
    connector's own. In a dry run calls that would change something there are written down instead.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="integrations")
    kind = models.CharField(max_length=20)
    base_url = models.URLField(max_length=300)
    state = models.CharField(max_length=8, choices=IntegrationState.choices, default=IntegrationState.SIGN_IN)
    endpoint = models.OneToOneField(
        WebhookEndpoint, null=True, on_delete=models.PROTECT, related_name="integration"
    )
    credentials = models.TextField()
    webhook_secret = models.TextField(blank=True)
    hook = models.CharField(max_length=40, unique=True)
    signed_in_as = models.CharField(max_length=300, blank=True)
    is_dry_run = models.BooleanField(default=True)
    takes_direct_messages = models.BooleanField(default=False)
    cursor = models.JSONField(default=dict)
    next_poll_at = models.DateTimeField(null=True)
    polled_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    last_error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "base_url"), condition=~Q(state="removed"), name="integration_once_per_server"
            ),
        )
        indexes = (
            models.Index(
                fields=("next_poll_at",), condition=Q(state="active"), name="integration_due_to_poll"
            ),
        )

    def __str__(self) -> str:
        return self.base_url


class Item(models.Model):
    """What a platform knows of a post of ours: `remote` as its connector wrote it.

    `acted` has, by action, what is in force there and for which decision. It is written before the call as an
    intention, so that a call whose answer was lost is made again.
    """

    integration = models.ForeignKey(Integration, on_delete=models.CASCADE, related_name="items")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="items")
    remote = models.JSONField(default=dict)
    acted = models.JSONField(default=dict)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("integration", "post"), name="item_once_per_post"),)


class Direction(models.TextChoices):
    """Seen from here."""

    IN = "in", _("in")
    OUT = "out", _("out")


class Exchange(models.Model):
    """A delivery of the platform, or a call there, in the log of an integration.

    `body` is what a delivery said, kept until it was taken in, so that a failed one can be read again.
    """

    integration = models.ForeignKey(Integration, on_delete=models.CASCADE, related_name="exchanges")
    at = models.DateTimeField()
    direction = models.CharField(max_length=3, choices=Direction.choices)
    what = models.CharField(max_length=300)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=500, blank=True)
    is_dry_run = models.BooleanField(default=False)
    delivery = models.ForeignKey(Delivery, null=True, on_delete=models.SET_NULL, related_name="exchanges")
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)

    class Meta:
        ordering = ("-at", "-id")
        indexes = (
            models.Index(fields=("integration", "-at", "-id"), name="exchange_log"),
            models.Index(fields=("at",), name="exchange_to_forget"),
            models.Index(fields=("at",), condition=~Q(body=""), name="exchange_with_body"),
        )


class HistoryState(models.TextChoices):
    """How far an import of past actions is."""

    MAPPING = "mapping", _("waits for its columns")
    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("in progress")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")


class HistoryStep(models.TextChoices):
    """What is done with an import, in order."""

    REPLAYING = "replaying", _("Replaying the posts in the order of time")
    LEARNING = "learning", _("Learning from the older posts")
    JUDGING = "judging", _("Judging the newer posts")


class HistoryImport(models.Model):
    """A file of posts with what moderators did about them, and what the filter would have done.

    `mapping` says which of the file's `columns` is what (`past_file.Columns`). `left_out` has the first lines
    that could not be read, as (line, why). `lease_until` is while its worker is trusted to live.
    """

    name = models.CharField(max_length=200)
    platform = models.ForeignKey(
        Platform,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="Whose head and thresholds apply, if it is one that is connected already.",
    )
    columns = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)
    state = models.CharField(max_length=7, choices=HistoryState.choices, default=HistoryState.MAPPING)
    step = models.CharField(max_length=9, choices=HistoryStep.choices, blank=True)
    done = models.PositiveIntegerField(default=0)
    posts = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=list)
    report = models.JSONField(null=True)
    error = models.CharField(max_length=500, blank=True)
    imported_by = optional_user()
    imported_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-imported_at", "-id")

    def __str__(self) -> str:
        return self.name

    def is_open(self, *, at: datetime) -> bool:
        """Tell whether it waits for a worker or is in progress; of a lost one that is over after a while."""
        is_begun = self.state in (HistoryState.WAITING, HistoryState.RUNNING)
        return is_begun and self.lease_until is not None and self.lease_until > at


class PastLine(models.Model):
    """A line of an imported file. It is no post of the desk: nothing else reads it.

    `probability` and `route` are by what the report judges with; `surprise` is how far the probability is
    from what moderators did, null where the line is not judged.
    """

    history = models.ForeignKey(HistoryImport, on_delete=models.CASCADE, related_name="past_lines")
    line = models.PositiveIntegerField()
    given = models.JSONField()
    posted_at = models.DateTimeField(null=True)
    is_spam = models.BooleanField(null=True)
    probability = models.FloatField(null=True)
    route = models.CharField(max_length=6, blank=True)
    surprise = models.FloatField(null=True)

    class Meta:
        ordering = ("history_id", "line")
        constraints = (models.UniqueConstraint(fields=("history", "line"), name="past_line_once"),)
