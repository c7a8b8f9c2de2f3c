"""What moved a post's score, as sentences: the strongest for the verdict, and all of them by sub-model."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from moderation.queries.cases.case_pages import PostRecord
from moderation.queries.cases.counted import Counted
from moderation.queries.cases.scored_post import ScoredPost, bounded_contributions
from moderation.web.sentences import CONTENT, Said, is_of_evidence, said
from moderation.web.text import inert

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
_MOST_WORDS = 3
_LINK = re.compile(r"\w\.[^\W\d]{2}")
_LEAST = 0.05
"""Log-odds. Less moves a probability by one per cent at most, and is summed with what has no sentence."""
_LEAST_SUM = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence and how much it moved the result, in log-odds; `width` is in per cent of the strongest.

    `behind` is the URL of the list of counted posts, "" if it counts no posts. `is_reason` tells that the
    sentence by itself speaks for what it moved. `feature` is the strongest one that the sentence says, "" for
    the sum of what has no sentence. `quoted` are the words that did it, where known.
    """

    words: str
    share: float
    width: int
    behind: str = ""
    is_reason: bool = False
    feature: str = ""
    value: float = math.nan
    quoted: str = ""

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


def groups(scored: ScoredPost) -> tuple[Group, ...]:
    """Return a line for each contribution with a sentence, by sub-model; the last group sums the others.

    Features with the same sentence ("No links in the post") are one line. A sentence that contradicts the
    sign of its contribution would confuse readers, so it counts among the others, as does what moves nothing.
    """
    shares: dict[Said, float] = {}
    places: dict[Said, str] = {}
    features: dict[Said, tuple[str, float]] = {}
    unsaid, is_unread = 0.0, scored.is_unread
    for feature, value, share in bounded_contributions(scored.score):
        is_noise = feature == CONTENT and is_unread
        sentence = None if is_noise else said_of(feature, value, record=scored.record)
        if sentence is None:
            unsaid += share
        else:
            shares[sentence] = shares.get(sentence, 0.0) + share
            places.setdefault(sentence, _place(feature))
            features.setdefault(sentence, (feature, math.nan if value is None else float(value)))
    visible = [item for item in shares.items() if item[0].agrees_with(item[1]) and abs(item[1]) >= _LEAST]
    unsaid += sum(shares.values()) - sum(share for _, share in visible)
    strongest = max((abs(share) for share in (*(share for _, share in visible), unsaid)), default=0.0) or 1.0
    lines: dict[str, list[Line]] = {}
    for sentence, share in sorted(visible, key=lambda item: -abs(item[1])):
        line = _line(sentence, share, strongest=strongest, scored=scored, feature=features[sentence])
        lines.setdefault(places[sentence], []).append(line)
    if abs(unsaid) >= _LEAST_SUM:
        words, width = gettext("All remaining features"), round(abs(unsaid) * 100 / strongest)
        lines.setdefault("", []).append(Line(words=words, share=unsaid, width=width))
    sub_models = (*SUB_MODELS, ("", gettext_lazy("Others")))
    return tuple(Group(name=str(words), lines=tuple(lines[key])) for key, words in sub_models if key in lines)


def top(found: Sequence[Group], *, is_spam: bool | None) -> tuple[Line, ...]:
    """Return the strongest reasons for a verdict; without one (None) also those against, after the first.

    Of lines that count the same earlier posts, only the strongest is kept.
    """
    reasons = [line for group in found for line in group.lines if line.is_reason]
    reasons.sort(key=lambda line: -abs(line.share))
    if is_spam is None:
        first = next((line for line in reasons if line.is_spamward), None)
        reasons.sort(key=lambda line: line is not first)
    else:
        reasons = [line for line in reasons if line.is_spamward is is_spam]
    distinct: dict[str, Line] = {}
    for line in reasons:
        distinct.setdefault(line.behind or line.words, line)
    return tuple(distinct.values())[:_MOST_SHOWN]


def said_of(
    feature: float | str | None, value: float | str | None, *, record: PostRecord | None
) -> Said | None:
    """Return the sentence of a stored contribution, None if it has none."""
    return said(str(feature), math.nan if value is None else float(value), record=record)


def counted_address(case_id: int, *, counted: Counted, domain: str = "") -> str:
    """Return the address of the list behind a count."""
    path = reverse("case-counted", kwargs={"case_id": case_id, "kind": counted.value})
    return f"{path}?{urlencode({'domain': domain})}" if domain else path


def _place(feature: str) -> str:
    return next((name for start, name in _GROUPS if feature.startswith(start)), "")


def _line(
    told: Said, share: float, *, strongest: float, scored: ScoredPost, feature: tuple[str, float]
) -> Line:
    behind = ""
    if told.counted is not None and scored.case_id is not None:
        behind = counted_address(scored.case_id, counted=told.counted, domain=told.domain)
    return Line(
        words=told.words,
        share=share,
        width=round(abs(share) * 100 / strongest),
        behind=behind,
        is_reason=bool(told.leaning),
        feature=feature[0],
        value=feature[1],
        quoted=_words_for(scored, is_spam=share > 0) if feature[0] == CONTENT else "",
    )


def _words_for(scored: ScoredPost, *, is_spam: bool) -> str:
    """Return the marked words that moved the text's share most in its direction, "" while there are none.

    No links: where they lead is judged by itself.
    """
    words = ((int(start), int(end), share) for start, end, share in scored.word_contributions)
    tones = inert.tones_of(span for span in words if (span[2] > 0) is is_spam)
    strongest = sorted(tones, key=lambda span: -abs(span[2]))
    texts = (scored.score.revision.text[start:end] for start, end, _ in strongest)
    return ", ".join([word for word in texts if not _LINK.search(word)][:_MOST_WORDS])


def _signed(share: float) -> str:
    return f"{share:+.2f}".replace("-", "\N{MINUS SIGN}")
