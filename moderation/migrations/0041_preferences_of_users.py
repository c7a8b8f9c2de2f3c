"""The field is named as its subject is; its column keeps the name that the release before reads. No SQL."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0040_cases_in_unread_scripts")]

    operations = [
        migrations.AlterField(
            "user", "comfort_settings", models.JSONField(blank=True, db_column="comfort_settings", default=dict)
        ),
        migrations.RenameField("user", "comfort_settings", "stored_preferences"),
    ]
