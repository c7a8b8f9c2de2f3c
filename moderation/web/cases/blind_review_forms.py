"""Forms about blind reviews. They validate; they change nothing."""

from __future__ import annotations

from django import forms

from moderation.models.decisions import Verdict
from moderation.operations.cases.blind_reviews import MOST_FIRST_DECISIONS, MOST_GOLDEN
from moderation.queries.accounts import reasons


class SettleForm(forms.Form):
    """The last word on a disagreement, and why."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    note = forms.CharField(max_length=500, strip=True)
    code = forms.CharField(max_length=40, required=False)

    def clean_code(self) -> str:
        """Return an active reason of the verdict, "" for any other."""
        reason = reasons.reason(self.cleaned_data["code"])
        return reason.code if reason and reason.verdict == self.cleaned_data.get("verdict") else ""


class PlanForm(forms.Form):
    """How many of a platform's decisions are judged again, and among how many golden items; in percent."""

    share_percent = forms.FloatField(min_value=0, max_value=100)
    first_decisions = forms.IntegerField(min_value=0, max_value=MOST_FIRST_DECISIONS)
    golden_percent = forms.FloatField(min_value=0, max_value=100 * MOST_GOLDEN)

    @property
    def share(self) -> float:
        """The share in [0, 1]. Call after `is_valid`."""
        return float(self.cleaned_data["share_percent"]) / 100

    @property
    def golden_share(self) -> float:
        """The share of golden items in [0, 0.5]. Call after `is_valid`."""
        return float(self.cleaned_data["golden_percent"]) / 100
