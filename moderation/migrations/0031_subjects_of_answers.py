"""Answers kept under an Idempotency-Key name whose words are in them, so that erasure finds them."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("moderation", "0030_erased_authors_without_id")]

    operations = [
        repeatable.AddField(
            model_name="storedanswer",
            name="subjects",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=40),
                db_default=[],
                default=list,
                help_text="Whose words are in it: `post:1`, `author:1`. Their erasure wipes the answer.",
                size=None,
            ),
        ),
        migrations.AlterField(
            model_name="storedanswer",
            name="key",
            field=models.CharField(
                help_text="A digest: platforms choose what it is made of.", max_length=255
            ),
        ),
        repeatable.AddIndexConcurrently(
            model_name="storedanswer",
            index=django.contrib.postgres.indexes.GinIndex(
                condition=~Q(subjects=[]), fields=["subjects"], name="answer_by_subject"
            ),
        ),
    ]
