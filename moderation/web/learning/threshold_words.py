"""The figures of the thresholds page in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.queries.cases.pace import CaseTime
from moderation.queries.learning.dry_run import Change
from moderation.queries.learning.simulation import CONFIDENCE, Basis, PerDay, Point, Simulation, moved
from moderation.queries.learning.traffic import Thresholds
from moderation.queries.quality.estimates import Estimate
from moderation.web.quality import shares
from moderation.web.quantities import count, duration, route, tenths

_UNKNOWN = "\N{EN DASH}"


def thresholds(one: Thresholds) -> str:
    """Return where review and removal begin, and the audit share."""
    return _("review from %(review)s, removal from %(remove)s, audit share %(audit)s") % {
        "review": tenths(one.review_from),
        "remove": tenths(one.remove_from),
        "audit": tenths(one.audit_rate),
    }


def effects(points: Sequence[Point]) -> list[tuple[str, list[str]]]:
    """Return the rows of the table of effects: a name, and a cell for each of the thresholds."""
    return [
        (_("Review from"), [tenths(one.thresholds.review_from) for one in points]),
        (_("Removal from"), [tenths(one.thresholds.remove_from) for one in points]),
        (_("Audit share"), [tenths(one.thresholds.audit_rate) for one in points]),
        (_("Precision of removal"), [share(one.precision) for one in points]),
        (_("Recall: spam removed automatically"), [share(one.recall) for one in points]),
        (_("Spam among the posts let through"), [share(one.missed) for one in points]),
        (_("Spam let through a day"), [per_day(one.missed_per_day) for one in points]),
        (_("False positives a day"), [per_day(one.wrong_per_day) for one in points]),
        (_("Cases a day"), [count(one.cases_per_day) for one in points]),
        (_("Cases an hour"), [count(one.cases_per_hour) for one in points]),
        (_("People needed"), [_known(one.people) for one in points]),
        (_("Cost a day"), [_known(one.cost) for one in points]),
    ]


def verdict(found: Simulation) -> tuple[str, list[str]]:
    """Return what the chosen thresholds change a day in a sentence, and what it leaves out or open."""
    now, wanted, basis = found.live.thresholds, found.chosen.thresholds, found.basis
    counted, run = basis.counted, found.dry_run
    removed, wrongly_removed = moved("remove", now.remove_from, wanted.remove_from, basis=basis, moves=run)
    allowed, wrongly_allowed = moved("allow", now.review_from, wanted.review_from, basis=basis, moves=run)
    automatic = (counted.removed(now) + counted.allowed(now)) / counted.days
    audited = wanted.audit_rate * (automatic + removed + allowed) - now.audit_rate * automatic
    cases = audited - removed - allowed
    told = [
        (_("%(number)s fewer cases a day") if cases < 0 else _("%(number)s more cases a day"))
        % {"number": count(abs(cases))}
    ]
    kinds = (
        (removed, wrongly_removed, _("%(number)s more honest posts removed a day"),
         _("%(number)s fewer honest posts removed a day"),
         _("Removal changes for %(posts)s posts a day. How many of these are honest? %(labels)s.")),
        (allowed, wrongly_allowed, _("%(number)s more spam posts let through a day"),
         _("%(number)s fewer spam posts let through a day"),
         _("Review changes for %(posts)s posts a day. How many of these are spam? %(labels)s.")),
    )  # fmt: skip
    rest = []
    for posts, wrong, more, fewer, question in kinds:
        if posts and wrong.value is not None:
            value, low, high = (abs(posts) * part for part in (wrong.value, wrong.low, wrong.high))
            number = per_day(PerDay(value=value, low=low, high=high))
            told.append((fewer if posts < 0 else more) % {"number": number})
        elif posts:
            rest.append(question % {"posts": count(abs(posts)), "labels": share(wrong)})
    return ", ".join(told) + ".", rest


def curve(points: Sequence[Point]) -> list[tuple[str, list[str]]]:
    """Return the rows of the table beneath the curve."""
    return [
        (
            tenths(one.thresholds.remove_from),
            [share(one.precision), per_day(one.wrong_per_day), count(one.cases_per_day)],
        )
        for one in points
    ]


def share(found: Estimate) -> str:
    """Return a share with its interval and its labels; too few labels are no share."""
    return shares.estimate(found.value, found.low, found.high, found.labels)


def per_day(found: PerDay) -> str:
    """Return a number a day with its interval."""
    if found.value is None:
        return _UNKNOWN
    return _("%(number)s (%(low)s to %(high)s)") % {
        "number": count(found.value),
        "low": count(found.low),
        "high": count(found.high),
    }


def basis(found: Basis, *, time: CaseTime, hours: int) -> str:
    """Return what the figures were computed from."""
    told = _(
        "Shares: 95%% intervals from %(labels)s labels, each weighted by its sampling chance. "
        "Numbers a day: %(posts)s posts of the last 7 days."
    ) % {"labels": count(len(found.labels)), "posts": count(found.counted.posts)}
    if time.seconds is None:
        return told + " " + _("People and cost are shown from 20 decisions on.")
    return (
        told
        + " "
        + _("A case takes %(time)s (median of %(number)s decisions). A person reviews %(hours)s hours a day.")
        % {"time": duration(time.seconds), "number": count(time.decisions), "hours": count(hours)}
    )


def promise(found: float | None, *, precision: float) -> str:
    """Return from where removal keeps the promised precision."""
    numbers = {"precision": tenths(precision), "confidence": count(CONFIDENCE * 100)}
    if found is None:
        return (
            _("Too few labels or too many mistakes to guarantee %(precision)s precision anywhere.") % numbers
        )
    return _("Removal from %(remove)s keeps %(precision)s precision in %(confidence)s of 100 cases.") % (
        numbers | {"remove": tenths(found)}
    )


def change(one: Change) -> str:
    """Return a number of posts with their old and new way."""
    posts = ngettext("%(number)s post", "%(number)s posts", one.posts) % {"number": count(one.posts)}
    return f"{posts}: {move(one.before, one.after)}"


def move(before: str, after: str) -> str:
    """Return an old and a new route."""
    return f"{route(before)} → {route(after)}"


def _known(number: float | None) -> str:
    return _UNKNOWN if number is None else count(number)
