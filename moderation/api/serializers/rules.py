"""Rules and backtests: request and answer formats."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from moderation.api import about
from moderation.api.serializers.answers import AnswerSerializer, page_of
from moderation.api.serializers.cursors import IdPageQuerySerializer
from moderation.api.serializers.decisions import PostReferenceSerializer
from moderation.api.serializers.fields import InstantField, OneOfField, TextField, field_refusal
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import Revision, Rule
from moderation.models.rules import RuleEffect, RuleKind
from moderation.operations.similarity.listed_pictures import MOST
from moderation.queries.outcome_counts import Figures
from moderation.queries.rules.rule_pages import RuleState, state_of
from moderation.queries.wire import reference

STATES = tuple(state.value for state in RuleState)


class FutureField(InstantField):
    """A point in time that is still to come."""

    default_error_messages = {"in_past": "Must be in the future."}

    def to_internal_value(self, value: Any) -> datetime:
        moment = self.read(value)
        if moment <= timezone.now():
            self.fail("in_past")
        return moment


class RuleRequestSerializer(StrictSerializer):
    """Effect, target, reason and end of a rule."""

    effect = OneOfField(
        choices=RuleEffect.values,
        help_text=(
            "ban: posts are spam, no model is asked; hold: nothing passes without a human; "
            "allow: passes, whatever the models say."
        ),
    )
    kind = OneOfField(choices=RuleKind.values)
    value = TextField(
        max_length=255,
        help_text="evil.example, pay.evil.example, 203.0.113.7, 203.0.113.0/24; your own id of an author; "
        "a phrase, +1 888 555 0162, an address of Bitcoin, Ethereum or TRON, @name or telegram/@name, "
        "the domain that look-alikes imitate; a PDQ hash.",
    )
    pictures = serializers.ListField(
        child=serializers.RegexField("^[0-9a-f]{64}$"),
        max_length=MOST,
        required=False,
        help_text="PDQ hashes of a list of pictures; `kind` is pictures then and `value` the list's name.",
    )
    reason = TextField(max_length=500)
    expires_at = FutureField(
        help_text="A hold lasts 30 days at most. A ban without an end is made by a lead on the desk."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse hashes of anything but a list, and a list without any."""
        if bool(attrs.get("pictures")) != (attrs["kind"] == RuleKind.PICTURES):
            raise field_refusal(
                "pictures", "Give them with the kind pictures, and with no other.", code="not_a_target"
            )
        return attrs


class RuleQuerySerializer(IdPageQuerySerializer):
    """Which rules to return."""

    state = OneOfField(choices=STATES, required=False, default=RuleState.LIVE.value)
    effect = OneOfField(choices=RuleEffect.values, required=False)
    kind = OneOfField(choices=RuleKind.values, required=False)


class RuleSerializer(AnswerSerializer):
    """A rule and its state."""

    id = serializers.CharField()
    effect = serializers.ChoiceField(choices=RuleEffect.values)
    kind = serializers.ChoiceField(choices=RuleKind.values)
    value = serializers.CharField(
        help_text="In its canonical form; words and numbers only until 30 days after the end."
    )
    reason = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    imposed_at = serializers.DateTimeField(help_text="When it was written.")
    activated_at = serializers.DateTimeField(allow_null=True, help_text="Since when it holds.")
    expires_at = serializers.DateTimeField(allow_null=True)
    lifted_at = serializers.DateTimeField(allow_null=True)

    def read_value(self, row: Rule) -> str:
        """Return the value; its platform reads its own id of an author, with whom the rule is loaded."""
        if row.author is None:
            return row.value
        about.author(row.author.pk)
        return row.author.external_id or ""

    def read_state(self, row: Rule) -> str:
        return state_of(row, at=self.context["at"]).value


RulePageSerializer = page_of(RuleSerializer, "Rules, the newest first.")


class ShareIntervalSerializer(serializers.Serializer[Any]):
    """Wilson's 95 % interval of a share."""

    low = serializers.FloatField(min_value=0, max_value=1)
    high = serializers.FloatField(min_value=0, max_value=1)


class BacktestSerializer(serializers.Serializer[Any]):
    """Your posts that the rule would have matched until now, and people's verdicts on them."""

    matches = serializers.IntegerField(help_text="Posts that it reaches.")
    judged = serializers.IntegerField()
    spam = serializers.IntegerField()
    not_spam = serializers.IntegerField()
    precision = serializers.FloatField(
        allow_null=True,
        help_text=(
            "Share of judged posts on which the rule would have been right: spam, or not spam for an "
            "allowance."
        ),
    )
    interval = ShareIntervalSerializer()
    examples = PostReferenceSerializer(many=True, help_text="The newest five.")


def backtest(row: Rule, *, figures: Figures, newest: Sequence[Revision]) -> dict[str, Any]:
    share, (low, high) = figures.spam_share, figures.spam_interval
    if row.effect == RuleEffect.ALLOW:
        share, (low, high) = 1 - share, (1 - high, 1 - low)
    return {
        "matches": figures.posts,
        "judged": figures.judged,
        "spam": figures.spam,
        "not_spam": figures.not_spam,
        "precision": share if figures.judged else None,
        "interval": {"low": low, "high": high},
        "examples": [reference(one.post, revision=one.number) for one in newest],
    }
