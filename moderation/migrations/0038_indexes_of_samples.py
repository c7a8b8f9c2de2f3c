"""The indexes by which random samples are counted, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0037_exploration")]

    operations = [
        repeatable.AddIndexConcurrently(
            "score",
            models.Index(fields=("-scored_at",), name="score_audited", condition=Q(is_audit_sample=True)),
        ),
        repeatable.AddIndexConcurrently(
            "case",
            models.Index(fields=("draw", "state"), name="case_of_draw", condition=Q(draw__isnull=False)),
        ),
    ]
