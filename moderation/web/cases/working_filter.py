"""Filters and order of the queue; the filter that a user works by is kept in the session.

Without one, users with assigned queues work through these.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import NamedQueue
from moderation.models.cases import CaseReason
from moderation.models.preferences import FilterPage
from moderation.operations.cases import claims, shift
from moderation.queries.cases import first_shift, named_queues
from moderation.queries.cases.named_queues import Assigned
from moderation.queries.cases.queue_filter import BUCKETS, FIRST_SHIFT, QueueFilter, Sort
from moderation.queries.policies import policy_pages
from moderation.web import access
from moderation.web.lists.filter_form import FilterForm, OptionField

SORTS = (
    (Sort.HARM.value, gettext_lazy("likely spam with wide reach")),
    (Sort.UNCERTAINTY.value, gettext_lazy("uncertainty")),
    (Sort.NEWEST.value, gettext_lazy("newest")),
    (Sort.REPORTED.value, gettext_lazy("most reported")),
)
_LARGEST_ID = 2**63 - 1


class QueueFilterForm(FilterForm):
    """The queue's filters and order."""

    page = FilterPage.QUEUE
    queue = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, required=False)
    reason = forms.ChoiceField(choices=CaseReason.choices, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    campaign = forms.IntegerField(min_value=1, max_value=_LARGEST_ID, required=False)
    policy = OptionField("policies")
    hides_automated = forms.BooleanField(required=False)
    age = forms.IntegerField(min_value=0, max_value=len(BUCKETS) - 1, required=False)
    sort = forms.ChoiceField(choices=SORTS, required=False)

    def policies(self) -> list[tuple[str, str]]:
        """Return the active policies in words."""
        return [("", _("any")), *policy_pages.options(at=timezone.now())]

    def wanted(self) -> QueueFilter:
        age = self.given("age")
        return QueueFilter(
            reason=self.given("reason"),
            language=self.given("language"),
            domain=self.given("domain"),
            campaign=self.given("campaign") or None,
            policy=int(self.given("policy")) if self.given("policy") else None,
            age=None if age == "" else age,
            hides_automated=bool(self.given("hides_automated")),
            sort=Sort(self.given("sort") or Sort.HARM),
        )


_SESSION_KEY, _FIRST_SHIFT = "working_filter", "first_shift"
COUNTED = 200
"""More cases than these are not counted: "200+" says enough, and the count is part of every answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingFilter:
    """The line above the case: what the work is narrowed to and how many cases are left of it.

    `query` is "" where no filter was chosen: then the user's own queues are worked through. `reached` says
    which of them are done for today.
    """

    words: tuple[str, ...]
    reached: tuple[str, ...]
    query: str
    left: int

    @property
    def is_cut(self) -> bool:
        """Tell whether there are more than were counted."""
        return self.left > COUNTED

    @property
    def counted(self) -> int:
        """Return how many were counted, where there are more."""
        return min(self.left, COUNTED)


def choose(request: access.DeskRequest, *, at: datetime) -> None:
    """Store the filter of a start; without one, the previous filter stays."""
    if "filter" not in request.POST:
        return
    values = QueryDict(request.POST["filter"].removeprefix("?"))
    query = QueueFilterForm.query_of(values)
    if query == _query(request):
        return
    request.session[_SESSION_KEY] = query
    shift.begin(moderator=request.user, wanted=wanted(request, at=at), at=at)


def begin_first_shift(request: access.DeskRequest, *, at: datetime) -> None:
    """Let a session work through the golden items of a first shift; no address asks for that."""
    request.session[_SESSION_KEY] = _FIRST_SHIFT
    shift.begin(moderator=request.user, wanted=FIRST_SHIFT, at=at)


def is_first_shift(request: access.DeskRequest) -> bool:
    """Tell whether this session works through a first shift."""
    return _query(request) == _FIRST_SHIFT


def wanted(request: access.DeskRequest, *, at: datetime) -> QueueFilter:
    """Return the filter that this session works by."""
    return _chosen(_query(request), _own(request, at=at))


def shown(request: access.DeskRequest, *, at: datetime) -> WorkingFilter | None:
    """Return the line above the case; None while nothing is left out."""
    own = _own(request, at=at)
    choice = _chosen(_query(request), own)
    if not choice.is_narrow and choice.sort == Sort.HARM:
        return None
    remaining = claims.cases_left(moderator=request.user, wanted=choice, at=at)
    first = first_shift.of(user=request.user, at=at) if choice.is_first_shift else None
    return WorkingFilter(
        words=tuple(_words(choice)),
        reached=tuple(_reached_words(queue) for queue in own if queue.is_reached),
        query=_query(request),
        left=first.left if first else remaining[: COUNTED + 1].count(),
    )


def filter_of(query: QueryDict) -> QueueFilter:
    """Read a filter of the queue page; a deleted queue is ignored."""
    form = QueueFilterForm(query)
    choice, queue_id = form.wanted(), form.given("queue")
    if not queue_id:
        return choice
    queue = NamedQueue.objects.filter(pk=queue_id).first()
    return replace(choice, parts=(named_queues.part_of(queue),) if queue else ())


def _own(request: access.DeskRequest, *, at: datetime) -> list[Assigned]:
    """Return the user's own queues, read anew each time unless there were none."""
    if getattr(request, "has_no_queues", False):
        return []
    own = named_queues.assigned(user=request.user, at=at)
    request.has_no_queues = not own
    return own


def _chosen(query: str, own: list[Assigned]) -> QueueFilter:
    if query == _FIRST_SHIFT:
        return FIRST_SHIFT
    values = QueryDict(query)
    choice = filter_of(values)
    open_today = [queue for queue in own if not queue.is_reached]
    if choice.parts is None:
        is_free = choice.is_narrow or not own
        return choice if is_free else replace(choice, parts=tuple(queue.part for queue in open_today))
    if any(str(queue.queue_id) == values["queue"] for queue in own):
        mine = tuple(queue.part for queue in open_today if str(queue.queue_id) == values["queue"])
        return replace(choice, parts=mine)
    return choice


def _query(request: access.DeskRequest) -> str:
    return str(request.session.get(_SESSION_KEY, ""))


def _reached_words(own: Assigned) -> str:
    return _("%(queue)s: daily limit of %(limit)s reached") % {"queue": own.part.name, "limit": own.decided}


def _words(chosen: QueueFilter) -> list[str]:
    words = [part.name for part in chosen.parts or ()]
    if chosen.is_first_shift:
        words.append(_("First shift"))
    if chosen.reason:
        words.append(str(CaseReason(chosen.reason).label))
    if chosen.language:
        words.append(_("language %(code)s") % {"code": chosen.language})
    if chosen.domain:
        words.append(chosen.domain)
    if chosen.campaign is not None:
        words.append(_("one campaign"))
    if chosen.policy is not None:
        words.append(_("one policy"))
    if chosen.age is not None:
        words.append(_("waiting %(time)s") % {"time": BUCKETS[chosen.age][0]})
    if chosen.hides_automated:
        words.append(_("not by machines alone"))
    if chosen.sort != Sort.HARM:
        words.append(_("%(order)s first") % {"order": dict(SORTS)[chosen.sort]})
    return words
