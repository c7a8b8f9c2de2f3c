"""The indexes by which random samples are counted, built without holding up writers."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0037_exploration")]

    operations = [
        AddIndexConcurrently(
            "score",
            models.Index(fields=("-scored_at",), name="score_audited", condition=Q(is_audit_sample=True)),
        ),
        AddIndexConcurrently(
            "case",
            models.Index(fields=("draw", "state"), name="case_of_draw", condition=Q(draw__isnull=False)),
        ),
    ]
