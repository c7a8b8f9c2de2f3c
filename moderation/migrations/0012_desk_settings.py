from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0011_names_of_measures'),
    ]

    operations = [
        migrations.CreateModel(
            name='DeskSettings',
            fields=[
                ('id', models.PositiveSmallIntegerField(db_default=1, default=1, primary_key=True, serialize=False)),
                ('undo_seconds', models.PositiveIntegerField(db_default=10, default=10)),
                ('lease_seconds', models.PositiveIntegerField(db_default=120, default=120)),
                ('ban_posts', models.PositiveIntegerField(db_default=10, default=10)),
                ('campaign_purity_percent', models.PositiveIntegerField(db_default=90, default=90)),
                ('campaign_check_percent', models.PositiveIntegerField(db_default=20, default=20)),
                ('audit_first_percent', models.PositiveIntegerField(db_default=20, default=20)),
                ('degraded_seconds', models.PositiveIntegerField(db_default=120, default=120)),
                ('training_days', models.PositiveIntegerField(db_default=0, default=0)),
                ('digest_days', models.PositiveIntegerField(db_default=30, default=30)),
                ('session_hours', models.PositiveIntegerField(db_default=12, default=12)),
                ('posts_per_minute', models.PositiveIntegerField(db_default=600000, default=600000)),
                ('evidence_obeys_robots', models.BooleanField(db_default=False, default=False)),
                ('evidence_agent', models.CharField(db_default='Mozilla/5.0 (compatible; Spamdesk/0.1; fetches pages that users post, to find spam)', default='Mozilla/5.0 (compatible; Spamdesk/0.1; fetches pages that users post, to find spam)', max_length=200)),
                ('translation_url', models.CharField(blank=True, db_default='', default='', max_length=300)),
                ('translation_key', models.TextField(blank=True, db_default='', default='', help_text='Encrypted.')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='one_row_of_desk_settings'), models.CheckConstraint(condition=models.Q(('undo_seconds__range', (1, 600))), name='undo_seconds_in_range'), models.CheckConstraint(condition=models.Q(('lease_seconds__range', (30, 900))), name='lease_seconds_in_range'), models.CheckConstraint(condition=models.Q(('ban_posts__range', (0, 100000))), name='ban_posts_in_range'), models.CheckConstraint(condition=models.Q(('campaign_purity_percent__range', (50, 99))), name='campaign_purity_percent_in_range'), models.CheckConstraint(condition=models.Q(('campaign_check_percent__range', (1, 100))), name='campaign_check_percent_in_range'), models.CheckConstraint(condition=models.Q(('audit_first_percent__range', (1, 100))), name='audit_first_percent_in_range'), models.CheckConstraint(condition=models.Q(('degraded_seconds__range', (0, 86400))), name='degraded_seconds_in_range'), models.CheckConstraint(condition=models.Q(('training_days__range', (0, 365))), name='training_days_in_range'), models.CheckConstraint(condition=models.Q(('digest_days__range', (0, 365))), name='digest_days_in_range'), models.CheckConstraint(condition=models.Q(('session_hours__range', (1, 168))), name='session_hours_in_range'), models.CheckConstraint(condition=models.Q(('posts_per_minute__range', (1, 100000000))), name='posts_per_minute_in_range')],
            },
        ),
    ]
