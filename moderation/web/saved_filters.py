"""Save the filters of a list under a name, and delete them."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models.preferences import FilterPage
from moderation.operations.accounts import preferences
from moderation.web import access
from moderation.web.cases.working_filter import QueueFilterForm
from moderation.web.decisions.decisions import DecisionFilterForm
from moderation.web.entities.authors import AuthorFilterForm
from moderation.web.entities.domains import DomainFilterForm
from moderation.web.lists.filter_form import FilterForm
from moderation.web.posts.search import PostFilterForm

FORMS: dict[FilterPage | None, type[FilterForm]] = {
    form.page: form
    for form in (QueueFilterForm, PostFilterForm, AuthorFilterForm, DomainFilterForm, DecisionFilterForm)
}


class KeepFilterForm(forms.Form):
    """A name for the filters of a list."""

    page = forms.ChoiceField(choices=FilterPage.choices)
    name = forms.CharField(max_length=60, strip=True)
    query = forms.CharField(max_length=2000, required=False)


@access.signed_in.post
def keep(request: access.DeskRequest) -> HttpResponse:
    """Save a list's filters under a name."""
    form = KeepFilterForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Give the filter a name of at most 60 characters."))
        return redirect("home")
    page = FilterPage(form.cleaned_data["page"])
    query = FORMS[page].query_of(QueryDict(form.cleaned_data["query"].removeprefix("?")))
    with access.refusals_told(request):
        preferences.keep_filter(
            user=request.user, page=page, name=form.cleaned_data["name"], query=query, at=timezone.now()
        )
    return redirect(f"{reverse(page.value)}?{query}")


@access.signed_in.post
def forget(request: access.DeskRequest, filter_id: int) -> HttpResponse:
    """Delete one of the user's own filters."""
    preferences.forget_filter(user=request.user, filter_id=filter_id)
    page = request.POST.get("page", "")
    return redirect(page if page in FilterPage.values else "home")
