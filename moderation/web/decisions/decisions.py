"""The decisions page: the list and its CSV file, which has no texts of posts; undo and correction."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import Decision, User
from moderation.models.decisions import AUTOMATIC_REASONS, DecisionSource, Verdict
from moderation.models.preferences import FilterPage
from moderation.operations.cases import reversals
from moderation.queries.accounts import reasons as accounts_reasons
from moderation.queries.decisions import decision_pages
from moderation.queries.decisions.decision_pages import DecisionFilter
from moderation.web import access, csv_files, days
from moderation.web.cases import review_actions
from moderation.web.forms import CorrectForm
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm, OptionField, options_of_users

PEOPLE, EVERYONE, MINE, FILTER = "people", "everyone", "mine", "filter"
_SOURCES = {PEOPLE: DecisionSource.MODERATOR.value, FILTER: DecisionSource.AUTOMATIC.value}
_VERDICTS = (("", gettext_lazy("all")), *Verdict.choices)


class DecisionFilterForm(FilterForm):
    """The filters of the decisions page; a moderator's decisions are always their own."""

    page = FilterPage.DECISIONS
    q = forms.CharField(max_length=200, required=False, strip=True)
    verdict = forms.ChoiceField(choices=_VERDICTS, required=False)
    whose = OptionField("people")
    reason = OptionField("reasons")
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def __init__(self, *given: Any, viewer: User) -> None:
        super().__init__(*given)
        self._viewer = viewer

    @property
    def whose_value(self) -> str:
        """Whose decisions are shown: a choice of `people` or a user's id; without any filter people's."""
        if not self._viewer.may_read_everyones_decisions:
            return MINE
        return str(self.given("whose") or (EVERYONE if self.is_filtered else PEOPLE))

    @property
    def is_everyone(self) -> bool:
        """True if the list may show several people's decisions."""
        return self._viewer.may_read_everyones_decisions and self.whose_value in {PEOPLE, EVERYONE, FILTER}

    @property
    def is_filtered(self) -> bool:
        """True if a filter besides the person is set."""
        return self.is_filtered_besides("whose")

    def wanted(self) -> DecisionFilter:
        whose = self.whose_value
        since, until = self.window()
        return DecisionFilter(
            text=self.given("q"),
            verdict=self.given("verdict"),
            source=_SOURCES.get(whose, ""),
            reason=self.given("reason"),
            user_id=self._viewer.pk if whose == MINE else int(whose) if whose.isdecimal() else None,
            since=since,
            until=until,
        )

    def people(self) -> list[tuple[str, str]]:
        """Return everybody whom a lead or an ML engineer may choose, as options."""
        fixed = [(PEOPLE, _("people")), (EVERYONE, _("everyone")), (MINE, _("me")), (FILTER, _("the filter"))]
        return fixed + options_of_users()

    def reasons(self) -> list[tuple[str, str]]:
        """Return every reason that was ever offered, as options; those of automatic decisions with them."""
        automatic = AUTOMATIC_REASONS if self._viewer.may_read_everyones_decisions else {}
        return [("", _("all")), *((code, str(words)) for code, words in (self._offered | automatic).items())]

    @cached_property
    def reason_titles(self) -> dict[str, str]:
        """The words of each reason that a decision may have, by its code."""
        return self._offered | {code: str(words) for code, words in AUTOMATIC_REASONS.items()}

    @cached_property
    def _offered(self) -> dict[str, str]:
        return {reason.code: str(reason.shown_title) for reason in accounts_reasons.ever()}


@access.readers.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show one's own decisions; a lead begins with all people's."""
    form = DecisionFilterForm(request.GET, viewer=request.user)
    decision_filter = form.wanted()
    decisions = decision_pages.page(
        viewer=request.user, wanted=decision_filter, cursor=request.GET.get("cursor", "")
    )
    context = {
        "section": "search",
        "at": timezone.now(),
        "page": decisions,
    }
    return list_pages.answer(request, "decisions/decisions.html", context, form=form)


@access.readers.get
def export(request: access.DeskRequest) -> StreamingHttpResponse:
    """Stream the decisions that the filters find as CSV."""
    decision_filter = DecisionFilterForm(request.GET, viewer=request.user).wanted()
    decisions = decision_pages.every(viewer=request.user, wanted=decision_filter)
    return csv_files.streamed(_table(decisions), name="decisions.csv")


def _table(decisions: Iterable[Decision]) -> Iterator[Iterable[object]]:
    """Yield the names of the columns, then a row for each decision."""
    yield _COLUMNS
    for decision in decisions:
        yield [cell(decision) for cell in _COLUMNS.values()]


def _of(name: str, read: Callable[[Any], object]) -> Callable[[Decision], object]:
    """Read what a decision may have, "" where it has none."""
    return lambda decision: read(one) if (one := getattr(decision, name, None)) else ""


_COLUMNS: dict[str, Callable[[Decision], object]] = {
    "decision_id": lambda decision: decision.pk,
    "decided_at": lambda decision: decision.decided_at.isoformat(),
    "effective_at": lambda decision: decision.effective_at.isoformat(),
    "verdict": lambda decision: decision.verdict,
    "source": lambda decision: decision.source,
    "decided_by": _of("decided_by", lambda user: user.username),
    "reason": lambda decision: decision.reason,
    "note": lambda decision: decision.note,
    "platform": lambda decision: decision.post.platform.slug,
    "post_id": lambda decision: decision.post.external_id,
    "author_id": lambda decision: decision.post.author.external_id or "",
    "spam_probability": lambda decision: round(decision.score.spam_probability, 6),
    "campaign_id": _of("campaign_decision", lambda campaign: campaign.campaign_id),
    "reversed_at": _of("reversal", lambda reversal: reversal.reversed_at.isoformat()),
    "reversed_by": _of("reversal", lambda reversal: reversal.reversed_by.username),
    "replaced_by": _of("reversal", lambda reversal: reversal.replacement_id or ""),
    "action": _of("action", lambda action: action.action),
    "action_state": _of("action", lambda action: action.state),
    "action_until": _of("action", lambda action: action.until.isoformat() if action.until else ""),
}


@access.deciders.post
def undo(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Undo one's own decision while its countdown runs; the case is shown again."""
    return review_actions.undone(request, partial(reversals.undo, decision_id=decision_id), back="decisions")


@access.deciders.get_or_post
def correct(request: access.DeskRequest, decision_id: int) -> HttpResponse:
    """Show what a correction does, and replace a decision that the platform knows."""
    if request.method != "POST":
        return _correction(request, decision_id)
    form = CorrectForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("A correction needs a reason."))
        return _correction(request, decision_id, status=422)
    with access.refusals_told(request):
        decision = reversals.correct(
            decision_id=decision_id,
            verdict=Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            code=form.cleaned_data["code"],
            moderator=request.user,
            at=timezone.now(),
        )
        words = _("Corrected to %(verdict)s. The platform will be notified.")
        messages.success(request, words % {"verdict": decision.get_verdict_display()})
    return redirect("decisions")


def _correction(request: access.DeskRequest, decision_id: int, *, status: int = 200) -> HttpResponse:
    at = timezone.now()
    correctable = decision_pages.correctable(decision_id=decision_id, viewer=request.user, at=at)
    if correctable is None:
        raise Http404
    verdict = Verdict.NOT_SPAM if correctable.decision.verdict == Verdict.SPAM else Verdict.SPAM
    reasons = [reason for reason in accounts_reasons.reasons() if reason.verdict == verdict]
    context = {"section": "search", "at": at, "found": correctable, "verdict": verdict, "reasons": reasons}
    return render(request, "decisions/correct.html", context, status=status)
