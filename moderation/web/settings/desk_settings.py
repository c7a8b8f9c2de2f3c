"""Settings of the whole installation: leads read them, administrators change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import DeskSettings, Platform
from moderation.models.desk_settings import LIMITS
from moderation.models.users import Role
from moderation.operations.accounts import desk_settings
from moderation.operations.infrastructure import egress, vault
from moderation.queries.accounts.users import deciders
from moderation.queries.cases import queue_mix
from moderation.web import access
from moderation.web.settings.queue_settings import MixForm
from moderation.web.settings.settings_form import SettingsForm, changes

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def _number(name: str, label: StrOrPromise) -> forms.IntegerField:
    (least, most), standard = LIMITS[name], getattr(DeskSettings(), name)
    widget = forms.NumberInput({"placeholder": standard})
    return forms.IntegerField(label=label, min_value=least, max_value=most, widget=widget)


class DeskSettingsForm(SettingsForm):
    """All settings; an empty number shows its default."""

    undo_seconds = _number("undo_seconds", gettext_lazy("Time to undo, in seconds"))
    lease_seconds = _number("lease_seconds", gettext_lazy("Reservation of a case, in seconds"))
    ban_posts = _number("ban_posts", gettext_lazy("Harmless posts that one person may ban"))
    campaign_purity_percent = _number(
        "campaign_purity_percent", gettext_lazy("Purity for joining posts, in percent")
    )
    campaign_check_percent = _number(
        "campaign_check_percent", gettext_lazy("Joining posts that people judge, in percent")
    )
    audit_first_percent = _number("audit_first_percent", gettext_lazy("Initial audit share, in percent"))
    degraded_seconds = _number("degraded_seconds", gettext_lazy("Wait for the content model, in seconds"))
    training_days = _number("training_days", gettext_lazy("Train by itself after, in days"))
    digest_days = _number("digest_days", gettext_lazy("Keep digests of erased spam, in days"))
    session_hours = _number("session_hours", gettext_lazy("Length of a session, in hours"))
    idle_minutes = _number("idle_minutes", gettext_lazy("Unused session, in minutes"))
    second_factor_roles = forms.MultipleChoiceField(
        label=gettext_lazy("A second factor is required of"),
        choices=Role.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    posts_per_minute = _number("posts_per_minute", gettext_lazy("Posts per minute and API key"))
    names_networks = forms.BooleanField(label=gettext_lazy("Moderators see network names"), required=False)
    evidence_obeys_robots = forms.BooleanField(label=gettext_lazy("Obey robots.txt"), required=False)
    evidence_agent = forms.RegexField(
        r"\A[ -~]+\Z",
        label=gettext_lazy("User agent"),
        max_length=200,
        error_messages={"invalid": gettext_lazy("Use printable ASCII characters: this is a header.")},
    )
    translation_url = forms.CharField(
        label=gettext_lazy("Address of the service"), max_length=300, required=False
    )
    translation_key = forms.CharField(
        label=gettext_lazy("Key of the service"),
        max_length=500,
        required=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )


@access.leads.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """Show the settings with who changed them; an administrator's form saves them."""
    # Not the remembered ones: another process may have changed them a second ago.
    stored = forms.model_to_dict(DeskSettings.objects.first() or DeskSettings(), exclude=["translation_key"])
    may = request.user.may_administer
    form = DeskSettingsForm(request.POST or None, initial=stored, may_administer=may)
    if request.method == "POST" and form.is_valid():
        try:
            with access.refusals_told(request, done=_("Saved. All processes follow within seconds.")):
                desk_settings.change(actor=request.user, at=timezone.now(), **form.chosen())
            return redirect("desk-settings")
        except egress.Refused as refusal:
            form.add_error("translation_url", str(refusal))
        except vault.MissingKey as refusal:
            form.add_error("translation_key", str(refusal))
    both = changes(form, kind="desk", subject_id=1) + changes(MixForm(), kind="queue", subject_id=0)
    context = {
        "section": "manage",
        "at": timezone.now(),
        "form": form,
        "platforms": Platform.objects.order_by("slug"),
        "changes": sorted(both, key=lambda change: change.entry.at, reverse=True),
        "about": "desk:1",
        "mix": queue_mix.shown(at=timezone.now()),
        "people": deciders(),
    }
    return render(request, "settings/desk_settings.html", context, status=422 if form.errors else 200)
