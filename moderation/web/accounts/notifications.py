"""What open pages ask for every minute: what the reader is told, and how many notes wait for them."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from moderation.operations.notifications import notify, wording
from moderation.queries.accounts import notifications
from moderation.queries.cases import mention_pages
from moderation.queries.decisions import actions
from moderation.web import access


class ShownForm(forms.Form):
    """The newest notification that the page shows, 0 without any."""

    until = forms.IntegerField(min_value=0, max_value=2**63 - 1, required=False)


@access.signed_in.get
def waiting(request: access.DeskRequest) -> HttpResponse:
    """Show what waits; a screen reader says again only what is new."""
    return _waiting(request, shown=_until(ShownForm(request.GET)))


@access.signed_in.post
def put_away(request: access.DeskRequest) -> HttpResponse:
    """Show no more what the page showed."""
    notify.put_away(user=request.user, until=_until(ShownForm(request.POST)))
    return _waiting(request, shown=-1)


def _waiting(request: access.DeskRequest, *, shown: int) -> HttpResponse:
    happened = notifications.shown(request.user, at=timezone.now())
    newest_id = max((one.newest_id for one in happened), default=0)
    count = mention_pages.open_count(request.user) if request.user.may_decide else 0
    context = {
        "number": sum(one.number for one in happened),
        "lines": [(wording.sentence(one), wording.page(one), one.newest_id) for one in happened],
        "until": newest_id,
        "waiting": count,
        "awaiting": actions.waiting_count(request.user) if request.user.may_lead else 0,
        "is_more": count >= mention_pages.MOST_COUNTED,
    }
    response = render(request, "accounts/_told.html", context)
    if newest_id == shown:
        response["HX-Reswap"] = "none"  # the count, which is swapped out of band, is renewed all the same
    return response


def _until(form: ShownForm) -> int:
    return (form.cleaned_data["until"] or 0) if form.is_valid() else 0
