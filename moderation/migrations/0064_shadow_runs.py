"""Shadow runs: a candidate scores live posts beside the live release."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("moderation", "0063_blind_reviews")]

    operations = [
        migrations.CreateModel(
            name="ShadowRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("candidate", models.CharField(max_length=64)),
                ("live", models.CharField(max_length=64)),
                ("share", models.FloatField(help_text="Of the live release's scores, in (0, 1].")),
                ("started_at", models.DateTimeField()),
                ("stopped_at", models.DateTimeField(blank=True, null=True)),
                ("reached", models.BigIntegerField()),
                (
                    "skipped",
                    models.PositiveIntegerField(default=0, help_text="Drawn posts left out to catch up."),
                ),
                (
                    "failed",
                    models.PositiveIntegerField(
                        default=0, help_text="Posts that the candidate could not score."
                    ),
                ),
                ("trouble", models.CharField(blank=True, max_length=500)),
                ("trouble_at", models.DateTimeField(blank=True, null=True)),
                ("draws", models.JSONField(default=list)),
                ("figures", models.JSONField(default=dict)),
                (
                    "slot",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="Always 1: the constraint allows one open run."
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "stopped_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(stopped_at__isnull=True), fields=("slot",), name="one_open_shadow_run"
                    ),
                    models.CheckConstraint(
                        condition=~Q(candidate=F("live")), name="shadow_compares_two_releases"
                    ),
                    models.CheckConstraint(
                        condition=Q(share__gt=0, share__lte=1), name="shadow_share_in_range"
                    ),
                    models.CheckConstraint(
                        condition=Q(stopped_by__isnull=True) | Q(stopped_at__isnull=False),
                        name="shadow_stopped_at_an_instant",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShadowScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("scored_at", models.DateTimeField()),
                ("spam_probability", models.FloatField()),
                (
                    "route",
                    models.CharField(
                        choices=[("allow", "allow"), ("review", "review"), ("remove", "remove")], max_length=8
                    ),
                ),
                (
                    "live_route",
                    models.CharField(
                        choices=[("allow", "allow"), ("review", "review"), ("remove", "remove")], max_length=8
                    ),
                ),
                ("distance", models.PositiveSmallIntegerField()),
                ("gap", models.FloatField(help_text="Between the two probabilities, in [0, 1].")),
                ("language", models.CharField(blank=True, max_length=16)),
                (
                    "links",
                    models.CharField(
                        choices=[
                            ("none", "no link"),
                            ("known", "links to domains known for 30 days"),
                            ("new", "links to newer domains"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="The case by which a draw of disagreements asked a human.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="moderation.case",
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="moderation.platform",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="moderation.shadowrun",
                    ),
                ),
                (
                    "score",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="moderation.score",
                    ),
                ),
            ],
            options={
                "ordering": ("run_id", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("score", "run"), name="shadow_score_once_per_run")
                ],
                "indexes": [
                    models.Index(
                        condition=Q(distance__gt=0),
                        fields=["run", "-distance", "-gap", "id"],
                        name="shadow_disagreements",
                    ),
                    models.Index(fields=["run", "scored_at"], name="shadow_by_run"),
                    models.Index(condition=Q(case__isnull=False), fields=["case"], name="shadow_by_case"),
                ],
            },
        ),
    ]
