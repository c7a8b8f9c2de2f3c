"""Weaknesses of labels, in the user's language; scoring.label_balance has the English ones."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.queries.labels import label_balance
from moderation.queries.labels.label_balance import Finding, Weakness
from moderation.web import quantities

_WORDS = {
    Weakness.FEW_RANDOM: gettext_lazy(
        "%(count)s labels were drawn at random, %(of)s would be enough: others show what people were sent."
    ),
    Weakness.FEW_OF_A_SORT: gettext_lazy("%(count)s labels are %(what)s, %(of)s would be enough."),
    Weakness.ONE_SIDED: gettext_lazy(
        "%(count)s of %(of)s labels are %(what)s: a model would take that for what is posted here."
    ),
    Weakness.ONE_LANGUAGE: gettext_lazy(
        "%(count)s of %(of)s labels are of one language (%(what)s): the others would be guessed from it."
    ),
    Weakness.BY_COMPLAINT: gettext_lazy(
        "All %(of)s labels came by complaints, appeals or second looks: what nobody complained of has none."
    ),
}


def gravest() -> list[tuple[str, str]]:
    """Return the gravest weakness of each platform that has labels, with the platform's name."""
    return [(name, words(finding)) for name, finding in label_balance.gravest()]


def words(finding: Finding) -> str:
    """Return a finding in words."""
    sorts = {"spam": _("spam"), "not spam": _("not spam")}
    return str(_WORDS[finding.weakness]) % {
        "count": quantities.count(finding.count),
        "of": quantities.count(finding.of),
        "what": sorts.get(finding.what, finding.what),
    }
