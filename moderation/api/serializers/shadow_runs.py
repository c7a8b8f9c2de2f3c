"""Shadow runs and what they say, in requests and answers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, page_of
from moderation.api.serializers.cursors import KeysetField, PageQuerySerializer
from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import TextField
from moderation.api.serializers.quality import EstimateSerializer
from moderation.api.serializers.release_proposals import NumberField
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Platform, ShadowRun, ShadowScore
from moderation.models.cases import CaseState
from moderation.models.scores import RouteChoice
from moderation.queries.learning.shadow_figures import Mistake, Outcome
from moderation.queries.learning.shadow_pages import DISAGREEMENT_KEY, Progress
from moderation.queries.wire import instant, reference

_CASES = ("", *CaseState.values)
_KEPT = ("mistake", "posts", "differing", "labels", "value", "low", "high", "outcome")
"""What stands in a stored difference, besides its slice."""


class DisagreementsQuerySerializer(PageQuerySerializer):
    """Which page of disagreements."""

    cursor = KeysetField(*DISAGREEMENT_KEY)


class ShadowRunRequestSerializer(StrictSerializer):
    """Whose candidate scores which share of posts."""

    training_run = TextField(max_length=20, help_text="The training run that made the candidate.")
    share = NumberField(min_value=0.001, max_value=1, **OPTIONAL, default=1.0, help_text="Of live posts.")


class ProgressSerializer(AnswerSerializer):
    """How many of your posts a run scored, and what became of those that both releases route differently."""

    scored = serializers.IntegerField()
    differing = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Drawn into the queue and not decided.")
    decided = serializers.IntegerField(help_text="Drawn into the queue and decided.")


class ShadowRunSerializer(AnswerSerializer):
    """A candidate that scores live posts beside the live release, without effect."""

    id = serializers.CharField()
    is_open = serializers.BooleanField(help_text="Whether the candidate still scores.")
    candidate = serializers.CharField()
    compared_with = serializers.CharField(
        source="live", help_text="The release that was live when it started."
    )
    share = serializers.FloatField(help_text="Of live posts.")
    started_at = serializers.DateTimeField()
    stopped_at = serializers.DateTimeField(allow_null=True)
    trouble_at = serializers.DateTimeField(
        allow_null=True, help_text="When the candidate last failed to score."
    )
    progress = ProgressSerializer()

    def read_progress(self, row: ShadowRun) -> Progress:
        """Return the counts of the asking platform's posts."""
        progress: Progress = self.context["progress"][row.pk]
        return progress


ShadowRunPageSerializer = page_of(ShadowRunSerializer, "Shadow runs, the newest first.")


class JudgementSerializer(AnswerSerializer):
    """What a release says of a post."""

    route = serializers.ChoiceField(choices=RouteChoice.values)
    spam_probability = serializers.FloatField()


class DisagreementSerializer(AnswerSerializer):
    """A post that the two releases route differently."""

    post = PostReferenceSerializer()
    live = JudgementSerializer()
    candidate = JudgementSerializer(source="*")
    case = serializers.ChoiceField(
        choices=_CASES, help_text="Of the case by which a person was asked, or empty."
    )

    def read_post(self, row: ShadowScore) -> dict[str, Any]:
        return reference(row.score.revision.post, revision=row.score.revision.number)

    def read_live(self, row: ShadowScore) -> dict[str, Any]:
        return {"route": row.live_route, "spam_probability": row.score.spam_probability}

    def read_case(self, row: ShadowScore) -> str:
        return row.case.state if row.case else ""


DisagreementPageSerializer = page_of(DisagreementSerializer, "Disagreements, the farthest apart first.")


class DifferenceSerializer(serializers.Serializer[Any]):
    """Candidate minus live, as a share of a slice's posts."""

    dimension = serializers.CharField(help_text="`all`, `platform`, `language` or `links`.")
    slice = serializers.CharField(help_text="Empty for `all`.")
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
    outcome = serializers.ChoiceField(
        choices=[one.value for one in Outcome],
        help_text="`near`: the difference is certainly tolerable; `open`: nothing is certain yet.",
    )


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


def figures(stored: Mapping[str, Any], *, platform: Platform, is_alone: bool) -> dict[str, Any]:
    """Return a stored comparison: everything if the platform is alone here, else the row of its own posts."""
    estimated_at = stored.get("estimated_at")
    rows = [
        {
            "dimension": one["dimension"],
            "slice": one["name"],
            **{name: one[name] for name in _KEPT},
        }
        for one in stored.get("differences", ())
        if is_alone or (one["dimension"], one["name"]) == ("platform", platform.slug)
    ]
    return {
        "estimated_at": instant(datetime.fromisoformat(estimated_at)) if estimated_at else None,
        "is_worse": any(one["outcome"] == Outcome.WORSE for one in rows),
        "differences": rows,
        "rates": list(stored.get("rates", ())) if is_alone else [],
    }
