-- Partition moderation_score, the largest table, by ranges of its id. Ids follow arrival: a range is a span of time.
--
--   psql "$DATABASE_URL" --single-transaction -v ON_ERROR_STOP=1 -f deploy/partition_scores.sql
--
-- Run it as the owner of the tables, with web and workers stopped: the checks of the new foreign keys read every case
-- and decision once. What is stored stays where it is and becomes the first partition. Afterwards, once a month:
--
--   SELECT spamdesk_add_score_partitions(ids => 50000000, ahead => 3);
--
-- (revision, generation) is unique within a partition; between them the lock on the revision keeps it so.
SET CONSTRAINTS ALL IMMEDIATE;

CREATE FUNCTION spamdesk_add_score_partitions(ids bigint, ahead int) RETURNS int LANGUAGE plpgsql AS $$
-- Add partitions of so many ids until so many empty ones lie ahead; return how many were added.
DECLARE
    newest bigint := (SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('moderation_score', 'id')), 0));
    reach bigint;
    added int := 0;
    name text;
BEGIN
    SELECT max((regexp_match(pg_get_expr(relpartbound, oid), 'TO \(''?(\d+)'))[1]::bigint) INTO reach
    FROM pg_class WHERE oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'moderation_score'::regclass);
    WHILE reach <= newest + ids * ahead LOOP
        name := 'moderation_score_from_' || reach;
        EXECUTE format('CREATE TABLE %I PARTITION OF moderation_score FOR VALUES FROM (%s) TO (%s)'
            ' WITH (toast_tuple_target = 1024)', name, reach, reach + ids);
        EXECUTE format('ALTER TABLE %I ALTER record SET STATISTICS 0, ALTER features SET STATISTICS 0,'
            ' ALTER content_score SET STATISTICS 0, ALTER contributions SET STATISTICS 0, ALTER sub_models SET STATISTICS 0', name);
        EXECUTE format('CREATE UNIQUE INDEX ON %I (revision_id, generation)', name);
        reach := reach + ids;
        added := added + 1;
    END LOOP;
    RETURN added;
END $$;

DO $$
DECLARE
    next_id bigint := 1 + (SELECT coalesce(max(id), 0) FROM moderation_score);
    pointing record;
    own record;
BEGIN
    CREATE TEMPORARY TABLE pointing_here ON COMMIT DROP AS
        SELECT conrelid::regclass AS source, conname AS name, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE contype = 'f' AND confrelid = 'moderation_score'::regclass;
    FOR pointing IN SELECT * FROM pointing_here LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', pointing.source, pointing.name);
    END LOOP;
    ALTER TABLE moderation_score RENAME TO moderation_score_first;
    CREATE TABLE moderation_score (LIKE moderation_score_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY INCLUDING STORAGE)
        PARTITION BY RANGE (id);
    ALTER TABLE moderation_score ADD PRIMARY KEY (id);
    ALTER TABLE moderation_score_first ALTER COLUMN id DROP IDENTITY;
    FOR own IN SELECT conname AS name, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE contype = 'f' AND conrelid = 'moderation_score_first'::regclass LOOP
        EXECUTE format('ALTER TABLE moderation_score ADD CONSTRAINT %I %s', own.name, own.definition);
    END LOOP;
    EXECUTE format('ALTER TABLE moderation_score ATTACH PARTITION moderation_score_first FOR VALUES FROM (MINVALUE) TO (%s)', next_id);
    PERFORM setval(pg_get_serial_sequence('moderation_score', 'id'), next_id, false);
    CREATE INDEX score_of_revision ON moderation_score (revision_id, generation);
    CREATE INDEX score_by_route_and_time ON moderation_score (route, scored_at);
    CREATE INDEX score_of_release ON moderation_score (release_id);
    CREATE INDEX score_of_ban ON moderation_score (ban_id) WHERE ban_id IS NOT NULL;
    CREATE INDEX score_of_rule ON moderation_score (rule_id) WHERE rule_id IS NOT NULL;
    CREATE INDEX score_of_audit ON moderation_score (scored_at DESC) WHERE is_audit_sample;
    FOR pointing IN SELECT * FROM pointing_here LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', pointing.source, pointing.name, pointing.definition);
    END LOOP;
END $$;

SELECT spamdesk_add_score_partitions(ids => 50000000, ahead => 3);
