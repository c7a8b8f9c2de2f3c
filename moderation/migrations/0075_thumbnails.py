"""Evidence names the thumbnail that is kept of a picture; who names one is found by it."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0074_quality_of_language_and_release")]

    operations = [
        repeatable.AddField(
            model_name="evidence",
            name="thumbnail",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Digest of the kept file, empty if none is kept.",
                max_length=64,
            ),
        ),
        repeatable.AddIndexConcurrently(
            "evidence",
            models.Index(fields=("thumbnail",), name="evidence_by_thumbnail", condition=~Q(thumbnail="")),
        ),
    ]
