"""Bans of hosts and addresses beside domains; what the queue sorts by; saved filters; passwords to change.

Columns come with a constant default, which PostgreSQL adds without rewriting the table.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0002_audit_append_only")]

    operations = [
        migrations.RemoveConstraint(model_name="domainban", name="one_live_ban_per_domain"),
        migrations.RenameModel(old_name="DomainBan", new_name="Ban"),
        migrations.AddField(
            model_name="ban",
            name="kind",
            field=models.CharField(
                choices=[("domain", "domain"), ("host", "host"), ("address", "address")],
                default="domain",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="ban",
            name="value",
            field=models.CharField(default="", max_length=255),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="ban",
            name="first_address",
            field=models.GenericIPAddressField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ban",
            name="last_address",
            field=models.GenericIPAddressField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="ban",
            name="domain",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="bans",
                to="moderation.domain",
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="uncertainty",
            field=models.FloatField(
                default=0.0, help_text="0 sure, 1 even odds; says nothing of an audit sample."
            ),
        ),
        migrations.AddField(
            model_name="case", name="complaint_count", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="case",
            name="language",
            field=models.CharField(blank=True, default="", max_length=16),
        ),
        migrations.AddField(
            model_name="user",
            name="must_change_password",
            field=models.BooleanField(
                default=False,
                help_text="Set when somebody else chose the password; the desk asks for a new one first.",
            ),
        ),
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                (
                    "page",
                    models.CharField(
                        choices=[
                            ("queue", "Queue"),
                            ("posts", "Posts"),
                            ("authors", "Authors"),
                            ("domains", "Domains"),
                            ("decisions", "Decisions"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=2000)),
                ("created_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_filters",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("name", "id")},
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.UniqueConstraint(
                fields=("user", "page", "name"), name="filter_name_once_per_page"
            ),
        ),
    ]
