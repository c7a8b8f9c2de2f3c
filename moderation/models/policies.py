"""Policies in words: what a text may be about, and what becomes of posts that match."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.person import optional_user
from moderation.models.posts import Post, Revision


class PolicyEffect(models.TextChoices):
    """What becomes of posts that match: none is ever removed for it."""

    TAG = "tag", _("tag")
    HOLD = "hold", _("hold")


class Policy(models.Model):
    """A policy in words. A draft until somebody activates it, with a threshold, an effect and an end.

    `counts` is the code of the reason that a right hit was judged spam for; empty: any spam is a right hit.
    `trial` holds what the draft was tried on: `[post id, probability]` of posts that people judged, and of
    the newest posts. It has no words of posts.
    """

    name = models.CharField(max_length=80)
    words = models.CharField(max_length=200)
    reason = models.CharField(max_length=500, blank=True)
    counts = models.CharField(max_length=40, blank=True)
    effect = models.CharField(max_length=8, choices=PolicyEffect.choices, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    trial = models.JSONField(default=dict, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    written_at = models.DateTimeField()
    activated_by = optional_user()
    activated_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    ended_by = optional_user()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-written_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(activated_at__isnull=True)
                | Q(threshold__gte=0, threshold__lte=1, expires_at__isnull=False, effect__in=("tag", "hold")),
                name="active_policy_is_complete",
            ),
        )
        indexes = (
            models.Index(
                fields=("expires_at",),
                name="policy_active",
                condition=Q(activated_at__isnull=False, ended_at__isnull=True),
            ),
        )

    @property
    def is_draft(self) -> bool:
        """True until somebody activates it."""
        return self.activated_at is None


class PolicyMatch(models.Model):
    """A text that matched an active policy when it was scored last."""

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="matches", db_index=False)
    post = models.ForeignKey(Post, on_delete=models.CASCADE, related_name="policy_matches")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="policy_matches")
    probability = models.FloatField()
    matched_at = models.DateTimeField()

    class Meta:
        ordering = ("-probability", "id")
        constraints = (
            models.UniqueConstraint(fields=("policy", "post"), name="one_match_per_policy_and_post"),
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1), name="match_probability_in_range"
            ),
        )
