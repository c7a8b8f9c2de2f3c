"""Proposals that a release goes live, and simulations of thresholds."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer, DescribedSerializer, page_of
from moderation.api.serializers.fields import TextField, field_refusal
from moderation.api.serializers.quality import EstimateSerializer
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import ReleaseProposal
from moderation.models.learning import ProposalKind
from moderation.queries.learning.simulation import CONFIDENCE, Costs, Simulation
from moderation.queries.learning.traffic import Thresholds

PERIODS = (7, 30, 90)
_PRECISION = 0.99
_LARGEST = 1e308


class NumberField(serializers.FloatField):
    """A finite JSON number; neither a string nor a boolean is one."""

    def to_internal_value(self, data: Any) -> float:
        """Return the number; no whole number is too long to be refused."""
        if isinstance(data, bool) or not isinstance(data, int | float) or not abs(data) <= _LARGEST:
            self.fail("invalid")
        return super().to_internal_value(data)


class PeriodField(serializers.ChoiceField):
    """A number of days among those that are simulated."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=PERIODS, **kwargs)

    def to_internal_value(self, data: Any) -> int:  # type: ignore[override]  # the stubs know choices of text
        """Return the number. DRF itself compares what it wrote as text, so that "7" would be one."""
        if isinstance(data, bool) or not isinstance(data, int | float) or data not in PERIODS:
            raise serializers.ValidationError(
                f"Must be one of {', '.join(map(str, PERIODS))}.", code="invalid_choice"
            )
        return int(data)


class ThresholdsRequestSerializer(StrictSerializer):
    """Thresholds; what is left out is as it is live."""

    review_from = NumberField(min_value=0, max_value=1, **OPTIONAL)
    remove_from = NumberField(min_value=0, max_value=1, **OPTIONAL)
    audit_rate = NumberField(min_value=0, max_value=1, **OPTIONAL)


class CostsRequestSerializer(StrictSerializer):
    """What a mistake and a minute of a reviewer's time cost, in any unit."""

    missed_spam = NumberField(min_value=0, max_value=1e6, **OPTIONAL)
    wrong_removal = NumberField(min_value=0, max_value=1e6, **OPTIONAL)
    minute = NumberField(min_value=0, max_value=1e6, **OPTIONAL)


class SimulationRequestSerializer(StrictSerializer):
    """Which thresholds to simulate, on the labels of how many days."""

    thresholds = ThresholdsRequestSerializer(**OPTIONAL)
    days = PeriodField(**OPTIONAL, default=30, help_text="7, 30 or 90.")
    costs = CostsRequestSerializer(**OPTIONAL)
    precision = NumberField(
        min_value=0.5, max_value=1, **OPTIONAL, default=_PRECISION, help_text="What removal promises."
    )


class PerDaySerializer(AnswerSerializer):
    """A number a day with its 95 % interval."""

    value = serializers.FloatField(allow_null=True, help_text="Null under 20 labels.")
    low = serializers.FloatField()
    high = serializers.FloatField()


class PointSerializer(AnswerSerializer):
    """What thresholds would do."""

    review_from = serializers.FloatField(source="thresholds.review_from")
    remove_from = serializers.FloatField(source="thresholds.remove_from")
    audit_rate = serializers.FloatField(source="thresholds.audit_rate")
    precision = EstimateSerializer(help_text="Share of spam among removed posts.")
    recall = EstimateSerializer(help_text="Share of spam that is removed automatically.")
    missed = EstimateSerializer(help_text="Share of spam among posts let through.")
    missed_per_day = PerDaySerializer(help_text="Spam let through a day.")
    wrong_per_day = PerDaySerializer(help_text="Honest posts removed a day.")
    cases_per_day = serializers.FloatField()
    people = serializers.FloatField(
        allow_null=True, help_text="People needed who review six hours a day; null if unknown."
    )
    cost = serializers.FloatField(allow_null=True, help_text="Per day; null where something is unknown.")


class PromiseSerializer(AnswerSerializer):
    """From where removal keeps a precision."""

    precision = serializers.FloatField()
    confidence = serializers.FloatField(help_text="With which it is kept.")
    remove_from = serializers.FloatField(
        allow_null=True, help_text="Null if no threshold is proved to keep the precision."
    )


class ChangeSerializer(AnswerSerializer):
    """Posts that would have gone another way."""

    before = serializers.CharField(help_text="The route that they took: allow, review or remove.")
    after = serializers.CharField(help_text="The route that they would have taken.")
    posts = serializers.IntegerField()


class DryRunSerializer(AnswerSerializer):
    """Posts of the last seven days, routed again."""

    is_whole = serializers.BooleanField(help_text="False if only the latest posts were looked at.")
    changes = ChangeSerializer(many=True)


class SimulationSerializer(AnswerSerializer):
    """What the chosen thresholds would do on your platform, beside others."""

    days = serializers.IntegerField()
    labels = serializers.IntegerField(help_text="How many labels it is estimated from.")
    posts_per_day = serializers.FloatField(help_text="Counted over the last seven days.")
    seconds_per_case = serializers.FloatField(
        source="time.seconds", allow_null=True, help_text="Null with too few decisions."
    )
    live = PointSerializer()
    chosen = PointSerializer()
    cheapest = PointSerializer(allow_null=True, help_text="Null where no cost is known.")
    curve = PointSerializer(many=True, help_text="The chosen thresholds with other values of `remove_from`.")
    promise = PromiseSerializer()
    dry_run = DryRunSerializer()

    def read_days(self, _: Simulation) -> int:
        return int(self.context["days"])

    def read_labels(self, simulation: Simulation) -> int:
        return len(simulation.basis.labels)

    def read_posts_per_day(self, simulation: Simulation) -> float:
        counted = simulation.basis.counted
        return counted.posts / counted.days

    def read_promise(self, simulation: Simulation) -> dict[str, Any]:
        return {
            "precision": self.context["precision"],
            "confidence": CONFIDENCE,
            "remove_from": simulation.promised_from,
        }


def thresholds(given: dict[str, Any] | None, *, live: Thresholds) -> Thresholds:
    """Return the thresholds that a request names. Raises ValidationError if removal begins below review."""
    try:
        return replace(live, **(given or {}))
    except ValueError:  # each is in its range
        detail = serializers.ErrorDetail("Removal cannot begin below review.", code="below_review")
        raise serializers.ValidationError({"thresholds": {"remove_from": [detail]}}) from None


def costs(given: dict[str, Any] | None) -> Costs:
    """Return the costs that a request names, the usual ones where it names none."""
    return Costs(**(given or {}))


_STATES = ("open", "confirmed", "refused", "expired")


class ProposalRequestSerializer(StrictSerializer):
    """What should go live: other thresholds, or the candidate of a training run."""

    thresholds = ThresholdsRequestSerializer(**OPTIONAL)
    training_run = TextField(max_length=20, **OPTIONAL, help_text="Its id.")
    days = PeriodField(
        **OPTIONAL, default=30, help_text="Whose labels the simulation of thresholds reads: 7, 30 or 90."
    )
    costs = CostsRequestSerializer(**OPTIONAL)
    reason = TextField(min_length=1, max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Ask for exactly one of both."""
        if ("thresholds" in attrs) == ("training_run" in attrs):
            raise field_refusal("thresholds", "Name thresholds or a training run.", code="one_of_both")
        return attrs


class LiveThresholdsSerializer(DescribedSerializer):
    """Thresholds of a release."""

    review_from = serializers.FloatField()
    remove_from = serializers.FloatField()
    audit_rate = serializers.FloatField()


class ProposalSerializer(AnswerSerializer):
    """A proposal that a release goes live."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=ProposalKind.values)
    state = serializers.ChoiceField(choices=_STATES)
    candidate = serializers.CharField(help_text="The release that should go live.")
    replaces = serializers.CharField(help_text="The release that was live when it was proposed.")
    live_thresholds = LiveThresholdsSerializer(allow_null=True, help_text="Null unless thresholds change.")
    thresholds = LiveThresholdsSerializer(allow_null=True, help_text="Null unless thresholds change.")
    training_run = serializers.CharField(
        allow_null=True, help_text="The training run that made the candidate, if one did."
    )
    reason = serializers.CharField()
    is_own = serializers.BooleanField(help_text="Whether your key's person made it, so another confirms it.")
    made_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)

    def read_state(self, row: ReleaseProposal) -> str:
        if row.confirmed_by_id:
            return "confirmed"
        if row.refused_by_id:
            return "refused"
        return "open" if row.is_open(at=self.context["at"]) else "expired"

    def read_live_thresholds(self, row: ReleaseProposal) -> Any:
        return row.changes.get("from")

    def read_thresholds(self, row: ReleaseProposal) -> Any:
        return row.changes.get("to")

    def read_training_run(self, row: ReleaseProposal) -> Any:
        return row.changes.get("training_run")

    def read_is_own(self, row: ReleaseProposal) -> bool:
        return bool(row.made_by_id == self.context["person_id"])


ProposalPageSerializer = page_of(ProposalSerializer, "Proposals, the newest first.")
