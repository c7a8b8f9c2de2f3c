from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0013_notifications'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhookendpoint',
            name='is_integration',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
