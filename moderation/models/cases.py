"""Cases, the decisions that close them and the labels that decisions become."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.draws import LabelDraw
from moderation.models.posts import Post, Revision
from moderation.models.scores import Score


class CaseState(models.TextChoices):
    """Open cases wait in the queue; withdrawn ones were answered by a later score or revision."""

    OPEN = "open", _("open")
    DECIDED = "decided", _("decided")
    WITHDRAWN = "withdrawn", _("withdrawn")


class CaseReason(models.TextChoices):
    """Why a post waits for a human."""

    UNCERTAIN = "uncertain", _("the models are unsure")
    DEGRADED = "degraded", _("scored without the content model")
    AUDIT = "audit", _("random audit sample")
    COMPLAINTS = "complaints", _("complaints came in after the automatic verdict")
    REVISED = "revised", _("edited after a decision")
    ESCALATED = "escalated", _("escalated by a moderator")
    CAMPAIGN = "campaign", _("sample of a decided campaign")
    CONFLICT = "conflict", _("the filter and its campaign disagree")
    APPEALED = "appealed", _("the platform disputes the decision")
    SECOND = "second", _("a second person is asked")
    WAVE = "wave", _("spam comes in a wave: nothing passes unseen")
    RANDOM = "random", _("drawn at random to be labelled")
    RECONSIDERED = "reconsidered", _("allowed before its like was decided to be spam")
    OUTVOTED = "outvoted", _("one model is sure of spam, the others are not")
    UNREAD_SCRIPT = "unread_script", _("in a script that the models do not read")


BLIND_REASONS = frozenset(
    {CaseReason.AUDIT.value, CaseReason.CAMPAIGN.value, CaseReason.SECOND.value, CaseReason.RANDOM.value}
)
"""Cases that measure something: a human decides them alone, without seeing what is to be measured."""

KEPT_REASONS = frozenset({CaseReason.RANDOM.value, CaseReason.RECONSIDERED.value})
"""Cases that somebody asked for: no new score of the filter's takes them away."""


class Case(models.Model):
    """A post waiting for a human. The claim, a moderator's lease on it, is in the row: one holder at most."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="cases")
    score = models.ForeignKey(Score, on_delete=models.PROTECT, related_name="cases")
    state = models.CharField(max_length=10, choices=CaseState.choices, default=CaseState.OPEN)
    reason = models.CharField(max_length=16, choices=CaseReason.choices)
    priority = models.FloatField(help_text="Expected harm; larger comes first.")
    uncertainty = models.FloatField(
        default=0.0, help_text="0 sure, 1 even odds; says nothing of an audit sample."
    )
    complaint_count = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=16, blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    is_escalated = models.BooleanField(default=False)
    draw = models.ForeignKey(
        LabelDraw, null=True, blank=True, on_delete=models.PROTECT, related_name="cases", db_index=False
    )
    audit_probability = models.FloatField(
        null=True, blank=True, help_text="The chance of its draw; else that of its score holds."
    )
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="claims"
    )
    lease_end_at = models.DateTimeField(null=True, blank=True)
    skipped_by = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        ordering = ("-priority", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("post",), condition=Q(state="open"), name="one_open_case_per_post"
            ),
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True) | Q(lease_end_at__isnull=False),
                name="claim_has_lease_end",
            ),
        )
        indexes = (
            models.Index(
                fields=("is_escalated", "-priority", "id"), name="case_queue", condition=Q(state="open")
            ),
            models.Index(fields=("opened_at",), name="case_oldest", condition=Q(state="open")),
            # The other orders of the queue; without them each page would sort every open case.
            models.Index(
                fields=("is_escalated", "-uncertainty", "id"), name="case_unsure", condition=Q(state="open")
            ),
            models.Index(
                fields=("is_escalated", "-complaint_count", "id"),
                name="case_reported",
                condition=Q(state="open"),
            ),
            models.Index(
                fields=("is_escalated", "-opened_at", "id"), name="case_newest", condition=Q(state="open")
            ),
            models.Index(fields=("language",), name="case_language", condition=Q(state="open")),
            models.Index(fields=("draw", "state"), name="case_of_draw", condition=Q(draw__isnull=False)),
            # The queue's age over the last day.
            models.Index(
                fields=("closed_at", "opened_at"), name="case_closed", condition=Q(closed_at__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"case {self.pk}"


class Verdict(models.TextChoices):
    """What a decision says of a post."""

    SPAM = "spam", _("spam")
    NOT_SPAM = "not_spam", _("not spam")


class DecisionSource(models.TextChoices):
    """Who decided."""

    MODERATOR = "moderator", _("moderator")
    AUTOMATIC = "automatic", _("automatic")


class Decision(models.Model):
    """A verdict on a post. Never edited: taking one back writes a reversal beside it."""

    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="decisions")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="decisions")
    case = models.ForeignKey(Case, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions")
    case_version = models.PositiveIntegerField(null=True, blank=True)
    score = models.ForeignKey(Score, on_delete=models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    source = models.CharField(max_length=10, choices=DecisionSource.choices)
    reason = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=2000, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )
    decided_at = models.DateTimeField()
    idempotency_key = models.UUIDField(
        null=True, blank=True, help_text="Named by the page: a repeated request is the same decision."
    )
    effective_at = models.DateTimeField(
        help_text="When the platform may learn of it: after the time for undoing."
    )
    campaign_decision = models.ForeignKey(
        "CampaignDecision",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="decisions",
        db_index=False,
        help_text="The decision on its campaign that this one is part of.",
    )

    class Meta:
        ordering = ("decided_at", "id")
        constraints = (
            models.UniqueConstraint(fields=("case", "case_version"), name="one_decision_per_case_version"),
            models.CheckConstraint(
                condition=Q(source="automatic", decided_by__isnull=True)
                | Q(source="moderator", decided_by__isnull=False),
                name="decision_names_its_moderator",
            ),
        )
        indexes = (
            models.Index(fields=("post", "decided_at"), name="decision_of_post"),
            models.Index(fields=("decided_by", "-decided_at", "-id"), name="decision_by_moderator"),
            models.Index(fields=("effective_at", "id"), name="decision_by_effect"),
            # Undoing and correcting a whole campaign.
            models.Index(
                fields=("campaign_decision", "id"),
                name="decision_by_campaign",
                condition=Q(campaign_decision__isnull=False),
            ),
            models.Index(fields=("-decided_at", "-id"), name="decision_newest"),
        )

    def __str__(self) -> str:
        return f"{self.verdict} on {self.post_id}"


class Reversal(models.Model):
    """A decision taken back: undone before the platform knew of it, or replaced afterwards."""

    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="reversal")
    replacement = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.CASCADE, related_name="replaces"
    )
    reversed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reversed_at = models.DateTimeField()
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("reversed_at", "id")

    def __str__(self) -> str:
        return f"reversal of {self.decision_id}"


class Label(models.Model):
    """A human decision as a training target. Retracted labels stay, so that later exports can say so."""

    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="label")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="labels")
    is_spam = models.BooleanField()
    similarity_group = models.UUIDField()
    labelled_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("labelled_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("post",), condition=Q(retracted_at__isnull=True), name="one_live_label_per_post"
            ),
        )
        indexes = (models.Index(fields=("labelled_at", "id"), name="label_by_time"),)

    def __str__(self) -> str:
        return f"{self.post_id}: {'spam' if self.is_spam else 'not spam'}"
