"""Shadow runs: a candidate scores live posts beside the live release, without effect."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.models.cases import Case
from moderation.models.person import acting_user, optional_user
from moderation.models.platforms import Platform
from moderation.models.scores import RouteChoice, Score


class LinkKind(models.TextChoices):
    """What a post links to, as far as slices tell it apart."""

    NONE = "none", _("no link")
    KNOWN = "known", _("links to domains known for 30 days")
    NEW = "new", _("links to newer domains")


class ShadowRun(models.Model):
    """A candidate that scores `share` of what `live` scores. It may have scored nothing, so it names no row.

    `reached` is the last score that was looked at. `draws` are the draws of disagreements: objects of `at`
    (ISO), `chance`, `drawn` and `population`. `figures` are what `shadow_figures` estimated last. `trouble`
    says what the candidate cannot do at present. An open run has no `stopped_at`; one that ended by itself
    was stopped by nobody.
    """

    candidate = models.CharField(max_length=64)
    live = models.CharField(max_length=64)
    share = models.FloatField(help_text="Of the live release's scores, in (0, 1].")
    started_by = acting_user(has_index=False)
    started_at = models.DateTimeField()
    stopped_by = optional_user(has_index=False)
    stopped_at = models.DateTimeField(null=True, blank=True)
    reached = models.BigIntegerField()
    skipped = models.PositiveIntegerField(default=0, help_text="Drawn posts left out to catch up.")
    failed = models.PositiveIntegerField(default=0, help_text="Posts that the candidate could not score.")
    trouble = models.CharField(max_length=500, blank=True)
    trouble_at = models.DateTimeField(null=True, blank=True)
    draws = models.JSONField(default=list)
    figures = models.JSONField(default=dict)
    slot = models.PositiveSmallIntegerField(
        default=1, help_text="Always 1: the constraint allows one open run."
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=("slot",), condition=Q(stopped_at__isnull=True), name="one_open_shadow_run"
            ),
            models.CheckConstraint(condition=~Q(candidate=F("live")), name="shadow_compares_two_releases"),
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=1), name="shadow_share_in_range"),
            models.CheckConstraint(
                condition=Q(stopped_by__isnull=True) | Q(stopped_at__isnull=False),
                name="shadow_stopped_at_an_instant",
            ),
        )

    @property
    def is_open(self) -> bool:
        """Whether the candidate still scores."""
        return self.stopped_at is None


class ShadowScore(models.Model):
    """What a candidate says of a score's record, and its post's slices.

    `live_route` and `route` are those of the models alone: an audit sample counts as the verdict that it
    checks. `distance` is how many routes lie between the two: 0 agree, 1 beside review, 2 opposite.
    """

    run = models.ForeignKey(ShadowRun, on_delete=models.CASCADE, related_name="scores", db_index=False)
    score = models.ForeignKey(Score, on_delete=models.CASCADE, related_name="+", db_index=False)
    scored_at = models.DateTimeField()
    spam_probability = models.FloatField()
    route = models.CharField(max_length=8, choices=RouteChoice.choices)
    live_route = models.CharField(max_length=8, choices=RouteChoice.choices)
    distance = models.PositiveSmallIntegerField()
    gap = models.FloatField(help_text="Between the two probabilities, in [0, 1].")
    platform = models.ForeignKey(Platform, on_delete=models.CASCADE, related_name="+", db_index=False)
    language = models.CharField(max_length=16, blank=True)
    links = models.CharField(max_length=5, choices=LinkKind.choices)
    case = models.ForeignKey(
        Case,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
        help_text="The case by which a draw of disagreements asked a human.",
    )

    class Meta:
        ordering = ("run_id", "id")
        constraints = (
            # By score first: erasure and labels find a post's rows by it.
            models.UniqueConstraint(fields=("score", "run"), name="shadow_score_once_per_run"),
        )
        indexes = (
            models.Index(
                fields=("run", "-distance", "-gap", "id"),
                name="shadow_disagreements",
                condition=Q(distance__gt=0),
            ),
            models.Index(fields=("run", "scored_at"), name="shadow_by_run"),
            models.Index(fields=("case",), name="shadow_by_case", condition=Q(case__isnull=False)),
        )
