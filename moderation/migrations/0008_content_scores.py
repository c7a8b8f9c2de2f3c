from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0007_removal_when_proven'),
    ]

    operations = [
        migrations.AddField(
            model_name='score',
            name='content_model',
            field=models.CharField(blank=True, db_default='', help_text='Which one said it (Release.content_model).', max_length=40),
        ),
        migrations.AddField(
            model_name='score',
            name='content_score',
            field=models.BinaryField(help_text='What the content model said of the text (ContentScore), before any head.', null=True),
        ),
    ]
