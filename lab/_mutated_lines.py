"""The wrong lines that `bench mutations` tries: nine in operations, one in their models, ten in
queries, ten in scoring.

Each is a mistake that a hurried change makes: a comparison, a boundary, a missing lock or filter, an order.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutation:
    """A line as it is and as it would be wrong, and the tests of its subject."""

    file: str
    before: str
    after: str
    tests: str


MUTATIONS = (
    Mutation(
        "moderation/operations/cases/claims.py",
        ".exclude(skipped_by__contains=[moderator.pk])",
        "",
        "tests/moderation/operations/cases",
    ),
    Mutation(
        "moderation/operations/cases/review.py",
        "if case.version != case_version:",
        "if case.version < case_version:",
        "tests/moderation/operations/cases",
    ),
    Mutation(
        "moderation/models/campaigns.py",
        "OPEN_STATES = (CampaignDecisionState.WAITING, CampaignDecisionState.RUNNING)",
        "OPEN_STATES = (CampaignDecisionState.WAITING,)",
        "tests/moderation/operations/campaigns",
    ),
    Mutation(
        "moderation/operations/campaigns/campaign_reversals.py",
        "if at >= decision.effective_at:",
        "if at > decision.effective_at:",
        "tests/moderation/operations/campaigns",
    ),
    Mutation(
        "moderation/operations/webhooks/circuit.py",
        "circuit.failures < OPENS_AFTER",
        "circuit.failures <= OPENS_AFTER",
        "tests/moderation/operations/webhooks/test_webhooks.py",
    ),
    Mutation(
        "moderation/operations/webhooks/attempts.py",
        "pk__in=[attempt.delivery.pk for attempt in attempts], state=DeliveryState.WAITING",
        "pk__in=[attempt.delivery.pk for attempt in attempts]",
        "tests/moderation/operations/webhooks/test_send_turns.py",
    ),
    Mutation(
        "moderation/operations/infrastructure/idempotency.py",
        "later one finds the stored answer.\n        _take_turn(platform=platform, key=key)\n",
        "later one finds the stored answer.\n",
        "tests/moderation/api/test_idempotency.py",
    ),
    Mutation(
        "moderation/operations/outbox/feed.py",
        "decision.effective_at = max(",
        "decision.effective_at = min(",
        "tests/moderation/operations/outbox",
    ),
    Mutation(
        "moderation/operations/scoring/route.py",
        "        and decision.revision_id == score.revision_id\n    )\n\n\ndef _stands",
        "    )\n\n\ndef _stands",
        "tests/moderation/operations/scoring",
    ),
    Mutation(
        "moderation/operations/infrastructure/sweeps.py",
        "run.ended_at IS NOT NULL OR run.started_at <= %(abandoned)s",
        "run.ended_at IS NOT NULL",
        "tests/moderation/operations/infrastructure/test_sweeps.py",
    ),
    Mutation(
        "moderation/queries/cases/queue.py",
        "campaign_id=None if is_hidden else case",
        "campaign_id=case",
        "tests/moderation/queries/cases tests/moderation/web/campaigns",
    ),
    Mutation(
        "moderation/queries/cases/queue_filter.py",
        "opened_at__lte=at - BUCKETS[index][1]",
        "opened_at__lt=at - BUCKETS[index][1]",
        "tests/moderation/queries/cases",
    ),
    Mutation(
        "moderation/queries/records/record_histories.py",
        "WHERE x.post_id = s.post_id AND x.received_at < %(at)s) c ON true\n) h",
        "WHERE x.post_id = s.post_id AND x.received_at <= %(at)s) c ON true\n) h",
        "tests/moderation/queries/records",
    ),
    Mutation(
        "moderation/queries/records/record_histories.py",
        "l.retracted_at >= %(at)s",
        "l.retracted_at > %(at)s",
        "tests/moderation/queries/records",
    ),
    Mutation(
        "moderation/queries/keyset.py",
        'f"{first}__{side}e"',
        'f"{first}__{side}"',
        "tests/moderation/queries/test_keyset.py",
    ),
    Mutation(
        "moderation/queries/labels/label_balance.py",
        "retracted_at__isnull=True, post__erased_at__isnull=True",
        "retracted_at__isnull=True",
        "tests/moderation/queries/labels",
    ),
    Mutation(
        "moderation/queries/health/lateness.py",
        "(CircuitState.OPEN, CircuitState.HALF_OPEN)",
        "(CircuitState.OPEN,)",
        "tests/config/health",
    ),
    Mutation(
        "moderation/queries/labels/audit_plan.py",
        "if drawn_today >= self.bound:",
        "if drawn_today > self.bound:",
        "tests/moderation/queries/labels",
    ),
    Mutation(
        "moderation/queries/decisions/platform_decisions.py",
        "        .exclude(is_undone)\n",
        "",
        "tests/moderation/api/test_decisions.py tests/moderation/queries/decisions",
    ),
    Mutation(
        "moderation/queries/rules/rules_in_force.py",
        "first_address__lte=ip, last_address__gte=ip",
        "first_address__lte=ip, last_address__gt=ip",
        "tests/moderation/operations/test_rules.py tests/moderation/operations/test_rules_effects.py",
    ),
    Mutation(
        "scoring/routing.py",
        "is_spam = probability >= thresholds.remove_from",
        "is_spam = probability > thresholds.remove_from",
        "tests/scoring/test_routing.py",
    ),
    Mutation(
        "scoring/routing.py",
        "len(witnesses) < _WITNESSES",
        "len(witnesses) <= _WITNESSES",
        "tests/scoring/test_routing.py",
    ),
    Mutation(
        "scoring/routing.py",
        "(record.shares or 0) + (record.comments or 0)",
        "(record.shares or 0)",
        "tests/scoring/test_routing.py",
    ),
    Mutation(
        "scoring/blocklist.py",
        "for effect in (Effect.BAN, Effect.HOLD):",
        "for effect in (Effect.HOLD, Effect.BAN):",
        "tests/scoring/test_blocklist.py",
    ),
    Mutation(
        "scoring/blocklist.py",
        "return max(reaching, key",
        "return min(reaching, key",
        "tests/scoring/test_blocklist.py",
    ),
    Mutation(
        "scoring/gate.py",
        "loss = -high if HIGHER_IS_BETTER[metric] else low",
        "loss = -low if HIGHER_IS_BETTER[metric] else high",
        "tests/scoring/test_gate.py",
    ),
    Mutation(
        "scoring/label_balance.py",
        "balance.random >= ENOUGH_RANDOM",
        "balance.random > ENOUGH_RANDOM",
        "tests/scoring/test_label_balance.py",
    ),
    Mutation(
        "scoring/readings.py",
        "scores[place] is None and record.text.strip()",
        "scores[place] is None and record.text",
        "tests/scoring/test_pipeline.py",
    ),
    Mutation(
        "scoring/features/social.py",
        "max(1.0, _account_age_days(record))",
        "max(0.1, _account_age_days(record))",
        "tests/scoring/features/test_social.py",
    ),
    Mutation(
        "scoring/splits.py",
        "if place < TRAIN_PERCENT:",
        "if place <= TRAIN_PERCENT:",
        "tests/scoring/test_splits.py",
    ),
)
