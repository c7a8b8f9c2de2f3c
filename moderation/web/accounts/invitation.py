"""The page behind an invitation's link: a new person chooses name and password."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from moderation.operations.accounts import invitations
from moderation.operations.accounts.users import NameTaken
from moderation.web.accounts.admin_forms import sign_in_name

_NAMES = ("username", "first_name", "last_name")


class InvitedForm(SetPasswordForm):  # type: ignore[type-arg]  # generic in its stubs alone
    """The name to sign in with, the name that others read, and the password twice."""

    username = sign_in_name()
    first_name = forms.CharField(max_length=150, required=False, strip=True)
    last_name = forms.CharField(max_length=150, required=False, strip=True)

    def clean(self) -> dict[str, Any] | None:
        """Compare the password with the names, too."""
        for name in _NAMES:
            setattr(self.user, name, self.cleaned_data.get(name, ""))
        return super().clean()


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form, and open the account; whatever is wrong with a link, the answer is the same."""
    try:
        user = invitations.invited(token)
        form = InvitedForm(user, request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data
            names = {name: given[name] for name in _NAMES}
            invitations.accept(token=token, **names, password=given["new_password1"], at=timezone.now())
            messages.success(request, _("Your account is ready. Sign in."))
            return redirect("sign-in")
    except NameTaken:
        form.add_error("username", _("This user name is already taken."))
    except invitations.NoSuchInvitation:
        return render(request, "accounts/invitation.html", status=410)
    context = {"form": form, "role": user.get_role_display()}
    return render(request, "accounts/invitation.html", context, status=422 if form.errors else 200)
