"""When a request of erasure went into the journal outside the database. One empty column."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0018_platform_without_webhook")]

    operations = [
        migrations.AddField(
            "erasure",
            "journalled_at",
            models.DateTimeField(
                null=True, help_text="When a request went into the journal outside the database."
            ),
        ),
    ]
