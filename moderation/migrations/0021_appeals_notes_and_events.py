"""Appeals, notes on cases, and deliveries of events that are no decision."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_CASCADE, _PROTECT = django.db.models.deletion.CASCADE, django.db.models.deletion.PROTECT
_ID = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))
_REASONS = [
    ("uncertain", "the models are unsure"),
    ("degraded", "scored without the content model"),
    ("audit", "random audit sample"),
    ("complaints", "complaints came in after the automatic verdict"),
    ("revised", "edited after a decision"),
    ("escalated", "escalated by a moderator"),
    ("campaign", "sample of a decided campaign"),
    ("conflict", "the filter and its campaign disagree"),
    ("appealed", "the platform disputes the decision"),
    ("second", "a second person is asked"),
]
_EVENTS = [
    ("decision.created", "Decision Created"),
    ("decision.reversed", "Decision Reversed"),
    ("post.scored", "Post Scored"),
    ("case.opened", "Case Opened"),
    ("campaign.decided", "Campaign Decided"),
    ("appeal.decided", "Appeal Decided"),
    ("export.ready", "Export Ready"),
    ("rule.activated", "Rule Activated"),
    ("model.promoted", "Model Promoted"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0020_erasures_to_journal")]

    operations = [
        migrations.CreateModel(
            name="Appeal",
            fields=[
                _ID,
                ("external_id", models.CharField(blank=True, max_length=200)),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="In the words of who disputes it.", max_length=2000
                    ),
                ),
                ("filed_at", models.DateTimeField()),
                (
                    "platform",
                    models.ForeignKey(
                        on_delete=_CASCADE, related_name="appeals", to="moderation.platform"
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(on_delete=_CASCADE, related_name="appeals", to="moderation.post"),
                ),
                (
                    "decision",
                    models.OneToOneField(
                        on_delete=_CASCADE, related_name="appeal", to="moderation.decision"
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(on_delete=_PROTECT, related_name="appeals", to="moderation.case"),
                ),
                (
                    "outcome",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="settled_appeals",
                        to="moderation.decision",
                    ),
                ),
            ],
            options={"ordering": ("id",)},
        ),
        migrations.CreateModel(
            name="CaseNote",
            fields=[
                _ID,
                ("text", models.CharField(max_length=2000)),
                ("written_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=_PROTECT, related_name="case_notes", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(on_delete=_CASCADE, related_name="notes", to="moderation.case"),
                ),
            ],
            options={"ordering": ("id",)},
        ),
        migrations.AlterField("case", "reason", models.CharField(choices=_REASONS, max_length=12)),
        migrations.AlterField(
            "webhookendpoint",
            "events",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=_EVENTS, max_length=40), default=list, size=None
            ),
        ),
        # Left to Django, the foreign key would be dropped and checked anew, row by row, under a lock.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE moderation_delivery ALTER COLUMN decision_id DROP NOT NULL",
                    "ALTER TABLE moderation_delivery ALTER COLUMN decision_id SET NOT NULL",
                )
            ],
            state_operations=[
                migrations.AlterField(
                    "delivery",
                    "decision",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=_CASCADE,
                        related_name="deliveries",
                        to="moderation.decision",
                    ),
                )
            ],
        ),
    ]
