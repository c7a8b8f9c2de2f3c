from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0015_actions'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhookendpoint',
            name='is_integration',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
