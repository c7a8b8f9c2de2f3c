"""Which named queues are for their assigned people only; none until a lead says so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("moderation", "0004_automated_complaints"),)

    operations = (
        migrations.AddField(
            model_name="namedqueue",
            name="is_exclusive",
            field=models.BooleanField(default=False, db_default=False),
        ),
    )
