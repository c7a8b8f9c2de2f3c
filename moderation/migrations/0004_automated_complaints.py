"""Which complaints a machine made; the database's default spares rewriting the table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("moderation", "0003_standard_reasons"),)

    operations = (
        migrations.AddField(
            model_name="complaint",
            name="is_automated",
            field=models.BooleanField(
                db_default=False,
                help_text="Whether a machine made it: a bot or the platform's own filter. No feature reads it.",
            ),
        ),
    )
