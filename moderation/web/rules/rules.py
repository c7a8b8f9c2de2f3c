"""Rules, for leads: lists, dry runs, activation and lifting."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation.models import Rule
from moderation.models.rules import RuleEffect, RuleKind
from moderation.operations import rules as operations_rules
from moderation.operations.refusals import NoEnd
from moderation.queries.rules import rule_pages, targets
from moderation.queries.rules.rule_pages import RuleState
from moderation.queries.rules.targets import Target
from moderation.web import access, days
from moderation.web.days import LENGTHS
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm

EFFECTS = (
    ("ban", gettext_lazy("Ban: posts are removed")),
    ("hold", gettext_lazy("Hold: a person reviews every post")),
    ("allow", gettext_lazy("Allow: posts are let through")),
)
STRICT_EFFECTS = EFFECTS[:2]
"""What texts name and pictures show is never allowed."""

REQUEUES = (
    ("", gettext_lazy("nothing")),
    ("waiting", gettext_lazy("posts in the queue")),
    ("recent", gettext_lazy("unjudged posts of the last 7 days")),
)
KINDS = (
    ("domain", gettext_lazy("Domain in links")),
    ("host", gettext_lazy("Host in links")),
    ("address", gettext_lazy("Sender's address")),
    ("author", gettext_lazy("Author")),
    ("text", gettext_lazy("Phrase in the text")),
    ("phone", gettext_lazy("Phone number")),
    ("wallet", gettext_lazy("Wallet address")),
    ("handle", gettext_lazy("Handle, such as @name")),
    ("lookalike", gettext_lazy("Look-alikes of a domain")),
    ("picture", gettext_lazy("Picture, by its PDQ hash")),
    ("pictures", gettext_lazy("List of pictures")),
)
STATES = (
    (RuleState.LIVE.value, gettext_lazy("Active")),
    (RuleState.DRAFT.value, gettext_lazy("Drafts")),
    (RuleState.ENDED.value, gettext_lazy("Ended")),
)


class RuleFilterForm(FilterForm):
    """Which rules the list shows."""

    kind = forms.ChoiceField(choices=KINDS, required=False)
    effect = forms.ChoiceField(choices=EFFECTS, required=False)
    q = forms.CharField(max_length=200, required=False, strip=True)


class TargetForm(forms.Form):
    """The target of a new rule."""

    kind = forms.ChoiceField(choices=KINDS)
    value = forms.CharField(max_length=255, strip=True)


class RequeueForm(forms.Form):
    """Which posts are scored again."""

    requeue = forms.ChoiceField(choices=REQUEUES, required=False)
    sure = forms.BooleanField(required=False)


class RuleForm(RequeueForm):
    """What a rule does and why, for how long, and which posts are scored again."""

    effect = forms.ChoiceField(choices=EFFECTS, required=False)
    reason = forms.CharField(
        max_length=500, strip=True, error_messages={"required": gettext_lazy("A rule needs a reason.")}
    )
    days = forms.ChoiceField(choices=(*LENGTHS, ("", gettext_lazy("until lifted"))), required=False)


@access.leads.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the rules in force, the drafts, or those that ended."""
    at = timezone.now()
    form = RuleFilterForm(request.GET)
    state = list_pages.state_named(request, usual=RuleState.LIVE)
    rules = rule_pages.listed(
        state=state, kind=form.given("kind"), effect=form.given("effect"), text=form.given("q"), at=at
    )
    hits, precision = rule_pages.hits(rules), rule_pages.precision(rules)
    context = {
        "section": "manage",
        "at": at,
        "rules": rules,
        "rules_with_hits": [(rule, hits.get(rule.pk, 0), precision.get(rule.pk)) for rule in rules],
        "drafts": rule_pages.count_drafts(at=at),
        "state": state,
        "states": STATES,
        "form": form,
        "kinds": KINDS,
        "effects": EFFECTS,
    }
    return render(request, "rules/rules.html#rows" if request.htmx else "rules/rules.html", context)


@access.leads.get_or_post
def new(request: access.DeskRequest) -> HttpResponse:
    """Show the dry run of a new rule; a POST activates it."""
    subject = TargetForm(request.POST if request.method == "POST" else request.GET)
    try:
        if not subject.is_valid():
            raise targets.NotATarget(_("Enter what the rule applies to."))  # noqa: TRY301 - one way out for both
        target = targets.target(kind=subject.cleaned_data["kind"], value=subject.cleaned_data["value"])
    except targets.NotATarget as refusal:
        messages.warning(request, str(refusal))
        return redirect("rules")
    form = RuleForm(
        request.POST if request.method == "POST" else None, initial={"effect": request.GET.get("effect")}
    )
    if target.is_identifier:
        form.fields["effect"].choices = STRICT_EFFECTS  # type: ignore[attr-defined]  # a choice field
    if request.method == "POST" and form.is_valid():
        effect = form.cleaned_data["effect"] or RuleEffect.BAN.value
        if _needs_a_second_look(target, effect=effect, form=form):
            return _dry_run(request, target, form=form, is_asked_again=True)
        return _impose(request, target, form)
    return _dry_run(request, target, form=form)


@access.leads.get_or_post
def draft(request: access.DeskRequest, rule_id: int) -> HttpResponse:
    """Show the dry run of a draft, such as a platform's; a POST activates it."""
    drafted = Rule.objects.select_related("domain", "author__platform", "imposed_by").get(pk=rule_id)
    at = timezone.now()
    target = targets.target_of(drafted)
    form = RequeueForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if rule_pages.state_of(drafted, at=at) == RuleState.DRAFT and _needs_a_second_look(
            target, effect=drafted.effect, form=form
        ):
            return _dry_run(request, target, form=form, drafted=drafted, is_asked_again=True)
        requeue = operations_rules.Requeue(form.cleaned_data["requeue"])
        with access.refusals_told(request):
            operations_rules.activate(rule_id=rule_id, actor=request.user, at=at, requeue=requeue)
            messages.success(request, _in_force(drafted.effect) % {"value": target.label})
        return _to_target(target)
    if rule_pages.state_of(drafted, at=at) != RuleState.DRAFT:
        return _to_target(target)
    return _dry_run(request, target, form=form, drafted=drafted)


@access.leads.post
def lift(request: access.DeskRequest, rule_id: int) -> HttpResponse:
    """Lift a rule; if requested, rescore the posts that it decided."""
    is_requeued = request.POST.get("requeue") == "1"
    lifted = Rule.objects.select_related("domain", "author__platform").get(pk=rule_id)
    with access.refusals_told(request):
        number = operations_rules.lift(
            rule_id=rule_id, actor=request.user, at=timezone.now(), is_requeued=is_requeued
        )
        message = _("The rule for %(value)s was lifted.") % {"value": lifted.label}
        messages.success(request, message + _again(number))
    return _to_target(targets.target_of(lifted))


def _impose(request: access.DeskRequest, target: Target, form: RuleForm) -> HttpResponse:
    at = timezone.now()
    effect = form.cleaned_data["effect"] or RuleEffect.BAN.value
    try:
        with access.refusals_told(request):
            rule = operations_rules.impose(
                effect=effect,
                kind=target.kind,
                value=target.value,
                reason=form.cleaned_data["reason"],
                expires_at=days.end(form.cleaned_data["days"], at=at),
                requeue=operations_rules.Requeue(form.cleaned_data["requeue"]),
                actor=request.user,
                at=at,
            )
            message = _waits() if rule.is_draft else _in_force(effect) % {"value": target.label}
            messages.success(request, message)
    except NoEnd as refusal:
        form.add_error("days", str(refusal))
        return _dry_run(request, target, form=form)
    except operations_rules.NotAllowable as refusal:
        form.add_error("effect", str(refusal))
        return _dry_run(request, target, form=form)
    return _to_target(target)


def _waits() -> str:
    return _("Proposed: this ban would hit many harmless posts, so another lead has to activate the draft.")


def _in_force(effect: str) -> str:
    return {
        RuleEffect.BAN.value: _("%(value)s is banned: matching posts are removed from now on."),
        RuleEffect.HOLD.value: _("%(value)s is on hold: a person reviews every matching post from now on."),
        RuleEffect.ALLOW.value: _("%(value)s is allowed: matching posts are let through from now on."),
    }[effect]


def _again(touched: int) -> str:
    if not touched:
        return ""
    return " " + ngettext(
        "%(count)d post it decided will be re-scored.",
        "%(count)d posts it decided will be re-scored.",
        touched,
    ) % {"count": touched}


def _needs_a_second_look(target: Target, *, effect: str, form: RequeueForm) -> bool:
    """Tell whether a ban would hit posts judged harmless, without a confirmation."""
    if effect != RuleEffect.BAN or form.cleaned_data["sure"]:
        return False
    # Counted again, not taken from the form: people judge posts while the page is open.
    return targets.dry_run(wanted=target, at=timezone.now()).figures.not_spam > 0


def _dry_run(
    request: access.DeskRequest,
    target: Target,
    *,
    form: RequeueForm,
    drafted: Rule | None = None,
    is_asked_again: bool = False,
) -> HttpResponse:
    at = timezone.now()
    tried = targets.dry_run(wanted=target, at=at)
    context = {
        "section": "manage",
        "at": at,
        "target": target,
        "harmless": tried.harmless,
        "figures": tried.figures,
        "form": form,
        "drafted": drafted,
        "is_asked_again": is_asked_again,
    }
    status = 422 if form.errors or is_asked_again else 200
    return render(request, "rules/rule.html", context, status=status)


def _to_target(target: Target) -> HttpResponse:
    if target.author_id is not None:
        return redirect("author", author_id=target.author_id)
    if target.kind == RuleKind.ADDRESS:
        return redirect("address", address=target.value)
    return redirect("rules") if target.is_identifier else redirect("domain", name=target.domain)
