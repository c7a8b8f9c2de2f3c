"""Display names of scripts, and the sentence for a post that no model can read."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_lazy

_NAMES = {
    "ARABIC": gettext_lazy("Arabic"),
    "ARMENIAN": gettext_lazy("Armenian"),
    "BENGALI": gettext_lazy("Bengali"),
    "CYRILLIC": gettext_lazy("Cyrillic"),
    "DEVANAGARI": gettext_lazy("Devanagari"),
    "ETHIOPIC": gettext_lazy("Ethiopic"),
    "GEORGIAN": gettext_lazy("Georgian"),
    "GREEK": gettext_lazy("Greek"),
    "HAN": gettext_lazy("Chinese characters"),
    "HANGUL": gettext_lazy("Korean"),
    "HEBREW": gettext_lazy("Hebrew"),
    "HIRAGANA": gettext_lazy("Japanese"),
    "KATAKANA": gettext_lazy("Japanese"),
    "KHMER": gettext_lazy("Khmer"),
    "LAO": gettext_lazy("Lao"),
    "MYANMAR": gettext_lazy("Burmese"),
    "TAMIL": gettext_lazy("Tamil"),
    "THAI": gettext_lazy("Thai"),
}
"""By Unicode name; a missing script is shown with its Unicode name."""


def name(script: str) -> str:
    """Return the display name of a script, given its Unicode name."""
    return str(_NAMES.get(script) or script.replace("_", " ").title())


def not_read(script: str | None) -> str:
    """Return the sentence that no model reads the post's script; None if its text was erased."""
    if script is None:
        return gettext("Sent to review: the models cannot read this script.")
    return gettext("Sent to review: the models cannot read this script (%(script)s).") % {
        "script": name(script)
    }
