"""The form of a user's preferences."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.models.preferences import BREAK_CASES, BREAK_MINUTES, RUN_CAPS, Blur, Preferences

_NEVER = _("never")


class PreferencesForm(forms.Form):
    """How the desk looks and behaves."""

    theme = forms.ChoiceField(
        choices=[("", _("System default")), ("light", _("Light")), ("dark", _("Dark"))], required=False
    )
    is_keys_on = forms.BooleanField(required=False)
    blur = forms.ChoiceField(
        choices=[
            (Blur.NEVER.value, _("Never")),
            (Blur.GRAPHIC.value, _("Posts reported as disturbing")),
            (Blur.ALWAYS.value, _("All posts")),
        ]
    )
    is_greyscale = forms.BooleanField(required=False)
    run_cap = forms.TypedChoiceField(choices=[(cap, str(cap)) for cap in RUN_CAPS], coerce=int)
    break_minutes = forms.TypedChoiceField(
        choices=[(m, str(m) if m else _NEVER) for m in BREAK_MINUTES], coerce=int
    )
    break_cases = forms.TypedChoiceField(
        choices=[(c, str(c) if c else _NEVER) for c in BREAK_CASES], coerce=int
    )

    @classmethod
    def of(cls, preferences: Preferences, *, theme: str) -> PreferencesForm:
        """Return the form filled with what is stored."""
        return cls(preferences.to_json() | {"theme": theme})

    def chosen(self, *, keys: Mapping[str, str]) -> Preferences:
        """Return the preferences with these shortcuts. Call after `is_valid`."""
        chosen = {name: value for name, value in self.cleaned_data.items() if name != "theme"}
        return Preferences(**chosen | {"blur": Blur(chosen["blur"])}, keys=keys)
