"""Named queues, for leads: their content, and who works on them."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Platform, User
from moderation.models.cases import CaseReason
from moderation.operations.cases import named_queues
from moderation.operations.cases.named_queues import Content
from moderation.queries.accounts.users import deciders
from moderation.queries.cases import named_queues as queue_lists
from moderation.web import access
from moderation.web.forms import LanguagesField, first_error


class QueueForm(forms.Form):
    """A queue's name and content."""

    name = forms.CharField(max_length=60, strip=True)
    platform = forms.ModelChoiceField(Platform.objects.order_by("name"), required=False)
    languages = LanguagesField()
    reasons = forms.MultipleChoiceField(choices=CaseReason.choices, required=False)
    is_exclusive = forms.BooleanField(required=False)

    def content(self) -> Content:
        """Return the content. Call after `is_valid`."""
        platform = self.cleaned_data["platform"]
        return Content(
            name=self.cleaned_data["name"],
            platform_id=platform.pk if platform else None,
            languages=tuple(self.cleaned_data["languages"]),
            reasons=tuple(self.cleaned_data["reasons"]),
            is_exclusive=self.cleaned_data["is_exclusive"],
        )


class AssignmentForm(forms.Form):
    """A user's assignment to a queue: its rank and daily limit."""

    user = forms.ModelChoiceField(User.objects.filter(is_active=True))
    position = forms.IntegerField(min_value=1, max_value=100, required=False)
    daily_limit = forms.IntegerField(min_value=1, max_value=100_000, required=False)


@access.leads.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the queues, and add one."""
    form = QueueForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and _is_saved(request, form, queue_id=None):
        messages.success(request, _("Added. Now assign it to the people who should work on it."))
        return redirect("named-queues")
    context = {
        "section": "queue",
        "listed": queue_lists.listed(),
        "counted": queue_lists.COUNTED,
        "users": deciders(),
        "platforms": Platform.objects.order_by("name"),
        "reasons": CaseReason.choices,
        "form": form,
    }
    return render(request, "cases/named_queues.html", context, status=422 if form.errors else 200)


@access.leads.post
def change(request: access.DeskRequest, queue_id: int) -> HttpResponse:
    form = QueueForm(request.POST)
    if form.is_valid() and _is_saved(request, form, queue_id=queue_id):
        messages.success(request, _("Saved."))
    else:
        messages.warning(request, _("Nothing was changed: %(why)s") % {"why": first_error(form)})
    return redirect("named-queues")


@access.leads.post
def delete(request: access.DeskRequest, queue_id: int) -> HttpResponse:
    """Delete a queue; its cases stay."""
    named_queues.delete(queue_id=queue_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Deleted. Its cases stay in the main queue."))
    return redirect("named-queues")


@access.leads.post
def assign(request: access.DeskRequest, queue_id: int) -> HttpResponse:
    """Assign a queue to a user."""
    form = AssignmentForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Nothing was changed: %(why)s") % {"why": first_error(form)})
        return redirect("named-queues")
    with access.refusals_told(request, done=_("Saved.")):
        named_queues.assign(
            queue_id=queue_id,
            user=form.cleaned_data["user"],
            position=form.cleaned_data["position"] or 1,
            daily_limit=form.cleaned_data["daily_limit"],
            actor=request.user,
            at=timezone.now(),
        )
    return redirect("named-queues")


@access.leads.post
def withdraw(request: access.DeskRequest, queue_id: int, user_id: int) -> HttpResponse:
    """Withdraw a queue from a user."""
    named_queues.withdraw(queue_id=queue_id, user_id=user_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Saved."))
    return redirect("named-queues")


def _is_saved(request: access.DeskRequest, form: QueueForm, *, queue_id: int | None) -> bool:
    try:
        named_queues.save(queue_id=queue_id, content=form.content(), actor=request.user, at=timezone.now())
    except named_queues.NameTaken:
        form.add_error("name", _("This name is already taken."))
    except named_queues.TooMany:
        form.add_error(
            None,
            _("The limit of %(most)d queues is reached. Delete one first.") % {"most": named_queues.MOST},
        )
    return form.is_valid()
