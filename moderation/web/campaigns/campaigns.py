"""Campaigns: the list, one with its members, and decisions on all members at once."""

from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import CampaignDecision
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_decisions, campaign_reversals
from moderation.operations.campaigns.campaign_decisions import Wanted
from moderation.operations.refusals import NotConfirmed, Refusal
from moderation.queries.accounts import reasons
from moderation.queries.campaigns import campaign_members, campaign_names, campaign_pages
from moderation.queries.campaigns.campaign_members import Place
from moderation.web import access
from moderation.web.campaigns import campaign_timeline
from moderation.web.forms import ManyForm, first_error


class CampaignDecideForm(ManyForm):
    """A verdict on the posts shown, with the counts that were shown."""

    expected_waiting = forms.IntegerField(min_value=0)
    expected_spam = forms.IntegerField(min_value=0, help_text="Let through by the filter.")
    expected_not_spam = forms.IntegerField(min_value=0, help_text="Removed by the filter.")
    has_filtered = forms.BooleanField(required=False)

    def wanted(self) -> Wanted:
        """Return the decision. Call after `is_valid`."""
        cleaned = self.cleaned_data
        verdict = Verdict(cleaned["verdict"])
        filtered = cleaned["expected_spam" if verdict == Verdict.SPAM else "expected_not_spam"]
        return Wanted(
            verdict=verdict,
            expected_count=cleaned["expected_waiting"] + (filtered if cleaned["has_filtered"] else 0),
            confirmed_count=cleaned["confirmed_count"],
            has_filtered=cleaned["has_filtered"],
            reason=cleaned["reason"],
            note=cleaned["note"],
        )


class LeaveOutForm(forms.Form):
    """A member, and whether it is left out of decisions on its campaign."""

    post = forms.IntegerField(min_value=1)
    is_left_out = forms.BooleanField(required=False)


class CampaignCorrectForm(forms.Form):
    """Why a whole campaign is corrected."""

    reason = forms.CharField(max_length=500, strip=True)


@access.deciders.get
def index(request: access.DeskRequest) -> HttpResponse:
    """List the campaigns with waiting posts, or all."""
    is_all = request.GET.get("show") == "all"
    query = campaign_pages.newest if is_all else campaign_pages.waiting
    campaigns = query(viewer=request.user, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "campaigns",
        "at": timezone.now(),
        "page": campaigns,
        "is_all": is_all,
        "newest_counted": campaign_names.NEWEST_COUNTED,
        "query": "show=all" if is_all else "",
        "is_later": "cursor" in request.GET,
    }
    return render(request, "campaigns/campaigns.html", context)


@access.deciders.get
def page(request: access.DeskRequest, campaign_id: int) -> HttpResponse:
    """Show a campaign, or for htmx only some members; a merged one redirects to the campaign it joined."""
    at = timezone.now()
    if request.htmx and request.GET.get("part") != "facts":
        return render(request, "campaigns/campaign.html#rows", _members(request, campaign_id) | {"at": at})
    facts = campaign_pages.page(campaign_id=campaign_id, viewer=request.user, at=at)
    if request.htmx:
        return render(
            request, "campaigns/campaign.html#progress", _context(request, facts, at=at) | {"is_swap": True}
        )
    if facts.campaign.merged_into_id:
        messages.info(request, _("This campaign was merged with another one, shown here."))
        return redirect("campaign", facts.campaign.merged_into_id)
    return render(request, "campaigns/campaign.html", _context(request, facts, at=at))


@access.deciders.post
def decide(request: access.DeskRequest, campaign_id: int) -> HttpResponse:
    """Decide all waiting members; ask for the count first if there are many."""
    at = timezone.now()
    form = CampaignDecideForm(request.POST)
    if not form.is_valid():
        notice = _("Nothing was decided: %(why)s") % {"why": first_error(form)}
        return _again(request, campaign_id, notice=notice, status=400)
    choice = form.wanted()
    try:
        decision = campaign_decisions.decide(
            campaign_id=campaign_id, wanted=choice, moderator=request.user, at=at
        )
    except NotConfirmed:
        # Asking for the number is no error, so 200; a wrong number is one.
        is_wrong = choice.confirmed_count is not None
        notice = _("That number does not match. Nothing was decided.") if is_wrong else ""
        return _again(request, campaign_id, wanted=choice, notice=notice, status=422 if is_wrong else 200)
    except campaign_decisions.CountMoved as refusal:
        return _again(request, campaign_id, notice=_moved(refusal), status=412)
    except Refusal as refusal:
        return _again(request, campaign_id, notice=str(refusal), status=409)
    message = ngettext(
        "%(count)s post decided: %(verdict)s.", "%(count)s posts decided: %(verdict)s.", decision.posts
    )
    messages.success(request, message % {"count": decision.posts, "verdict": decision.get_verdict_display()})
    case_id = _whole_number(request.POST.get("case"))
    return redirect(reverse("campaign", args=[campaign_id]) + (f"?case={case_id}" if case_id else ""))


@access.deciders.post
def leave_out(request: access.DeskRequest, campaign_id: int) -> HttpResponse:
    """Leave a member out of the decision, or take it in again."""
    form = LeaveOutForm(request.POST)
    if not form.is_valid():
        raise Http404
    at, post_id = timezone.now(), form.cleaned_data["post"]
    campaign_decisions.leave_out(
        campaign_id=campaign_id,
        post_id=post_id,
        is_left_out=form.cleaned_data["is_left_out"],
        moderator=request.user,
        at=at,
    )
    if not request.htmx:
        return redirect("campaign", campaign_id)
    found = campaign_pages.page(campaign_id=campaign_id, viewer=request.user, at=at)
    row = campaign_members.row(campaign_id=campaign_id, post_id=post_id, viewer=request.user)
    context = _context(request, found, at=at) | {"row": row, "is_swap": True}
    return render(request, "campaigns/campaign.html#left_out", context)


@access.deciders.post
def undo(request: access.DeskRequest, campaign_decision_id: int) -> HttpResponse:
    """Take a decision on a campaign back while its countdown runs."""
    made = CampaignDecision.objects.get(pk=campaign_decision_id)
    with access.refusals_told(request, done=_("Undone. All cases are open again, and nothing was sent.")):
        campaign_reversals.undo(campaign_decision_id=made.pk, moderator=request.user, at=timezone.now())
    return redirect("campaign", made.campaign_id)


@access.deciders.post
def correct(request: access.DeskRequest, campaign_decision_id: int) -> HttpResponse:
    """Replace all decisions of a campaign that the platform knows by the opposite."""
    made, form = CampaignDecision.objects.get(pk=campaign_decision_id), CampaignCorrectForm(request.POST)
    with access.refusals_told(request):
        access.complete(form, _("A correction needs a reason."))
        reversal = campaign_reversals.correct(
            campaign_decision_id=made.pk,
            moderator=request.user,
            reason=form.cleaned_data["reason"],
            at=timezone.now(),
        )
        message = ngettext(
            "%(count)s post corrected to %(verdict)s. The platform will be notified.",
            "%(count)s posts corrected to %(verdict)s. The platform will be notified.",
            reversal.posts,
        )
        told = {"count": reversal.posts, "verdict": reversal.get_verdict_display()}
        messages.success(request, message % told)
    return redirect("campaign", made.campaign_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Counts that a verdict would settle: waiting members, and those filtered the other way."""

    verdict: Verdict
    waiting: int
    filtered: int

    @property
    def together(self) -> int:
        return self.waiting + self.filtered

    @property
    def at_first(self) -> int:
        """The button's first label; if nothing waits, it is about the others."""
        return self.waiting or self.together


def _members(request: access.DeskRequest, campaign_id: int) -> dict[str, object]:
    is_newest_first = request.GET.get("sort") == "newest"
    cursor = request.GET.get("cursor", "")
    members = campaign_members.rows(
        campaign_id=campaign_id, viewer=request.user, is_newest_first=is_newest_first, cursor=cursor
    )
    return {
        "campaign_id": campaign_id,
        "members": members,
        "is_newest_first": is_newest_first,
        "is_later": "cursor" in request.GET,
    }


def _context(
    request: access.DeskRequest, found: campaign_pages.CampaignPage, *, at: datetime
) -> dict[str, object]:
    counts = found.counts
    waiting = counts[Place.WAITING] + (counts[Place.ESCALATED] if request.user.may_lead else 0)
    latest = found.decisions[0] if found.decisions else None
    is_mine = latest is not None and latest.decided_by_id == request.user.pk
    return _members(request, found.campaign.pk) | {
        "section": "campaigns",
        "at": at,
        "page": found,
        "campaign": found.campaign,
        "counts": {place.value: counts[place] for place in Place},
        "spam": Choice(verdict=Verdict.SPAM, waiting=waiting, filtered=counts[Place.ALLOWED]),
        "not_spam": Choice(verdict=Verdict.NOT_SPAM, waiting=waiting, filtered=counts[Place.REMOVED]),
        "reasons": reasons.reasons(),
        "timeline": campaign_timeline.timeline(found),
        "latest": latest,
        "undoable": latest
        if latest is not None and is_mine and latest.state != "undone" and latest.effective_at > at
        else None,
        "case_id": _whole_number(request.GET.get("case") or request.POST.get("case")),
    }


def _again(
    request: access.DeskRequest,
    campaign_id: int,
    *,
    notice: str,
    status: int,
    wanted: campaign_decisions.Wanted | None = None,
) -> HttpResponse:
    """Show the campaign as it is now, with the refusal."""
    at = timezone.now()
    found = campaign_pages.page(campaign_id=campaign_id, viewer=request.user, at=at)
    context = _context(request, found, at=at) | {"notice": notice, "asked": wanted}
    return render(request, "campaigns/campaign.html", context, status=status)


def _moved(refusal: campaign_decisions.CountMoved) -> str:
    change = refusal.found - refusal.expected
    why = (
        ngettext("%(count)s more waiting now", "%(count)s more waiting now", change) % {"count": change}
        if change > 0
        else ngettext("%(count)s fewer waiting now", "%(count)s fewer waiting now", -change)
        % {"count": -change}
    )
    return _(
        "Nothing was decided: the campaign changed while you were looking at it. You saw "
        "%(expected)s posts, %(why)s, so there are now %(found)s. Look at the newest, then decide"
        " again."
    ) % {"expected": refusal.expected, "why": why, "found": refusal.found}


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None
