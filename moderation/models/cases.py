"""Cases: posts that wait for a human, the leases on them, and who has which of them on a page."""

from functools import partial

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.label_draws import LabelDraw
from moderation.models.platforms import Platform
from moderation.models.posts import Post
from moderation.models.scores import Score


class CaseState(models.TextChoices):
    """Open cases wait in the queue; withdrawn ones were answered by a later score or revision."""

    OPEN = "open", _("open")
    DECIDED = "decided", _("decided")
    WITHDRAWN = "withdrawn", _("withdrawn")


class CaseReason(models.TextChoices):
    """Why a post waits for a human."""

    UNCERTAIN = "uncertain", _("not sure enough to remove")
    DEGRADED = "degraded", _("scored without the content model")
    AUDIT = "audit", _("random audit sample")
    COMPLAINTS = "complaints", _("reported after it was let through")
    EVIDENCE = "evidence", _("found behind a link or in a picture")
    REVISED = "revised", _("edited after a decision")
    ESCALATED = "escalated", _("escalated by a moderator")
    CAMPAIGN = "campaign", _("sample of a decided campaign")
    CONFLICT = "conflict", _("the filter and its campaign disagree")
    APPEALED = "appealed", _("the platform disputes the decision")
    SECOND = "second", _("second review requested")
    HOLD = "hold", _("held by a rule or a policy: a person reviews every post")
    RANDOM = "random", _("drawn at random for labelling")
    RECONSIDERED = "reconsidered", _("let through before similar posts were found to be spam")
    OUTVOTED = "outvoted", _("the models disagree")
    UNREAD_SCRIPT = "unread_script", _("in a script the models cannot read")
    BLIND = "blind", _("blind review")
    REPORTED = "reported", _("reported: a person decides")
    UNPROVEN = "unproven", _("the filter would remove it: a person decides until it has proven right")


BLIND_REASONS = frozenset(
    {
        CaseReason.AUDIT.value,
        CaseReason.CAMPAIGN.value,
        CaseReason.SECOND.value,
        CaseReason.RANDOM.value,
        CaseReason.BLIND.value,
    }
)
"""Cases that measure the filter or a campaign: decided individually, without seeing what is measured."""

PLATFORM_REASONS = tuple(reason for reason in CaseReason.values if reason != CaseReason.BLIND)
"""Cases that platforms see. A blind review is between the people of the desk: no decision comes of it."""

KEPT_REASONS = frozenset({CaseReason.RANDOM.value, CaseReason.RECONSIDERED.value})
"""Cases that somebody requested: a new score does not withdraw them."""


class Lane(models.TextChoices):
    """By what the next case is chosen."""

    HARM = "harm", _("likely spam with wide reach")
    UNCERTAINTY = "uncertainty", _("least certain first")
    DIVERSITY = "diversity", _("one of each campaign first")
    AUDIT = "audit", _("drawn at random, oldest first")
    OLDEST = "oldest", _("waited longest")


_OpenIndex = partial(models.Index, condition=Q(state="open"))


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
    # The post's, copied so that one index gives a platform's first case; the post has the constraint.
    platform = models.ForeignKey(
        Platform, on_delete=models.CASCADE, related_name="cases", db_index=False, db_constraint=False
    )
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
    is_drawn = models.BooleanField(
        default=False, db_default=False, help_text="Drawn at random: the audit lane works through these."
    )
    is_first_of_campaign = models.BooleanField(
        default=True, db_default=True, help_text="No other post of its campaign had a case before."
    )
    lane = models.CharField(
        max_length=12,
        choices=Lane.choices,
        blank=True,
        default="",
        db_default="",
        help_text="The Lane that the last claim took it from; empty where somebody chose it.",
    )
    lane_probability = models.FloatField(
        null=True,
        blank=True,
        help_text="The chance with which that claim drew this lane, not this case.",
    )

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
            _OpenIndex(fields=("is_escalated", "-priority", "id"), name="case_queue"),
            _OpenIndex(fields=("opened_at",), name="case_oldest"),
            # For the other orders of the queue; without them each page would sort all open cases.
            _OpenIndex(fields=("is_escalated", "-uncertainty", "id"), name="case_unsure"),
            _OpenIndex(fields=("is_escalated", "-complaint_count", "id"), name="case_reported"),
            _OpenIndex(fields=("is_escalated", "-opened_at", "id"), name="case_newest"),
            # What a named queue or a filter narrows the work to: a claim finds its first case without a walk.
            _OpenIndex(fields=("language", "is_escalated", "-priority", "id"), name="case_by_language"),
            _OpenIndex(fields=("reason", "is_escalated", "-priority", "id"), name="case_by_reason"),
            _OpenIndex(fields=("platform", "is_escalated", "-priority", "id"), name="case_by_platform"),
            # The lanes of the queue mix that no index above orders.
            models.Index(
                fields=("is_escalated", "opened_at", "id"),
                name="case_drawn",
                condition=Q(state="open", is_drawn=True),
            ),
            models.Index(
                fields=("is_escalated", "-priority", "id"),
                name="case_first_of_campaign",
                condition=Q(state="open", is_first_of_campaign=True),
            ),
            models.Index(fields=("draw", "state"), name="case_of_draw", condition=Q(draw__isnull=False)),
            # The queue's age over the last day.
            models.Index(
                fields=("closed_at", "opened_at"), name="case_closed", condition=Q(closed_at__isnull=False)
            ),
        )


class Presence(models.Model):
    """A user who reads a case that somebody else has claimed: a hint; only a claim allows to act."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("case_id", "user_id")
        constraints = (models.UniqueConstraint(fields=("case", "user"), name="reader_once_per_case"),)


class ReviewPage(models.Model):
    """A review page in a browser, by its own random id."""

    page = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    leased = ArrayField(models.BigIntegerField(), default=list, help_text="Cases of the last answer to it.")
    used_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("used_at", "id")
        constraints = (models.UniqueConstraint(fields=("user", "page"), name="review_page_once"),)
