"""The queue mix on the page of named queues: the shares of the lanes, for leads."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from moderation.operations.cases import queue_mix
from moderation.queries.cases.queue_mix import WHOLE, Mix
from moderation.web import access


class MixForm(forms.Form):
    """The shares in per cent."""

    harm = forms.IntegerField(min_value=0, max_value=WHOLE)
    uncertainty = forms.IntegerField(min_value=0, max_value=WHOLE)
    diversity = forms.IntegerField(min_value=0, max_value=WHOLE)
    audit = forms.IntegerField(min_value=0, max_value=WHOLE)


@require_POST
@access.leads
def change(request: access.DeskRequest) -> HttpResponse:
    """Set the shares."""
    form = MixForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Nothing was changed: enter four whole numbers from 0 to 100."))
        return redirect("named-queues")
    try:
        queue_mix.change(mix=Mix(**form.cleaned_data), actor=request.user, at=timezone.now())
    except queue_mix.NotWhole as refusal:
        messages.warning(request, _("Nothing was changed: %(why)s") % {"why": refusal})
    else:
        messages.success(request, _("Saved."))
    return redirect("named-queues")
