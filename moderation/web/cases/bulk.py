"""Cases picked from a list: decided at once, shown with their countdown, taken back as a whole."""

import uuid

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models.decisions import Verdict
from moderation.operations.cases import bulk
from moderation.operations.cases.bulk import Picked
from moderation.operations.refusals import NotConfirmed, Refusal
from moderation.queries.accounts import reasons
from moderation.web import access
from moderation.web.forms import ManyForm, first_error


class BulkForm(ManyForm):
    """A verdict on picked cases; each is named as "id:version"."""

    case = forms.TypedMultipleChoiceField(required=False)
    key = forms.UUIDField()

    def __init__(self, data: QueryDict) -> None:
        """Accept every name of the form "id:version"."""
        super().__init__(data)
        names = {name for name in data.getlist("case") if _is_named(name)}
        self.fields["case"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]  # a choice field

    def picked(self) -> Picked:
        """Return the choice. Call after `is_valid`."""
        cleaned = self.cleaned_data
        pairs = [name.split(":") for name in cleaned["case"]]
        return Picked(
            versions={int(case_id): int(version) for case_id, version in pairs},
            verdict=Verdict(cleaned["verdict"]),
            key=cleaned["key"],
            reason=cleaned["reason"],
            note=cleaned["note"],
            confirmed_count=cleaned["confirmed_count"],
        )


@access.deciders.post
def decide(request: access.DeskRequest) -> HttpResponse:
    """Decide the picked cases; many of them ask for their number first."""
    form = BulkForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Nothing was decided: %(why)s") % {"why": first_error(form)})
        return redirect(_back(request))
    choice = form.picked()
    try:
        decisions = bulk.decide(picked=choice, moderator=request.user, at=timezone.now())
    except NotConfirmed:
        is_wrong = choice.confirmed_count is not None
        names = form.cleaned_data["case"]
        context = {"section": "queue", "picked": choice, "names": names, "is_wrong": is_wrong}
        context["back"] = _back(request)
        return render(request, "cases/bulk_confirm.html", context, status=422 if is_wrong else 200)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
        return redirect(_back(request))
    message = ngettext("%(count)s case decided.", "%(count)s cases decided.", len(decisions)) % {
        "count": len(decisions)
    }
    messages.success(request, message)
    return redirect("bulk", choice.key)


@access.deciders.get
def page(request: access.DeskRequest, key: uuid.UUID) -> HttpResponse:
    """Show a bulk decision, and how long it can be undone."""
    decisions = bulk.decided(key=key, moderator=request.user)
    if not decisions:
        raise Http404
    at = timezone.now()
    context = {
        "section": "queue",
        "at": at,
        "key": key,
        "made": decisions,
        "is_undone": all(hasattr(decision, "reversal") for decision in decisions),
        "effective_at": min(decision.effective_at for decision in decisions),
    }
    return render(request, "cases/bulk.html", context)


@access.deciders.post
def undo(request: access.DeskRequest, key: uuid.UUID) -> HttpResponse:
    """Take all of it back."""
    with access.refusals_told(request):
        cases = bulk.undo(key=key, moderator=request.user, at=timezone.now())
        message = ngettext(
            "Undone: %(count)s case is waiting again.",
            "Undone: %(count)s cases are waiting again.",
            len(cases),
        )
        messages.success(request, message % {"count": len(cases)})
    return redirect("bulk", key)


def context() -> dict[str, object]:
    """Return what `cases/_bulk_bar.html` needs."""
    return {"bulk_reasons": reasons.reasons(), "bulk_key": uuid.uuid4(), "bulk_most": bulk.MOST}


def _back(request: access.DeskRequest) -> str:
    """Return to the list that was on the screen; never to another site."""
    path = request.POST.get("back", "")
    return path if path.startswith("/") and url_has_allowed_host_and_scheme(path, None) else reverse("queue")


def _is_named(name: str) -> bool:
    case_id, _colon, version = name.partition(":")
    return all(part.isascii() and part.isdigit() and len(part) < 19 for part in (case_id, version))
