import django.db.models.deletion
from django.db import migrations, models

# Half of each page is left free: a change that touches no index then stays on its page.
STORED = """
ALTER TABLE moderation_scoringjob SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
"""
MOVED = """
INSERT INTO moderation_scoringjob
  (revision_id, state, enqueued_at, lease_until, attempts, degraded_since, generation)
SELECT id, score_state, enqueued_at, lease_until, attempts, degraded_since, generation
FROM moderation_revision ORDER BY id;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0017_akismet_aliases'),
    ]

    operations = [
        migrations.CreateModel(
            name='ScoringJob',
            fields=[
                ('revision', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='scoring', serialize=False, to='moderation.revision')),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('scoring', 'Scoring'), ('scored', 'Scored'), ('degraded', 'Degraded'), ('superseded', 'Superseded'), ('dead', 'Dead')], default='pending', max_length=12)),
                ('enqueued_at', models.DateTimeField()),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('degraded_since', models.DateTimeField(blank=True, help_text='Since when it has been scored without one of the models alone.', null=True)),
                ('generation', models.PositiveIntegerField(default=1, help_text='Grows with every new reason to score again.')),
                ('is_open', models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(models.Q(('state__in', ('pending', 'scoring', 'degraded'))), output_field=models.BooleanField()), output_field=models.BooleanField())),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.RunSQL(STORED, migrations.RunSQL.noop),
        migrations.RunSQL(MOVED, migrations.RunSQL.noop),
        # The index goes with its columns.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveIndex(model_name='revision', name='revision_unscored')],
        ),
        migrations.RemoveField(
            model_name='revision',
            name='attempts',
        ),
        migrations.RemoveField(
            model_name='revision',
            name='degraded_since',
        ),
        migrations.RemoveField(
            model_name='revision',
            name='enqueued_at',
        ),
        migrations.RemoveField(
            model_name='revision',
            name='generation',
        ),
        migrations.RemoveField(
            model_name='revision',
            name='lease_until',
        ),
        migrations.RemoveField(
            model_name='revision',
            name='score_state',
        ),
        migrations.AddIndex(
            model_name='scoringjob',
            index=models.Index(condition=models.Q(('is_open', True)), fields=['enqueued_at', 'revision'], name='scoring_open'),
        ),
    ]
