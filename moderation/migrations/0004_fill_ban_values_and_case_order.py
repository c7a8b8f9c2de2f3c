"""Name the target of bans that exist, and give open cases what the queue sorts by."""

from django.db import migrations

_BANS = """
UPDATE moderation_ban SET value = moderation_domain.name FROM moderation_domain
WHERE moderation_domain.id = moderation_ban.domain_id AND moderation_ban.value = ''
"""

# An audit sample stands where a post of its reach would if nothing were known of it: its place tells nothing.
_CASES = """
UPDATE moderation_case c SET
  language = r.language,
  complaint_count = (SELECT count(*) FROM moderation_complaint x WHERE x.post_id = c.post_id),
  uncertainty = CASE WHEN s.is_audit_sample THEN 0.5 ELSE 1 - abs(2 * s.spam_probability - 1) END,
  priority = CASE WHEN s.is_audit_sample AND s.spam_probability > 0
             THEN s.expected_harm * 0.5 / s.spam_probability ELSE c.priority END
FROM moderation_score s JOIN moderation_revision r ON r.id = s.revision_id
WHERE s.id = c.score_id AND c.state = 'open'
"""


class Migration(migrations.Migration):
    dependencies = [("moderation", "0003_bans_of_hosts_and_addresses")]

    operations = [
        migrations.RunSQL(_BANS, migrations.RunSQL.noop),
        migrations.RunSQL(_CASES, migrations.RunSQL.noop),
    ]
