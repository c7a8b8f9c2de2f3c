"""The models' output for a case: bars, and contributions as sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_lazy

from moderation.models import Score
from moderation.models.cases import CaseReason
from moderation.models.scores import RouteChoice
from moderation.queries.cases.case_pages import PostRecord, hundredth
from moderation.queries.cases.scored_post import ScoredPost
from moderation.queries.labels import calibration
from moderation.web.cases import contributions, counterfactuals
from moderation.web.quantities import band, count, day
from moderation.web.sentences import CONTENT, Said

_STRONGEST = 5
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One sub-model's probability; None if it had no input, and `why_none` says so.

    `width` is in per cent of the bar.
    """

    name: str
    probability: float | None
    why_none: str = ""

    @property
    def width(self) -> int:
        """Per cent of the bar's length, at least one so that zero is visible."""
        return max(1, round((self.probability or 0) * 100))


@dataclass(frozen=True, kw_only=True)
class ModelView:
    """The models' output for the post.

    `top` are the reasons shown at once, `groups` all of them; what has no sentence is summed in the last
    group, so that all lines add up.

    `meaning` says how often posts of this kind with such a probability were spam, or that nobody measured it.
    `exception` says why a human is asked although the thresholds would have routed the post elsewhere.
    What models output for a script that they cannot read is noise: if `is_unread`, no page shows the number.
    """

    spam_probability: float
    words: str
    meaning: str
    bars: tuple[Bar, ...]
    top: tuple[contributions.Line, ...]
    groups: tuple[contributions.Group, ...]
    exception: str
    review_from: int | None
    remove_from: int | None
    change: counterfactuals.ChangeLine | None
    is_unread: bool

    @property
    def reasons(self) -> int:
        """The number of lines."""
        return sum(len(group.lines) for group in self.groups)

    @property
    def judged_bars(self) -> list[Bar]:
        """The sub-models that had something to judge."""
        return [bar for bar in self.bars if bar.probability is not None]

    @property
    def idle(self) -> list[tuple[str, list[str]]]:
        """The sub-models without a bar, by why they have none."""
        names_by_reason: dict[str, list[str]] = {}
        for bar in self.bars:
            if bar.probability is None:
                names_by_reason.setdefault(bar.why_none, []).append(bar.name)
        return list(names_by_reason.items())

    @property
    def tone(self) -> str:
        """Which way it leans: spam, ham, or even in the middle."""
        if self.spam_probability >= 0.55:
            return "spam"
        return "ham" if self.spam_probability < 0.45 else "even"

    @property
    def per_hundred(self) -> int:
        """The spam probability as shown on the page."""
        return hundredth(self.spam_probability)


def of(scored: ScoredPost, *, at: datetime) -> ModelView:
    """Return the view of a score; bans have none."""
    score = scored.score
    is_unread = scored.is_unread
    groups = contributions.groups(scored)
    thresholds = score.release.thresholds_on(score.revision.post.platform.slug)
    return ModelView(
        spam_probability=score.spam_probability,
        words=band(score.spam_probability),
        meaning=_meaning(scored, at=at),
        bars=tuple(_bars(score, record=scored.record, is_unread=is_unread)),
        top=contributions.top(groups, is_spam=_is_spam(score)),
        groups=groups,
        exception=_exception(scored, thresholds),
        review_from=_hundredth(thresholds.get("review_from")),
        remove_from=_hundredth(thresholds.get("remove_from")),
        change=None
        if is_unread
        else counterfactuals.line(
            score.counterfactual, probability=score.spam_probability, thresholds=thresholds
        ),
        is_unread=is_unread,
    )


def reasons_for_spam(scored: ScoredPost) -> Iterator[tuple[str, Said]]:
    """Yield the strongest features for spam that have a matching sentence."""
    is_unread = scored.is_unread
    for feature, value, share in scored.score.contributions[:_STRONGEST]:
        if is_unread and feature == CONTENT:
            continue
        sentence = contributions.said_of(feature, value, record=scored.record)
        if sentence and share and float(share) > 0 and sentence.agrees_with(float(share)):
            yield str(feature), sentence


def _is_spam(score: Score) -> bool | None:
    """Return the verdict to explain; None if the post is in review and spam is less likely."""
    if score.spam_probability >= 0.5 or score.route == RouteChoice.REMOVE:
        return True
    return False if score.route == RouteChoice.ALLOW else None


def _meaning(scored: ScoredPost, *, at: datetime) -> str:
    """Return what the probability was measured on: posts of this kind judged here, once there are enough."""
    score, record = scored.score, scored.record
    if record is None or score.route_reason == CaseReason.UNREAD_SCRIPT:
        return ""
    measurement = calibration.measured(
        score, platform_id=score.revision.post.platform_id, has_link=bool(record.links), at=at
    )
    if measurement is None:
        return gettext("Not yet measured for posts like this one.")
    words = gettext(
        "%(spam)s of %(posts)s posts like this one (language, links) were spam. "
        "Judged here at %(low)s to %(high)s%%, from %(first)s to %(last)s."
    )
    return words % {
        "posts": count(measurement.posts),
        "low": measurement.low,
        "high": measurement.high,
        "first": day(measurement.first_at),
        "last": day(measurement.last_at),
        "spam": count(measurement.spam),
    }


def _exception(scored: ScoredPost, thresholds: Mapping[str, float]) -> str:
    """Return why a human is asked although the thresholds say otherwise; "" if they do not."""
    score = scored.score
    if score.route_reason == CaseReason.UNREAD_SCRIPT:
        return not_read(scored.unread_script)
    if score.route_reason == CaseReason.OUTVOTED:
        is_above = "remove_from" in thresholds and score.spam_probability >= thresholds["remove_from"]
        return (
            gettext("Sent to review anyway: one model alone never removes a post.")
            if is_above
            else gettext("Sent to review anyway: only one model is sure it is spam.")
        )
    if score.route_reason == CaseReason.UNPROVEN:
        return gettext("Sent to review anyway: here a person decides what would be removed.")
    return _would_be(scored)


def _would_be(scored: ScoredPost) -> str:
    """Return what a later score makes of an open case, which stays open because somebody has it."""
    score, waits_since = scored.score, scored.waits_since
    if waits_since is None or score.scored_at <= waits_since or score.route == RouteChoice.REVIEW:
        return ""
    if score.route == RouteChoice.REMOVE:
        return gettext("Scored again since the case opened: it would be removed now.")
    return gettext("Scored again since the case opened: it would be let through now.")


def _bars(score: Score, *, record: PostRecord | None, is_unread: bool) -> Iterator[Bar]:
    """Yield the sub-models; one without input or effect has no number."""
    for name, words in contributions.SUB_MODELS:
        why_none = ""
        if name == "content" and is_unread:
            why_none = gettext("unsupported script")
        elif name == "content" and score.is_degraded:
            why_none = gettext("offline")
        elif record is not None and not _has_to_judge(name, record):
            why_none = gettext("no data")
        probability = None if why_none else score.sub_models.get(name)
        if probability is None and not why_none:
            is_heard = record is not None and name != "content"
            why_none = gettext("no effect") if is_heard else gettext("no data")
        yield Bar(name=str(words), probability=probability, why_none=why_none)
    name, words = contributions.EVIDENCE
    if score.sub_models.get(name) is not None:
        yield Bar(name=str(words), probability=score.sub_models[name])


def _has_to_judge(name: str, record: PostRecord) -> bool:
    if name == "feedback":
        return bool(record.complaints or record.shares or record.comments)
    if name == "ip_url":
        return record.ip is not None or record.ip_asn is not None or bool(record.links)
    if name == "behaviour":
        author = record.author
        facts = (author.created_at, author.friends, author.followers, author.is_verified, author.posts)
        pasts = (record.author_history, record.similar, record.resembling)
        return (
            any(fact is not None for fact in facts)
            or any(past.posts for past in pasts)
            or bool(author.email_domain or record.journey)
        )
    return bool(record.text.strip())


def _hundredth(threshold: float | None) -> int | None:
    return None if threshold is None else hundredth(threshold)


def script_name(script: str) -> str:
    """Return the display name of a script, given its Unicode name."""
    return str(_NAMES.get(script) or script.replace("_", " ").title())


def not_read(script: str | None) -> str:
    """Return the sentence that no model reads the post's script; None if its text was erased."""
    if script is None:
        return gettext("Sent to review: the models cannot read this script.")
    return gettext("Sent to review: the models cannot read this script (%(script)s).") % {
        "script": script_name(script)
    }
