"""Weaknesses of a platform's labels, for the desk, exports and training."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

ENOUGH_RANDOM = 50
"""Number of random labels from which they count as representative, however one-sided."""

ENOUGH_FOR_ROUTES = 200
"""With fewer random labels, decisions move neither curve nor thresholds."""

LEAST_OF_EACH = 8
"""Spam, and others: with fewer labels of either, nothing is fitted to a platform."""

ENOUGH_OF_EACH = 30
MOST_OF_ONE_SORT = 0.85
MOST_OF_ONE_LANGUAGE = 0.95
_FEWEST = 20
"""Below this number, a single class, language or origin is not reported."""

CURE = "Label 100 random posts (page “Random labels”), then train again."


class Weakness(StrEnum):
    """Why a set of labels is a poor sample: few random ones, one class, one language, complaints alone."""

    FEW_RANDOM = "few_random"
    FEW_OF_A_SORT = "few_of_a_sort"
    ONE_SIDED = "one_sided"
    ONE_LANGUAGE = "one_language"
    BY_COMPLAINT = "by_complaint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Counts of valid labels: spam, random, from complaints, appeals or second reviews, by language."""

    labels: int = 0
    spam: int = 0
    random: int = 0
    by_complaint: int = 0
    languages: Mapping[str, int]

    @property
    def not_spam(self) -> int:
        """How many are not spam."""
        return self.labels - self.spam


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A weakness, with the numbers that show it; `message` says them in English, and what to do."""

    weakness: Weakness
    count: int
    of: int
    what: str = ""

    @property
    def message(self) -> str:
        """The finding in words."""
        return f"{_WORDS[self.weakness].format(count=self.count, of=self.of, what=self.what)} {CURE}"


_WORDS = {
    Weakness.FEW_RANDOM: (
        "{count} labels were drawn at random, {of} would be enough: the others show "
        "only what people were sent."
    ),
    Weakness.FEW_OF_A_SORT: "{count} labels are {what}, {of} would be enough.",
    Weakness.ONE_SIDED: (
        "{count} of {of} labels are {what}: a model would take that for what is posted here."
    ),
    Weakness.ONE_LANGUAGE: (
        "{count} of {of} labels are of one language ({what}): the others would be guessed from it."
    ),
    Weakness.BY_COMPLAINT: (
        "All {of} labels came by complaints, appeals or second looks: what nobody complained of has none."
    ),
}


def findings(balance: Balance) -> tuple[Finding, ...]:
    """Return the weaknesses of labels, the gravest first; none if they are sufficient.

    From ENOUGH_RANDOM random labels on, one-sided labels reflect the platform.
    """
    flaws = []
    is_seen = balance.random >= ENOUGH_RANDOM
    if balance.labels >= _FEWEST and balance.by_complaint == balance.labels:
        flaws.append(Finding(weakness=Weakness.BY_COMPLAINT, count=balance.by_complaint, of=balance.labels))
    most, sort = max((balance.spam, "spam"), (balance.not_spam, "not spam"))
    if balance.labels >= _FEWEST and most > MOST_OF_ONE_SORT * balance.labels and not is_seen:
        flaws.append(Finding(weakness=Weakness.ONE_SIDED, count=most, of=balance.labels, what=sort))
    if not is_seen:
        flaws.append(Finding(weakness=Weakness.FEW_RANDOM, count=balance.random, of=ENOUGH_RANDOM))
    fewest, rare = min((balance.spam, "spam"), (balance.not_spam, "not spam"))
    if fewest < ENOUGH_OF_EACH:
        flaws.append(Finding(weakness=Weakness.FEW_OF_A_SORT, count=fewest, of=ENOUGH_OF_EACH, what=rare))
    languages = {language: count for language, count in balance.languages.items() if language}
    total = sum(languages.values())
    if len(languages) > 1 and total >= _FEWEST:
        language, count = max(languages.items(), key=lambda item: item[1])
        if count > MOST_OF_ONE_LANGUAGE * total:
            flaws.append(Finding(weakness=Weakness.ONE_LANGUAGE, count=count, of=total, what=language))
    return tuple(flaws)
