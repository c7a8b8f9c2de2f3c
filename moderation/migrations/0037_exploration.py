"""Random draws, audit shares by platform, reconsiderations, and histories that stay on their platform."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0036_exports_of_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="LabelDraw",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                (
                    "days",
                    models.PositiveSmallIntegerField(help_text="From how many days back posts were drawn."),
                ),
                ("wanted", models.PositiveIntegerField()),
                ("drawn", models.PositiveIntegerField(default=0)),
                (
                    "population",
                    models.PositiveIntegerField(default=0, help_text="From how many posts they were drawn."),
                ),
                (
                    "idempotency_key",
                    models.UUIDField(
                        blank=True,
                        help_text="Named by the page: a repeated request is the same draw.",
                        null=True,
                    ),
                ),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-asked_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="Reconsideration",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("reached_id", models.BigIntegerField(default=0)),
                ("queued", models.PositiveIntegerField(default=0, help_text="Put before a human.")),
                ("decided", models.PositiveIntegerField(default=0, help_text="Decided as the others.")),
                ("done_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("due_at", "id"),
            },
        ),
        migrations.AddField(
            model_name="case",
            name="audit_probability",
            field=models.FloatField(
                blank=True, help_text="The chance of its draw; else that of its score holds.", null=True
            ),
        ),
        migrations.AddField(
            model_name="platform",
            name="audit_cases_per_day",
            field=models.PositiveIntegerField(
                db_default=200, default=200, help_text="How many cases a day these checks may make."
            ),
        ),
        migrations.AddField(
            model_name="platform",
            name="audit_first_share",
            field=models.FloatField(
                blank=True,
                help_text="Share of automatic verdicts that people check while few random labels stand; empty takes the installation's.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="platform",
            name="reconsiders",
            field=models.CharField(
                choices=[
                    ("queue", "put before a human"),
                    ("decide", "decided as the others"),
                    ("nothing", "left as they are"),
                ],
                db_default="queue",
                default="queue",
                help_text="What becomes of posts that were allowed before their like was decided to be spam.",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="platform",
            name="shares_histories",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Histories of addresses, domains and near-duplicates count posts of other platforms that share theirs, too.",
            ),
        ),
        migrations.AlterField(
            model_name="case",
            name="reason",
            field=models.CharField(
                choices=[
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
                    ("wave", "spam comes in a wave: nothing passes unseen"),
                    ("random", "drawn at random to be labelled"),
                    ("reconsidered", "allowed before its like was decided to be spam"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="platform",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("audit_first_share__isnull", True),
                    models.Q(("audit_first_share__gte", 0.0), ("audit_first_share__lte", 1.0)),
                    _connector="OR",
                ),
                name="audit_share_in_range",
            ),
        ),
        migrations.AddField(
            model_name="labeldraw",
            name="asked_by",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="labeldraw",
            name="cancelled_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="labeldraw",
            name="platform",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="draws",
                to="moderation.platform",
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="draw",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="cases",
                to="moderation.labeldraw",
            ),
        ),
        migrations.AddField(
            model_name="reconsideration",
            name="campaign_decision",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reconsideration",
                to="moderation.campaigndecision",
            ),
        ),
        migrations.AddField(
            model_name="reconsideration",
            name="decision",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reconsideration",
                to="moderation.decision",
            ),
        ),
        migrations.AddIndex(
            model_name="labeldraw",
            index=models.Index(fields=["platform", "-asked_at"], name="draw_by_platform"),
        ),
        migrations.AddConstraint(
            model_name="labeldraw",
            constraint=models.UniqueConstraint(
                condition=models.Q(("idempotency_key__isnull", False)),
                fields=("asked_by", "idempotency_key"),
                name="draw_once_per_key",
            ),
        ),
        migrations.AddIndex(
            model_name="reconsideration",
            index=models.Index(
                condition=models.Q(("done_at__isnull", True)),
                fields=["due_at", "id"],
                name="reconsideration_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="reconsideration",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("campaign_decision__isnull", True), ("decision__isnull", False)),
                    models.Q(("campaign_decision__isnull", False), ("decision__isnull", True)),
                    _connector="OR",
                ),
                name="reconsideration_has_one_cause",
            ),
        ),
    ]
