"""Which cases come next: the queue mix and the languages of each person; on the page of settings."""

from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import User
from moderation.operations.cases import named_queues
from moderation.queries.cases.queue_mix import WHOLE, Mix
from moderation.web import access
from moderation.web.forms import LanguagesField, first_error

_share = partial(forms.IntegerField, min_value=0, max_value=WHOLE)


class MixForm(forms.Form):
    """The shares in per cent."""

    harm = _share(label=gettext_lazy("Harm: wide reach first"))
    uncertainty = _share(label=gettext_lazy("Uncertainty: even odds first"))
    diversity = _share(label=gettext_lazy("Diversity: new campaigns first"))
    audit = _share(label=gettext_lazy("Audit: drawn at random"))


@access.leads.post
def change_mix(request: access.DeskRequest) -> HttpResponse:
    """Set the shares."""
    form = MixForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Nothing was changed: enter four whole numbers from 0 to 100."))
        return redirect("desk-settings")
    try:
        named_queues.change_mix(mix=Mix(**form.cleaned_data), actor=request.user, at=timezone.now())
    except named_queues.NotWhole as refusal:
        messages.warning(request, _("Nothing was changed: %(why)s") % {"why": refusal})
    else:
        messages.success(request, _("Saved."))
    return redirect("desk-settings")


class UserLanguagesForm(forms.Form):
    """A user's languages."""

    languages = LanguagesField()


@access.leads.post
def languages(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Set a user's languages."""
    user = get_object_or_404(User, pk=user_id)
    form = UserLanguagesForm(request.POST)
    if form.is_valid():
        codes = tuple(form.cleaned_data["languages"])
        named_queues.set_languages(user=user, languages=codes, actor=request.user, at=timezone.now())
        messages.success(request, _("Saved."))
    else:
        messages.warning(request, _("Nothing was changed: %(why)s") % {"why": first_error(form)})
    return redirect("desk-settings")
