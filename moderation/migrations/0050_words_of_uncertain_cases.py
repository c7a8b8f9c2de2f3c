"""Other words for why a post waits of which the models are not sure enough. No SQL."""

from django.db import migrations, models

_REASONS = [
    ("uncertain", "not sure enough to remove"),
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
    dependencies = [("moderation", "0049_author_notes")]

    operations = [
        migrations.AlterField("case", "reason", models.CharField(choices=_REASONS, max_length=16)),
    ]
