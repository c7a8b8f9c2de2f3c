"""Decided posts whose verdict two leads vouch for, and their share among blind reviews."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q

_USER = {
    "db_index": False,
    "on_delete": django.db.models.deletion.PROTECT,
    "related_name": "+",
    "to": settings.AUTH_USER_MODEL,
}
_MAYBE = {"blank": True, "null": True}
_CASCADE = {"on_delete": django.db.models.deletion.CASCADE}


class Migration(migrations.Migration):
    dependencies = [("moderation", "0067_canaries")]

    operations = [
        migrations.CreateModel(
            name="GoldenItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "verdict",
                    models.CharField(choices=[("spam", "spam"), ("not_spam", "not spam")], max_length=8),
                ),
                ("reason", models.CharField(blank=True, max_length=40)),
                (
                    "note",
                    models.CharField(blank=True, help_text="Why the verdict is right.", max_length=500),
                ),
                ("marked_at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(**_MAYBE)),
                ("retired_at", models.DateTimeField(**_MAYBE)),
                ("is_wrong", models.BooleanField(default=False)),
                ("marked_by", models.ForeignKey(**_USER)),
                ("confirmed_by", models.ForeignKey(**_USER, **_MAYBE)),
                (
                    "retired_by",
                    models.ForeignKey(
                        help_text="Empty where a correction of the decision retired it.", **_USER, **_MAYBE
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(related_name="golden_items", to="moderation.platform", **_CASCADE),
                ),
                (
                    "post",
                    models.OneToOneField(related_name="golden_item", to="moderation.post", **_CASCADE),
                ),
                (
                    "revision",
                    models.ForeignKey(db_index=False, related_name="+", to="moderation.revision", **_CASCADE),
                ),
            ],
            options={
                "ordering": ("-id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(confirmed_by__isnull=True, confirmed_at__isnull=True)
                        | Q(confirmed_by__isnull=False, confirmed_at__isnull=False)
                        & ~Q(confirmed_by=F("marked_by")),
                        name="golden_item_confirmed_by_another",
                    )
                ],
            },
        ),
        migrations.AddField(
            "blindreviewplan",
            "golden_share",
            models.FloatField(
                db_default=0.0,
                default=0.0,
                help_text="Share in [0, 0.5] of golden items among blind reviews.",
            ),
        ),
        migrations.AlterField(
            "blindreview",
            "cause",
            models.CharField(
                choices=[
                    ("sample", "drawn at random"),
                    ("first", "first decisions of a new moderator"),
                    ("golden", "golden item"),
                    ("suspicious", "the models contradict the label"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            "blindreview",
            "chance",
            models.FloatField(help_text="With which the decision was drawn, in (0, 1]; 1 of golden items."),
        ),
        migrations.AddConstraint(
            "blindreviewplan",
            models.CheckConstraint(
                condition=Q(golden_share__gte=0.0, golden_share__lte=0.5), name="golden_share_in_range"
            ),
        ),
        migrations.AddField(
            "blindreview",
            "golden",
            models.ForeignKey(related_name="blind_reviews", to="moderation.goldenitem", **_CASCADE, **_MAYBE),
        ),
    ]
