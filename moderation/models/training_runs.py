"""Training runs: jobs that make the next release from decisions."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.models.person import optional_user
from moderation.models.platforms import optional_platform


class TrainingState(models.TextChoices):
    """How far a training run is."""

    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("in progress")
    READY = "ready", _("ready")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class TrainingStep(models.TextChoices):
    """The steps of a training run, in order."""

    PACKAGES = "packages", _("Install training packages")
    LABELS = "labels", _("Export labels")
    SIMULATED = "simulated", _("Simulate posts to evaluate on")
    HEADS = "heads", _("Fit the heads of platforms")
    EVALUATE = "evaluate", _("Compare with the live release")


OPEN_STATES = (TrainingState.WAITING, TrainingState.RUNNING)


class TrainingRun(models.Model):
    """One run. `requested_by` is empty if the schedule began it; `candidate` is the release it made."""

    requested_by = optional_user(related_name="training_runs")
    platform = optional_platform(
        related_name="training_runs", help_text="Only decisions of this platform; empty takes all."
    )
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=9, choices=TrainingState.choices, default=TrainingState.WAITING)
    step = models.CharField(max_length=9, choices=TrainingStep.choices, blank=True)
    log = models.TextField(blank=True, help_text="The end of what the run printed.")
    error = models.CharField(max_length=500, blank=True)
    live = models.CharField(max_length=64, blank=True, help_text="The live release it was compared with.")
    candidate = models.CharField(max_length=64, blank=True)
    manifest = models.JSONField(null=True, blank=True, help_text="The candidate's.")
    report = models.JSONField(null=True, blank=True, help_text="The comparison with the live release.")
    findings = models.JSONField(default=list, help_text="What the gate asked: [question, passed, answer].")
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then its message or its worker is trusted to come."
    )
    slot = models.PositiveSmallIntegerField(
        default=1, help_text="Always 1: the constraint allows one open run."
    )

    class Meta:
        ordering = ("-requested_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("slot",),
                condition=Q(state__in=("waiting", "running")),
                name="one_open_training_run",
            ),
        )

    @property
    def is_open(self) -> bool:
        """Whether the run waits or is in progress."""
        return self.state in OPEN_STATES
