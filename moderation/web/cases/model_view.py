"""What the models say of a case: bars, and the reasons that a moderator can check, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from moderation.models.cases import CaseReason
from moderation.queries.cases.case_pages import CasePage, PostRecord, hundredth
from moderation.queries.labels import calibration
from moderation.web.cases import counted, counterfactuals
from moderation.web.quantities import band, count, day
from moderation.web.sentences import Said, said
from moderation.web.text import script_names

TOP_CONTRIBUTIONS = 5
_LEAST = 0.005
_SUB_MODELS = (
    ("content", gettext_lazy("Text")),
    ("behaviour", gettext_lazy("Behaviour")),
    ("ip_url", gettext_lazy("Address and links")),
    ("feedback", gettext_lazy("Complaints")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One sub-model's probability; None when it had nothing to judge. `width` is in per cent of the bar."""

    name: str
    probability: float | None

    @property
    def width(self) -> int:
        """Per cent of the bar's length, at least one so that a zero is seen as a bar."""
        return max(1, round((self.probability or 0) * 100))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionLine:
    """A sentence and how much it moved the result, in log-odds; `width` is in per cent of the strongest.

    `behind` is the address of the list that its number was counted in, "" where it counts no posts.
    """

    words: str
    share: float
    width: int
    behind: str = ""

    @property
    def is_spamward(self) -> bool:
        """True when it speaks for spam."""
        return self.share > 0

    @property
    def signed(self) -> str:
        """The share with its sign, a true minus."""
        return f"{self.share:+.2f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, kw_only=True)
class ModelView:
    """What the models say of the post. `rest` ends with what no sentence tells, so that all lines add up.

    `meaning` says what the probability comes to, on which posts and since when; "" where nobody measured it.
    `exception` says why the post is here although the thresholds would have sent it elsewhere.
    """

    spam_probability: float
    words: str
    meaning: str
    bars: tuple[Bar, ...]
    top: tuple[ContributionLine, ...]
    rest: tuple[ContributionLine, ...]
    exception: str
    review_from: int | None
    remove_from: int | None
    change: counterfactuals.ChangeLine | None

    @property
    def reasons(self) -> int:
        """How many reasons there are in all."""
        return len(self.top) + len(self.rest)

    @property
    def per_hundred(self) -> int:
        """The spam probability as the page prints it."""
        return hundredth(self.spam_probability)


def of(page: CasePage, *, at: datetime) -> ModelView:
    """Return the models' view of a score that did not stop at a banned domain."""
    score = page.case.score
    lines, unsaid = _lines(page)
    thresholds = score.release.thresholds_on(page.case.post.platform.slug)
    return ModelView(
        spam_probability=score.spam_probability,
        words=band(score.spam_probability),
        meaning=_meaning(page, at=at),
        bars=tuple(_bars(score.sub_models, record=page.record)),
        top=lines[:TOP_CONTRIBUTIONS],
        rest=lines[TOP_CONTRIBUTIONS:] + unsaid,
        exception=_exception(page, thresholds),
        review_from=_hundredth(thresholds.get("review_from")),
        remove_from=_hundredth(thresholds.get("remove_from")),
        change=counterfactuals.line(
            score.counterfactual, probability=score.spam_probability, thresholds=thresholds
        ),
    )


def reasons_for_spam(page: CasePage) -> Iterator[tuple[str, Said]]:
    """Yield the features among the strongest that speak for spam and say so, with their sentences."""
    for feature, value, share in page.case.score.contributions[:TOP_CONTRIBUTIONS]:
        told = _said(feature, value, record=page.record)
        if told and share and float(share) > 0 and told.agrees_with(float(share)):
            yield str(feature), told


def _meaning(page: CasePage, *, at: datetime) -> str:
    """Name the posts that the probability was held against: those judged here once they are enough."""
    score = page.case.score
    found = calibration.measured(score, platform_id=page.case.post.platform_id, at=at)
    if found:
        return gettext(
            "Of %(posts)s posts at %(low)s to %(high)s%% that people judged here from %(first)s to %(last)s, "
            "%(spam)s were spam."
        ) % {
            "posts": count(found.posts),
            "low": found.low,
            "high": found.high,
            "first": day(found.first_at),
            "last": day(found.last_at),
            "spam": count(found.spam),
        }
    if score.route_reason == CaseReason.UNREAD_SCRIPT:
        return ""  # what the release was calibrated on could be read
    number = hundredth(score.spam_probability)
    own = score.release.own_routes(page.case.post.platform.slug).get("chosen_on")
    if own:
        return gettext(
            "Calibrated on %(posts)s labels of this platform, %(random)s of them random: of 100 scored like "
            "this one, about %(number)s are spam."
        ) % {"number": number, "posts": count(own["posts"]), "random": count(own["random"])}
    words = _of_release(score.release.manifest.get("training") or {}, number=number)
    return f"{words} {gettext('For posts of this platform it is not measured yet.')}" if words else ""


def _of_release(training: Mapping[str, Any], *, number: int) -> str:
    """Name the posts that a release's probabilities were fitted to, as its manifest tells them."""
    texts = training.get("texts") or ()
    if texts:
        return gettext(
            "Calibrated on %(texts)s real texts of %(sources)s collections: of 100 scored like this one, "
            "about %(number)s are spam."
        ) % {
            "number": number,
            "texts": count(sum(source.get("validation", 0) for source in texts)),
            "sources": count(len(texts)),
        }
    if training.get("simulated"):
        return gettext("Of 100 simulated posts scored like this one, about %(number)s are spam.") % {
            "number": number
        }
    if training:
        return gettext("Of 100 posts that the release was fitted to, about %(number)s are spam.") % {
            "number": number
        }
    return ""


def _exception(page: CasePage, thresholds: Mapping[str, float]) -> str:
    """Say why a human is asked although the thresholds beside it say otherwise; "" where they do not."""
    score = page.case.score
    if score.route_reason == CaseReason.UNREAD_SCRIPT:
        return script_names.not_read(page.unread_script)
    if score.route_reason == "outvoted":
        return gettext("Yet a human is asked, since one model alone is sure that it is spam.")
    is_above = "remove_from" in thresholds and score.spam_probability >= thresholds["remove_from"]
    if is_above and score.route_reason == "uncertain":
        return gettext("Yet a human is asked, since nothing is removed on the word of one model.")
    return ""


def _bars(sub_models: dict[str, float | None], *, record: PostRecord | None) -> Iterator[Bar]:
    """Yield the sub-models; one that had nothing to look at has no number, whatever its model starts from."""
    for name, words in _SUB_MODELS:
        is_blind = record is not None and not _has_to_judge(name, record)
        yield Bar(name=str(words), probability=None if is_blind else sub_models.get(name))


def _has_to_judge(name: str, record: PostRecord) -> bool:
    if name == "feedback":
        return bool(record.complaints or record.shares or record.comments)
    if name == "ip_url":
        return record.ip is not None or record.ip_asn is not None or bool(record.links)
    if name == "behaviour":
        author = record.author
        told = (author.created_at, author.friends, author.followers, author.is_verified, author.posts)
        pasts = (record.author_history, record.similar, record.resembling)
        return (
            any(fact is not None for fact in told)
            or any(past.posts for past in pasts)
            or bool(author.email_domain or record.journey)
        )
    return True


def _lines(page: CasePage) -> tuple[tuple[ContributionLine, ...], tuple[ContributionLine, ...]]:
    """Say every contribution that can be said, the strongest first; then what all others add up to.

    Features that say the same ("No links in the post") are one line. One whose words speak against its own
    sign is no reason that anybody could follow, and counts among the others.
    """
    shares: dict[Said | None, float] = {}
    for feature, value, share in page.case.score.contributions:
        told = _said(feature, value, record=page.record)
        shares[told] = shares.get(told, 0.0) + float(share or 0.0)
    unsaid = shares.pop(None, 0.0)
    unsaid += sum(share for told, share in shares.items() if told and not told.agrees_with(share))
    shown = [
        (told, share)
        for told, share in shares.items()
        if told and told.agrees_with(share) and abs(share) >= _LEAST
    ]
    shown.sort(key=lambda line: -abs(line[1]))
    others = Said(gettext("Everything that has no sentence here"))
    unsaid_line = [(others, unsaid)] if abs(unsaid) >= _LEAST else []
    strongest = max((abs(share) for _, share in (*shown, *unsaid_line)), default=0.0) or 1.0

    def drawn(lines: list[tuple[Said, float]]) -> tuple[ContributionLine, ...]:
        return tuple(
            ContributionLine(
                words=told.words,
                share=share,
                width=round(abs(share) * 100 / strongest),
                behind=_behind(told, page=page),
            )
            for told, share in lines
        )

    return drawn(shown), drawn(unsaid_line)


def _behind(told: Said, *, page: CasePage) -> str:
    if told.counted is None:
        return ""
    return counted.address(page.case.pk, counted=told.counted, domain=told.domain)


def _said(
    feature: float | str | None, value: float | str | None, *, record: PostRecord | None
) -> Said | None:
    return said(str(feature), math.nan if value is None else float(value), record=record)


def _hundredth(threshold: float | None) -> int | None:
    return None if threshold is None else hundredth(threshold)
