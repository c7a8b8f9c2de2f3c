"""Lists of pictures, for leads: imported from a file as a draft of a rule, exported as CSV."""

from itertools import chain

from django import forms
from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext

from moderation.models import ListedPicture, Rule
from moderation.models.rules import PICTURES, RuleKind
from moderation.operations import refusals, rules
from moderation.operations.similarity import listed_pictures
from moderation.operations.similarity.listed_pictures import COLUMNS
from moderation.queries.rules import rule_pages
from moderation.web import access, csv_files, days
from moderation.web.quantities import count
from moderation.web.rules.rules import STRICT_EFFECTS, RuleForm


class PictureListForm(RuleForm):
    """A file of hashes, and the rule about all of them."""

    effect = forms.ChoiceField(choices=STRICT_EFFECTS)
    name = forms.CharField(max_length=255, strip=True)
    file = forms.FileField()


@access.leads.get_or_post
def new(request: access.DeskRequest) -> HttpResponse:
    """Import a list: a draft, whose dry run is shown before it does anything."""
    at = timezone.now()
    form = PictureListForm(*(request.POST, request.FILES) if request.method == "POST" else ())
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            pictures = listed_pictures.read(given["file"].read())
            drafted = rules.draft(
                kind=RuleKind.PICTURES,
                value=given["name"],
                pictures=pictures,
                effect=given["effect"],
                reason=given["reason"],
                expires_at=days.end(given["days"], at=at),
                actor=request.user,
                at=at,
            )
        except listed_pictures.NotAList as refusal:
            form.add_error("file", str(refusal))
        except refusals.NoEnd as refusal:
            form.add_error("days", str(refusal))
        else:
            told = ngettext(
                "%(count)s hash imported. Nothing is held or removed until you activate the list.",
                "%(count)s hashes imported. Nothing is held or removed until you activate the list.",
                len(pictures),
            )
            messages.success(request, told % {"count": count(len(pictures))})
            return redirect("rule-draft", drafted.pk)
    context = {"section": "manage", "form": form, "most": listed_pictures.MOST}
    return render(request, "rules/import.html", context, status=422 if form.errors else 200)


@access.leads.get
def export(_request: access.DeskRequest, rule_id: int | None = None) -> StreamingHttpResponse:
    """Send what a rule lists, or the pictures of all rules in force about one, as CSV."""
    rows = ListedPicture.objects.order_by("pk")
    if rule_id is None:
        live = Rule.objects.filter(rule_pages.live(at=timezone.now()), kind=RuleKind.PICTURE)
        rows, name = rows.filter(rule__in=live), "pictures.csv"
    else:
        listing = Rule.objects.get(pk=rule_id, kind__in=PICTURES)
        rows, name = rows.filter(rule=listing), f"pictures-{rule_id}.csv"
    return csv_files.streamed(chain([COLUMNS], rows.values_list(*COLUMNS).iterator()), name=name)
