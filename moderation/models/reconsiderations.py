"""Requests to reconsider allowed posts after similar ones were decided to be spam."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from moderation.models.campaigns import CampaignDecision
from moderation.models.decisions import Decision


class Reconsideration(models.Model):
    """A request to reconsider posts that the filter allowed before a decision on similar ones.

    Carried out in batches, after the time for undoing. `reached_id` is the progress, from which the successor
    of a killed worker continues.
    """

    decision = models.OneToOneField(
        Decision, null=True, blank=True, on_delete=models.CASCADE, related_name="reconsideration"
    )
    campaign_decision = models.OneToOneField(
        CampaignDecision, null=True, blank=True, on_delete=models.CASCADE, related_name="reconsideration"
    )
    due_at = models.DateTimeField()
    reached_id = models.BigIntegerField(default=0)
    queued = models.PositiveIntegerField(default=0, help_text="Put before a human.")
    decided = models.PositiveIntegerField(default=0, help_text="Decided as the others.")
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("due_at", "id")
        constraints = (
            models.CheckConstraint(
                condition=Q(decision__isnull=False, campaign_decision__isnull=True)
                | Q(decision__isnull=True, campaign_decision__isnull=False),
                name="reconsideration_has_one_cause",
            ),
        )
        indexes = (
            models.Index(
                fields=("due_at", "id"), name="reconsideration_open", condition=Q(done_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"reconsideration {self.pk}"
