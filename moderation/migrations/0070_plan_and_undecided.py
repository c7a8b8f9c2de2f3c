"""Two more stored tables: the plan of labels, and what undecided posts do to the figures."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0069_reading_without_addresses")]

    operations = [
        migrations.AlterField(
            model_name="qualitytable",
            name="kind",
            field=models.CharField(
                choices=[
                    ("reliability", "Reliability"),
                    ("overrides", "Decisions corrected, by reason"),
                    ("appeals", "Appeals, by reason"),
                    ("complaints", "Complaints, by reason"),
                    ("rules", "Accuracy of rules"),
                    ("agreement", "Agreement between people"),
                    ("plan", "Labels needed"),
                    ("undecided", "Undecided posts"),
                ],
                max_length=12,
            ),
        ),
    ]
