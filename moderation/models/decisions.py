"""Decisions on posts, their reversals, the labels that they give, and appeals against them."""

from django.db import models
from django.db.models import Q
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from moderation.models.cases import Case
from moderation.models.person import acting_user, optional_user
from moderation.models.platforms import Platform
from moderation.models.posts import Post, Revision
from moderation.models.rules import RuleKind
from moderation.models.scores import Score


class Verdict(models.TextChoices):
    """The two values of a decision."""

    SPAM = "spam", _("spam")
    NOT_SPAM = "not_spam", _("not spam")


class DecisionSource(models.TextChoices):
    """Who decided."""

    MODERATOR = "moderator", _("moderator")
    AUTOMATIC = "automatic", _("automatic")


AUTOMATIC_REASONS = {
    **{f"banned_{kind.value}": format_lazy("{}: {}", _("ban"), kind.label) for kind in RuleKind},
    "allowed": _("allowance"),
    "campaign": _("joined a decided campaign"),
    "reconsidered": _("similar posts were decided"),
}
"""Codes of automatic decisions that something other than the models made, which are no rows of Reason."""


class Decision(models.Model):
    """A verdict on a post. Never edited: taking one back writes a reversal beside it."""

    # The first columns of wider indexes serve them; indexes of their own would only cost writing.
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="decisions", db_index=False)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="decisions", db_index=False)
    case = models.ForeignKey(
        Case, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions", db_index=False
    )
    case_version = models.PositiveIntegerField(null=True, blank=True)
    score = models.ForeignKey(Score, on_delete=models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    source = models.CharField(max_length=10, choices=DecisionSource.choices)
    reason = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=2000, blank=True)
    decided_by = optional_user(related_name="decisions", has_index=False)
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
            models.UniqueConstraint(
                fields=("case", "case_version"),
                name="one_decision_per_case_version",
                condition=Q(case__isnull=False),
            ),
            models.CheckConstraint(
                condition=Q(source="automatic", decided_by__isnull=True)
                | Q(source="moderator", decided_by__isnull=False),
                name="decision_names_its_moderator",
            ),
        )
        indexes = (
            models.Index(fields=("post", "decided_at"), name="decision_of_post"),
            models.Index(
                fields=("decided_by", "-decided_at", "-id"),
                name="decision_by_moderator",
                condition=Q(decided_by__isnull=False),
            ),
            models.Index(
                fields=("effective_at", "id"),
                name="decision_by_effect",
                condition=Q(source="moderator") | Q(verdict="spam"),
            ),
            # Undoing and correcting a whole campaign.
            models.Index(
                fields=("campaign_decision", "id"),
                name="decision_by_campaign",
                condition=Q(campaign_decision__isnull=False),
            ),
            models.Index(fields=("decided_at", "id"), name="decision_newest"),
            models.Index(
                fields=("reason", "-decided_at", "-id"), name="decision_by_reason", condition=~Q(reason="")
            ),
        )


class Reversal(models.Model):
    """A decision taken back: undone before the platform knew of it, or replaced afterwards."""

    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="reversal")
    replacement = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.CASCADE, related_name="replaces"
    )
    reversed_by = acting_user()
    reversed_at = models.DateTimeField()
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("reversed_at", "id")


class Label(models.Model):
    """A human decision as a training target. Retracted labels stay, so that later exports can say so."""

    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="label")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="labels")
    is_spam = models.BooleanField()
    similarity_group = models.UUIDField()
    rests_on_evidence = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Spam by what the post leads to or shows; its words alone had said nothing.",
    )
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


class Appeal(models.Model):
    """One per decision. A human's next decision on the post settles it; that one is its outcome."""

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="appeals")
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="appeals")
    decision = models.OneToOneField(Decision, on_delete=models.CASCADE, related_name="appeal")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="appeals")
    external_id = models.CharField(max_length=200, blank=True)
    reason = models.CharField(max_length=2000, blank=True, help_text="In the words of who disputes it.")
    filed_at = models.DateTimeField()
    outcome = models.ForeignKey(
        Decision, null=True, blank=True, on_delete=models.SET_NULL, related_name="settled_appeals"
    )

    class Meta:
        ordering = ("id",)
