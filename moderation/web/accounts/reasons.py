"""Reasons for decisions with their guidelines: for administrators to change, for moderators to read."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models.decisions import Verdict
from moderation.operations.accounts import reasons
from moderation.queries.accounts import reasons as offered
from moderation.web import access
from moderation.web.accounts.admin_forms import NewReasonForm, ReasonForm


@access.deciders.get
def guidelines(request: access.DeskRequest) -> HttpResponse:
    """Show when each reason applies; for htmx the list alone, which the review page shows in a dialog."""
    template = "accounts/guidelines.html#guidelines" if request.htmx else "accounts/guidelines.html"
    return render(request, template, {"section": "queue", "reasons": offered.reasons()})


@access.admins.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the reasons, and add one."""
    form = NewReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            reasons.add(
                code=form.cleaned_data["code"],
                wording=form.wording(),
                actor=request.user,
                at=timezone.now(),
            )
        except reasons.CodeTaken:
            form.add_error("code", _("This code is already taken."))
        except reasons.DigitTaken as refusal:
            form.add_error("digit", str(refusal))
        else:
            messages.success(request, _("Added. Moderators will see it from their next case on."))
            return redirect("reasons")
    context = {
        "section": "manage",
        "reasons": offered.ever(),
        "verdicts": Verdict.choices,
        "form": form,
        "written": {"en": request.POST.get("guideline", ""), "de": request.POST.get("guideline_de", "")},
    }
    return render(request, "accounts/reasons.html", context, status=422 if form.errors else 200)


@access.admins.post
def change(request: access.DeskRequest, reason_id: int) -> HttpResponse:
    """Change a reason, or retire it."""
    form = ReasonForm(request.POST)
    with access.refusals_told(request, done=_("Saved.")):
        access.complete(form)
        reasons.change(
            reason_id=reason_id,
            wording=form.wording(),
            is_active=form.cleaned_data["is_active"],
            actor=request.user,
            at=timezone.now(),
        )
    return redirect("reasons")
