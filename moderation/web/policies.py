"""Policies in words: lists and trials for readers; drafting, activation and ending for leads."""

from datetime import datetime, timedelta

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation.models import Policy
from moderation.operations.policies import policy as operations_policy
from moderation.operations.policies import topics, trial
from moderation.operations.refusals import NoEnd
from moderation.queries.accounts import reasons
from moderation.queries.policies import policy_pages
from moderation.queries.policies.policy_pages import THRESHOLDS, PolicyState
from moderation.web import access
from moderation.web.days import LENGTHS
from moderation.web.lists import list_pages

EFFECTS = (
    ("tag", gettext_lazy("Tag: shown on the post, and a filter of queue and posts")),
    ("hold", gettext_lazy("Hold: a person reviews every post that would be let through")),
)
STATES = (
    (PolicyState.LIVE.value, gettext_lazy("Active")),
    (PolicyState.DRAFT.value, gettext_lazy("Drafts")),
    (PolicyState.ENDED.value, gettext_lazy("Ended")),
)
_MIDDLE = 0.3


class PolicyForm(forms.Form):
    """A policy in words."""

    name = forms.CharField(max_length=80, strip=True)
    words = forms.CharField(max_length=200, min_length=3, strip=True)
    reason = forms.CharField(max_length=500, strip=True, required=False)
    counts = forms.CharField(max_length=40, required=False)


class ActivationForm(forms.Form):
    """A policy's effect, threshold and duration."""

    effect = forms.ChoiceField(choices=EFFECTS)
    threshold = forms.FloatField(min_value=0, max_value=1)
    days = forms.ChoiceField(choices=LENGTHS)
    rescore = forms.BooleanField(required=False)


class ThresholdForm(forms.Form):
    """The threshold whose hits are shown."""

    threshold = forms.FloatField(min_value=0, max_value=1)


@access.readers.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the policies in force, the drafts, or those that ended."""
    return _list(request, form=PolicyForm())


@access.leads.post
def new(request: access.DeskRequest) -> HttpResponse:
    """Draft a policy and try it."""
    form = PolicyForm(request.POST)
    if not form.is_valid():
        return _list(request, form=form, status=422)
    at = timezone.now()
    try:
        draft = operations_policy.draft(**form.cleaned_data, actor=request.user, at=at)
    except (operations_policy.NoWords, operations_policy.TooMany) as refusal:
        form.add_error(None, str(refusal))
        return _list(request, form=form, status=422)
    _try(request, draft.pk, at=at)
    return redirect("policy", policy_id=draft.pk)


@access.readers.get
def policy(request: access.DeskRequest, policy_id: int) -> HttpResponse:
    """Show a policy as it was tried, with the hits from a threshold on."""
    row = policy_pages.one(policy_id)
    return _shown(request, row, form=ActivationForm())


@access.leads.post
def try_again(request: access.DeskRequest, policy_id: int) -> HttpResponse:
    """Try a policy on the posts that people judged last."""
    _try(request, policy_id, at=timezone.now())
    return redirect("policy", policy_id=policy_id)


@access.leads.post
def activate(request: access.DeskRequest, policy_id: int) -> HttpResponse:
    """Activate a draft."""
    draft = policy_pages.one(policy_id)
    form = ActivationForm(request.POST)
    if not form.is_valid():
        return _shown(request, draft, form=form, status=422)
    at = timezone.now()
    try:
        with access.refusals_told(request):
            number = operations_policy.activate(
                policy_id=policy_id,
                effect=form.cleaned_data["effect"],
                threshold=form.cleaned_data["threshold"],
                expires_at=at + timedelta(days=int(form.cleaned_data["days"])),
                is_rescored=form.cleaned_data["rescore"],
                actor=request.user,
                at=at,
            )
            message = _("“%(name)s” is active: every new post is compared with it.") % {"name": draft.name}
            messages.success(request, message + _again(number))
    except NoEnd as refusal:
        form.add_error("days", str(refusal))
        return _shown(request, draft, form=form, status=422)
    return redirect("policy", policy_id=policy_id)


@access.leads.post
def end(request: access.DeskRequest, policy_id: int) -> HttpResponse:
    """End a policy, or discard a draft."""
    row = policy_pages.one(policy_id)
    with access.refusals_told(request):
        number = operations_policy.end(policy_id=policy_id, actor=request.user, at=timezone.now())
        message = _("“%(name)s” has ended.") % {"name": row.name}
        messages.success(request, message + _again(number))
    return redirect("policies")


def _list(request: access.DeskRequest, *, form: PolicyForm, status: int = 200) -> HttpResponse:
    at = timezone.now()
    state = list_pages.state_named(request, usual=PolicyState.LIVE)
    context = {
        "section": "manage",
        "at": at,
        "form": form,
        "reasons": reasons.for_spam(),
        "policies": policy_pages.listed(state=state, at=at),
        "drafts": policy_pages.count(state=PolicyState.DRAFT, at=at),
        "state": state,
        "states": STATES,
        "most": operations_policy.MOST_ACTIVE,
        "is_away": _is_away(at=at),
    }
    template = "policies/policies.html#rows" if request.htmx else "policies/policies.html"
    return render(request, template, context, status=status)


def _shown(
    request: access.DeskRequest, found: Policy, *, form: ActivationForm, status: int = 200
) -> HttpResponse:
    at = timezone.now()
    threshold = _threshold(request, found)
    context = {
        "section": "manage",
        "at": at,
        "policy": found,
        "state": policy_pages.state_of(found, at=at).value,
        "counts": reasons.title_of(found.counts) if found.counts else "",
        "threshold": threshold,
        "trial": policy_pages.trial(found, threshold=threshold) if found.tried_at else None,
        "fewest": policy_pages.FEWEST_OF_A_SHARE,
        "form": form,
        "effects": EFFECTS,
        "lengths": LENGTHS,
        "wide": policy_pages.WIDE,
        "is_away": _is_away(at=at),
    }
    return render(request, "policies/policy.html", context, status=status)


def _threshold(request: access.DeskRequest, found: Policy) -> float:
    """Return the threshold of the address or form, else the policy's own."""
    form = ThresholdForm(request.POST if request.method == "POST" else request.GET)
    if form.is_valid():
        threshold: float = form.cleaned_data["threshold"]
        return min(THRESHOLDS, key=lambda step: abs(step - threshold))
    return found.threshold if found.threshold is not None else _MIDDLE


def _is_away(*, at: datetime) -> bool:
    """Whether policies are in force but cannot be compared now."""
    return policy_pages.count(state=PolicyState.LIVE, at=at) > 0 and not topics.is_answering()


def _try(request: access.DeskRequest, policy_id: int, *, at: datetime) -> None:
    try:
        trial.run(policy_id=policy_id, at=at)
    except trial.NotAnswered:
        messages.warning(request, _("The topics model does not answer. Try the policy again later."))


def _again(touched: int) -> str:
    if not touched:
        return ""
    return " " + ngettext(
        "%(count)d post of the queue will be re-scored.",
        "%(count)d posts of the queue will be re-scored.",
        touched,
    ) % {"count": touched}
