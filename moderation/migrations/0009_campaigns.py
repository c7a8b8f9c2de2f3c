"""Campaigns: near-duplicate posts that are decided together. Adds tables, and one empty column to decisions."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0008_standard_reasons'),
    ]

    operations = [
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened_at', models.DateTimeField()),
                ('latest_at', models.DateTimeField(help_text='When the newest member joined.')),
                ('posts', models.PositiveIntegerField(default=0)),
                ('authors', models.PositiveIntegerField(default=0)),
                ('domains', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='CampaignDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('verdict', models.CharField(choices=[('spam', 'spam'), ('not_spam', 'not spam')], max_length=8)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('note', models.CharField(blank=True, max_length=2000)),
                ('decided_at', models.DateTimeField()),
                ('effective_at', models.DateTimeField(help_text='Until then it can be undone; nobody was told before.')),
                ('has_filtered', models.BooleanField(default=False, help_text='Also posts that the filter had settled the other way.')),
                ('posts', models.PositiveIntegerField(help_text='How many posts it was meant for.')),
                ('settled', models.PositiveIntegerField(default=0)),
                ('newest_member_id', models.BigIntegerField(help_text='Posts that joined after this one are not meant.')),
                ('reached_id', models.BigIntegerField(default=0, help_text='How far it has been carried out.')),
                ('state', models.CharField(choices=[('waiting', 'about to be carried out'), ('running', 'being carried out'), ('done', 'done'), ('undone', 'undone')], max_length=8)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('decided_at', 'id'),
            },
        ),
        migrations.CreateModel(
            name='CampaignMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('joined_at', models.DateTimeField()),
                ('likeness', models.FloatField(help_text="Share of the text that the campaign's first post has, too; 0 to 1.")),
                ('ties', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('text', 'same text'), ('link', 'same link'), ('domain', 'same domain'), ('network', 'same network'), ('author', 'same author')], max_length=8), default=list, size=None)),
                ('left_out_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('campaign_id', 'id'),
            },
        ),
        migrations.CreateModel(
            name='CampaignTrait',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('text', 'same text'), ('link', 'same link'), ('domain', 'same domain'), ('network', 'same network'), ('author', 'same author')], max_length=8)),
                ('value', models.CharField(max_length=255)),
                ('posts', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ('campaign_id', 'kind', '-posts', 'value'),
            },
        ),
        migrations.AlterField(
            model_name='case',
            name='reason',
            field=models.CharField(choices=[('uncertain', 'the models are unsure'), ('degraded', 'scored without the content model'), ('audit', 'random audit sample'), ('complaints', 'complaints came in after the automatic verdict'), ('revised', 'edited after a decision'), ('escalated', 'escalated by a moderator'), ('campaign', 'sample of a decided campaign'), ('conflict', 'the filter and its campaign disagree')], max_length=12),
        ),
        migrations.AddField(
            model_name='campaign',
            name='example',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='moderation.revision'),
        ),
        migrations.AddField(
            model_name='campaign',
            name='merged_into',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='moderation.campaign'),
        ),
        migrations.AddField(
            model_name='campaigndecision',
            name='campaign',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='moderation.campaign'),
        ),
        migrations.AddField(
            model_name='campaigndecision',
            name='corrects',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='correction', to='moderation.campaigndecision'),
        ),
        migrations.AddField(
            model_name='campaigndecision',
            name='decided_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaign_decisions', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='decision',
            name='campaign_decision',
            field=models.ForeignKey(blank=True, db_index=False, help_text='The decision on its campaign that this one is part of.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='moderation.campaigndecision'),
        ),
        migrations.AddField(
            model_name='campaignmember',
            name='campaign',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='members', to='moderation.campaign'),
        ),
        migrations.AddField(
            model_name='campaignmember',
            name='left_out_by',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='campaignmember',
            name='post',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='membership', to='moderation.post'),
        ),
        migrations.AddField(
            model_name='campaignmember',
            name='revision',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='moderation.revision'),
        ),
        migrations.AddField(
            model_name='campaigntrait',
            name='campaign',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='traits', to='moderation.campaign'),
        ),
        migrations.AddIndex(
            model_name='campaigndecision',
            index=models.Index(condition=models.Q(('state__in', ('waiting', 'running'))), fields=['effective_at', 'id'], name='campaign_decision_open'),
        ),
        migrations.AddConstraint(
            model_name='campaigndecision',
            constraint=models.CheckConstraint(condition=models.Q(('settled__lte', models.F('posts'))), name='campaign_settles_what_was_meant'),
        ),
        migrations.AddIndex(
            model_name='campaignmember',
            index=models.Index(fields=['campaign', 'likeness', 'id'], name='member_by_likeness'),
        ),
        migrations.AddIndex(
            model_name='campaignmember',
            index=models.Index(fields=['campaign', 'id'], name='member_by_arrival'),
        ),
        migrations.AddConstraint(
            model_name='campaigntrait',
            constraint=models.UniqueConstraint(fields=('campaign', 'kind', 'value'), name='trait_once_per_campaign'),
        ),
    ]
