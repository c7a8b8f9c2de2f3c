"""Canaries: a candidate that decides for a share of authors."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0066_drift_alarms"),
    ]

    operations = [
        migrations.CreateModel(
            name="CanaryRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("candidate", models.CharField(max_length=64)),
                ("live", models.CharField(max_length=64)),
                ("share", models.FloatField(help_text="Of authors, in (0, 0.5].")),
                ("proposed_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("stopped_at", models.DateTimeField(blank=True, null=True)),
                (
                    "end",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("person", "ended by a person"),
                            ("worse", "rolled back by itself: certainly worse"),
                            ("failed", "rolled back by itself: it could not score"),
                            ("live_changed", "ended by itself: another release went live"),
                            ("expired", "nobody confirmed it within a week"),
                        ],
                        max_length=12,
                    ),
                ),
                ("end_details", models.CharField(blank=True, max_length=500)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("figures", models.JSONField(default=list)),
                (
                    "slot",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="Always 1: the constraint allows one open canary."
                    ),
                ),
                (
                    "confirmed_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "shadow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="moderation.shadowrun",
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
                        condition=models.Q(("stopped_at__isnull", True)),
                        fields=("slot",),
                        name="one_open_canary",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("confirmed_by__isnull", True),
                            models.Q(("confirmed_by", models.F("proposed_by")), _negated=True),
                            _connector="OR",
                        ),
                        name="canary_has_two_names",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("confirmed_by__isnull", True), ("started_at__isnull", True)),
                            models.Q(("confirmed_by__isnull", False), ("started_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="canary_is_confirmed_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("candidate", models.F("live")), _negated=True),
                        name="canary_compares_two_releases",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("share__gt", 0), ("share__lte", 0.5)),
                        name="canary_share_in_range",
                    ),
                ],
            },
        ),
    ]
