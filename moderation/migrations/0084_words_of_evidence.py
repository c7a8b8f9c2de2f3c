from django.db import migrations, models

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0083_sent_pictures")]

    operations = [
        repeatable.AddField(
            model_name="score",
            name="evidence_words",
            field=models.JSONField(
                help_text="[word, contribution] in what links and media lead to, where it reads like spam.",
                null=True,
            ),
        ),
    ]
