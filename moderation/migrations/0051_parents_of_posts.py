"""The post that a post answers, as its platform told it."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0050_words_of_uncertain_cases")]

    operations = [
        repeatable.AddField(
            "revision",
            "parent_external_id",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The platform's own id of the post that this one answers.",
                max_length=200,
            ),
        ),
        repeatable.AddField(
            "revision",
            "parent_text",
            models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="What the platform told of a parent that was not stored here.",
            ),
        ),
        repeatable.AddField(
            "revision",
            "parent_author",
            models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Of a parent that was not stored here.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="answered_posts",
                to="moderation.author",
            ),
        ),
        repeatable.AddIndexConcurrently(
            "revision",
            models.Index(
                fields=("parent_external_id", "post"),
                name="revision_by_parent",
                condition=~Q(parent_external_id=""),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "revision",
            models.Index(
                fields=("parent_author",),
                name="revision_by_parent_author",
                condition=Q(parent_author__isnull=False),
            ),
        ),
    ]
