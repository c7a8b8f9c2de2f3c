from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0035_decisions_into_feeds")]

    operations = [
        migrations.AddField(
            model_name="export",
            name="after",
            field=models.JSONField(
                blank=True,
                help_text="Only what changed since these positions of feeds, by platform; "
                "empty for all that stands.",
                null=True,
            ),
        ),
    ]
