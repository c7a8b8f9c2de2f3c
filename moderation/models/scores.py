"""The scoring of revisions, and scores: the models' output for one, with the frozen input."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import ExpressionWrapper, Q

from moderation.models.posts import Revision, ScoreState
from moderation.models.releases import Release
from moderation.models.rules import Rule


class RouteChoice(models.TextChoices):
    """The routes that a probability can lead to."""

    ALLOW = "allow", "allow"
    REVIEW = "review", "review"
    REMOVE = "remove", "remove"


class ScoringJob(models.Model):
    """The scoring of a revision, a row for each: beside it, since each change would copy the whole revision
    and write to all of its indexes."""

    # Written in one statement with the revision, or by COPY just after it: there is nothing to check.
    revision = models.OneToOneField(
        Revision, primary_key=True, on_delete=models.CASCADE, related_name="scoring", db_constraint=False
    )
    state = models.CharField(max_length=12, choices=ScoreState.choices, default=ScoreState.PENDING)
    enqueued_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    degraded_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when it has been scored without one of the models alone."
    )
    generation = models.PositiveIntegerField(
        default=1, help_text="Grows with every new reason to score again."
    )
    # The index names this column, not the state: a claim, which leaves it as it is, then writes no index.
    is_open = models.GeneratedField(
        expression=ExpressionWrapper(
            Q(state__in=("pending", "scoring", "degraded")), output_field=models.BooleanField()
        ),
        output_field=models.BooleanField(),
        db_persist=True,
    )

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("enqueued_at", "revision"), name="scoring_open", condition=Q(is_open=True)),
        )


class Score(models.Model):
    """The result of scoring one revision once: a repeated task finds its generation taken."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="scores", db_index=False)
    generation = models.PositiveIntegerField()
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="scores", db_index=False)
    scored_at = models.DateTimeField()
    record = models.JSONField()
    schema_hash = models.CharField(max_length=64)
    features = ArrayField(models.FloatField(), help_text="In the schema's order; NaN where unknown.")
    spam_probability = models.FloatField()
    content_probability = models.FloatField(null=True)
    content_score = models.BinaryField(
        null=True, help_text="What the content model said of the text (ContentScore), before any head."
    )
    content_model = models.CharField(
        max_length=40, blank=True, db_default="", help_text="Which one said it (Release.content_model)."
    )
    sub_models = models.JSONField(default=dict)
    base = models.FloatField(default=0.0)
    contributions = models.JSONField(
        default=list, help_text="[feature, value or null, contribution], largest first."
    )
    word_contributions = models.JSONField(null=True, help_text="[start, end, contribution] in the raw text.")
    evidence_words = models.JSONField(
        null=True, help_text="[word, contribution] in what links and media lead to, where it reads like spam."
    )
    counterfactual = models.JSONField(
        null=True, help_text="The smallest change that alters the route; {} if there is none."
    )
    route = models.CharField(max_length=8, choices=RouteChoice.choices)
    route_reason = models.CharField(max_length=16, blank=True)
    is_audit_sample = models.BooleanField(default=False)
    audit_probability = models.FloatField(default=0.0)
    audit_uniform_probability = models.FloatField(
        null=True,
        help_text="The chance of the audit sample's uniform part; null if that part did not draw the post.",
    )
    review_probability = models.FloatField(
        null=True,
        help_text="The chance of the draw among the review route; null if none was made.",
    )
    is_review_sample = models.BooleanField(default=False, db_default=False)
    expected_harm = models.FloatField(default=0.0)
    is_degraded = models.BooleanField(default=False)
    ban = models.ForeignKey(
        Rule, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    # A hold or an allowance applies in addition to the models' output; a ban, which replaces it, is above.
    rule = models.ForeignKey(
        Rule, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )

    class Meta:
        ordering = ("revision_id", "scored_at", "id")
        constraints = (
            models.UniqueConstraint(fields=("revision", "generation"), name="score_once_per_generation"),
            models.CheckConstraint(
                condition=Q(spam_probability__gte=0, spam_probability__lte=1),
                name="score_probability_in_range",
            ),
        )
        indexes = (
            models.Index(fields=("route", "scored_at"), name="score_by_route"),
            BrinIndex(fields=("release",), name="score_by_release", autosummarize=True),
            models.Index(fields=("rule",), name="score_by_rule", condition=Q(rule__isnull=False)),
            models.Index(fields=("ban",), name="score_by_ban", condition=Q(ban__isnull=False)),
            models.Index(fields=("-scored_at",), name="score_audited", condition=Q(is_audit_sample=True)),
        )

    @property
    def ruled_by(self) -> Rule | None:
        """The rule that decided on the post, of whatever effect."""
        return self.ban or self.rule

    @property
    def is_allowed(self) -> bool:
        """True when an allowance let the post pass; a hold lets none pass."""
        return self.rule_id is not None and self.route == RouteChoice.ALLOW
