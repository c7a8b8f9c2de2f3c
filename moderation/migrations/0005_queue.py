import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

MOVED = """
INSERT INTO moderation_revisiongroup (revision_id, post_id, similarity_group, received_at)
SELECT id, post_id, similarity_group, received_at FROM moderation_revision
WHERE similarity_group IS NOT NULL ORDER BY id;
"""
MOVED_BACK = """
UPDATE moderation_revision r SET similarity_group = g.similarity_group
FROM moderation_revisiongroup g WHERE g.revision_id = r.id;
CREATE INDEX revision_similar ON moderation_revision (similarity_group, received_at);
"""
# Wider indexes begin with the same columns. The first, for LIKE, comes with a key to a text; nothing asks it.
DROPPED = """
DROP INDEX IF EXISTS moderation_score_release_id_11936bfe_like;
DROP INDEX IF EXISTS moderation_decision_post_id_6dad649e;
DROP INDEX IF EXISTS moderation_decision_case_id_3f926bc5;
DROP INDEX IF EXISTS moderation_decision_decided_by_id_8e88b75a;
DROP INDEX IF EXISTS moderation_auditentry_actor_id_f09973f9;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0004_identities'),
    ]

    operations = [
        migrations.CreateModel(
            name='RevisionGroup',
            fields=[
                ('revision', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='grouped', serialize=False, to='moderation.revision')),
                ('post', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='moderation.post')),
                ('similarity_group', models.UUIDField()),
                ('received_at', models.DateTimeField()),
            ],
            options={
                'ordering': ('revision_id',),
                'indexes': [models.Index(fields=['similarity_group', 'received_at'], name='group_latest')],
            },
        ),
        migrations.RunSQL(MOVED, MOVED_BACK),
        # The index goes with its column.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveIndex(model_name='revision', name='revision_similar')],
        ),
        migrations.RemoveField(
            model_name='revision',
            name='similarity_group',
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(DROPPED, migrations.RunSQL.noop)],
            state_operations=[
                migrations.AlterField(
                    model_name='decision',
                    name='post',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='moderation.post'),
                ),
                migrations.AlterField(
                    model_name='decision',
                    name='case',
                    field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='moderation.case'),
                ),
                migrations.AlterField(
                    model_name='decision',
                    name='decided_by',
                    field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to=settings.AUTH_USER_MODEL),
                ),
                migrations.AlterField(
                    model_name='auditentry',
                    name='actor',
                    field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audit_entries', to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
    ]
