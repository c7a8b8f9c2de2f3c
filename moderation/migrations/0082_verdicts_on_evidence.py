"""Labels say whether a verdict rests on what a post leads to; of those that are there, nobody knows."""

from django.db import migrations, models

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0081_policies")]

    operations = [
        repeatable.AddField(
            "label",
            "rests_on_evidence",
            models.BooleanField(
                db_default=False,
                default=False,
                help_text="Spam by what the post leads to or shows; its words alone had said nothing.",
            ),
        ),
    ]
