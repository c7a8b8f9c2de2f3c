"""Thumbnails that the store could not take yet wait in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0077_browsed_and_renewed_evidence")]

    operations = [
        migrations.CreateModel(
            name="UnkeptFile",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("data", models.BinaryField()),
                ("since", models.DateTimeField()),
            ],
            options={
                "ordering": ("since", "digest"),
                "indexes": [models.Index(fields=["since", "digest"], name="unkept_by_age")],
            },
        ),
    ]
