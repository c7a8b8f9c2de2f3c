"""Cases picked from a list: decided at once, shown with their countdown, taken back as a whole."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from moderation.models.decisions import Verdict
from moderation.operations.cases import bulk
from moderation.operations.cases.bulk import Picked
from moderation.operations.refusals import NotConfirmed, Refusal
from moderation.queries.accounts import reasons
from moderation.web import access
from moderation.web.forms import refuse_wrong_reason


class BulkForm(forms.Form):
    """A verdict on picked cases; each is named as "id:version"."""

    verdict = forms.ChoiceField(choices=Verdict.choices)
    case = forms.TypedMultipleChoiceField(required=False)
    reason = forms.CharField(max_length=40, required=False)
    note = forms.CharField(max_length=2000, required=False, strip=True)
    key = forms.UUIDField()
    confirmed_count = forms.IntegerField(required=False)

    def __init__(self, data: QueryDict) -> None:
        """Take whatever has the shape of a case and its version."""
        super().__init__(data)
        named = {name for name in data.getlist("case") if _is_named(name)}
        self.fields["case"].choices = [(name, name) for name in named]  # type: ignore[attr-defined]  # a choice field

    def clean(self) -> dict[str, Any]:
        """Refuse a reason that does not go with the verdict, or that needs a note."""
        cleaned = super().clean() or {}
        refuse_wrong_reason(cleaned)
        return cleaned

    def picked(self) -> Picked:
        """Return what was picked. Call after `is_valid`."""
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


@require_POST
@access.deciders
def decide(request: access.DeskRequest) -> HttpResponse:
    """Decide the picked cases; many of them ask for their number first."""
    form = BulkForm(request.POST)
    if not form.is_valid():
        messages.warning(request, str(next(iter(form.errors.values()))[0]))
        return redirect(_back(request))
    picked = form.picked()
    try:
        made = bulk.decide(picked=picked, moderator=request.user, at=timezone.now())
    except NotConfirmed:
        is_wrong = picked.confirmed_count is not None
        names = form.cleaned_data["case"]
        context = {"section": "queue", "picked": picked, "names": names, "is_wrong": is_wrong}
        context["back"] = _back(request)
        return render(request, "cases/bulk_confirm.html", context, status=422 if is_wrong else 200)
    except Refusal as refusal:
        messages.warning(request, str(refusal))
        return redirect(_back(request))
    told = ngettext("%(count)s case decided.", "%(count)s cases decided.", len(made)) % {"count": len(made)}
    messages.success(request, told)
    return redirect("bulk", picked.key)


@require_safe
@access.deciders
def page(request: access.DeskRequest, key: uuid.UUID) -> HttpResponse:
    """Show what was decided at once, and how long it can be taken back."""
    made = bulk.decided(key=key, moderator=request.user)
    if not made:
        raise Http404
    at = timezone.now()
    context = {
        "section": "queue",
        "at": at,
        "key": key,
        "made": made,
        "is_undone": all(hasattr(decision, "reversal") for decision in made),
        "effective_at": min(decision.effective_at for decision in made),
    }
    return render(request, "cases/bulk.html", context)


@require_POST
@access.deciders
def undo(request: access.DeskRequest, key: uuid.UUID) -> HttpResponse:
    """Take all of it back."""
    with access.refusals_told(request):
        cases = bulk.undo(key=key, moderator=request.user, at=timezone.now())
        told = ngettext(
            "Undone: %(count)s case is waiting again.",
            "Undone: %(count)s cases are waiting again.",
            len(cases),
        )
        messages.success(request, told % {"count": len(cases)})
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
