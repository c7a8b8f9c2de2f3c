"""The hash chain over the audit log, append-only like the log itself."""

from django.db import migrations, models

FORWARD = """
CREATE OR REPLACE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON moderation_auditlink
    FOR EACH ROW EXECUTE FUNCTION moderation_refuse_audit_change();
"""

BACKWARD = "DROP TRIGGER IF EXISTS audit_chain_append_only ON moderation_auditlink;"


class Migration(migrations.Migration):
    dependencies = [("moderation", "0012_network_and_mail_indexes")]

    operations = [
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                (
                    "number",
                    models.PositiveBigIntegerField(
                        help_text="1, 2, 3… without a gap.", primary_key=True, serialize=False
                    ),
                ),
                ("entry_id", models.BigIntegerField(unique=True)),
                (
                    "hash",
                    models.CharField(
                        help_text="SHA-256 over the previous hash and the entry, in hex.", max_length=64
                    ),
                ),
                ("sealed_at", models.DateTimeField()),
            ],
            options={"ordering": ("number",)},
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
