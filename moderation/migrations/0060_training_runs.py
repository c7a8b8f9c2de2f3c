"""Training runs: jobs that make the next release."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("moderation", "0059_uniform_part_of_audit")]

    operations = [
        migrations.CreateModel(
            name="TrainingRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("requested_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "in progress"),
                            ("ready", "ready"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("packages", "Install training packages"),
                            ("labels", "Export labels"),
                            ("simulated", "Simulate posts to evaluate on"),
                            ("heads", "Fit the heads of platforms"),
                            ("evaluate", "Compare with the live release"),
                        ],
                        max_length=9,
                    ),
                ),
                ("log", models.TextField(blank=True, help_text="The end of what the run printed.")),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "live",
                    models.CharField(
                        blank=True, help_text="The live release it was compared with.", max_length=64
                    ),
                ),
                ("candidate", models.CharField(blank=True, max_length=64)),
                ("manifest", models.JSONField(blank=True, help_text="The candidate's.", null=True)),
                (
                    "report",
                    models.JSONField(
                        blank=True, help_text="The comparison with the live release.", null=True
                    ),
                ),
                (
                    "findings",
                    models.JSONField(
                        default=list, help_text="What the gate asked: [question, passed, answer]."
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "lease_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="Until then its message or its worker is trusted to come.",
                        null=True,
                    ),
                ),
                (
                    "slot",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="Always 1: the constraint allows one open run."
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(
                        blank=True,
                        help_text="Only decisions of this platform; empty takes all.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="training_runs",
                        to="moderation.platform",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="training_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(state__in=("waiting", "running")),
                        fields=("slot",),
                        name="one_open_training_run",
                    )
                ],
            },
        ),
    ]
