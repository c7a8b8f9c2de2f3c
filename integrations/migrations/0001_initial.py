import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('moderation', '0003_standard_reasons'),
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
            },
        ),
        migrations.AddIndex(
            model_name='integration',
            index=models.Index(condition=models.Q(('state', 'active')), fields=['next_poll_at'], name='integration_due_to_poll'),
        ),
        migrations.AddConstraint(
            model_name='integration',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'removed'), _negated=True), fields=('kind', 'base_url'), name='integration_once_per_server'),
        ),
        migrations.AddIndex(
            model_name='exchange',
            index=models.Index(fields=['integration', '-at', '-id'], name='exchange_log'),
        ),
        migrations.AddIndex(
            model_name='exchange',
            index=models.Index(fields=['at'], name='exchange_to_forget'),
        ),
        migrations.AddIndex(
            model_name='exchange',
            index=models.Index(condition=models.Q(('body', ''), _negated=True), fields=['at'], name='exchange_with_body'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(fields=('integration', 'post'), name='item_once_per_post'),
        ),
    ]
