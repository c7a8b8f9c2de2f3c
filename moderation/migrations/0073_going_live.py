"""Proposals that are going live say so, and why an attempt failed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0072_transcripts")]

    operations = [
        migrations.AddField(
            model_name="releaseproposal",
            name="confirming_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="releaseproposal",
            name="confirming_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="releaseproposal",
            name="failure",
            field=models.CharField(blank=True, db_default="", default="", max_length=500),
        ),
    ]
