"""Decisions that are judged again blindly, and the share of each platform."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("moderation", "0062_quality_figures"),
    ]

    operations = [
        migrations.AlterField(
            model_name="case",
            name="reason",
            field=models.CharField(
                choices=[
                    ("uncertain", "not sure enough to remove"),
                    ("degraded", "scored without the content model"),
                    ("audit", "random audit sample"),
                    ("complaints", "reported after it was let through"),
                    ("revised", "edited after a decision"),
                    ("escalated", "escalated by a moderator"),
                    ("campaign", "sample of a decided campaign"),
                    ("conflict", "the filter and its campaign disagree"),
                    ("appealed", "the platform disputes the decision"),
                    ("second", "second review requested"),
                    ("hold", "held by a rule: a person reviews every post"),
                    ("random", "drawn at random for labelling"),
                    ("reconsidered", "let through before similar posts were found to be spam"),
                    ("outvoted", "one model is sure of spam, the others are not"),
                    ("unread_script", "in a script the models cannot read"),
                    ("blind", "blind review"),
                ],
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="BlindReviewPlan",
            fields=[
                (
                    "platform",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="blind_review_plan",
                        serialize=False,
                        to="moderation.platform",
                    ),
                ),
                (
                    "share",
                    models.FloatField(
                        default=0.0, help_text="Chance in [0, 1] of each decision made individually."
                    ),
                ),
                (
                    "first_decisions",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="So many decisions of each new moderator are drawn with chance 1.",
                    ),
                ),
                ("drawn_until", models.DateTimeField()),
                ("drawn_id", models.BigIntegerField(default=0)),
            ],
            options={
                "ordering": ("platform_id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("share__gte", 0.0), ("share__lte", 1.0)),
                        name="blind_share_in_range",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BlindReview",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("sample", "drawn at random"),
                            ("first", "first decisions of a new moderator"),
                        ],
                        max_length=10,
                    ),
                ),
                ("chance", models.FloatField(help_text="With which the decision was drawn, in (0, 1].")),
                ("drawn_at", models.DateTimeField()),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[("spam", "spam"), ("not_spam", "not spam")],
                        help_text="Empty while unanswered, or handed on.",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=40)),
                ("note", models.CharField(blank=True, max_length=2000)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("idempotency_key", models.UUIDField(blank=True, null=True)),
                (
                    "is_disputed",
                    models.BooleanField(
                        default=False,
                        help_text="The answer contradicts the decision, or leaves it to a lead.",
                    ),
                ),
                (
                    "settled_verdict",
                    models.CharField(
                        blank=True, choices=[("spam", "spam"), ("not_spam", "not spam")], max_length=8
                    ),
                ),
                ("settled_note", models.CharField(blank=True, max_length=500)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "case",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blind_review",
                        to="moderation.case",
                    ),
                ),
                (
                    "decision",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blind_review",
                        to="moderation.decision",
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
                    "post",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blind_reviews",
                        to="moderation.post",
                    ),
                ),
                (
                    "settled_by",
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
                "ordering": ("id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("case__isnull", True)),
                        fields=["platform", "id"],
                        name="blind_review_due",
                    ),
                    models.Index(
                        condition=models.Q(("is_disputed", True)),
                        fields=["-id"],
                        name="blind_review_disputed",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("chance__gt", 0.0), ("chance__lte", 1.0)),
                        name="blind_chance_in_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("answered_at__isnull", True), ("answered_by__isnull", True), ("verdict", "")
                            ),
                            models.Q(
                                ("answered_at__isnull", False),
                                ("answered_by__isnull", False),
                                ("case__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="blind_answer_names_its_moderator",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("settled_at__isnull", True), ("settled_by__isnull", True)),
                            models.Q(
                                ("is_disputed", True),
                                ("settled_at__isnull", False),
                                ("settled_by__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="blind_dispute_settled_by_somebody",
                    ),
                ],
            },
        ),
    ]
