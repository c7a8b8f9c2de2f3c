"""Settings of one platform in one place: leads change some, administrators all."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.db.models import TextChoices
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.models import ActionRule, Platform
from moderation.models.actions import Action, DecidedBy
from moderation.models.decisions import AUTOMATIC_REASONS, Verdict
from moderation.models.platforms import Collecting, Reconsidering, Removal
from moderation.operations.accounts import platforms
from moderation.operations.cases import blind_reviews
from moderation.operations.webhooks import caller
from moderation.queries.accounts import reasons
from moderation.queries.labels import label_balance
from moderation.queries.quality import removal
from moderation.web import access
from moderation.web.settings.settings_form import SettingsForm, changes

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_PLAN = ("share", "first_decisions", "golden_share")


class PercentField(forms.FloatField):
    """A share in [0, 1], written in percent."""

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        attrs = super().widget_attrs(widget)
        return attrs | {"max": 100 * attrs["max"], "step": 0.1}

    def prepare_value(self, value: Any) -> Any:
        return round(100 * value, 1) if isinstance(value, float) else value

    def to_python(self, value: Any) -> float | None:  # type: ignore[override]  # its stub is IntegerField's
        percent = super().to_python(value)
        return None if percent is None else percent / 100


def _choice(kind: type[TextChoices], label: StrOrPromise) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(choices=kind.choices, coerce=kind, label=label)


def _share(label: StrOrPromise, *, most: float = 1, required: bool = True) -> PercentField:
    return PercentField(min_value=0, max_value=most, label=label, required=required)


def _number(label: StrOrPromise, *, least: int, most: int, required: bool = True) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, label=label, required=required)


class PlatformSettingsForm(SettingsForm):
    """Columns of a platform and of its plan of second reviews."""

    leads_change = frozenset(
        {
            "audit_first_share",
            "audit_cases_per_day",
            "reconsiders",
            "reviews_reports",
            "shares_histories",
            *_PLAN,
        }
    )
    removal = _choice(Removal, gettext_lazy("The filter removes by itself"))
    collects_evidence = _choice(Collecting, gettext_lazy("Fetched for"))
    browses_evidence = _choice(Collecting, gettext_lazy("Of these, once more as a browser"))
    audit_first_share = _share(gettext_lazy("Initial audit share, in percent"), required=False)
    audit_cases_per_day = _number(gettext_lazy("Audit cases in 24 hours, at most"), least=1, most=100_000)
    reconsiders = _choice(
        Reconsidering,
        gettext_lazy("When a post is found to be spam, similar posts already let through are"),
    )
    shares_histories = forms.BooleanField(
        label=gettext_lazy("Exchange history with other platforms that do the same"), required=False
    )
    share = _share(gettext_lazy("Share of decisions, in percent"))
    first_decisions = _number(
        gettext_lazy("First decisions of each new moderator"),
        least=0,
        most=blind_reviews.MOST_FIRST_DECISIONS,
    )
    golden_share = _share(
        gettext_lazy("Golden items among blind reviews, in percent"), most=blind_reviews.MOST_GOLDEN
    )
    text_retention_days = _number(
        gettext_lazy("Erase posts after, in days"), least=1, most=36_500, required=False
    )
    is_sure = forms.BooleanField(label=gettext_lazy("Yes, erase older posts for good"), required=False)
    reviews_reports = forms.BooleanField(
        label=gettext_lazy("A person decides every reported post"), required=False
    )
    ignores_unknown_fields = forms.BooleanField(label=gettext_lazy("Ignore unknown fields"), required=False)

    def clean(self) -> dict[str, Any]:
        """Ask for a second thought before more is erased."""
        days, kept = self.cleaned_data.get("text_retention_days"), self.initial["text_retention_days"]
        is_more = days is not None and (kept is None or days < kept)
        if is_more and not self.cleaned_data.get("is_sure"):
            self.add_error("is_sure", _("Confirm this."))
        return self.cleaned_data


class ActionForm(forms.Form):
    """Which action follows which decisions."""

    verdict = _choice(Verdict, gettext_lazy("Verdict"))
    reason = forms.ChoiceField(label=gettext_lazy("Reason"), required=False)
    decided_by = _choice(DecidedBy, gettext_lazy("Decided by"))
    action = _choice(Action, gettext_lazy("The platform shall"))
    days = _number(gettext_lazy("For so many days"), least=1, most=3_650, required=False)
    needs_second_name = forms.BooleanField(
        label=gettext_lazy("A second person confirms it first"), required=False
    )

    def __init__(self, *values: Any, final: Collection[str] = (), **named: Any) -> None:
        super().__init__(*values, **named)
        words = {value: f"{label} ({_('cannot be undone')})" for value, label in Action.choices}
        choices = [(value, words[value] if value in final else label) for value, label in Action.choices]
        self.fields["action"].choices = choices  # type: ignore[attr-defined]  # as below
        # A note harms nobody.
        self.fields["needs_second_name"].initial = not set(final) <= {Action.NOTE}
        own = ((reason.code, reason.shown_title) for reason in reasons.ever())
        self.fields["reason"].choices = [("", _("any reason")), *own, *AUTOMATIC_REASONS.items()]  # type: ignore[attr-defined]  # a field is known as its base

    def clean(self) -> dict[str, Any]:
        """Let nothing be confirmed or end that is not done."""
        if self.cleaned_data.get("action") == Action.NOTHING:
            self.cleaned_data |= {"days": None, "needs_second_name": False}
        return self.cleaned_data


@access.admins.post
def set_action(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Add or replace a rule about what a decision does."""
    platform, form = get_object_or_404(Platform, pk=platform_id), ActionForm(request.POST)
    with access.refusals_told(request, done=_("Saved.")):
        access.complete(form)
        chosen = form.cleaned_data
        about = {name: chosen.pop(name) for name in ("verdict", "reason", "decided_by")}
        platforms.set_action(
            platform_id=platform.pk, about=about, actor=request.user, at=timezone.now(), **chosen
        )
    return redirect("platform-settings", platform_id=platform_id)


@access.admins.post
def remove_action(request: access.DeskRequest, rule_id: int) -> HttpResponse:
    """Remove a rule about what a decision does."""
    platform_id = platforms.remove_action(rule_id=rule_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Removed. Actions of earlier decisions stay."))
    return redirect("platform-settings", platform_id=platform_id)


@access.leads.get_or_post
def page(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Show a platform's settings with who changed them, and save them."""
    platform = get_object_or_404(Platform.objects.select_related("blind_review_plan"), pk=platform_id)
    plan = getattr(platform, "blind_review_plan", None)
    stored = forms.model_to_dict(platform) | {name: getattr(plan, name, 0) for name in _PLAN}
    may = request.user.may_administer
    form = PlatformSettingsForm(request.POST or None, initial=stored, may_administer=may)
    if request.method == "POST" and form.is_valid():
        _save(platform, form, request)
        messages.success(request, _("Saved."))
        return redirect("platform-settings", platform_id=platform_id)
    rules = list(ActionRule.objects.filter(platform=platform))
    shown = next((rule for rule in rules if str(rule.pk) == request.GET.get("rule")), None)
    final = caller.final_actions(platform)
    action_form = ActionForm(initial=forms.model_to_dict(shown) if shown else None, final=final)
    context = {
        "section": "manage",
        "at": timezone.now(),
        "platform": platform,
        "platforms": Platform.objects.order_by("slug"),
        "form": form,
        "standing": removal.standing(platform),
        "thresholds": label_balance.live_release().thresholds_on(platform.slug),
        "actions": rules,
        "final": final,
        "action_form": action_form,
        "reason_titles": dict(action_form.fields["reason"].choices),  # type: ignore[attr-defined]  # as above
        "changes": changes(form, kind="platform", subject_id=platform.pk),
        "about": f"platform:{platform.pk}",
    }
    return render(request, "settings/platform_settings.html", context, status=422 if form.errors else 200)


def _save(platform: Platform, form: PlatformSettingsForm, request: access.DeskRequest) -> None:
    chosen, at = form.chosen(), timezone.now()
    columns = {name: value for name, value in chosen.items() if name not in (*_PLAN, "is_sure")}
    platforms.change(platform_id=platform.pk, actor=request.user, at=at, **columns)
    if set(_PLAN) & set(chosen):
        planned = {name: form.cleaned_data[name] for name in _PLAN}
        blind_reviews.plan(platform_id=platform.pk, actor=request.user, at=at, **planned)
