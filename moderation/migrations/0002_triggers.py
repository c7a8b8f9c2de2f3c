"""What the database itself keeps: the audit log is append-only, and feeds name every decision and label.

By triggers, so that no writer can forget it. And how full pages of a table are.
"""

from django.db import migrations

AUDIT = """
CREATE OR REPLACE FUNCTION moderation_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or deleted' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON moderation_auditentry
    FOR EACH ROW EXECUTE FUNCTION moderation_refuse_audit_change();

CREATE OR REPLACE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON moderation_auditlink
    FOR EACH ROW EXECUTE FUNCTION moderation_refuse_audit_change();
"""

FEEDS = """
CREATE OR REPLACE FUNCTION moderation_feed_decisions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO moderation_feedentry (platform_id, stream, decision_id, due_at)
    SELECT p.platform_id, 'decisions', d.id, d.effective_at
    FROM made d JOIN moderation_post p ON p.id = d.post_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER feed_decisions AFTER INSERT ON moderation_decision
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION moderation_feed_decisions();

CREATE OR REPLACE FUNCTION moderation_feed_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO moderation_feedentry (platform_id, stream, decision_id, due_at)
    SELECT p.platform_id, 'labels', d.id, d.effective_at
    FROM made l JOIN moderation_decision d ON d.id = l.decision_id JOIN moderation_post p ON p.id = l.post_id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER feed_labels AFTER INSERT ON moderation_label
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION moderation_feed_labels();

-- What nobody was told of is taken away; else its retraction is told, before what takes its place.
CREATE OR REPLACE FUNCTION moderation_feed_retract(decisions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moderation_feedentry
    WHERE stream = 'labels' AND decision_id = ANY(decisions) AND number IS NULL AND NOT is_retraction;
    INSERT INTO moderation_feedentry (platform_id, stream, decision_id, is_retraction, due_at)
    SELECT platform_id, stream, decision_id, true, due_at
    FROM moderation_feedentry
    WHERE stream = 'labels' AND decision_id = ANY(decisions) AND NOT is_retraction
    ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION moderation_feed_retractions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM moderation_feed_retract(array_agg(a.decision_id))
    FROM after_rows a JOIN before_rows b ON b.id = a.id
    WHERE b.retracted_at IS NULL AND a.retracted_at IS NOT NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER feed_retractions AFTER UPDATE ON moderation_label
    REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
    FOR EACH STATEMENT EXECUTE FUNCTION moderation_feed_retractions();

CREATE OR REPLACE FUNCTION moderation_feed_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM moderation_feed_retract(array_agg(decision_id)) FROM moderation_label
    WHERE post_id = NEW.id AND retracted_at IS NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER feed_erasure AFTER UPDATE OF erased_at ON moderation_post
    FOR EACH ROW WHEN (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL)
    EXECUTE FUNCTION moderation_feed_erasure();
"""
# Half of each page is left free: a change that touches no index then stays on its page.
STORAGE = """
ALTER TABLE moderation_scoringjob SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
-- Most scores are over 2 kB, from where on PostgreSQL compresses: all large values then, and in the row.
ALTER TABLE moderation_score SET (toast_tuple_target = 1024), ALTER record SET STORAGE MAIN,
  ALTER features SET STORAGE MAIN, ALTER content_score SET STORAGE MAIN, ALTER sub_models SET STORAGE MAIN,
  ALTER contributions SET STORAGE MAIN, ALTER release_id SET STORAGE MAIN, ALTER schema_hash SET STORAGE MAIN;
"""
# Nothing selects by these, and ANALYZE would read and write samples of them.
STATISTICS = """
ALTER TABLE moderation_score ALTER record SET STATISTICS 0, ALTER features SET STATISTICS 0,
  ALTER content_score SET STATISTICS 0, ALTER contributions SET STATISTICS 0, ALTER sub_models SET STATISTICS 0;
ALTER TABLE moderation_revision ALTER text SET STATISTICS 0, ALTER journey SET STATISTICS 0,
  ALTER author_snapshot SET STATISTICS 0, ALTER transcripts SET STATISTICS 0, ALTER body_digest SET STATISTICS 0,
  ALTER links SET STATISTICS 0, ALTER parent_text SET STATISTICS 0, ALTER user_agent SET STATISTICS 0;
ALTER TABLE moderation_postlink ALTER url SET STATISTICS 0;
ALTER TABLE moderation_auditentry ALTER details SET STATISTICS 0;
ALTER TABLE moderation_delivery ALTER body SET STATISTICS 0;
"""


class Migration(migrations.Migration):
    dependencies = [("moderation", "0001_initial")]

    operations = [
        migrations.RunSQL(AUDIT, migrations.RunSQL.noop),
        migrations.RunSQL(FEEDS, migrations.RunSQL.noop),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
        migrations.RunSQL(STATISTICS, migrations.RunSQL.noop),
    ]
