"""The effect `hold` and the reason of its cases, by their names in code. No SQL: see moderation.models.fields."""

from django.db import migrations, models

_EFFECTS = [("ban", "ban"), ("hold", "hold"), ("allow", "allowance")]
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
    ("hold", "held by a rule: nothing passes unseen"),
    ("random", "drawn at random to be labelled"),
    ("reconsidered", "allowed before its like was decided to be spam"),
    ("outvoted", "one model is sure of spam, the others are not"),
    ("unread_script", "in a script that the models do not read"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0041_preferences_of_users")]

    operations = [
        migrations.AlterField("case", "reason", models.CharField(choices=_REASONS, max_length=16)),
        migrations.AlterField(
            "rule",
            "effect",
            models.CharField(choices=_EFFECTS, db_default="ban", default="ban", max_length=8),
        ),
    ]
