"""Webhook endpoints, stored answers, erasures, and what a key may do."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("moderation", "0013_audit_chain")]

    operations = [
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(help_text='Null when no answer came.', null=True)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('duration_ms', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ('at', 'id'),
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('post', 'Post'), ('author', 'Author')], max_length=6)),
                ('subject_id', models.BigIntegerField(help_text='Our id of the post or author.')),
                ('name_digest', models.CharField(help_text="Keyed digest of the platform's id.", max_length=64)),
                ('cause', models.CharField(choices=[('request', 'Request'), ('retention', 'Retention')], max_length=9)),
                ('posts', models.PositiveIntegerField(default=0)),
                ('erased_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='SigningSecret',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('hmac', 'Hmac'), ('ed25519', 'Ed25519')], max_length=8)),
                ('ciphertext', models.TextField()),
                ('public_key', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='StoredAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=255)),
                ('request_digest', models.CharField(help_text='Over method, path and body.', max_length=64)),
                ('status', models.PositiveSmallIntegerField()),
                ('headers', models.JSONField(default=dict)),
                ('body', models.TextField(blank=True)),
                ('answered_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.URLField(max_length=500)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('decision.created', 'Decision Created'), ('decision.reversed', 'Decision Reversed')], max_length=40), default=list, size=None)),
                ('state', models.CharField(choices=[('active', 'active'), ('disabled', 'disabled'), ('removed', 'removed')], default='active', max_length=8)),
                ('state_reason', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('version', models.PositiveIntegerField(default=1)),
            ],
            options={
                'ordering': ('id',),
            },
        ),
        migrations.AddField(
            model_name='apikey',
            name='acts_as',
            field=models.ForeignKey(blank=True, help_text='The person in whose name the key decides; without one it cannot.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='api_keys', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='apikey',
            name='posts_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="How many posts the key may send; empty takes the installation's.", null=True),
        ),
        migrations.AddField(
            model_name='author',
            name='erased_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='delivery',
            name='post',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='moderation.post'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='sequence',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='export',
            name='platform',
            field=models.ForeignKey(blank=True, help_text='Only labels of this platform; empty takes all.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='exports', to='moderation.platform'),
        ),
        migrations.AddField(
            model_name='platform',
            name='ignores_unknown_fields',
            field=models.BooleanField(db_default=False, default=False, help_text='Drop fields that we do not know, instead of refusing them.'),
        ),
        migrations.AddField(
            model_name='platform',
            name='text_retention_days',
            field=models.PositiveIntegerField(blank=True, help_text='Erase what posts said after so many days; empty keeps it.', null=True),
        ),
        migrations.AddField(
            model_name='post',
            name='erased_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='apikey',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('posts:write', 'Posts Write'), ('complaints:write', 'Complaints Write'), ('verdicts:read', 'Verdicts Read'), ('cases:read', 'Cases Read'), ('decisions:write', 'Decisions Write'), ('rules:admin', 'Rules Admin'), ('labels:export', 'Labels Export'), ('webhooks:admin', 'Webhooks Admin')], max_length=32), size=None),
        ),
        migrations.AlterField(
            model_name='case',
            name='reason',
            field=models.CharField(choices=[('uncertain', 'the models are unsure'), ('degraded', 'scored without the content model'), ('audit', 'random audit sample'), ('complaints', 'complaints came in after the automatic verdict'), ('revised', 'edited after a decision'), ('escalated', 'escalated by a moderator'), ('campaign', 'sample of a decided campaign'), ('conflict', 'the filter and its campaign disagree'), ('appealed', 'the platform disputes the decision')], max_length=12),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='decision',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='moderation.decision'),
        ),
        migrations.AddField(
            model_name='deliveryattempt',
            name='delivery',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='log', to='moderation.delivery'),
        ),
        migrations.AddField(
            model_name='erasure',
            name='platform',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='moderation.platform'),
        ),
        migrations.AddField(
            model_name='storedanswer',
            name='platform',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='stored_answers', to='moderation.platform'),
        ),
        migrations.AddField(
            model_name='webhookendpoint',
            name='platform',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhook_endpoints', to='moderation.platform'),
        ),
        migrations.AddField(
            model_name='signingsecret',
            name='endpoint',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='moderation.webhookendpoint'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='endpoint',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='moderation.webhookendpoint'),
        ),
        migrations.AddIndex(
            model_name='erasure',
            index=models.Index(fields=['platform', 'kind', 'name_digest'], name='erasure_by_name'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.UniqueConstraint(fields=('kind', 'subject_id'), name='erasure_once_per_subject'),
        ),
        migrations.AddIndex(
            model_name='storedanswer',
            index=models.Index(fields=['answered_at'], name='answer_by_age'),
        ),
        migrations.AddConstraint(
            model_name='storedanswer',
            constraint=models.UniqueConstraint(fields=('platform', 'key'), name='one_answer_per_idempotency_key'),
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'removed'), _negated=True), fields=('platform', 'url'), name='endpoint_once_per_platform'),
        ),
    ]
