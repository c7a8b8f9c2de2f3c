"""A case prepared for display: text as segments, suggested reasons, facts as rows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from moderation.models import ActionRule, Reason, network_names
from moderation.models.actions import Action
from moderation.models.decisions import DecisionSource
from moderation.queries.cases.case_pages import CasePage, History, PostRecord, read_link
from moderation.queries.cases.counted import Counted
from moderation.queries.decisions import actions
from moderation.queries.decisions.actions import Rules
from moderation.web.cases import contributions, model_view
from moderation.web.quantities import count, counted, duration, short_duration
from moderation.web.text import characters, inert
from moderation.web.text.text_marks import Segment

SHOWN_CHARACTERS = 1_400
SHOWN_LINES = 16
MAX_PROPOSED = 2
_TITLE_LENGTH = 240
_HEARD_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A row of facts; `tone` is "", spam, ham or warn.

    `behind` is the URL of the list of counted posts, "" if there is none. `is_detail`: few decisions need it.
    """

    name: str
    value: str
    tone: str = ""
    behind: str = ""
    is_detail: bool = False


def text_segments(page: CasePage, *, is_whole: bool) -> list[Segment]:
    """Return the post's text as inert segments, with the words that moved the content model marked."""
    words = () if page.is_score_hidden else page.scored.word_contributions
    return segments_of(page.case.score.revision.text, is_whole=is_whole, words=words)


def segments_of(text: str, *, is_whole: bool, words: Iterable[Sequence[float]] = ()) -> list[Segment]:
    """Return a text as inert segments; `words` are [start, end, contribution] in it."""
    if not is_whole:
        text = inert.beginning(text, length=SHOWN_CHARACTERS, lines=SHOWN_LINES)
    tones = inert.tones_of((int(start), int(end), float(share)) for start, end, share in words)
    return inert.segments(text, read_link=read_link, tones=tones)


def is_shortened(text: str) -> bool:
    """Return whether a page shows only the beginning of a text."""
    return len(inert.beginning(text, length=SHOWN_CHARACTERS, lines=SHOWN_LINES)) < len(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A reason on the page; `why` says what suggests it, "" if nothing does, `rule` what follows from it."""

    reason: Reason
    why: str
    rule: ActionRule | None

    @property
    def title(self) -> str:
        """The tooltip: what suggests the reason, and the start of its guideline."""
        proposed = f"{_('Proposed:')} {self.why}." if self.why else ""
        guideline = inert.excerpt(self.reason.shown_guideline, length=_TITLE_LENGTH)
        return " ".join(filter(None, (proposed, guideline)))


def offered(reasons: Sequence[Reason], page: CasePage, rules: Rules) -> list[Offer]:
    """Return the reasons, with suggestions by complaints and by the strongest contributions."""
    proposed: dict[str, str] = {}
    for signal, why in _signals(page):
        matching = (reason for reason in reasons if any(signal.startswith(sign) for sign in reason.signals))
        match = next(matching, None)
        if match and len(proposed) < MAX_PROPOSED:
            proposed.setdefault(match.code, why)
    return [
        Offer(
            reason=reason,
            why=proposed.get(reason.code, ""),
            rule=follow_up(page, rules, reason.verdict, reason.code),
        )
        for reason in reasons
    ]


def follow_up(page: CasePage, rules: Rules, verdict: str, reason: str = "") -> ActionRule | None:
    """Return what a decision of the reader does besides its verdict, None if nothing."""
    about = {"verdict": verdict, "reason": reason, "source": DecisionSource.MODERATOR}
    rule = actions.chosen(rules, platform_id=page.case.post.platform_id, **about)
    return rule if rule and rule.action != Action.NOTHING else None


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a screen reader announces of a case: its author, and its first words, "" if blurred."""

    author: str
    words: str


def announcement(page: CasePage, *, is_blurred: bool) -> Announcement:
    """Return the announcement of a new current case, without hidden characters."""
    text = page.case.score.revision.text
    return Announcement(
        author=_heard(str(page.case.post.author), length=40),
        words="" if is_blurred else _heard(text, length=_HEARD_CHARACTERS),
    )


@dataclass(frozen=True, slots=True)
class ForeignId:
    """An id as the platform gave it; `target` is the id of its element on the page."""

    name: str
    value: str
    target: str


def foreign_ids(page: CasePage) -> list[ForeignId]:
    """Return the platform's ids of a post and its author; of an account one. An erased author has none."""
    post = page.case.post
    ids = [("post", _("Post id"), post.external_id), ("author", _("Author id"), post.author.external_id)]
    if post.is_account:
        ids = [("author", _("Account id"), post.author.external_id)]
    return [ForeignId(name, value, f"id-of-{kind}-{page.case.pk}") for kind, name, value in ids if value]


def author_facts(page: CasePage) -> Iterator[Fact]:
    """Yield the facts about the author; what the platform did not send is left out."""
    if page.record is None:
        return
    record, author = page.record, page.record.author
    if author.created_at is not None:
        age = (record.at - author.created_at).total_seconds()
        tone = "warn" if age < 3 * 86_400 else ""
        yield Fact(name=_("Account"), value=_("{} old").format(duration(age)), tone=tone)
    if author.is_verified:
        yield Fact(name=_("Verified"), value=_("by the platform"), tone="ham")
    counts = (
        (_("{} followers"), author.followers),
        (_("follows {}"), author.friends),
        (_("{} posts"), author.posts),
    )
    phrases = [words.format(count(number)) for words, number in counts if number is not None]
    if phrases:
        yield Fact(name=_("Audience"), value=", ".join(phrases), is_detail=True)
    if author.email_domain:
        domain = _("hidden") if page.hides_origin else author.email_domain
        yield Fact(name=_("Email domain"), value=domain, is_detail=True)
    behind = _behind(record.author_history, Counted.AUTHOR, page=page)
    is_silent = record.is_account and not record.author_history.posts
    posts = _("none seen") if is_silent else _known(record.author_history, at=record.at)
    yield Fact(name=_("Posts here"), value=posts, behind=behind, is_detail=True)
    yield from _verdict_facts(record.author_history, behind=behind)


def address_facts(page: CasePage) -> Iterator[Fact]:
    """Yield the facts about the sender's address and about similar texts."""
    record = page.record
    if record is None:
        return
    if record.ip:
        address = network_names.words(page.address) or _("hidden")
        phrase = f"{address}, {_others(record.ip_history)}"
        behind = _behind(record.ip_history, Counted.ADDRESS, page=page)
        yield Fact(name=_("Sent from"), value=phrase, behind=behind)
    if record.similar.posts:
        similar = record.similar
        phrase = _others(similar)
        if similar.complaints:
            phrase += f", {counted(similar.complaints, 'complaint', 'complaints')}"
        behind = _behind(similar, Counted.SIMILAR, page=page)
        tone = "warn" if similar.posts > 3 else ""
        yield Fact(name=_("Near-duplicates"), value=phrase, tone=tone, behind=behind)


@dataclass(frozen=True, slots=True)
class JourneyMark:
    """A step of the journey: its place in per cent of the duration, and its name, written by a platform."""

    x: float
    words: str


def journey_marks(record: PostRecord) -> list[JourneyMark]:
    """Return the steps of the journey; empty without one."""
    if len(record.journey) < 2 or not record.journey[-1].at_ms:
        return []
    length = record.journey[-1].at_ms
    return [
        JourneyMark(round(step.at_ms * 100 / length, 2), _step_words(step.name, step.at_ms))
        for step in record.journey
    ]


def _step_words(name: str, at_ms: float) -> str:
    if not at_ms:
        return name
    return _("%(step)s after %(time)s") % {"step": name, "time": duration(at_ms / 1000)}


def journey_words(record: PostRecord) -> str:
    """Return the journey in a few words."""
    steps, length_ms = len(record.journey), record.journey[-1].at_ms if record.journey else 0
    seconds = length_ms / 1000
    length = duration(seconds) if seconds < 10 else short_duration(seconds)
    return _("%(steps)s in %(time)s") % {"steps": counted(steps, "step", "steps"), "time": length}


def _signals(page: CasePage) -> Iterator[tuple[str, str]]:
    """Yield the signals for reasons, the strongest first: complaints, then contributions."""
    kinds = Counter(complaint.reason for complaint in page.complaints)
    for kind, times in kinds.most_common():
        yield f"complaint:{kind}", counted(times, "complaint", "complaints")
    score = page.case.score
    if page.is_score_hidden or score.ban_id or score.spam_probability < 0.5:
        return
    for feature, sentence in model_view.reasons_for_spam(page.scored):
        yield feature, sentence.words


def _heard(text: str, *, length: int) -> str:
    # Remove hidden characters before the cut, but do not read a post of a hundred thousand of them.
    visible = "".join(character for character in text[: length * 8] if not characters.hidden_label(character))
    segments = inert.segments(inert.excerpt(visible, length=length), read_link=read_link)
    return "".join(segment.text for segment in segments)


def _known(history: History, *, at: datetime) -> str:
    if not history.posts or history.first_seen_at is None:
        return _("first post seen")
    age = short_duration((at - history.first_seen_at).total_seconds())
    return _("%(posts)s within %(time)s, %(recent)s in the last 24 h") % {
        "posts": counted(history.posts, "post", "posts"),
        "time": age,
        "recent": count(history.posts_24h),
    }


def _others(history: History) -> str:
    if not history.posts:
        return _("new here")
    phrase = _("%(posts)s by %(authors)s") % {
        "posts": counted(history.posts, "post", "posts"),
        "authors": counted(history.authors, "author", "authors"),
    }
    if not history.confirmed_spam + history.confirmed_not_spam:
        return phrase
    return phrase + _("; decided: %(spam)s spam, %(not_spam)s not") % {
        "spam": count(history.confirmed_spam),
        "not_spam": count(history.confirmed_not_spam),
    }


def _behind(history: History, kind: Counted, *, page: CasePage) -> str:
    """Return the URL of the list of a history's posts; "" while the case is judged blindly."""
    if page.is_score_hidden or not history.posts:
        return ""
    return contributions.counted_address(page.case.pk, counted=kind)


def _verdict_facts(history: History, *, behind: str) -> Iterator[Fact]:
    spam, fine = count(history.confirmed_spam), count(history.confirmed_not_spam)
    if history.confirmed_spam:
        verdicts = _("%(spam)s spam, %(not_spam)s not") % {"spam": spam, "not_spam": fine}
        yield Fact(name=_("Decided"), value=verdicts, tone="spam", behind=behind)
    elif history.confirmed_not_spam:
        yield Fact(name=_("Decided"), value=_("{} not spam").format(fine), tone="ham")
    if history.complaints:
        complaints = _("{} about earlier posts").format(count(history.complaints))
        yield Fact(name=_("Complaints"), value=complaints, tone="warn", behind=behind)
