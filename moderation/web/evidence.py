"""A case made ready to be read: text as segments, the models' view as bars and sentences, facts as rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from moderation.models import Reason, Score
from moderation.queries.cases import CasePage, History, PostRecord, read_link
from moderation.web import changes, inert
from moderation.web.marks import Segment
from moderation.web.quantities import band, count, counted, duration, percent, short_duration
from moderation.web.sentences import sentence

SHOWN_CHARACTERS = 1_400
SHOWN_LINES = 16
TOP_CONTRIBUTIONS = 5
MAX_PROPOSED = 2
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
    """A sentence and how much it moved the result, in log-odds; `width` is in per cent of the strongest."""

    words: str
    share: float
    width: int

    @property
    def is_spamward(self) -> bool:
        """True when it speaks for spam."""
        return self.share > 0

    @property
    def signed(self) -> str:
        """The share with its sign, a true minus."""
        return f"{self.share:+.2f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A row of facts; `tone` is "", spam, ham or warn."""

    name: str
    value: str
    tone: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelView:
    """What the models say of the post."""

    spam_probability: float
    words: str
    bars: tuple[Bar, ...]
    top: tuple[ContributionLine, ...]
    rest: tuple[ContributionLine, ...]
    review_from: int | None
    remove_from: int | None
    change: changes.ChangeLine | None

    @property
    def reasons(self) -> int:
        """How many reasons there are in all."""
        return len(self.top) + len(self.rest)

    @property
    def per_hundred(self) -> int:
        """Of a hundred posts scored like this, how many are spam: what calibration means."""
        return round(self.spam_probability * 100)


def text_segments(page: CasePage, *, is_whole: bool) -> list[Segment]:
    """Return the post's text, inert; words that moved the content model stand out."""
    text = page.case.score.revision.text
    if not is_whole:
        text = inert.beginning(text, length=SHOWN_CHARACTERS, lines=SHOWN_LINES)
    words = () if page.is_score_hidden else page.case.score.word_contributions or ()
    tones = inert.tones_of((int(start), int(end), float(share)) for start, end, share in words)
    return inert.segments(text, read_link=read_link, tones=tones)


def is_shortened(page: CasePage) -> bool:
    """Tell whether the page shows only the beginning of the text."""
    text = page.case.score.revision.text
    return len(inert.beginning(text, length=SHOWN_CHARACTERS, lines=SHOWN_LINES)) < len(text)


def model_view(score: Score) -> ModelView:
    """Return the models' view of a score that did not stop at a banned domain."""
    lines = _lines(score.contributions)
    thresholds = score.release.manifest.get("thresholds") or {}
    return ModelView(
        spam_probability=score.spam_probability,
        words=band(score.spam_probability),
        bars=tuple(
            Bar(name=str(words), probability=score.sub_models.get(name)) for name, words in _SUB_MODELS
        ),
        top=lines[:TOP_CONTRIBUTIONS],
        rest=lines[TOP_CONTRIBUTIONS:],
        review_from=_hundredth(thresholds.get("review_from")),
        remove_from=_hundredth(thresholds.get("remove_from")),
        change=changes.line(score.counterfactual),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A reason on the page; `why` says what proposes it, "" where nothing does."""

    reason: Reason
    why: str


def offered(reasons: Sequence[Reason], page: CasePage) -> list[Offer]:
    """Return the reasons, with those proposed that the complaints or the strongest contribution speak for."""
    proposed: dict[str, str] = {}
    for signal, why in _signals(page):
        matching = (reason for reason in reasons if any(signal.startswith(sign) for sign in reason.signals))
        found = next(matching, None)
        if found and len(proposed) < MAX_PROPOSED:
            proposed.setdefault(found.code, why)
    return [Offer(reason=reason, why=proposed.get(reason.code, "")) for reason in reasons]


def author_facts(record: PostRecord) -> list[Fact]:
    """Return what is known of the author; what the platform did not say is left out."""
    author = record.author
    facts: list[Fact] = []
    if author.created_at is not None:
        age = (record.at - author.created_at).total_seconds()
        facts.append(
            Fact(
                name=_("Account"),
                value=_("{} old").format(duration(age)),
                tone="warn" if age < 3 * 86_400 else "",
            )
        )
    if author.is_verified:
        facts.append(Fact(name=_("Verified"), value=_("by the platform"), tone="ham"))
    counts = (
        (_("{} followers"), author.followers),
        (_("follows {}"), author.friends),
        (gettext("{} posts"), author.posts),
    )
    said = [words.format(count(number)) for words, number in counts if number is not None]
    if said:
        facts.append(Fact(name=_("Audience"), value=", ".join(said)))
    if author.email_domain:
        facts.append(Fact(name=_("E-mail at"), value=author.email_domain))
    facts.append(Fact(name=_("Known here"), value=_known(record.author_history, at=record.at)))
    facts += _verdict_facts(record.author_history)
    return facts


def address_facts(record: PostRecord) -> list[Fact]:
    """Return what is known of the address that the post came from and of texts like this one."""
    facts: list[Fact] = []
    if record.ip:
        facts.append(Fact(name=_("Sent from"), value=f"{record.ip}, {_others(record.ip_history)}"))
    if record.similar.posts:
        similar = record.similar
        told = _others(similar)
        if similar.complaints:
            told += f", {counted(similar.complaints, 'complaint', 'complaints')}"
        facts.append(Fact(name=_("Nearly the same"), value=told, tone="warn" if similar.posts > 3 else ""))
    return facts


def journey_marks(record: PostRecord) -> list[tuple[float, str]]:
    """Return the steps to the post as (position in per cent of its time, name); empty without a journey."""
    if len(record.journey) < 2 or not record.journey[-1].at_ms:
        return []
    length = record.journey[-1].at_ms
    return [(round(step.at_ms * 100 / length, 2), step.name) for step in record.journey]


def journey_words(record: PostRecord) -> str:
    """Return the journey in a few words."""
    steps, length_ms = len(record.journey), record.journey[-1].at_ms if record.journey else 0
    seconds = length_ms / 1000
    told = f"{seconds:.1f} s" if seconds < 10 else short_duration(seconds)
    return _("%(steps)s in %(time)s") % {"steps": counted(steps, "step", "steps"), "time": told}


def _signals(page: CasePage) -> Iterator[tuple[str, str]]:
    """Yield what speaks for a reason, the strongest first: people's complaints, then the models."""
    kinds = Counter(complaint.reason for complaint in page.complaints)
    for kind, times in kinds.most_common():
        yield f"complaint:{kind}", counted(times, "complaint", "complaints")
    score = page.case.score
    if page.is_score_hidden or score.ban_id or score.spam_probability < 0.5:
        return
    for feature, value, share in score.contributions[:TOP_CONTRIBUTIONS]:
        if share and float(share) > 0:
            yield str(feature), sentence(str(feature), math.nan if value is None else float(value))


def _lines(contributions: Iterable[Sequence[float | str | None]]) -> tuple[ContributionLine, ...]:
    """Say every contribution; features that say the same ("The post has no links") add up to one line."""
    shares: dict[str, float] = {}
    for feature, value, share in contributions:
        words = sentence(str(feature), math.nan if value is None else float(value))
        shares[words] = shares.get(words, 0.0) + float(share or 0.0)
    strongest = max((abs(share) for share in shares.values()), default=0.0) or 1.0
    ordered = sorted(shares.items(), key=lambda line: -abs(line[1]))
    return tuple(
        ContributionLine(words=words, share=share, width=round(abs(share) * 100 / strongest))
        for words, share in ordered
        if abs(share) >= 0.005
    )


def _hundredth(threshold: float | None) -> int | None:
    return None if threshold is None else round(threshold * 100)


def _known(history: History, *, at: datetime) -> str:
    if not history.posts or history.first_seen_at is None:
        return _("first post seen")
    age = short_duration((at - history.first_seen_at).total_seconds())
    return _("%(posts)s in %(time)s, %(recent)s in the last 24 h") % {
        "posts": counted(history.posts, "post", "posts"),
        "time": age,
        "recent": count(history.posts_24h),
    }


def _others(history: History) -> str:
    if not history.posts:
        return _("new here")
    told = _("%(posts)s by %(authors)s") % {
        "posts": counted(history.posts, "post", "posts"),
        "authors": counted(history.authors, "author", "authors"),
    }
    decided = history.confirmed_spam + history.confirmed_not_spam
    if not decided:
        return told
    return told + _(", %(share)s of %(decided)s decided spam") % {
        "share": percent(history.confirmed_spam / decided),
        "decided": count(decided),
    }


def _verdict_facts(history: History) -> list[Fact]:
    facts: list[Fact] = []
    if history.confirmed_spam:
        facts.append(
            Fact(
                name=_("Decided"),
                value=_("%(spam)s spam, %(not_spam)s not")
                % {"spam": history.confirmed_spam, "not_spam": history.confirmed_not_spam},
                tone="spam",
            )
        )
    elif history.confirmed_not_spam:
        facts.append(
            Fact(name=_("Decided"), value=_("{} not spam").format(history.confirmed_not_spam), tone="ham")
        )
    if history.complaints:
        facts.append(
            Fact(
                name=gettext("Complaints"),
                value=_("{} about earlier posts").format(history.complaints),
                tone="warn",
            )
        )
    return facts
