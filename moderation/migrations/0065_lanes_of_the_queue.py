"""The queue mix, the lane that each claim came by, and the draw among the review route."""

from django.db import migrations, models
from django.db.models import F, Q

from moderation import repeatable


def mark_drawn(apps, schema_editor):
    """Mark the random posts that wait already: some hundreds at most by platform."""
    cases = apps.get_model("moderation", "Case").objects.filter(state="open")
    cases.filter(Q(reason__in=("audit", "blind")) | Q(draw__isnull=False)).update(is_drawn=True)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0064_shadow_runs")]

    operations = [
        repeatable.CreateModel(
            name="QueueMix",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("harm", models.PositiveSmallIntegerField(default=100)),
                ("uncertainty", models.PositiveSmallIntegerField(default=0)),
                ("diversity", models.PositiveSmallIntegerField(default=0)),
                ("audit", models.PositiveSmallIntegerField(default=0)),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=Q(id=1), name="one_queue_mix"),
                    models.CheckConstraint(
                        condition=Q(harm=100 - F("uncertainty") - F("diversity") - F("audit")),
                        name="queue_mix_is_whole",
                    ),
                ],
            },
        ),
        repeatable.AddField(
            "case",
            "is_drawn",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Drawn at random: the audit lane works through these.",
            ),
        ),
        repeatable.AddField(
            "case",
            "is_first_of_campaign",
            models.BooleanField(
                db_default=True,
                default=True,
                help_text="No other post of its campaign had a case before.",
            ),
        ),
        repeatable.AddField(
            "case",
            "lane",
            models.CharField(
                blank=True,
                choices=[
                    ("harm", "likely spam with wide reach"),
                    ("uncertainty", "least certain first"),
                    ("diversity", "one of each campaign first"),
                    ("audit", "drawn at random, oldest first"),
                    ("oldest", "waited longest"),
                ],
                db_default="",
                default="",
                help_text="The Lane that the last claim took it from; empty where somebody chose it.",
                max_length=12,
            ),
        ),
        repeatable.AddField(
            "case",
            "lane_probability",
            models.FloatField(
                blank=True,
                help_text="The chance with which that claim drew this lane, not this case.",
                null=True,
            ),
        ),
        repeatable.AddField(
            "score",
            "review_probability",
            models.FloatField(
                help_text="The chance of the draw among the review route; null if none was made.", null=True
            ),
        ),
        repeatable.AddField(
            "score", "is_review_sample", models.BooleanField(db_default=False, default=False)
        ),
        migrations.RunPython(mark_drawn, migrations.RunPython.noop),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("is_escalated", "opened_at", "id"),
                name="case_drawn",
                condition=Q(state="open", is_drawn=True),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(
                fields=("is_escalated", "-priority", "id"),
                name="case_first_of_campaign",
                condition=Q(state="open", is_first_of_campaign=True),
            ),
        ),
    ]
