"""Releases, training runs, replays and rollbacks."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer
from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import (
    InstantField,
    OneOfField,
    TextField,
    WholeNumberField,
    field_refusal,
)
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Release, Score, TrainingRun
from moderation.models.scores import RouteChoice
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.operations.releases.replay import Compared
from moderation.queries.learning import models
from moderation.queries.wire import instant, reference


class ModelThresholdsSerializer(DescribedSerializer):
    """Spam probabilities from which a release sends to review and removes, on your platform."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()


class ModelSerializer(AnswerSerializer):
    """A release that scored something here or was live."""

    id = serializers.CharField(help_text="The release of every score names it.")
    is_live = serializers.BooleanField()
    first_used_at = serializers.DateTimeField()
    thresholds = ModelThresholdsSerializer(allow_null=True, help_text="Null where its manifest has none.")
    has_own_head = serializers.BooleanField(help_text="Whether it learned from your platform's decisions.")
    is_training_simulated = serializers.BooleanField(help_text="Whether it learned from simulated posts.")

    def read_is_live(self, row: Release) -> bool:
        return bool(row.pk == self.context["live"])

    def read_thresholds(self, row: Release) -> dict[str, float] | None:
        thresholds = row.thresholds_on(self.context["platform"])
        return {name: thresholds[name] for name in ("review_from", "remove_from")} if thresholds else None

    def read_has_own_head(self, row: Release) -> bool:
        return self.context["platform"] in (row.manifest.get("heads") or {})

    def read_is_training_simulated(self, row: Release) -> bool:
        return bool((row.manifest.get("training") or {}).get("simulated"))


class ModelMetricsQuerySerializer(StrictSerializer):
    """Which part of its data a release is measured on."""

    split = OneOfField(("test",), required=False, default="test")


class TestedPartSerializer(AnswerSerializer):
    """What a release's manifest says of one part of its test data."""

    part = serializers.CharField(source="name", help_text="`complete`, or how the posts were changed.")
    posts = serializers.IntegerField(source="rows")
    spam = serializers.IntegerField()
    pr_auc = serializers.FloatField(allow_null=True, help_text="Null under 20 posts of either kind.")
    removed = serializers.IntegerField(help_text="Posts that it removes by itself.")
    precision = serializers.FloatField(
        allow_null=True, help_text="Share of spam among them; null under 20 of them."
    )


class ModelMetricsSerializer(AnswerSerializer):
    """Figures of a release on data that it did not learn from."""

    release = serializers.CharField(source="pk")
    split = serializers.CharField()
    is_simulated = serializers.BooleanField(help_text="Whether these posts are simulated.")
    data = TestedPartSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own

    def read_split(self, _: Release) -> str:
        return str(self.context["split"])

    def read_is_simulated(self, row: Release) -> bool:
        return bool((row.manifest.get("metrics") or {}).get("simulated"))

    def read_data(self, row: Release) -> list[models.TestedPart]:
        return models.tested(row.manifest)


class ModelPageSerializer(AnswerSerializer):
    """The latest releases, the newest first."""

    data = ModelSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class GateSerializer(AnswerSerializer):
    """What the promotion gate says of a candidate; how many questions it asked, and how many were passed."""

    asked = serializers.IntegerField()
    passed = serializers.IntegerField()
    verdict = serializers.ChoiceField(choices=models.VERDICTS, help_text="Only `passed` can go live.")


class TrainingRunSerializer(AnswerSerializer):
    """A training run of your platform's decisions."""

    # Without its log and report, which name other platforms.
    id = serializers.CharField()
    state = serializers.ChoiceField(choices=TrainingState.values)
    step = serializers.ChoiceField(choices=("", *TrainingStep.values), help_text="Empty before the first.")
    requested_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    candidate = serializers.CharField(help_text="The release that it made; empty before, or if it failed.")
    compared_with = serializers.CharField(source="live", help_text="The release that was live; empty before.")
    gate = GateSerializer(allow_null=True, help_text="Null until there is a candidate.")
    error = serializers.CharField(help_text="Why it failed; else empty.")

    def read_gate(self, row: TrainingRun) -> dict[str, Any] | None:
        if not row.candidate:
            return None
        passed = sum(bool(passed) for _, passed, _ in row.findings)
        return {"asked": len(row.findings), "passed": passed, "verdict": models.verdict(row)}


class RollbackRequestSerializer(StrictSerializer):
    """Which release should no longer be live."""

    live = TextField(
        min_length=1,
        max_length=64,
        help_text="The release that is live now, so that a repeated request rolls nothing back twice.",
    )
    to = TextField(
        min_length=1,
        max_length=64,
        **OPTIONAL,
        help_text="The kept release that should be live; the one before if you leave it out.",
    )


class RollbackSerializer(AnswerSerializer):
    """An earlier release that is live again."""

    release = serializers.CharField(source="release_id")
    replaces = serializers.CharField(source="replaced_id")
    at = serializers.DateTimeField()


MOST = 200
_USUAL = 100
_LONGEST = timedelta(days=92)


class ReplayRangeSerializer(StrictSerializer):
    """When the posts were scored."""

    since = InstantField()
    until = InstantField()
    limit = WholeNumberField(min_value=1, max_value=MOST, **OPTIONAL, default=_USUAL, help_text="The newest.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for a period of at most three months."""
        if not timedelta() < attrs["until"] - attrs["since"] <= _LONGEST:
            raise field_refusal("until", "Must be after since, by at most 92 days.", code="bad_range")
        return attrs


class ReplayRequestSerializer(StrictSerializer):
    """Which stored records, and which release scores them again."""

    decision_id = TextField(max_length=20, **OPTIONAL)
    range = ReplayRangeSerializer(**OPTIONAL)
    release = TextField(min_length=1, max_length=64, help_text="A release of `GET /models`.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for exactly one of both."""
        if ("decision_id" in attrs) == ("range" in attrs):
            raise field_refusal("decision_id", "Name a decision or a range.", code="one_of_both")
        return attrs


class RoutedSerializer(serializers.Serializer[Any]):
    """A probability and the route that it leads to."""

    route = serializers.ChoiceField(choices=RouteChoice.values)
    spam_probability = serializers.FloatField(min_value=0, max_value=1)


class ReplayedSerializer(serializers.Serializer[Any]):
    """One stored record, scored again."""

    post = PostReferenceSerializer()
    scored_at = serializers.DateTimeField()
    release = serializers.CharField(help_text="The release that gave the stored score.")
    is_degraded = serializers.BooleanField(help_text="Whether it was scored without the content model then.")
    before = RoutedSerializer()
    after = RoutedSerializer()


class MoveSerializer(serializers.Serializer[Any]):
    """So many records took one route and would now take another, or the same."""

    before = serializers.ChoiceField(choices=RouteChoice.values)
    after = serializers.ChoiceField(choices=RouteChoice.values)
    posts = serializers.IntegerField()


class ReplaySerializer(serializers.Serializer[Any]):
    """What another release says of stored records. Nothing was written."""

    release = serializers.CharField()
    records = serializers.IntegerField(help_text="How many were scored again.")
    mean_difference = serializers.FloatField(
        allow_null=True, help_text="Mean absolute difference of the probabilities; null without records."
    )
    moves = MoveSerializer(many=True)
    data = ReplayedSerializer(many=True, help_text="Those that differ most come first.")  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


def replay(found: Sequence[Compared], *, scores: Sequence[Score], release: str) -> dict[str, Any]:
    by_id = {score.pk: score for score in scores}
    routes = Counter((one.route_before, one.route_after) for one in found)
    largest = sorted(found, key=lambda one: (-_difference(one), one.score_id))
    return {
        "release": release,
        "records": len(found),
        "mean_difference": sum(map(_difference, found)) / len(found) if found else None,
        "moves": [
            {"before": before, "after": after, "posts": posts}
            for (before, after), posts in sorted(routes.items())
        ],
        "data": [_replayed(one, score=by_id[one.score_id]) for one in largest],
    }


def _replayed(one: Compared, *, score: Score) -> dict[str, Any]:
    return {
        "post": reference(score.revision.post, revision=score.revision.number),
        "scored_at": instant(score.scored_at),
        "release": score.release_id,
        "is_degraded": score.is_degraded,
        "before": {"route": one.route_before, "spam_probability": one.before},
        "after": {"route": one.route_after, "spam_probability": one.after},
    }


def _difference(one: Compared) -> float:
    return abs(one.after - one.before)
