"""Pictures that are copies of one another, found by bands of their hashes; posts that show one share a trait."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

_KINDS = [
    ("text", "same text"),
    ("link", "same link"),
    ("domain", "same domain"),
    ("network", "same network"),
    ("author", "same author"),
    ("picture", "same picture"),
]


def _id():
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def _of(model, **more):
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=f"moderation.{model}", **more)


class Migration(migrations.Migration):
    dependencies = [("moderation", "0078_unkept_files")]

    operations = [
        migrations.CreateModel(
            name="PictureGroup",
            fields=[
                ("id", _id()),
                ("hash", models.CharField(max_length=64)),
                ("first_seen_at", models.DateTimeField()),
            ],
            options={"ordering": ("id",)},
        ),
        migrations.AlterField(
            model_name="campaignmember",
            name="ties",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=_KINDS, max_length=8), default=list, size=None
            ),
        ),
        migrations.AlterField(
            model_name="campaigntrait",
            name="kind",
            field=models.CharField(choices=_KINDS, max_length=8),
        ),
        migrations.AddField(
            model_name="evidence",
            name="picture_group",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="moderation.picturegroup",
            ),
        ),
        migrations.CreateModel(
            name="PictureBand",
            fields=[
                ("id", _id()),
                ("digest", models.IntegerField()),
                ("group", _of("picturegroup", related_name="bands")),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(fields=("digest", "group"), name="picture_band_once_per_group")
                ],
            },
        ),
        migrations.CreateModel(
            name="RevisionPicture",
            fields=[
                ("id", _id()),
                ("received_at", models.DateTimeField()),
                ("group", _of("picturegroup", related_name="shown", db_index=False)),
                ("revision", _of("revision", related_name="pictures", db_index=False)),
            ],
            options={
                "ordering": ("revision_id", "group_id"),
                "indexes": [models.Index(fields=["group", "-received_at"], name="picture_latest")],
                "constraints": [
                    models.UniqueConstraint(fields=("revision", "group"), name="picture_once_per_revision")
                ],
            },
        ),
    ]
