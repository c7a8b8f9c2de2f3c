"""The scope of API keys that read the audit log."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0075_thumbnails")]

    operations = [
        migrations.AlterField(
            model_name="apikey",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("posts:write", "Posts Write"),
                        ("complaints:write", "Complaints Write"),
                        ("verdicts:read", "Verdicts Read"),
                        ("cases:read", "Cases Read"),
                        ("decisions:write", "Decisions Write"),
                        ("rules:admin", "Rules Admin"),
                        ("labels:export", "Labels Export"),
                        ("webhooks:admin", "Webhooks Admin"),
                        ("models:read", "Models Read"),
                        ("models:admin", "Models Admin"),
                        ("audit:read", "Audit Read"),
                    ],
                    max_length=32,
                ),
                size=None,
            ),
        ),
    ]
