"""Releases and training runs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.fields import OneOfField
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Release, TrainingRun
from moderation.models.training_runs import TrainingState, TrainingStep
from moderation.queries.learning import models
from moderation.queries.wire import instant


class ModelThresholdsSerializer(serializers.Serializer[Any]):
    """Spam probabilities from which a release sends to review and removes, on your platform."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()


class ModelSerializer(serializers.Serializer[Any]):
    """A release that scored something here or was live."""

    id = serializers.CharField(help_text="The release of every score names it.")
    is_live = serializers.BooleanField()
    first_used_at = serializers.DateTimeField()
    thresholds = ModelThresholdsSerializer(allow_null=True, help_text="Null where its manifest has none.")
    has_own_head = serializers.BooleanField(help_text="Whether it learned from your platform's decisions.")
    is_training_simulated = serializers.BooleanField(help_text="Whether it learned from simulated posts.")


class ModelMetricsQuerySerializer(StrictSerializer):
    """Which part of its data a release is measured on."""

    split = OneOfField(("test",), required=False, default="test")


class TestedPartSerializer(serializers.Serializer[Any]):
    """What a release's manifest says of one part of its test data."""

    part = serializers.CharField(source="name", help_text="`complete`, or how the posts were changed.")
    posts = serializers.IntegerField(source="rows")
    spam = serializers.IntegerField()
    pr_auc = serializers.FloatField(allow_null=True, help_text="Null under 20 posts of either kind.")
    removed = serializers.IntegerField(help_text="Posts that it removes by itself.")
    precision = serializers.FloatField(
        allow_null=True, help_text="Share of spam among them; null under 20 of them."
    )


class ModelMetricsSerializer(serializers.Serializer[Any]):
    """Figures of a release on data that it did not learn from."""

    release = serializers.CharField()
    split = serializers.CharField()
    is_simulated = serializers.BooleanField(help_text="Whether these posts are simulated.")
    data = TestedPartSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class ModelPageSerializer(serializers.Serializer[Any]):
    """The latest releases, the newest first."""

    data = ModelSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own


class GateSerializer(serializers.Serializer[Any]):
    """What the promotion gate says of a candidate; how many questions it asked, and how many were passed."""

    asked = serializers.IntegerField()
    passed = serializers.IntegerField()
    verdict = serializers.ChoiceField(choices=models.VERDICTS, help_text="Only `passed` can go live.")


class TrainingRunSerializer(serializers.Serializer[Any]):
    """A training run of your platform's decisions."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=TrainingState.values)
    step = serializers.ChoiceField(choices=("", *TrainingStep.values), help_text="Empty before the first.")
    requested_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    candidate = serializers.CharField(help_text="The release that it made; empty before, or if it failed.")
    compared_with = serializers.CharField(help_text="The release that was live; empty before.")
    gate = GateSerializer(allow_null=True, help_text="Null until there is a candidate.")
    error = serializers.CharField(help_text="Why it failed; else empty.")


def model(row: Release, *, live: str, platform: str) -> dict[str, Any]:
    """Return a release as a platform, by slug, sees it."""
    thresholds = row.thresholds_on(platform)
    training = row.manifest.get("training") or {}
    return {
        "id": row.pk,
        "is_live": row.pk == live,
        "first_used_at": instant(row.first_used_at),
        "thresholds": {name: thresholds[name] for name in ("review_from", "remove_from")}
        if thresholds
        else None,
        "has_own_head": platform in (row.manifest.get("heads") or {}),
        "is_training_simulated": bool(training.get("simulated")),
    }


def metrics(row: Release, *, split: str) -> dict[str, Any]:
    """Return what the manifest says of the test data; it has no part by platform."""
    return {
        "release": row.pk,
        "split": split,
        "is_simulated": bool((row.manifest.get("metrics") or {}).get("simulated")),
        "data": TestedPartSerializer(models.tested(row.manifest), many=True).data,
    }


def training_run(row: TrainingRun) -> dict[str, Any]:
    """Return a training run. Its log and report name other platforms, so they are left out."""
    gate = {
        "asked": len(row.findings),
        "passed": sum(bool(passed) for _, passed, _ in row.findings),
        "verdict": models.verdict(row),
    }
    return {
        "id": str(row.pk),
        "state": row.state,
        "step": row.step,
        "requested_at": instant(row.requested_at),
        "started_at": instant(row.started_at) if row.started_at else None,
        "ended_at": instant(row.ended_at) if row.ended_at else None,
        "candidate": row.candidate,
        "compared_with": row.live,
        "gate": gate if row.candidate else None,
        "error": row.error,
    }
