"""The form of the thresholds page: positions, costs, and the reason of a proposal."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.queries.learning import traffic
from moderation.queries.learning.simulation import Costs
from moderation.queries.learning.traffic import Subject
from moderation.web.days import LENGTHS

PERIODS = LENGTHS[:3]
_SLIDERS = {
    "review_from": _("Review from, in percent"),
    "remove_from": _("Removal from, in percent"),
    "audit_rate": _("Audit share, in percent"),
}
_COSTS = {
    "missed_spam": _("Cost of a missed spam post"),
    "wrong_removal": _("Cost of a wrong removal"),
    "minute": _("Cost per review minute"),
}


class ThresholdForm(forms.Form):
    """Thresholds and audit share in per cent, with one decimal; an empty field is the live value."""

    review_from = forms.DecimalField(min_value=0, max_value=100, decimal_places=1, required=False)
    remove_from = forms.DecimalField(min_value=0, max_value=100, decimal_places=1, required=False)
    audit_rate = forms.DecimalField(min_value=0, max_value=100, decimal_places=1, required=False)
    days = forms.ChoiceField(choices=PERIODS, required=False)
    missed_spam = forms.FloatField(min_value=0, max_value=1e6, required=False)
    wrong_removal = forms.FloatField(min_value=0, max_value=1e6, required=False)
    minute = forms.FloatField(min_value=0, max_value=1e6, required=False)
    promise = forms.DecimalField(min_value=50, max_value=100, decimal_places=1, required=False)

    def __init__(self, *given: Any, about: Subject, **named: Any) -> None:
        super().__init__(*given, **named)
        self._about = about

    def clean(self) -> dict[str, Any]:
        """Refuse removal below review."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        review, remove = (self._chosen(name) for name in ("review_from", "remove_from"))
        if review > remove:
            self.add_error("remove_from", _("Removal cannot begin below review."))
        return cleaned

    def thresholds(self) -> traffic.Thresholds:
        """Return the chosen thresholds. Call after `is_valid`."""
        return traffic.Thresholds(**{name: self._chosen(name) for name in _SLIDERS})

    def costs(self) -> Costs:
        """Return the chosen costs. Call after `is_valid`."""
        given = self.cleaned_data
        return Costs(**{name: given[name] for name in _COSTS if given.get(name) is not None})

    def days_back(self) -> int:
        """Return the period of the labels. Call after `is_valid`."""
        return int(self.cleaned_data.get("days") or 30)

    def promised(self) -> float:
        """Return the precision to be kept, in [0, 1]. Call after `is_valid`."""
        given = self.cleaned_data.get("promise")
        return 0.99 if given is None else float(given) / 100

    def asked(self) -> list[tuple[str, str]]:
        """Return what was asked, to be asked again. Call after `is_valid`."""
        wanted = self.thresholds()
        shares = [(name, f"{getattr(wanted, name) * 100:.1f}") for name in _SLIDERS]
        rest = [("days", str(self.days_back())), ("platform", self._about.slug)]
        costs = self.costs()
        return [*shares, *rest, *((name, f"{getattr(costs, name):g}") for name in _COSTS)]

    def fields_shown(self) -> dict[str, object]:
        """Return the fields as the page shows them: name, words and value."""
        live, usual = self._about.thresholds, Costs()
        return {
            "sliders": [
                (name, words, self.data.get(name) or f"{getattr(live, name) * 100:.1f}")
                for name, words in _SLIDERS.items()
            ],
            "costs_asked": [
                (name, words, self.data.get(name) or f"{getattr(usual, name):g}")
                for name, words in _COSTS.items()
            ],
            "promised_percent": self.data.get("promise") or "99",
        }

    def _chosen(self, name: str) -> float:
        given = self.cleaned_data.get(name)
        live = float(getattr(self._about.thresholds, name))
        # The page writes live values with one decimal: left as they are, they stay exact.
        return live if given is None or f"{given:.1f}" == f"{live * 100:.1f}" else float(given) / 100


class ProposalForm(ThresholdForm):
    """The thresholds, and why."""

    reason = forms.CharField(max_length=500, strip=True, error_messages={"required": _("Give a reason.")})
