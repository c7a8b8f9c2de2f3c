from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0082_verdicts_on_evidence")]

    operations = [
        migrations.CreateModel(
            name="SentPicture",
            fields=[
                ("name", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("data", models.BinaryField()),
                ("sent_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("sent_at", "name"),
                "indexes": [models.Index(fields=["sent_at", "name"], name="sent_pictures_by_age")],
            },
        ),
    ]
