from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0010_evidence_found'),
    ]

    operations = [
        migrations.AlterField(
            model_name='qualityfigure',
            name='measure',
            field=models.CharField(choices=[('precision', 'Precision'), ('missed', 'Spam among posts let through'), ('recall', 'Recall'), ('prevalence', 'Spam among all posts'), ('false_alarms', 'False positive rate')], max_length=12),
        ),
    ]
