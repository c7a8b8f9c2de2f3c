"""Users of the desk, for administrators."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation.models import User
from moderation.models.users import Role
from moderation.operations.accounts import invitations, second_factors, sessions, users
from moderation.queries.accounts.users import listed_users
from moderation.web import access
from moderation.web.accounts.admin_forms import InvitationForm, NewUserForm, UserForm


@access.admins.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the users, and create one."""
    form = NewUserForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            user, password = users.create(
                username=form.cleaned_data["username"],
                profile=form.profile(),
                actor=request.user,
                at=timezone.now(),
            )
        except users.NameTaken:
            form.add_error("username", _("This user name is already taken."))
        else:
            return _page(request, NewUserForm(), shown=user, password=password)
    return _page(request, form)


@access.admins.post
def invite(request: access.DeskRequest) -> HttpResponse:
    """Invite somebody by mail; show the link, once, where none can be sent."""
    form = InvitationForm(request.POST)
    if form.is_valid():
        desk, address = request.build_absolute_uri("/"), form.cleaned_data["address"]
        try:
            link = invitations.invite(**form.cleaned_data, desk=desk, actor=request.user, at=timezone.now())
        except users.NameTaken:
            form.add_error("address", _("Somebody with this address has an account."))
        else:
            if not link:
                messages.success(request, _("The invitation was sent to %(address)s.") % {"address": address})
                return redirect("users")
            return _page(request, NewUserForm(), address=address, link=link)
    return _page(request, NewUserForm(), invitation=form)


@access.admins.post
def uninvite(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Take an invitation back."""
    return _done(request, partial(invitations.revoke, user_id=user_id))


@access.admins.post
def change(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Change a user's name and role."""
    form = UserForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Nothing was changed: the form is incomplete."))
        return redirect("users")
    return _done(request, partial(users.change, user_id=user_id, profile=form.profile()))


@access.admins.post
def addresses(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Let an ML engineer see posts' addresses, or withdraw that right."""
    is_allowed = access.chosen(request, "allowed", {"1": True, "0": False})
    return _done(request, partial(users.allow_addresses, user_id=user_id, is_allowed=is_allowed))


@access.admins.post
def switch(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Close an account, or open it again."""
    act = access.chosen(request, "active", {"1": users.reactivate, "0": users.deactivate})
    return _done(request, partial(act, user_id=user_id))


@access.admins.post
def reset(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Give a user a new password and show it, once."""
    password = users.reset_password(user_id=user_id, actor=request.user, at=timezone.now())
    user = User.objects.get(pk=user_id)
    return _page(request, NewUserForm(), shown=user, password=password)


@access.admins.post
def remove_second_factors(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """Remove the second factors of a user who lost them."""
    return _done(request, partial(second_factors.remove_all, user_id=user_id))


@access.admins.post
def end_sessions(request: access.DeskRequest, user_id: int) -> HttpResponse:
    """End every session of a user."""
    count = sessions.end_all(user_id=user_id, actor=request.user, at=timezone.now())
    message = ngettext("%(count)s session has ended.", "%(count)s sessions have ended.", count)
    messages.success(request, message % {"count": count})
    return redirect("users")


def _done(request: access.DeskRequest, act: Callable[..., object]) -> HttpResponse:
    """Change an account and report the result."""
    with access.refusals_told(request, done=_("Saved.")):
        act(actor=request.user, at=timezone.now())
    return redirect("users")


def _page(
    request: access.DeskRequest,
    form: NewUserForm,
    *,
    invitation: InvitationForm | None = None,
    **shown: object,
) -> HttpResponse:
    """Show the users with their forms, and what is shown only once."""
    at = timezone.now()
    invitation = invitation or InvitationForm(initial={"role": Role.MODERATOR})
    context = {
        "section": "manage",
        "at": at,
        "users": listed_users(at=at),
        "roles": Role.choices,
        "form": form,
        "invitation": invitation,
        "lasts": invitations.LASTS,
        "ended": at - invitations.LASTS,
    }
    is_wrong = form.errors or invitation.errors
    return render(request, "accounts/users.html", context | shown, status=422 if is_wrong else 200)
