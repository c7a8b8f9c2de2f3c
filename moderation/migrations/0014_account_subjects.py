import django.contrib.postgres.fields
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
        migrations.AlterField(
            model_name='webhookendpoint',
            name='events',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('decision.created', 'Decision Created'), ('decision.reversed', 'Decision Reversed'), ('post.scored', 'Post Scored'), ('case.opened', 'Case Opened'), ('campaign.decided', 'Campaign Decided'), ('appeal.decided', 'Appeal Decided'), ('complaint.decided', 'Complaint Decided'), ('export.ready', 'Export Ready'), ('rule.activated', 'Rule Activated'), ('model.promoted', 'Model Promoted')], max_length=40), default=list, size=None),
        ),
    ]
