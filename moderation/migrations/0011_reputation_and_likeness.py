"""Verdicts of reputation providers, bands of like accounts, and the autonomous system of an address.

The column is null for the posts that are there, which PostgreSQL adds without rewriting the table.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0010_decisions_of_campaigns")]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="ip_asn",
            field=models.PositiveIntegerField(
                blank=True, help_text="The address's autonomous system.", null=True
            ),
        ),
        migrations.CreateModel(
            name="LinkVerdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("web_risk", "Google Web Risk"),
                            ("trust", "Web of Trust"),
                            ("registration", "domain registration (RDAP)"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "subject",
                    models.CharField(help_text="A URL's SHA-256, or a registrable domain.", max_length=255),
                ),
                ("value", models.FloatField(help_text="Threat 0 to 1, or trust 0 to 100.", null=True)),
                ("live_since_at", models.DateTimeField(null=True)),
                (
                    "detail",
                    models.CharField(blank=True, help_text="The provider's own words.", max_length=200),
                ),
                ("fetched_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("subject", "provider", "-fetched_at"),
                "indexes": [
                    models.Index(fields=["subject", "provider", "-fetched_at"], name="verdict_latest")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("fetched_at"))), name="verdict_lasts"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuthorBand",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("digest", models.BigIntegerField()),
                ("first_seen_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bands",
                        to="moderation.author",
                    ),
                ),
            ],
            options={
                "ordering": ("author_id", "digest"),
                "indexes": [models.Index(fields=["digest", "-first_seen_at"], name="band_authors")],
                "constraints": [
                    models.UniqueConstraint(fields=("author", "digest"), name="band_once_per_author")
                ],
            },
        ),
    ]
