import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('moderation', '0003_standard_reasons'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Integration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('base_url', models.URLField(max_length=300)),
                ('state', models.CharField(choices=[('sign_in', 'waits for sign-in'), ('active', 'connected'), ('paused', 'paused'), ('removed', 'removed')], default='sign_in', max_length=8)),
                ('credentials', models.TextField()),
                ('webhook_secret', models.TextField(blank=True)),
                ('hook', models.CharField(max_length=40, unique=True)),
                ('signed_in_as', models.CharField(blank=True, max_length=300)),
                ('is_dry_run', models.BooleanField(default=True)),
                ('takes_direct_messages', models.BooleanField(default=False)),
                ('cursor', models.JSONField(default=dict)),
                ('next_poll_at', models.DateTimeField(null=True)),
                ('polled_at', models.DateTimeField(null=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('last_error', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField()),
                ('endpoint', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='integration', to='moderation.webhookendpoint')),
                ('platform', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='integrations', to='moderation.platform')),
            ],
            options={
                'ordering': ('id',),
                'indexes': [models.Index(condition=models.Q(('state', 'active')), fields=['next_poll_at'], name='integration_due_to_poll')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'removed'), _negated=True), fields=('kind', 'base_url'), name='integration_once_per_server')],
            },
        ),
        migrations.CreateModel(
            name='Exchange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('direction', models.CharField(choices=[('in', 'in'), ('out', 'out')], max_length=3)),
                ('what', models.CharField(max_length=300)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('is_dry_run', models.BooleanField(default=False)),
                ('headers', models.JSONField(default=dict)),
                ('body', models.TextField(blank=True)),
                ('delivery', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='exchanges', to='moderation.delivery')),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exchanges', to='integrations.integration')),
            ],
            options={
                'ordering': ('-at', '-id'),
                'indexes': [models.Index(fields=['integration', '-at', '-id'], name='exchange_log'), models.Index(fields=['at'], name='exchange_to_forget'), models.Index(condition=models.Q(('body', ''), _negated=True), fields=['at'], name='exchange_with_body')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('remote', models.JSONField(default=dict)),
                ('acted', models.JSONField(default=dict)),
                ('integration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='integrations.integration')),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='moderation.post')),
            ],
            options={
                'ordering': ('id',),
                'constraints': [models.UniqueConstraint(fields=('integration', 'post'), name='item_once_per_post')],
            },
        ),
        migrations.CreateModel(
            name='HistoryImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('columns', models.JSONField(default=list)),
                ('mapping', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('mapping', 'waits for its columns'), ('waiting', 'waiting'), ('running', 'in progress'), ('ready', 'ready'), ('failed', 'failed')], default='mapping', max_length=7)),
                ('step', models.CharField(blank=True, choices=[('replaying', 'Replaying the posts in the order of time'), ('learning', 'Learning from the older posts'), ('judging', 'Judging the newer posts')], max_length=9)),
                ('done', models.PositiveIntegerField(default=0)),
                ('posts', models.PositiveIntegerField(default=0)),
                ('left_out', models.JSONField(default=list)),
                ('report', models.JSONField(null=True)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('imported_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('imported_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('platform', models.ForeignKey(blank=True, help_text='Whose head and thresholds apply, if it is one that is connected already.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='moderation.platform')),
            ],
            options={
                'ordering': ('-imported_at', '-id'),
            },
        ),
        migrations.CreateModel(
            name='PastLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line', models.PositiveIntegerField()),
                ('given', models.JSONField()),
                ('posted_at', models.DateTimeField(null=True)),
                ('is_spam', models.BooleanField(null=True)),
                ('probability', models.FloatField(null=True)),
                ('route', models.CharField(blank=True, max_length=6)),
                ('surprise', models.FloatField(null=True)),
                ('history', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_lines', to='integrations.historyimport')),
            ],
            options={
                'ordering': ('history_id', 'line'),
                'constraints': [models.UniqueConstraint(fields=('history', 'line'), name='past_line_once')],
            },
        ),
    ]
