"""What moved a post's score, as sentences: a few that a person can check, and all of them by sub-model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy

from moderation.queries.cases.case_pages import PostRecord
from moderation.queries.cases.scored_post import ScoredPost
from moderation.web.cases import counted
from moderation.web.sentences import CONTENT, Said, is_of_evidence, said

SUB_MODELS = (
    ("content", gettext_lazy("Text")),
    ("behaviour", gettext_lazy("Behaviour")),
    ("ip_url", gettext_lazy("Address and links")),
    ("feedback", gettext_lazy("Complaints")),
)
"""The sub-models in display order, with their names."""
EVIDENCE = ("evidence", gettext_lazy("Pages and pictures"))
"""Has an opinion only where it speaks for spam."""
_GROUPS = (
    ("content.", "content"),
    ("social.same_link", "ip_url"),
    ("social.", "behaviour"),
    ("journey.", "behaviour"),
    ("context.", "ip_url"),
    ("feedback.", "feedback"),
)
"""The sub-model beside which a feature is listed, by the beginning of its name; others stand alone."""
_MOST_SHOWN = 3
_LEAST = 0.05
"""Log-odds. Less moves a probability by one per cent at most, and is summed with what has no sentence."""
_LEAST_SUM = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence and how much it moved the result, in log-odds; `width` is in per cent of the strongest.

    `behind` is the URL of the list of counted posts, "" if it counts no posts. `is_checkable` tells that a
    person can look up what it names, `is_sum` that it adds up what has no sentence. `feature` is the
    strongest one that the sentence says, "" for a sum.
    """

    words: str
    share: float
    width: int
    behind: str = ""
    is_checkable: bool = False
    is_sum: bool = False
    feature: str = ""
    value: float = math.nan

    @property
    def search(self) -> str:
        """The query of the search for posts with such a value, "" if they cannot be searched for."""
        if is_of_evidence(self.feature):
            return ""
        if math.isnan(self.value):
            return urlencode({"feature": self.feature, "compared": "unknown"})
        return urlencode({"feature": self.feature, "compared": "at_least", "value": f"{self.value:g}"})

    @property
    def is_spamward(self) -> bool:
        """Whether it raises the spam probability."""
        return self.share > 0

    @property
    def signed(self) -> str:
        """The contribution with its sign (U+2212 for minus)."""
        return _signed(self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The lines of a sub-model, the strongest first."""

    name: str
    lines: tuple[Line, ...]

    @property
    def signed(self) -> str:
        """The sum of the group with its sign."""
        return _signed(sum(line.share for line in self.lines))


def groups(scored: ScoredPost, *, is_unread: bool) -> tuple[Group, ...]:
    """Return a line for each contribution with a sentence, by sub-model; the last group sums the others.

    Features with the same sentence ("No links in the post") are one line. A sentence that contradicts the
    sign of its contribution would confuse readers, so it counts among the others, as does what moves nothing.
    """
    shares: dict[Said, float] = {}
    places: dict[Said, str] = {}
    features: dict[Said, tuple[str, float]] = {}
    unsaid = 0.0
    for feature, value, share in scored.score.contributions:
        is_noise = is_unread and feature == CONTENT
        told = None if is_noise else said_of(feature, value, record=scored.record)
        if told is None:
            unsaid += float(share or 0.0)
        else:
            shares[told] = shares.get(told, 0.0) + float(share or 0.0)
            places.setdefault(told, _place(str(feature)))
            features.setdefault(told, (str(feature), math.nan if value is None else float(value)))
    shown = [one for one in shares.items() if one[0].agrees_with(one[1]) and abs(one[1]) >= _LEAST]
    unsaid += sum(shares.values()) - sum(share for _, share in shown)
    strongest = max((abs(share) for share in (*(share for _, share in shown), unsaid)), default=0.0) or 1.0
    lines: dict[str, list[Line]] = {}
    for told, share in sorted(shown, key=lambda one: -abs(one[1])):
        line = _line(told, share, strongest=strongest, scored=scored, feature=features[told])
        lines.setdefault(places[told], []).append(line)
    if abs(unsaid) >= _LEAST_SUM:
        words, width = gettext("All remaining features"), round(abs(unsaid) * 100 / strongest)
        lines.setdefault("", []).append(Line(words=words, share=unsaid, width=width, is_sum=True))
    named = (*SUB_MODELS, ("", gettext_lazy("Others")))
    return tuple(Group(name=str(words), lines=tuple(lines[key])) for key, words in named if key in lines)


def top(found: Sequence[Group]) -> tuple[Line, ...]:
    """Return the strongest reasons that a person can check; without any, the strongest of all.

    What counts the same earlier posts is checked at once, so that the strongest such line stands for all.
    """
    named = (line for group in found for line in group.lines if not line.is_sum)
    lines = sorted(named, key=lambda line: -abs(line.share))
    checkable: dict[str, Line] = {}
    for line in lines:
        if line.is_checkable:
            checkable.setdefault(line.behind or line.words, line)
    return tuple(checkable.values())[:_MOST_SHOWN] or tuple(lines[:1])


def said_of(
    feature: float | str | None, value: float | str | None, *, record: PostRecord | None
) -> Said | None:
    """Return the sentence of a stored contribution, None if it has none."""
    return said(str(feature), math.nan if value is None else float(value), record=record)


def _place(feature: str) -> str:
    return next((name for start, name in _GROUPS if feature.startswith(start)), "")


def _line(
    told: Said, share: float, *, strongest: float, scored: ScoredPost, feature: tuple[str, float]
) -> Line:
    behind = ""
    if told.counted is not None and scored.case_id is not None:
        behind = counted.address(scored.case_id, counted=told.counted, domain=told.domain)
    return Line(
        words=told.words,
        share=share,
        width=round(abs(share) * 100 / strongest),
        behind=behind,
        is_checkable=told.is_checkable,
        feature=feature[0],
        value=feature[1],
    )


def _signed(share: float) -> str:
    return f"{share:+.2f}".replace("-", "\N{MINUS SIGN}")
