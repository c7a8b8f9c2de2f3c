"""Proposals of releases: somebody proposes that a release goes live, another person confirms it."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.models.person import acting_user, optional_user
from moderation.models.releases import Promotion


class ProposalKind(models.TextChoices):
    """What a proposed release changes."""

    THRESHOLDS = "thresholds", _("thresholds")
    PROMOTION = "promotion", _("models")


class ReleaseProposal(models.Model):
    """A proposal that a release goes live in place of `replaces`, the one that was live when it was made.

    `candidate` may have scored nothing yet, so it names no row. `evidence` is what the proposer saw and the
    gate asks: the simulation of thresholds or the report on models; it is never edited. An open proposal has
    no `closed_at`; one that ran out was closed by nobody.

    While its release is going live, which takes seconds to minutes, `confirming_by` names the second person
    until `confirming_until` at the latest. `failure` says why the last attempt left the live release.
    """

    kind = models.CharField(max_length=12, choices=ProposalKind.choices)
    candidate = models.CharField(max_length=64)
    replaces = models.CharField(max_length=64)
    changes = models.JSONField(default=dict)
    evidence = models.JSONField(default=dict)
    reason = models.CharField(max_length=500)
    made_by = acting_user()
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    confirmed_by = optional_user()
    refused_by = optional_user()
    confirming_by = optional_user(has_index=False)
    confirming_until = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=500, blank=True, default="", db_default="")
    closed_at = models.DateTimeField(null=True, blank=True)
    promotion = models.OneToOneField(
        Promotion, null=True, blank=True, on_delete=models.PROTECT, related_name="proposal"
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True) | ~Q(confirmed_by=F("made_by")),
                name="proposal_has_two_names",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True, promotion__isnull=True)
                | Q(
                    confirmed_by__isnull=False,
                    promotion__isnull=False,
                    closed_at__isnull=False,
                    refused_by__isnull=True,
                ),
                name="proposal_is_confirmed_whole",
            ),
            models.CheckConstraint(
                condition=Q(refused_by__isnull=True) | Q(closed_at__isnull=False),
                name="refused_proposal_is_closed",
            ),
            models.CheckConstraint(
                condition=~Q(candidate=F("replaces")), name="proposal_changes_the_release"
            ),
            models.UniqueConstraint(
                fields=("candidate",),
                condition=Q(closed_at__isnull=True),
                name="one_open_proposal_per_release",
            ),
        )

    def is_open(self, *, at: datetime) -> bool:
        """Tell whether somebody may still confirm or refuse it."""
        return self.closed_at is None and at < self.expires_at

    def is_going_live(self, *, at: datetime) -> bool:
        """Tell whether a second person has confirmed it and its release is being loaded."""
        return self.closed_at is None and self.confirming_until is not None and at < self.confirming_until
