"""Campaigns: near-duplicate posts that people decide together, what they decided, what is reconsidered."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.decisions import Decision, Verdict
from moderation.models.person import acting_user, optional_user
from moderation.models.posts import Post, Revision


class Campaign(models.Model):
    """A cluster of similar posts. A merged campaign keeps its URL but no members."""

    opened_at = models.DateTimeField()
    latest_at = models.DateTimeField(help_text="When the newest member joined.")
    posts = models.PositiveIntegerField(default=0)
    authors = models.PositiveIntegerField(default=0)
    domains = models.PositiveIntegerField(default=0)
    example = models.ForeignKey(
        Revision, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="merged"
    )

    class Meta:
        ordering = ("id",)


class TieKind(models.TextChoices):
    """What a post shares with a campaign."""

    TEXT = "text", _("same text")
    LINK = "link", _("same link")
    DOMAIN = "domain", _("same domain")
    NETWORK = "network", _("same network")
    AUTHOR = "author", _("same author")
    PICTURE = "picture", _("same picture")
    MEANING = "meaning", _("same meaning")


class CampaignMember(models.Model):
    """A post's membership in a campaign, and why. A member left out is not part of later decisions."""

    post = models.OneToOneField(Post, on_delete=models.CASCADE, related_name="membership")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="members", db_index=False)
    joined_at = models.DateTimeField()
    likeness = models.FloatField(
        help_text="Share of the text that the campaign's first post has, too; 0 to 1."
    )
    ties = ArrayField(models.CharField(max_length=8, choices=TieKind.choices), default=list)
    left_out_at = models.DateTimeField(null=True, blank=True)
    left_out_by = optional_user(has_index=False)

    class Meta:
        ordering = ("campaign_id", "id")
        indexes = (
            # The campaign page: outliers first; the decision: in order of arrival.
            models.Index(fields=("campaign", "likeness", "id"), name="member_by_likeness"),
            models.Index(fields=("campaign", "id"), name="member_by_arrival"),
        )


class CampaignTrait(models.Model):
    """How many members of a campaign share an author, a domain or a network: counted as they join."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="traits", db_index=False)
    kind = models.CharField(max_length=8, choices=TieKind.choices)
    value = models.CharField(max_length=255)
    posts = models.PositiveIntegerField()

    class Meta:
        ordering = ("campaign_id", "kind", "-posts", "value")
        constraints = (
            models.UniqueConstraint(fields=("campaign", "kind", "value"), name="trait_once_per_campaign"),
        )


class CampaignDecisionState(models.TextChoices):
    """Decisions on large campaigns wait for the time for undoing and are then executed in batches."""

    WAITING = "waiting", _("pending")
    RUNNING = "running", _("in progress")
    DONE = "done", _("done")
    UNDONE = "undone", _("undone")


OPEN_STATES = (CampaignDecisionState.WAITING, CampaignDecisionState.RUNNING)
"""States in which a decision is still to be carried out."""


class CampaignDecision(models.Model):
    """One verdict on many posts. Each of them gets a decision of its own that points here."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="decisions")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    reason = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=2000, blank=True)
    decided_by = acting_user(related_name="campaign_decisions")
    decided_at = models.DateTimeField()
    effective_at = models.DateTimeField(help_text="Until then it can be undone; nobody was told before.")
    has_filtered = models.BooleanField(
        default=False, help_text="Also posts that the filter had settled the other way."
    )
    posts = models.PositiveIntegerField(help_text="How many posts it was meant for.")
    settled = models.PositiveIntegerField(default=0)
    member_ids = ArrayField(
        models.BigIntegerField(),
        default=list,
        help_text="Exactly those meant, where a task carries it out; who joins or waits later is not.",
    )
    reached_id = models.BigIntegerField(default=0, help_text="How far it has been carried out.")
    state = models.CharField(max_length=8, choices=CampaignDecisionState.choices)
    lease_until = models.DateTimeField(null=True, blank=True)
    corrects = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="correction"
    )

    class Meta:
        ordering = ("decided_at", "id")
        constraints = (
            models.CheckConstraint(
                condition=Q(settled__lte=models.F("posts")), name="campaign_settles_what_was_meant"
            ),
        )
        indexes = (
            models.Index(
                fields=("effective_at", "id"),
                name="campaign_decision_open",
                condition=Q(state__in=("waiting", "running")),
            ),
        )


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
