"""Weaknesses of labels, in the user's language; scoring.label_balance has the English ones."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.queries.labels import label_balance
from moderation.queries.labels.label_balance import Finding, Weakness
from moderation.web import quantities

_WORDS = {
    Weakness.FEW_RANDOM: gettext_lazy(
        "%(count)s labels are from random draws; %(of)s are needed, because the others only cover"
        " what was sent to review."
    ),
    Weakness.FEW_OF_A_SORT: gettext_lazy("%(count)s labels are %(what)s; %(of)s are needed."),
    Weakness.ONE_SIDED: gettext_lazy(
        "%(count)s of %(of)s labels are %(what)s: a model would learn that as the normal mix."
    ),
    Weakness.ONE_LANGUAGE: gettext_lazy(
        "%(count)s of %(of)s labels are in one language (%(what)s): results in other languages "
        "would be guesses."
    ),
    Weakness.BY_COMPLAINT: gettext_lazy(
        "All %(of)s labels come from complaints, appeals or second reviews: posts nobody "
        "complained about have none."
    ),
}


def gravest() -> list[tuple[str, str]]:
    """Return the gravest weakness of each platform that has labels, with the platform's name."""
    return [(name, words(finding)) for name, finding in label_balance.gravest()]


def words(finding: Finding) -> str:
    sorts = {"spam": _("spam"), "not spam": _("not spam")}
    return str(_WORDS[finding.weakness]) % {
        "count": quantities.count(finding.count),
        "of": quantities.count(finding.of),
        "what": sorts.get(finding.what, finding.what),
    }
