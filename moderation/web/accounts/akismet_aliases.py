"""What a key does in Akismet's calls, and its aliases, on the platform's page, for administrators."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import AkismetAlias, ApiKey
from moderation.operations.accounts import akismet_aliases as operations
from moderation.web import access
from moderation.web.accounts import platforms
from moderation.web.accounts.admin_forms import AkismetForm, AliasForm


@access.admins.post
def configure(request: access.DeskRequest, key_id: int) -> HttpResponse:
    """Set how long checks answer pending, and in whose name submissions decide."""
    key = get_object_or_404(ApiKey, pk=key_id)
    form = AkismetForm(request.POST)
    with access.refusals_told(request, done=_("Saved.")):
        access.complete(form)
        operations.configure(key=key, **form.cleaned_data, actor=request.user, at=timezone.now())
    return redirect("platform", platform_id=key.platform_id)


@access.admins.post
def issue_alias(request: access.DeskRequest, key_id: int) -> HttpResponse:
    """Make an alias for a site and show it, once."""
    key = get_object_or_404(ApiKey.objects.select_related("platform"), pk=key_id, revoked_at__isnull=True)
    form = AliasForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Give the address of the site, such as https://blog.example."))
        return redirect("platform", platform_id=key.platform_id)
    alias = operations.issue(key=key, site=form.cleaned_data["site"], actor=request.user, at=timezone.now())
    return platforms.detail(request, key.platform, secret=alias, secret_kind="alias")  # noqa: S106 - a kind


@access.admins.post
def revoke_alias(request: access.DeskRequest, alias_id: int) -> HttpResponse:
    """Close an alias for good."""
    row = get_object_or_404(AkismetAlias.objects.select_related("key"), pk=alias_id)
    operations.revoke(alias_id=alias_id, actor=request.user, at=timezone.now())
    messages.success(request, _("The alias for %(site)s has been revoked.") % {"site": row.site})
    return redirect("platform", platform_id=row.key.platform_id)
