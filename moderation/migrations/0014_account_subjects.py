from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0013_notifications'),
    ]

    operations = [
        migrations.AddField(
            model_name='post',
            name='subject',
            field=models.CharField(choices=[('post', 'Post'), ('account', 'Account')], db_default='post', default='post', max_length=7),
        ),
    ]
