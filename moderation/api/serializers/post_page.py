"""A stored post: answer format. IP address, user agent and journey are personal and not returned."""

from typing import Any

from rest_framework import serializers

from moderation.api import about
from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer
from moderation.api.serializers.decisions import DecisionSerializer
from moderation.api.serializers.evidence import EvidenceSerializer, evidence
from moderation.api.serializers.transcripts import SaidSerializer, said
from moderation.models import Score
from moderation.models.cases import PLATFORM_REASONS, CaseState
from moderation.models.policies import PolicyEffect
from moderation.models.posts import ScoreState
from moderation.models.rules import RuleEffect, RuleKind
from moderation.models.scores import RouteChoice
from moderation.queries.cases import platform_cases
from moderation.queries.evidence import transcripts
from moderation.queries.platform_posts import PostPage


class ContributionSerializer(serializers.Serializer[Any]):
    """One feature's share in the spam probability, in log-odds."""

    feature = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="Null where the feature was unknown.")
    contribution = serializers.FloatField()

    def to_representation(self, stored: Any) -> dict[str, Any]:
        return dict(zip(self.fields, stored, strict=True))


class ScoreRuleSerializer(DescribedSerializer):
    """A rule that matched the post when it was scored."""

    id = serializers.CharField()
    effect = serializers.ChoiceField(choices=RuleEffect.values)
    kind = serializers.ChoiceField(choices=RuleKind.values)
    value = serializers.CharField()


def score_rule(score: Score) -> dict[str, Any] | None:
    """Return the rule that decided on a score, which is loaded with both."""
    rule = score.ruled_by
    if rule is None:
        return None
    value = rule.value
    if rule.author:
        about.author(rule.author.pk)
        value = rule.author.external_id or ""
    return {"id": str(rule.pk), "effect": rule.effect, "kind": rule.kind, "value": value}


class ScoreSerializer(AnswerSerializer):
    """The models' output for one revision."""

    revision = serializers.IntegerField(source="revision.number")
    spam_probability = serializers.FloatField(min_value=0, max_value=1)
    content_probability = serializers.FloatField(allow_null=True, help_text="Null without the content model.")
    sub_models = serializers.DictField(child=serializers.FloatField(allow_null=True))
    route = serializers.ChoiceField(choices=RouteChoice.values)
    route_reason = serializers.CharField(help_text="Why a human is asked; empty unless the route is review.")
    rule = ScoreRuleSerializer(allow_null=True, help_text="The rule that decided on the route, if one did.")
    is_degraded = serializers.BooleanField()
    release = serializers.CharField(source="release_id")
    base = serializers.FloatField(help_text="The margin before any feature is known.")
    contributions = ContributionSerializer(many=True)
    scored_at = serializers.DateTimeField()

    def read_rule(self, score: Score) -> dict[str, Any] | None:
        return score_rule(score)


class PostAuthorSerializer(AnswerSerializer):
    """Who wrote it."""

    external_id = serializers.CharField(allow_null=True, help_text="Null once erased.")
    display_name = serializers.CharField()


class PostParentSerializer(AnswerSerializer):
    """The post that it answers: as it was sent last, else as the answer told of it."""

    id = serializers.CharField(
        source="post_id", allow_null=True, help_text="Null where you have not sent it."
    )
    external_id = serializers.CharField()
    text = serializers.CharField(help_text="Empty where it was not sent, and once erased.")
    author = PostAuthorSerializer(allow_null=True, help_text="Null where not told.")


class PostPolicySerializer(AnswerSerializer):
    """A policy in words that the post matches."""

    id = serializers.CharField(source="policy_id")
    name = serializers.CharField(source="policy.name")
    effect = serializers.ChoiceField(source="policy.effect", choices=PolicyEffect.values)
    probability = serializers.FloatField(
        min_value=0, max_value=1, help_text="That the text is about what the policy says."
    )


class PostCaseSerializer(AnswerSerializer):
    """The post's last case."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=CaseState.values)
    reason = serializers.ChoiceField(choices=PLATFORM_REASONS)
    opened_at = serializers.DateTimeField()


class PostPageSerializer(AnswerSerializer):
    """A post, its latest revision, scores, case and decision."""

    id = serializers.CharField(source="post.pk")
    external_id = serializers.CharField(source="post.external_id")
    revision = serializers.IntegerField(source="revision.number")
    posted_at = serializers.DateTimeField(source="post.posted_at")
    received_at = serializers.DateTimeField(source="revision.received_at")
    erased_at = serializers.DateTimeField(
        source="post.erased_at",
        allow_null=True,
        help_text="When it was erased; text and links are empty then.",
    )
    shares = serializers.IntegerField(source="revision.shares", allow_null=True)
    comments = serializers.IntegerField(source="revision.comments", allow_null=True)
    views = serializers.IntegerField(source="revision.views", allow_null=True)
    parent = PostParentSerializer(allow_null=True)
    text = serializers.CharField(source="revision.text")
    language = serializers.CharField(source="revision.language")
    author = PostAuthorSerializer(source="post.author")
    links = serializers.ListField(source="revision.links", child=serializers.CharField())
    media_urls = serializers.ListField(source="revision.media_urls", child=serializers.CharField())
    transcripts = SaidSerializer(many=True, help_text="Captions of its videos, as you sent them.")
    evidence = EvidenceSerializer(many=True)
    score_state = serializers.ChoiceField(source="revision.scoring.state", choices=ScoreState.values)
    scores = ScoreSerializer(many=True)
    campaign_id = serializers.CharField(allow_null=True, help_text="The campaign that it is in.")
    policies = PostPolicySerializer(many=True, help_text="Active policies that it matches, the surest first.")
    case = PostCaseSerializer(allow_null=True)
    position = serializers.IntegerField(
        allow_null=True, help_text="Of its case among your open ones, 1 the oldest; null unless it waits."
    )
    decision = DecisionSerializer(allow_null=True)

    def read_position(self, page: PostPage) -> int | None:
        if page.case is None or page.case.state != CaseState.OPEN:
            return None
        return platform_cases.position(page.case)

    def read_transcripts(self, page: PostPage) -> list[dict[str, Any]]:
        return [said(one) for one in transcripts.sent(page.revision)]

    def read_evidence(self, page: PostPage) -> list[dict[str, Any]]:
        return evidence(page.evidence)
