"""Forms about campaigns. They validate; they change nothing."""

from __future__ import annotations

from django import forms

from moderation.models.decisions import Verdict
from moderation.operations.campaigns.campaign_decisions import Wanted
from moderation.web.forms import ManyForm


class CampaignDecideForm(ManyForm):
    """A verdict on the posts shown, with the counts that were shown."""

    expected_waiting = forms.IntegerField(min_value=0)
    expected_spam = forms.IntegerField(min_value=0, help_text="Let through by the filter.")
    expected_not_spam = forms.IntegerField(min_value=0, help_text="Removed by the filter.")
    has_filtered = forms.BooleanField(required=False)

    def wanted(self) -> Wanted:
        """Return the decision. Call after `is_valid`."""
        cleaned = self.cleaned_data
        verdict = Verdict(cleaned["verdict"])
        filtered = cleaned["expected_spam" if verdict == Verdict.SPAM else "expected_not_spam"]
        return Wanted(
            verdict=verdict,
            expected_count=cleaned["expected_waiting"] + (filtered if cleaned["has_filtered"] else 0),
            confirmed_count=cleaned["confirmed_count"],
            has_filtered=cleaned["has_filtered"],
            reason=cleaned["reason"],
            note=cleaned["note"],
        )


class LeaveOutForm(forms.Form):
    """A member, and whether it is left out of decisions on its campaign."""

    post = forms.IntegerField(min_value=1)
    is_left_out = forms.BooleanField(required=False)


class CampaignCorrectForm(forms.Form):
    """Why a whole campaign is corrected."""

    reason = forms.CharField(max_length=500, strip=True)
