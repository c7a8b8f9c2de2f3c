"""The answer to a post that its sender waits for."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.post_page import ContributionSerializer, ScoreRuleSerializer, score_rule
from moderation.api.serializers.posts import PostSerializer
from moderation.models import Score
from moderation.models.decisions import Verdict
from moderation.models.scores import RouteChoice
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.operations.score_now import ScoredNow
from moderation.operations.score_preview import Preview
from moderation.queries.cases.scored_post import leading_contributions

MAX_CONTRIBUTIONS = 5
UNDECIDED = "undecided"
VERDICTS = ("spam", "not_spam", UNDECIDED)


class PostToScoreSerializer(PostSerializer):
    """A post, and whether it is kept."""

    store = serializers.BooleanField(
        required=False,
        default=True,
        help_text="false: score it as if it had arrived now, and keep nothing; no decision, case or event.",
    )


class BandsSerializer(serializers.Serializer[Any]):
    """The spam probabilities from which a post is reviewed, and removed."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()


class ScoredPostSerializer(serializers.Serializer[Any]):
    """The result for the post when the time budget ends."""

    id = serializers.CharField(help_text="Our id of the post; null if it was not stored.", allow_null=True)
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
    contributions = ContributionSerializer(
        many=True, help_text="The strongest for the verdict first, as small as bounds have left them."
    )
    took_ms = serializers.IntegerField()


def scored_post(judged: ScoredNow) -> dict[str, Any]:
    """Return the result; without a score its fields are null."""
    decision, case = judged.decision, judged.case
    return {
        "id": str(judged.post.post_id),
        "external_id": judged.post.external_id,
        "revision": judged.post.revision,
        "verdict": decision.verdict if decision else UNDECIDED,
        **_scored(judged.score),
        "decision_id": str(decision.pk) if decision else None,
        "case_id": str(case.pk) if case else None,
        "took_ms": judged.took_ms,
    }


def previewed_post(post: IncomingPost, preview: Preview | None) -> dict[str, Any]:
    """Return what a post that is not stored would get; None if the models were still being loaded."""
    return {
        "id": None,
        "external_id": post.external_id,
        "revision": post.revision,
        "verdict": _BY_ROUTE.get(preview.score.route, UNDECIDED) if preview else UNDECIDED,
        **_scored(preview.score if preview else None),
        "decision_id": None,
        "case_id": None,
        "took_ms": preview.took_ms if preview else 0,
    }


_CONTRIBUTIONS = ContributionSerializer(many=True)  # made once: each takes as long as a hundred answers
_BY_ROUTE = {RouteChoice.REMOVE.value: Verdict.SPAM.value, RouteChoice.ALLOW.value: Verdict.NOT_SPAM.value}


def _scored(score: Score | None) -> dict[str, Any]:
    thresholds = score.release.thresholds_on(score.revision.post.platform.slug) if score else {}
    has_bands = {"review_from", "remove_from"} <= thresholds.keys()
    return {
        "route": score.route if score else None,
        "spam_probability": score.spam_probability if score else None,
        "content_probability": score.content_probability if score else None,
        "rule": score_rule(score) if score else None,
        "bands": {name: thresholds[name] for name in ("review_from", "remove_from")} if has_bands else None,
        "is_degraded": score.is_degraded if score else True,
        "release": score.release_id if score else None,
        "contributions": _CONTRIBUTIONS.to_representation(
            leading_contributions(score, most=MAX_CONTRIBUTIONS) if score else ()
        ),
    }
