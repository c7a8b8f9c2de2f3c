"""Releases and training runs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer
from moderation.api.serializers.fields import OneOfField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Release, TrainingRun
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.queries.learning import models


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
