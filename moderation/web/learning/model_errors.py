"""What the live models got wrong: labelled posts, the greatest loss first, their file, judging them again."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from moderation import scorer
from moderation.models import Case, Platform
from moderation.models.decisions import Verdict
from moderation.models.scores import RouteChoice
from moderation.operations.cases import second_review
from moderation.operations.refusals import Erased
from moderation.queries.learning import model_errors, traffic
from moderation.queries.learning.model_errors import ErrorFilter, ModelError
from moderation.web import access, csv_files, days
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm

_USUAL = timedelta(days=28)
_MOST = 10_000
"""Lines of a file: whoever looks at errors reads the worst."""

_ROUTES = (
    ("", _("all")),
    (RouteChoice.ALLOW.value, _("let through")),
    (RouteChoice.REVIEW.value, _("sent to review")),
    (RouteChoice.REMOVE.value, _("removed")),
)
COLUMNS = (
    "post_id", "external_id", "platform", "language", "route", "label", "spam_probability", "log_loss",
    "is_degraded", "labelled_at", "text_begin",
)  # fmt: skip


class ErrorFilterForm(FilterForm):
    """Which labelled posts to show; without a first day those of the last 28."""

    platform = forms.SlugField(required=False)
    language = forms.CharField(max_length=16, required=False)
    route = forms.ChoiceField(choices=_ROUTES, required=False)
    verdict = forms.ChoiceField(choices=(("", _("all")), *Verdict.choices), required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def wanted(self, *, at: datetime) -> ErrorFilter:
        since, until = self.window()
        return ErrorFilter(
            since=since or at - _USUAL,
            until=until,
            platform=self.given("platform"),
            language=self.given("language"),
            route=self.given("route"),
            verdict=self.given("verdict"),
        )

    def platforms(self) -> list[tuple[str, str]]:
        """Return the platforms as options."""
        return [("", str(_("all"))), *Platform.objects.order_by("name").values_list("slug", "name")]


@access.exporters.get
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the worst errors, or for htmx only the rows."""
    at = timezone.now()
    form = ErrorFilterForm(request.GET)
    found = model_errors.page(
        releases=traffic.same_models(scorer.release()),
        wanted=form.wanted(at=at),
        cursor=request.GET.get("cursor", ""),
    )
    context: dict[str, object] = {"section": "models", "at": at, "page": found, "most": second_review.MOST}
    return list_pages.answer(request, "learning/model_errors.html", context, form=form)


@access.exporters.get
def export(request: access.DeskRequest) -> HttpResponse:
    """Send the worst errors that the filters find as CSV."""
    at = timezone.now()
    rows = model_errors.worst(
        releases=traffic.same_models(scorer.release()),
        wanted=ErrorFilterForm(request.GET).wanted(at=at),
        most=_MOST,
    )
    table = [COLUMNS, *(_cells(row) for row in rows)]
    return csv_files.answer(table, name=f"model-errors-{at:%Y-%m-%d}.csv")


@access.exporters.post
def judge_again(request: access.DeskRequest) -> HttpResponse:
    """Request second reviews of the picked posts, and say what became of each."""
    ids = {int(name) for name in request.POST.getlist("case") if name.isdecimal() and len(name) < 19}
    with access.refusals_told(request):
        found = second_review.ask_many(post_ids=ids, asked_by=request.user, at=timezone.now())
        told = [str(words % {"n": found[kind]}) for kind, words in _OUTCOMES.items() if found[kind]]
        messages.add_message(request, messages.SUCCESS if found[Case] else messages.WARNING, " ".join(told))
    answer = redirect("model-errors")
    if query := QueryDict(request.POST.get("query", "")).urlencode():
        answer["Location"] += f"?{query}"
    return answer


_OUTCOMES = {
    Case: ngettext_lazy(
        "%(n)d post is judged again. It returns to this list with the answer.",
        "%(n)d posts are judged again. They return to this list with their answers.",
        "n",
    ),
    second_review.AlreadyWaiting: ngettext_lazy(
        "%(n)d was left out: it waits for a decision already.",
        "%(n)d were left out: they wait for a decision already.",
        "n",
    ),
    second_review.NotDecided: ngettext_lazy(
        "%(n)d was left out: no decision of a person stands.",
        "%(n)d were left out: no decision of a person stands.",
        "n",
    ),
    Erased: ngettext_lazy(
        "%(n)d was left out: it was erased.", "%(n)d were left out: they were erased.", "n"
    ),
}


def _cells(row: ModelError) -> Sequence[object]:
    return (
        row.post_id,
        row.external_id,
        row.platform,
        row.language,
        row.route,
        "spam" if row.is_spam else "not_spam",
        round(row.spam_probability, 6),
        round(row.loss, 6),
        row.is_degraded,
        row.labelled_at.isoformat(),
        row.excerpt,
    )
