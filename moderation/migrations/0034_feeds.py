"""Feeds of decisions and labels. The database writes an entry with each row that a feed tells of.

By triggers, so that no writer can forget it, also not the release before, which still serves meanwhile.
"""

import django.db.models.deletion
from django.db import migrations, models


FORWARD = """
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

BACKWARD = """
DROP TRIGGER IF EXISTS feed_erasure ON moderation_post;
DROP TRIGGER IF EXISTS feed_retractions ON moderation_label;
DROP TRIGGER IF EXISTS feed_labels ON moderation_label;
DROP TRIGGER IF EXISTS feed_decisions ON moderation_decision;
DROP FUNCTION IF EXISTS moderation_feed_erasure();
DROP FUNCTION IF EXISTS moderation_feed_retractions();
DROP FUNCTION IF EXISTS moderation_feed_retract(bigint[]);
DROP FUNCTION IF EXISTS moderation_feed_labels();
DROP FUNCTION IF EXISTS moderation_feed_decisions();
"""


class Migration(migrations.Migration):
    dependencies = [("moderation", "0033_deliveries_due_at_an_endpoint")]

    operations = [
        migrations.CreateModel(
            name="FeedEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "stream",
                    models.CharField(
                        choices=[("decisions", "Decisions"), ("labels", "Labels")], max_length=10
                    ),
                ),
                ("is_retraction", models.BooleanField(db_default=False, default=False)),
                ("due_at", models.DateTimeField(help_text="Not told before: the time for undoing.")),
                ("number", models.PositiveBigIntegerField(help_text="1, 2, 3… in each feed.", null=True)),
                (
                    "entered_at",
                    models.DateTimeField(
                        help_text="When it was numbered; never before its elders.", null=True
                    ),
                ),
                (
                    "decision",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed_entries",
                        to="moderation.decision",
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="moderation.platform",
                    ),
                ),
            ],
            options={
                "ordering": ("platform", "stream", "entered_at", "number"),
                "indexes": [
                    models.Index(
                        condition=models.Q(("number__isnull", True)),
                        fields=["platform", "stream", "due_at", "decision"],
                        name="feed_unnumbered",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("decision", "stream", "is_retraction"), name="feed_entry_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("number__isnull", False)),
                        fields=("platform", "stream", "entered_at", "number"),
                        name="feed_position_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("entered_at__isnull", True), ("number__isnull", True)),
                            models.Q(("entered_at__isnull", False), ("number__isnull", False)),
                            _connector="OR",
                        ),
                        name="feed_position_is_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FeedHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "stream",
                    models.CharField(
                        choices=[("decisions", "Decisions"), ("labels", "Labels")], max_length=10
                    ),
                ),
                ("number", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("entered_at", models.DateTimeField(null=True)),
                (
                    "platform",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feeds",
                        to="moderation.platform",
                    ),
                ),
            ],
            options={
                "ordering": ("platform", "stream"),
                "constraints": [
                    models.UniqueConstraint(fields=("platform", "stream"), name="one_head_per_feed")
                ],
            },
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
