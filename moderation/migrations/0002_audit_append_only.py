"""The audit log is append-only: the database itself refuses to change or delete an entry."""

from django.db import migrations

FORWARD = """
CREATE OR REPLACE FUNCTION moderation_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or deleted' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON moderation_auditentry
    FOR EACH ROW EXECUTE FUNCTION moderation_refuse_audit_change();
"""

BACKWARD = """
DROP TRIGGER IF EXISTS audit_append_only ON moderation_auditentry;
DROP FUNCTION IF EXISTS moderation_refuse_audit_change();
"""


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_initial")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
