import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('integrations', '0001_initial'),
        ('moderation', '0003_standard_reasons'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
