"""Shadow runs and what they say, in requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.keyset import KeysetField, PageQuerySerializer, page_format
from moderation.api.serializers.quality import EstimateSerializer
from moderation.api.serializers.simulations import NumberField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Platform, ShadowRun, ShadowScore
from moderation.models.cases import CaseState
from moderation.models.scores import RouteChoice
from moderation.queries.learning.shadow_figures import Mistake, Outcome
from moderation.queries.learning.shadow_pages import DISAGREEMENT_KEY, Progress
from moderation.queries.wire import instant, reference

_CASES = ("", *CaseState.values)


class DisagreementsQuerySerializer(PageQuerySerializer):
    """Which page of disagreements."""

    cursor = KeysetField(kinds=DISAGREEMENT_KEY, required=False)


class ShadowRunRequestSerializer(StrictSerializer):
    """Whose candidate scores which share of posts."""

    training_run = TextField(max_length=20, help_text="The training run that made the candidate.")
    share = NumberField(
        min_value=0.001, max_value=1, required=False, allow_null=True, default=1.0, help_text="Of live posts."
    )


class ProgressSerializer(serializers.Serializer[Any]):
    """How many of your posts a run scored, and what became of those that both releases route differently."""

    scored = serializers.IntegerField()
    differing = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Drawn into the queue and not decided.")
    decided = serializers.IntegerField(help_text="Drawn into the queue and decided.")


class ShadowRunSerializer(serializers.Serializer[Any]):
    """A candidate that scores live posts beside the live release, without effect."""

    id = serializers.CharField()
    is_open = serializers.BooleanField(help_text="Whether the candidate still scores.")
    candidate = serializers.CharField()
    compared_with = serializers.CharField(help_text="The release that was live when it started.")
    share = serializers.FloatField(help_text="Of live posts.")
    started_at = serializers.DateTimeField()
    stopped_at = serializers.DateTimeField(allow_null=True)
    trouble_at = serializers.DateTimeField(
        allow_null=True, help_text="When the candidate last failed to score."
    )
    progress = ProgressSerializer()


ShadowRunPageSerializer = page_format(ShadowRunSerializer, about="Shadow runs, the newest first.")


class JudgementSerializer(serializers.Serializer[Any]):
    """What a release says of a post."""

    route = serializers.ChoiceField(choices=RouteChoice.values)
    spam_probability = serializers.FloatField()


class DisagreementSerializer(serializers.Serializer[Any]):
    """A post that the two releases route differently."""

    post = PostReferenceSerializer()
    live = JudgementSerializer()
    candidate = JudgementSerializer()
    case = serializers.ChoiceField(
        choices=_CASES, help_text="Of the case by which a person was asked, or empty."
    )


DisagreementPageSerializer = page_format(
    DisagreementSerializer, about="Disagreements, the farthest apart first."
)


class DifferenceSerializer(serializers.Serializer[Any]):
    """Candidate minus live, as a share of a slice's posts."""

    dimension = serializers.CharField(help_text="`all`, `platform`, `language` or `links`.")
    slice = serializers.CharField(source="name", help_text="Empty for `all`.")
    mistake = serializers.ChoiceField(
        choices=[one.value for one in Mistake],
        help_text="`missed`: spam let through; `wrong`: honest posts removed; `removed`: spam removed.",
    )
    posts = serializers.IntegerField(help_text="That both scored.")
    differing = serializers.IntegerField(help_text="On which this mistake could differ.")
    labels = serializers.IntegerField(help_text="Of those.")
    value = serializers.FloatField(allow_null=True, help_text="Null under 20 labels.")
    low = serializers.FloatField()
    high = serializers.FloatField()
    outcome = serializers.ChoiceField(choices=[one.value for one in Outcome])


class RateSerializer(serializers.Serializer[Any]):
    """A figure of both releases."""

    name = serializers.CharField()
    live = EstimateSerializer()
    candidate = EstimateSerializer()


class ShadowFiguresSerializer(serializers.Serializer[Any]):
    """What labels say of the candidate."""

    estimated_at = serializers.DateTimeField(allow_null=True, help_text="Null before the first estimate.")
    is_worse = serializers.BooleanField(help_text="Whether it is certainly worse in one of these rows.")
    differences = DifferenceSerializer(many=True)
    rates = RateSerializer(many=True, help_text="Empty while other platforms share the installation.")


def shadow_run(row: ShadowRun, *, progress: Progress) -> dict[str, Any]:
    """Return a shadow run with the counts of the asking platform's posts."""
    return {
        "id": str(row.pk),
        "is_open": row.is_open,
        "candidate": row.candidate,
        "compared_with": row.live,
        "share": row.share,
        "started_at": instant(row.started_at),
        "stopped_at": instant(row.stopped_at) if row.stopped_at else None,
        "trouble_at": instant(row.trouble_at) if row.trouble_at else None,
        "progress": asdict(progress),
    }


def disagreement(row: ShadowScore) -> dict[str, Any]:
    """Return a post on which both routes differ."""
    revision = row.score.revision
    return {
        "post": reference(revision.post, revision=revision.number),
        "live": {"route": row.live_route, "spam_probability": row.score.spam_probability},
        "candidate": {"route": row.route, "spam_probability": row.spam_probability},
        "case": row.case.state if row.case else "",
    }


def figures(stored: Mapping[str, Any], *, platform: Platform, is_alone: bool) -> dict[str, Any]:
    """Return a stored comparison: everything if the platform is alone here, else the row of its own posts."""
    estimated_at = stored.get("estimated_at")
    rows = [
        one
        for one in stored.get("differences", ())
        if is_alone or (one["dimension"], one["name"]) == ("platform", platform.slug)
    ]
    return {
        "estimated_at": instant(datetime.fromisoformat(estimated_at)) if estimated_at else None,
        "is_worse": any(one["outcome"] == Outcome.WORSE for one in rows),
        "differences": DifferenceSerializer(rows, many=True).data,
        "rates": list(stored.get("rates", ())) if is_alone else [],
    }
