"""Indexes behind the histories of autonomous systems and mail domains, built without holding up writers."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform

from moderation import repeatable


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0011_reputation_and_likeness")]

    operations = [
        repeatable.AddIndexConcurrently(
            "revision",
            models.Index(
                fields=("ip_asn", "received_at"),
                name="revision_asn_history",
                condition=Q(ip_asn__isnull=False),
            ),
        ),
        repeatable.AddIndexConcurrently(
            "revision",
            models.Index(
                KeyTextTransform("email_domain", "author_snapshot"),
                "received_at",
                name="revision_mail_history",
            ),
        ),
    ]
