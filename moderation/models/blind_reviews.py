"""Blind reviews: posts that were decided once and are judged again by somebody who does not see how; golden
items among them, whose verdict two leads vouch for.
"""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.models import desk_settings
from moderation.models.cases import Case
from moderation.models.decisions import Decision, Verdict
from moderation.models.person import acting_user, optional_user
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
    marked_by = acting_user(has_index=False)
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


class BlindCause(models.TextChoices):
    """Why a post is judged again. Only leads read it: to the reviewer all blind reviews look alike."""

    SAMPLE = "sample", _("drawn at random")
    FIRST = "first", _("first decisions of a new moderator")
    GOLDEN = "golden", _("golden item")
    SUSPICIOUS = "suspicious", _("the models contradict the label")


class BlindReviewPlan(models.Model):
    """How many of a platform's decisions are judged again, and up to where they were drawn."""

    platform = models.OneToOneField(
        Platform, primary_key=True, on_delete=models.CASCADE, related_name="blind_review_plan"
    )
    share = models.FloatField(default=0.0, help_text="Chance in [0, 1] of each decision made individually.")
    first_decisions = models.PositiveIntegerField(
        default=0, help_text="So many decisions of each new moderator are drawn with chance 1."
    )
    golden_share = models.FloatField(
        default=0.0, db_default=0.0, help_text="Share in [0, 0.5] of golden items among blind reviews."
    )
    # Decisions are drawn once, in the order in which they took effect.
    drawn_until = models.DateTimeField()
    drawn_id = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("platform_id",)
        constraints = (
            models.CheckConstraint(condition=Q(share__gte=0.0, share__lte=1.0), name="blind_share_in_range"),
            models.CheckConstraint(
                condition=Q(golden_share__gte=0.0, golden_share__lte=0.5), name="golden_share_in_range"
            ),
        )


class BlindReview(models.Model):
    """A post to be judged again, and the answer. It is no decision: the platform never hears of it.

    It is about a decision, or about a golden item, whose verdict is known.

    Without a case it waits for room in the queue. One whose case was closed unanswered came to nothing.
    """

    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+", db_index=False)
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="blind_reviews")
    decision = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.CASCADE, related_name="blind_review"
    )
    golden = models.ForeignKey(
        GoldenItem, null=True, blank=True, on_delete=models.CASCADE, related_name="blind_reviews"
    )
    case = models.OneToOneField(
        Case, null=True, blank=True, on_delete=models.CASCADE, related_name="blind_review"
    )
    cause = models.CharField(max_length=10, choices=BlindCause.choices)
    chance = models.FloatField(help_text="With which the decision was drawn, in (0, 1]; 1 of golden items.")
    drawn_at = models.DateTimeField()
    verdict = models.CharField(
        max_length=8, choices=Verdict.choices, blank=True, help_text="Empty while unanswered, or handed on."
    )
    reason = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=2000, blank=True)
    answered_by = optional_user()
    answered_at = models.DateTimeField(null=True, blank=True)
    idempotency_key = models.UUIDField(null=True, blank=True)
    is_disputed = models.BooleanField(
        default=False, help_text="The answer contradicts the decision, or leaves it to a lead."
    )
    settled_verdict = models.CharField(max_length=8, choices=Verdict.choices, blank=True)
    settled_note = models.CharField(max_length=500, blank=True)
    settled_by = optional_user(has_index=False)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(chance__gt=0.0, chance__lte=1.0), name="blind_chance_in_range"
            ),
            models.CheckConstraint(
                condition=Q(answered_by__isnull=True, answered_at__isnull=True, verdict="")
                | Q(answered_by__isnull=False, answered_at__isnull=False, case__isnull=False),
                name="blind_answer_names_its_moderator",
            ),
            models.CheckConstraint(
                condition=Q(settled_by__isnull=True, settled_at__isnull=True)
                | Q(settled_by__isnull=False, settled_at__isnull=False, is_disputed=True),
                name="blind_dispute_settled_by_somebody",
            ),
        )
        indexes = (
            # Those that wait for room in the queue.
            models.Index(fields=("platform", "id"), name="blind_review_due", condition=Q(case__isnull=True)),
            models.Index(fields=("-id",), name="blind_review_disputed", condition=Q(is_disputed=True)),
        )

    @property
    def final_at(self) -> datetime | None:
        """When the answer can no longer be undone; None while it is open."""
        return self.answered_at and self.answered_at + timedelta(seconds=desk_settings.current().undo_seconds)
