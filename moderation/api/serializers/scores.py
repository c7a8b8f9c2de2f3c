"""The answer to a post that its sender waits for."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.post_page import (
    ContributionSerializer,
    ScoreRuleSerializer,
    score_rule,
)
from moderation.models.scores import RouteChoice
from moderation.operations.score_now import ScoredNow

MAX_CONTRIBUTIONS = 5
UNDECIDED = "undecided"
VERDICTS = ("spam", "not_spam", UNDECIDED)


class BandsSerializer(serializers.Serializer[Any]):
    """The spam probabilities from which a post is reviewed, and removed."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()


class ScoredPostSerializer(serializers.Serializer[Any]):
    """The result for the post when the time budget ends."""

    id = serializers.CharField(help_text="Our id of the post.")
    external_id = serializers.CharField()
    revision = serializers.IntegerField()
    verdict = serializers.ChoiceField(
        choices=VERDICTS, help_text="undecided: a human decides, or the budget ran out."
    )
    route = serializers.ChoiceField(choices=RouteChoice.values, allow_null=True)
    spam_probability = serializers.FloatField(min_value=0, max_value=1, allow_null=True)
    content_probability = serializers.FloatField(min_value=0, max_value=1, allow_null=True)
    rule = ScoreRuleSerializer(allow_null=True, help_text="The rule that decided on the route, if one did.")
    bands = BandsSerializer(allow_null=True)
    is_degraded = serializers.BooleanField(
        help_text="True if the budget ran out before the content model, or all of scoring, had answered."
    )
    release = serializers.CharField(allow_null=True)
    decision_id = serializers.CharField(allow_null=True)
    case_id = serializers.CharField(allow_null=True)
    contributions = ContributionSerializer(many=True, help_text="The strongest ones.")
    took_ms = serializers.IntegerField()


def scored_post(judged: ScoredNow) -> dict[str, Any]:
    """Return the result; without a score its fields are null."""
    score, decision, case = judged.score, judged.decision, judged.case
    thresholds = score.release.thresholds_on(score.record["platform"]) if score else {}
    has_bands = {"review_from", "remove_from"} <= thresholds.keys()
    return {
        "id": str(judged.post.post_id),
        "external_id": judged.post.external_id,
        "revision": judged.post.revision,
        "verdict": decision.verdict if decision else UNDECIDED,
        "route": score.route if score else None,
        "spam_probability": score.spam_probability if score else None,
        "content_probability": score.content_probability if score else None,
        "rule": score_rule(score) if score else None,
        "bands": {name: thresholds[name] for name in ("review_from", "remove_from")} if has_bands else None,
        "is_degraded": score.is_degraded if score else True,
        "release": score.release_id if score else None,
        "decision_id": str(decision.pk) if decision else None,
        "case_id": str(case.pk) if case else None,
        "contributions": [
            {"feature": feature, "value": value, "contribution": contribution}
            for feature, value, contribution in (score.contributions[:MAX_CONTRIBUTIONS] if score else ())
        ],
        "took_ms": judged.took_ms,
    }
