"""A stored post: answer format. IP address, user agent and journey are personal and not returned."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api import about
from moderation.api.serializers.decisions import DecisionSerializer, decision
from moderation.api.serializers.evidence import EvidenceSerializer, evidence
from moderation.api.serializers.transcripts import SaidSerializer, said
from moderation.models import Case, PolicyMatch, Score
from moderation.models.cases import PLATFORM_REASONS, CaseState
from moderation.models.policies import PolicyEffect
from moderation.models.posts import ScoreState
from moderation.models.rules import RuleEffect, RuleKind
from moderation.models.scores import RouteChoice
from moderation.queries.evidence import transcripts
from moderation.queries.parents import Parent
from moderation.queries.platform_posts import PostPage
from moderation.queries.wire import instant


class ContributionSerializer(serializers.Serializer[Any]):
    """One feature's share in the spam probability, in log-odds."""

    feature = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="Null where the feature was unknown.")
    contribution = serializers.FloatField()


class ScoreRuleSerializer(serializers.Serializer[Any]):
    """A rule that matched the post when it was scored."""

    id = serializers.CharField()
    effect = serializers.ChoiceField(choices=RuleEffect.values)
    kind = serializers.ChoiceField(choices=RuleKind.values)
    value = serializers.CharField()


class ScoreSerializer(serializers.Serializer[Any]):
    """The models' output for one revision."""

    revision = serializers.IntegerField()
    spam_probability = serializers.FloatField(min_value=0, max_value=1)
    content_probability = serializers.FloatField(allow_null=True, help_text="Null without the content model.")
    sub_models = serializers.DictField(child=serializers.FloatField(allow_null=True))
    route = serializers.ChoiceField(choices=RouteChoice.values)
    route_reason = serializers.CharField(help_text="Why a human is asked; empty unless the route is review.")
    rule = ScoreRuleSerializer(allow_null=True, help_text="The rule that decided on the route, if one did.")
    is_degraded = serializers.BooleanField()
    release = serializers.CharField()
    base = serializers.FloatField(help_text="The margin before any feature is known.")
    contributions = ContributionSerializer(many=True)
    scored_at = serializers.DateTimeField()


class PostAuthorSerializer(serializers.Serializer[Any]):
    """Who wrote it."""

    external_id = serializers.CharField(allow_null=True, help_text="Null once erased.")
    display_name = serializers.CharField()


class PostParentSerializer(serializers.Serializer[Any]):
    """The post that it answers: as it was sent last, else as the answer told of it."""

    id = serializers.CharField(allow_null=True, help_text="Null where you have not sent it.")
    external_id = serializers.CharField()
    text = serializers.CharField(help_text="Empty where it was not sent, and once erased.")
    author = PostAuthorSerializer(allow_null=True, help_text="Null where not told.")


class PostPolicySerializer(serializers.Serializer[Any]):
    """A policy in words that the post matches."""

    id = serializers.CharField()
    name = serializers.CharField()
    effect = serializers.ChoiceField(choices=PolicyEffect.values)
    probability = serializers.FloatField(
        min_value=0, max_value=1, help_text="That the text is about what the policy says."
    )


class PostCaseSerializer(serializers.Serializer[Any]):
    """The post's last case."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=CaseState.values)
    reason = serializers.ChoiceField(choices=PLATFORM_REASONS)
    opened_at = serializers.DateTimeField()


class PostPageSerializer(serializers.Serializer[Any]):
    """A post, its latest revision, scores, case and decision."""

    id = serializers.CharField()
    external_id = serializers.CharField()
    revision = serializers.IntegerField()
    posted_at = serializers.DateTimeField()
    received_at = serializers.DateTimeField()
    erased_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was erased; text and links are empty then."
    )
    shares = serializers.IntegerField(allow_null=True)
    comments = serializers.IntegerField(allow_null=True)
    views = serializers.IntegerField(allow_null=True)
    parent = PostParentSerializer(allow_null=True)
    text = serializers.CharField()
    language = serializers.CharField()
    author = PostAuthorSerializer()
    links = serializers.ListField(child=serializers.CharField())
    media_urls = serializers.ListField(child=serializers.CharField())
    transcripts = SaidSerializer(many=True, help_text="Captions of its videos, as you sent them.")
    evidence = EvidenceSerializer(many=True)
    score_state = serializers.ChoiceField(choices=ScoreState.values)
    scores = ScoreSerializer(many=True)
    campaign_id = serializers.CharField(allow_null=True, help_text="The campaign that it is in.")
    policies = PostPolicySerializer(many=True, help_text="Active policies that it matches, the surest first.")
    case = PostCaseSerializer(allow_null=True)
    decision = DecisionSerializer(allow_null=True)


def post_page(page: PostPage) -> dict[str, Any]:
    """Return a post as its platform sees it."""
    return {
        "id": str(page.post.pk),
        "external_id": page.post.external_id,
        "revision": page.revision.number,
        "posted_at": instant(page.post.posted_at),
        "received_at": instant(page.revision.received_at),
        "erased_at": instant(page.post.erased_at) if page.post.erased_at else None,
        "shares": page.revision.shares,
        "comments": page.revision.comments,
        "views": page.revision.views,
        "parent": parent(page.parent) if page.parent else None,
        "text": page.revision.text,
        "language": page.revision.language,
        "author": {
            "external_id": page.post.author.external_id,
            "display_name": page.post.author.display_name,
        },
        "links": page.revision.links,
        "media_urls": page.revision.media_urls,
        "transcripts": [said(one) for one in transcripts.sent(page.revision)],
        "evidence": evidence(page.evidence),
        "score_state": page.revision.score_state,
        "scores": [_score(score) for score in page.scores],
        "campaign_id": str(page.campaign_id) if page.campaign_id else None,
        "policies": [_policy(match) for match in page.policies],
        "case": _case(page.case) if page.case else None,
        "decision": decision(page.decision) if page.decision else None,
    }


def parent(found: Parent) -> dict[str, Any]:
    """Return the post that a post answers."""
    author = found.author
    return {
        "id": str(found.post_id) if found.post_id else None,
        "external_id": found.external_id,
        "text": found.text,
        "author": {"external_id": author.external_id, "display_name": author.display_name}
        if author
        else None,
    }


def _policy(match: PolicyMatch) -> dict[str, Any]:
    return {
        "id": str(match.policy_id),
        "name": match.policy.name,
        "effect": match.policy.effect,
        "probability": match.probability,
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "revision": score.revision.number,
        "spam_probability": score.spam_probability,
        "content_probability": score.content_probability,
        "sub_models": score.sub_models,
        "route": score.route,
        "route_reason": score.route_reason,
        "rule": score_rule(score),
        "is_degraded": score.is_degraded,
        "release": score.release_id,
        "base": score.base,
        "contributions": [
            {"feature": feature, "value": value, "contribution": contribution}
            for feature, value, contribution in score.contributions
        ],
        "scored_at": instant(score.scored_at),
    }


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


def _case(case: Case) -> dict[str, Any]:
    return {
        "id": str(case.pk),
        "state": case.state,
        "reason": case.reason,
        "opened_at": instant(case.opened_at),
    }
