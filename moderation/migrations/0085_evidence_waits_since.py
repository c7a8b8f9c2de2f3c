from django.db import migrations, models

from moderation import repeatable

_SINCE = "Since when it waits, however often it was enqueued."


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0084_words_of_evidence")]

    operations = [
        repeatable.AddField(
            model_name=name, name="since", field=models.DateTimeField(help_text=_SINCE, null=True)
        )
        for name in ("evidence", "evidencerequest")
    ]
