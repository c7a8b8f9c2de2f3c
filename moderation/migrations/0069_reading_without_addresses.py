"""Tell apart who sees the addresses of posts, and which exports name them: all that were built before."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0068_golden_items")]

    operations = [
        migrations.AddField(
            "user",
            "reads_addresses",
            models.BooleanField(
                default=False,
                db_default=False,
                help_text="Whether an ML engineer sees the addresses and e-mail domains that posts came from.",
            ),
        ),
        migrations.AddField(
            "export",
            "has_addresses",
            models.BooleanField(
                default=True,
                db_default=True,
                help_text="Whether records name IP addresses and e-mail domains; else placeholders stand for them.",
            ),
        ),
    ]
