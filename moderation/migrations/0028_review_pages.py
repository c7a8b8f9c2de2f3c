"""Review pages name themselves, so that what is leased for one that was left can be given back."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0027_forms_of_exports")]

    operations = [
        migrations.CreateModel(
            name="ReviewPage",
            fields=[
                (
                    "id",
                    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
                ),
                ("page", models.UUIDField()),
                (
                    "leased",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        default=list,
                        help_text="Cases of the last answer to it.",
                        size=None,
                    ),
                ),
                ("used_at", models.DateTimeField()),
                ("left_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("used_at", "id"),
                "constraints": [models.UniqueConstraint(fields=("user", "page"), name="review_page_once")],
            },
        ),
    ]
