from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0015_actions'),
    ]

    operations = [
        migrations.AddField(
            model_name='platform',
            name='reviews_reports',
            field=models.BooleanField(db_default=False, default=False, help_text='A person decides every reported post.'),
        ),
        migrations.AddField(
            model_name='webhookendpoint',
            name='is_integration',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='case',
            name='reason',
            field=models.CharField(choices=[('uncertain', 'not sure enough to remove'), ('degraded', 'scored without the content model'), ('audit', 'random audit sample'), ('complaints', 'reported after it was let through'), ('evidence', 'found behind a link or in a picture'), ('revised', 'edited after a decision'), ('escalated', 'escalated by a moderator'), ('campaign', 'sample of a decided campaign'), ('conflict', 'the filter and its campaign disagree'), ('appealed', 'the platform disputes the decision'), ('second', 'second review requested'), ('hold', 'held by a rule or a policy: a person reviews every post'), ('random', 'drawn at random for labelling'), ('reconsidered', 'let through before similar posts were found to be spam'), ('outvoted', 'the models disagree'), ('unread_script', 'in a script the models cannot read'), ('blind', 'blind review'), ('reported', 'reported: a person decides'), ('unproven', 'the filter would remove it: a person decides until it has proven right')], max_length=16),
        ),
    ]
