"""Ingest writes less: indexes that wider ones contain are dropped; the similarity group may come later."""

import django.db.models.deletion
from django.db import migrations, models

_DROPPED = (
    ("moderation_author", "platform_id", "moderation_author_platform_id_3ffee891"),
    ("moderation_complaint", "platform_id", "moderation_complaint_platform_id_852bed89"),
    ("moderation_complaint", "post_id", "moderation_complaint_post_id_d96bb06b"),
    ("moderation_complaint", "reporter_id", "moderation_complaint_reporter_id_30def5d2"),
    ("moderation_post", "author_id", "moderation_post_author_id_097e5dcc"),
    ("moderation_post", "platform_id", "moderation_post_platform_id_b50fdbeb"),
    ("moderation_postlink", "domain_id", "moderation_postlink_domain_id_e60b92d7"),
    ("moderation_postlink", "revision_id", "moderation_postlink_revision_id_b7f57df1"),
    ("moderation_revision", "post_id", "moderation_revision_post_id_50585da5"),
    ("moderation_score", "revision_id", "moderation_score_revision_id_2ff7a7ed"),
)


class Migration(migrations.Migration):
    # Indexes are dropped beside writers, which a transaction does not allow. Each step can run twice.
    atomic = False

    dependencies = [
        ("moderation", "0022_deliveries_by_event"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"DROP INDEX CONCURRENTLY IF EXISTS {index}",
                    f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {table} ({column})",
                )
                for table, column, index in _DROPPED
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='author',
                    name='platform',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='authors', to='moderation.platform'),
                ),
                migrations.AlterField(
                    model_name='complaint',
                    name='platform',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='complaints', to='moderation.platform'),
                ),
                migrations.AlterField(
                    model_name='complaint',
                    name='post',
                    field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='complaints', to='moderation.post'),
                ),
                migrations.AlterField(
                    model_name='complaint',
                    name='reporter',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='complaints_made', to='moderation.author'),
                ),
                migrations.AlterField(
                    model_name='post',
                    name='author',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='moderation.author'),
                ),
                migrations.AlterField(
                    model_name='post',
                    name='platform',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='moderation.platform'),
                ),
                migrations.AlterField(
                    model_name='postlink',
                    name='domain',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='post_links', to='moderation.domain'),
                ),
                migrations.AlterField(
                    model_name='postlink',
                    name='revision',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='post_links', to='moderation.revision'),
                ),
                migrations.AlterField(
                    model_name='revision',
                    name='post',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='moderation.post'),
                ),
                migrations.AlterField(
                    model_name='score',
                    name='revision',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='moderation.revision'),
                ),
            ],
        ),
        migrations.AlterField(
            model_name='revision',
            name='similarity_group',
            field=models.UUIDField(help_text='Null until it was compared with earlier texts.', null=True),
        ),
    ]
