"""Facts that changed since a case's post was scored."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation.queries.cases import facts_now
from moderation.queries.cases.counted import Counted
from moderation.queries.cases.facts_now import Change
from moderation.web import access
from moderation.web.quantities import count

_NAMES = {
    Counted.AUTHOR: gettext_lazy("Author"),
    Counted.ADDRESS: gettext_lazy("Address"),
    Counted.SIMILAR: gettext_lazy("Near-duplicates"),
    Counted.DOMAIN: gettext_lazy("Domain"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsLine:
    """A change of one fact, in words; `subject` is untrusted text."""

    name: str
    subject: str
    told: str
    is_spam: bool


@access.readers.get
def page(request: access.DeskRequest, case_id: int) -> HttpResponse:
    """Show what changed since the score, dated; a part of the review page."""
    at = timezone.now()
    changes = facts_now.of(case_id=case_id, viewer=request.user, at=at)
    context = {"at": at, "found": changes, "lines": [_line(change) for change in changes.rows]}
    return render(request, "cases/_facts_now.html", context)


def _line(change: Change) -> NewsLine:
    return NewsLine(
        name=str(_NAMES[change.about]),
        subject=change.subject,
        told=_latest(change) if change.is_sample else ", ".join(_differences(change)),
        is_spam=change.now.confirmed_spam > change.then.confirmed_spam,
    )


def _latest(change: Change) -> str:
    """Return the present counts: in a full sample, new posts replace old ones."""
    return _("now %(spam)s spam, %(not_spam)s not in the latest %(posts)s") % {
        "spam": count(change.now.confirmed_spam),
        "not_spam": count(change.now.confirmed_not_spam),
        "posts": count(change.now.posts),
    }


def _differences(change: Change) -> list[str]:
    then, now = change.then, change.now
    spam = now.confirmed_spam - then.confirmed_spam
    fine = now.confirmed_not_spam - then.confirmed_not_spam
    posts, complaints = now.posts - then.posts, now.complaints - then.complaints
    phrases = []
    if spam:
        phrases.append(_("%(number)s judged spam") % {"number": _signed(spam)})
    if fine:
        phrases.append(_("%(number)s judged not spam") % {"number": _signed(fine)})
    if posts:
        words = ngettext("%(number)s post", "%(number)s posts", abs(posts))
        phrases.append(words % {"number": _signed(posts)})
    if complaints:
        words = ngettext("%(number)s complaint", "%(number)s complaints", abs(complaints))
        phrases.append(words % {"number": _signed(complaints)})
    return phrases


def _signed(number: int) -> str:
    """Write a difference with its sign, a true minus."""
    sign = "+" if number > 0 else "\N{MINUS SIGN}"
    return f"{sign}{count(abs(number))}"
