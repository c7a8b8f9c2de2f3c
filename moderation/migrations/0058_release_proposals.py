"""Proposals of releases, which one person makes and another confirms."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0057_mentions'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReleaseProposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('thresholds', 'thresholds'), ('promotion', 'models')], max_length=12)),
                ('candidate', models.CharField(max_length=64)),
                ('replaces', models.CharField(max_length=64)),
                ('changes', models.JSONField(default=dict)),
                ('evidence', models.JSONField(default=dict)),
                ('reason', models.CharField(max_length=500)),
                ('made_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('confirmed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('promotion', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposal', to='moderation.promotion')),
                ('refused_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('-id',),
                'constraints': [models.CheckConstraint(condition=models.Q(('confirmed_by__isnull', True), models.Q(('confirmed_by', models.F('made_by')), _negated=True), _connector='OR'), name='proposal_has_two_names'), models.CheckConstraint(condition=models.Q(models.Q(('confirmed_by__isnull', True), ('promotion__isnull', True)), models.Q(('closed_at__isnull', False), ('confirmed_by__isnull', False), ('promotion__isnull', False), ('refused_by__isnull', True)), _connector='OR'), name='proposal_is_confirmed_whole'), models.CheckConstraint(condition=models.Q(('refused_by__isnull', True), ('closed_at__isnull', False), _connector='OR'), name='refused_proposal_is_closed'), models.CheckConstraint(condition=models.Q(('candidate', models.F('replaces')), _negated=True), name='proposal_changes_the_release'), models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('candidate',), name='one_open_proposal_per_release')],
            },
        ),
    ]
