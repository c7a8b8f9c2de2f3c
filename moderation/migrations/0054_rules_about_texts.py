"""Rules about what texts name: phrases, phone numbers, wallets, handles, look-alikes of a domain.

The release before neither makes nor reads such rules; the longer column and the new one with its default let it go
on.
"""

from django.db import migrations, models
from django.db.models import Q

_IDENTIFIERS = ("text", "phone", "wallet", "handle", "lookalike")
_KINDS = [
    ("domain", "domain"),
    ("host", "host"),
    ("address", "address"),
    ("author", "author"),
    ("text", "phrase"),
    ("phone", "phone number"),
    ("wallet", "wallet"),
    ("handle", "handle"),
    ("lookalike", "look-alikes of a domain"),
]


class Migration(migrations.Migration):
    dependencies = [("moderation", "0053_guidelines_of_reasons")]

    operations = [
        migrations.AlterField(
            "rule", "kind", models.CharField(choices=_KINDS, default="domain", max_length=16)
        ),
        migrations.AddField(
            "rule", "anchor", models.CharField(blank=True, db_default="", default="", max_length=255)
        ),
        migrations.RemoveConstraint("rule", "rule_names_its_target"),
        migrations.AddConstraint(
            "rule",
            models.CheckConstraint(
                condition=Q(kind="address", first_address__isnull=False, last_address__isnull=False)
                | Q(kind__in=("domain", "host"), domain__isnull=False)
                | Q(kind="author", author__isnull=False)
                | Q(kind__in=_IDENTIFIERS),
                name="rule_names_its_target",
            ),
        ),
        migrations.AddIndex(
            "rule",
            models.Index(
                fields=("kind", "anchor"),
                name="rule_by_anchor",
                condition=Q(kind__in=_IDENTIFIERS, lifted_at__isnull=True),
            ),
        ),
    ]
