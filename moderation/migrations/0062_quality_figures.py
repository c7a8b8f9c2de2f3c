"""Figures of quality as a sweep last estimated them."""

import django.db.models.deletion
from django.db import migrations, models

_PLATFORM = {
    "blank": True,
    "db_index": False,
    "null": True,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
    "to": "moderation.platform",
}
_ID = {"auto_created": True, "primary_key": True, "serialize": False, "verbose_name": "ID"}
_SPANS = [
    ("7d", "last 7 days"),
    ("28d", "last 28 days"),
    ("90d", "last 90 days"),
    ("day", "day"),
    ("week", "week"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0061_scopes_of_models")]

    operations = [
        migrations.CreateModel(
            name="QualityFigure",
            fields=[
                ("id", models.BigAutoField(**_ID)),
                ("span", models.CharField(choices=_SPANS, max_length=4)),
                ("start", models.DateTimeField()),
                ("end", models.DateTimeField()),
                (
                    "dimension",
                    models.CharField(
                        choices=[
                            ("all", "All posts"),
                            ("language", "Language"),
                            ("reason", "Reason"),
                            ("route", "Route"),
                            ("release", "Release"),
                        ],
                        max_length=8,
                    ),
                ),
                ("slice", models.CharField(blank=True, max_length=64)),
                (
                    "measure",
                    models.CharField(
                        choices=[
                            ("precision", "Removed posts that are spam"),
                            ("missed", "Spam among posts let through"),
                            ("recall", "Spam that is removed"),
                            ("prevalence", "Spam among all posts"),
                            ("false_alarms", "Honest posts removed"),
                        ],
                        max_length=12,
                    ),
                ),
                ("value", models.FloatField(null=True)),
                ("low", models.FloatField()),
                ("high", models.FloatField()),
                ("labels", models.PositiveIntegerField()),
                ("uniform_value", models.FloatField(null=True)),
                ("uniform_low", models.FloatField()),
                ("uniform_high", models.FloatField()),
                ("uniform_labels", models.PositiveIntegerField()),
                ("estimated_at", models.DateTimeField()),
                ("platform", models.ForeignKey(**_PLATFORM)),
            ],
            options={
                "ordering": ("platform_id", "span", "dimension", "slice", "start", "measure"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("platform", "span", "dimension", "slice", "start", "measure"),
                        name="estimated_once_per_slice",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="QualityTable",
            fields=[
                ("id", models.BigAutoField(**_ID)),
                ("span", models.CharField(choices=_SPANS, max_length=4)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("reliability", "Reliability"),
                            ("overrides", "Decisions corrected, by reason"),
                            ("appeals", "Appeals, by reason"),
                            ("complaints", "Complaints, by reason"),
                            ("rules", "Accuracy of rules"),
                            ("agreement", "Agreement between people"),
                        ],
                        max_length=12,
                    ),
                ),
                ("rows", models.JSONField()),
                ("counted_at", models.DateTimeField()),
                ("platform", models.ForeignKey(**_PLATFORM)),
            ],
            options={
                "ordering": ("platform_id", "span", "kind"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("platform", "span", "kind"), name="one_quality_table", nulls_distinct=False
                    )
                ],
            },
        ),
    ]
