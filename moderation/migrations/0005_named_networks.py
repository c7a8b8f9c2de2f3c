"""Whether moderators read names in place of IP addresses."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("moderation", "0004_automated_complaints"),)

    operations = (
        migrations.AddField(
            model_name="desksettings",
            name="names_networks",
            field=models.BooleanField(db_default=False, default=False),
        ),
    )
