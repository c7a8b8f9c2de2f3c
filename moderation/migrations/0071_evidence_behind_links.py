"""What links of posts lead to, and of which posts a platform has it collected."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0070_plan_and_undecided'),
    ]

    operations = [
        migrations.AddField(
            model_name='platform',
            name='collects_evidence',
            field=models.CharField(choices=[('off', 'no posts'), ('unsure', 'posts that go to review'), ('on', 'all posts')], db_default='off', default='off', help_text='Of which posts the pages behind their links are fetched.', max_length=8),
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.TextField()),
                ('url_digest', models.CharField(max_length=64)),
                ('hour', models.DateTimeField(help_text='The hour, from its beginning, that this fetch stands for.')),
                ('site', models.CharField(help_text='Registrable domain, or host without one.', max_length=255)),
                ('kind', models.CharField(choices=[('page', 'page'), ('picture', 'picture')], max_length=8)),
                ('state', models.CharField(choices=[('waiting', 'waiting to be fetched'), ('fetching', 'being fetched'), ('fetched', 'fetched'), ('refused', 'not fetched: the address leads where nothing is fetched from'), ('disallowed', "not fetched: the site's robots.txt forbids it"), ('unreachable', 'the site could not be reached'), ('timed_out', 'the site took too long'), ('too_many_redirects', 'redirected too often'), ('no_page', 'the site answered with an error'), ('too_large', 'too large to be read whole'), ('wrong_kind', 'a file of a kind that is not read'), ('not_installed', 'nothing is installed that reads this kind'), ('broken', 'could not be read'), ('lost', 'given up: reading it failed again and again')], default='waiting', max_length=20)),
                ('enqueued_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(help_text='Not fetched before: a site is not asked too often.')),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('fetched_at', models.DateTimeField(blank=True, null=True)),
                ('detail', models.CharField(blank=True, help_text='Why it ended so, for operators.', max_length=300)),
                ('chain', models.JSONField(default=list)),
                ('final_url', models.TextField(blank=True)),
                ('final_host', models.CharField(blank=True, max_length=255)),
                ('final_domain', models.CharField(blank=True, max_length=255)),
                ('content_type', models.CharField(blank=True, max_length=100)),
                ('bytes_read', models.PositiveIntegerField(default=0)),
                ('facts', models.JSONField(null=True)),
            ],
            options={
                'ordering': ('id',),
                'indexes': [models.Index(condition=models.Q(('state__in', ('waiting', 'fetching'))), fields=['due_at', 'id'], name='evidence_open'), models.Index(fields=['site', 'started_at'], name='evidence_of_site')],
                'constraints': [models.UniqueConstraint(fields=('url_digest', 'hour'), name='evidence_once_an_hour'), models.CheckConstraint(condition=models.Q(('state__in', ('waiting', 'fetching')), ('fetched_at__isnull', False), _connector='OR'), name='evidence_ended_at')],
            },
        ),
        migrations.CreateModel(
            name='EvidenceRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('enqueued_at', models.DateTimeField()),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('revision', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='evidence_request', to='moderation.revision')),
            ],
            options={
                'ordering': ('id',),
                'indexes': [models.Index(condition=models.Q(('opened_at__isnull', True)), fields=['enqueued_at'], name='evidence_unopened')],
            },
        ),
        migrations.CreateModel(
            name='RevisionEvidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('link', 'link'), ('media', 'media'), ('preview', 'preview picture of a page'), ('code', 'code in a picture')], max_length=8)),
                ('position', models.PositiveSmallIntegerField()),
                ('evidence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='moderation.evidence')),
                ('revision', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='moderation.revision')),
            ],
            options={
                'ordering': ('revision_id', 'position', 'id'),
                'constraints': [models.UniqueConstraint(fields=('revision', 'evidence'), name='evidence_once_per_revision')],
            },
        ),
    ]
