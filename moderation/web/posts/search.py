"""The list of posts: search, filters, and links to related pages."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moderation.models.preferences import FilterPage
from moderation.queries import search
from moderation.queries.campaigns import campaign_names
from moderation.queries.policies import policy_pages
from moderation.queries.search import PostFilter
from moderation.web import access, days
from moderation.web.cases import bulk
from moderation.web.lists import list_pages
from moderation.web.lists.filter_form import FilterForm, OptionField

_STATES = (
    ("", _("All")),
    ("waiting", _("In the queue")),
    ("spam", _("Spam")),
    ("not_spam", _("Not spam")),
    ("reported", _("Reported")),
    ("unscored", _("Not scored yet")),
)


class PostFilterForm(FilterForm):
    """The filters of the list of posts; days are whole, both ends included."""

    page = FilterPage.POSTS
    q = forms.CharField(max_length=200, required=False, strip=True)
    answers_to = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(choices=_STATES, required=False)
    language = forms.CharField(max_length=16, required=False)
    domain = forms.CharField(max_length=255, required=False)
    policy = OptionField("policies")
    address = forms.CharField(max_length=128, required=False)
    since = days.DayField(required=False)
    until = days.DayField(required=False)

    def policies(self) -> list[tuple[str, str]]:
        """Return the active policies in words."""
        return [("", str(_("all"))), *policy_pages.options(at=timezone.now())]

    def wanted(self) -> PostFilter:
        since, until = self.window()
        return PostFilter(
            text=self.given("q"),
            answers_to=self.given("answers_to"),
            state=self.given("state"),
            language=self.given("language"),
            domain=self.given("domain").lower(),
            address=self.given("address"),
            policy=int(self.given("policy")) if self.given("policy") else None,
            since=since,
            until=until,
        )


@access.readers.get
def posts(request: access.DeskRequest) -> HttpResponse:
    """Show the posts that match, the newest first, or for htmx only the rows."""
    form = PostFilterForm(request.GET)
    post_filter = form.wanted()
    if (only := search.only_post(post_filter)) is not None:
        return _to_post(request, only)
    at = timezone.now()
    offered = form.offered("policy")
    matches = search.posts(wanted=post_filter, viewer=request.user, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "search",
        "at": at,
        "page": matches,
        "is_refused": post_filter.address and not request.user.address_meant(post_filter.address),
        "campaigns": campaign_names.of_posts(matches.rows),
        "offered": offered,
        # Without a policy there is nothing that posts could match.
        "policies": policy_pages.of_posts([row.post_id for row in matches.rows], at=at)
        if offered[1:]
        else {},
    }
    if not request.htmx:
        context |= bulk.context()
    return list_pages.answer(request, "posts/posts.html", context, form=form)


def _to_post(request: access.DeskRequest, post_id: int) -> HttpResponse:
    """Redirect to the post whose id was searched for."""
    if request.htmx:
        return HttpResponse(headers={"HX-Redirect": reverse("post", args=[post_id])})
    return redirect("post", post_id=post_id)
