"""Number what was told before, in its old order, so that old cursors go on where they stood.

In batches, each its own transaction; a second run finds what is left.
"""

from django.db import migrations

_BATCH = 5_000
_START = ("-infinity", 0)

_HEADS = """
INSERT INTO moderation_feedhead (platform_id, stream)
SELECT p.id, s.stream FROM moderation_platform p, (VALUES ('decisions'), ('labels')) s (stream)
ON CONFLICT DO NOTHING
"""
_WALK = {
    "decisions": """
        SELECT d.id AS decision_id, d.effective_at AS moment, d.id AS tie, d.post_id,
               NOT EXISTS (SELECT FROM moderation_reversal r
                           WHERE r.decision_id = d.id AND r.replacement_id IS NULL) AS is_told
        FROM moderation_decision d
        WHERE (d.effective_at, d.id) > (%(moment)s::timestamptz, %(tie)s) AND d.effective_at <= now()
        ORDER BY d.effective_at, d.id LIMIT %(batch)s
    """,
    "labels": """
        SELECT l.decision_id, l.labelled_at AS moment, l.id AS tie, l.post_id, l.retracted_at IS NULL AS is_told
        FROM moderation_label l JOIN moderation_decision d ON d.id = l.decision_id
        WHERE (l.labelled_at, l.id) > (%(moment)s::timestamptz, %(tie)s) AND d.effective_at <= now()
        ORDER BY l.labelled_at, l.id LIMIT %(batch)s
    """,
}
_NUMBER = """
WITH walked AS MATERIALIZED ({walk}),
head AS MATERIALIZED (
    SELECT platform_id, number, entered_at FROM moderation_feedhead WHERE stream = %(stream)s
),
missing AS MATERIALIZED (
    SELECT w.decision_id, w.moment, p.platform_id,
           row_number() OVER (PARTITION BY p.platform_id ORDER BY w.moment, w.tie) AS place
    FROM walked w JOIN moderation_post p ON p.id = w.post_id
    WHERE w.is_told AND NOT EXISTS (
        SELECT FROM moderation_feedentry e WHERE e.decision_id = w.decision_id AND e.stream = %(stream)s)
),
numbered AS (
    INSERT INTO moderation_feedentry (platform_id, stream, decision_id, due_at, number, entered_at)
    SELECT m.platform_id, %(stream)s, m.decision_id, m.moment, h.number + m.place, greatest(h.entered_at, m.moment)
    FROM missing m JOIN head h USING (platform_id)
),
moved AS (
    UPDATE moderation_feedhead h
    SET number = h.number + m.places, entered_at = greatest(h.entered_at, m.newest)
    FROM (SELECT platform_id, count(*) AS places, max(moment) AS newest FROM missing GROUP BY 1) m
    WHERE h.platform_id = m.platform_id AND h.stream = %(stream)s
)
SELECT moment, tie FROM walked ORDER BY moment DESC, tie DESC LIMIT 1
"""
_WAITING = {
    "decisions": """
        INSERT INTO moderation_feedentry (platform_id, stream, decision_id, due_at)
        SELECT p.platform_id, 'decisions', d.id, d.effective_at
        FROM moderation_decision d JOIN moderation_post p ON p.id = d.post_id
        WHERE d.effective_at > now() - interval '5 minutes'
          AND NOT EXISTS (SELECT FROM moderation_reversal r WHERE r.decision_id = d.id AND r.replacement_id IS NULL)
        ON CONFLICT DO NOTHING
    """,
    "labels": """
        INSERT INTO moderation_feedentry (platform_id, stream, decision_id, due_at)
        SELECT p.platform_id, 'labels', d.id, d.effective_at
        FROM moderation_decision d
        JOIN moderation_label l ON l.decision_id = d.id JOIN moderation_post p ON p.id = d.post_id
        WHERE d.effective_at > now() - interval '5 minutes' AND l.retracted_at IS NULL
        ON CONFLICT DO NOTHING
    """,
}
"""What waited for the end of the time to undo when the walk came by."""


def number(apps, schema_editor):
    """Walk each stream from its oldest row to the newest."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_HEADS)
        for stream, walk in _WALK.items():
            moment, tie = _START
            values = {"stream": stream, "batch": _BATCH}
            while True:
                cursor.execute(_NUMBER.format(walk=walk), {**values, "moment": moment, "tie": tie})
                last = cursor.fetchone()
                if last is None:
                    break
                moment, tie = last
            cursor.execute(_WAITING[stream])


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("moderation", "0034_feeds")]

    operations = [migrations.RunPython(number, migrations.RunPython.noop, elidable=True)]
