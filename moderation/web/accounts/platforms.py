"""Platforms and their API keys, for administrators. A secret is shown once, in the answer that made it."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import ApiKey, Platform, Post, WebhookEndpoint
from moderation.operations.accounts import api_keys
from moderation.operations.accounts import platforms as accounts_platforms
from moderation.operations.erasure import platform_deletion
from moderation.operations.infrastructure import egress, vault
from moderation.operations.webhooks import endpoints
from moderation.queries.accounts import platforms
from moderation.web import access, days
from moderation.web.accounts.admin_forms import (
    AkismetForm,
    EndpointForm,
    KeyForm,
    NewPlatformForm,
    PlatformForm,
)

_OVERLAP = timedelta(days=1)
_ACTS = {
    "off": accounts_platforms.switch_off,
    "on": accounts_platforms.switch_on,
    "propose": platform_deletion.propose,
    "confirm": platform_deletion.confirm,
}


@access.admins.get_or_post
def page(request: access.DeskRequest) -> HttpResponse:
    """List the platforms, and create one."""
    at = timezone.now()
    form = NewPlatformForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            new_platform = accounts_platforms.create(**form.cleaned_data, actor=request.user, at=at)
        except accounts_platforms.SlugTaken:
            form.add_error("slug", _("This short name is already taken."))
        else:
            return redirect("platform", platform_id=new_platform.pk)
    context = {
        "section": "manage",
        "at": at,
        "platforms": platforms.listed(at=at),
        "form": form,
    }
    return render(request, "accounts/platforms.html", context, status=422 if form.errors else 200)


@access.admins.get_or_post
def platform(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Show one platform with its keys and endpoints, and rename it."""
    row = get_object_or_404(Platform, pk=platform_id)
    form = PlatformForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        accounts_platforms.change(
            platform_id=platform_id, **form.cleaned_data, actor=request.user, at=timezone.now()
        )
        messages.success(request, _("Saved."))
        return redirect("platform", platform_id=platform_id)
    return detail(request, row, form=form, status=422 if form.errors else 200)


@access.admins.post
def stand(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Switch a platform off, or on again; propose to delete it, or confirm that."""
    act = access.chosen(request, "act", _ACTS)
    with access.refusals_told(request, done=_("Saved.")):
        act(platform_id=platform_id, actor=request.user, at=timezone.now())
    return redirect("platform", platform_id=platform_id)


@access.admins.post
def add_endpoint(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Add a webhook endpoint; show its signing secret, once."""
    row = get_object_or_404(Platform, pk=platform_id)
    form = EndpointForm(request.POST)
    if form.is_valid():
        try:
            _endpoint, secret = endpoints.add(
                platform=row, url=form.cleaned_data["url"], at=timezone.now(), actor=request.user
            )
        except (egress.Refused, endpoints.AlreadyThere, endpoints.TooMany, vault.MissingKey) as refusal:
            form.add_error("url", str(refusal))
        else:
            return detail(request, row, secret=secret, secret_kind="signing")  # noqa: S106 - a kind, no secret
    return detail(request, row, endpoint_form=form, status=422)


@access.admins.post
def rotate_secret(request: access.DeskRequest, endpoint_id: int) -> HttpResponse:
    """Rotate the signing secret and show the new one, once; the old one also signs for a day."""
    endpoint = get_object_or_404(WebhookEndpoint.objects.select_related("platform"), pk=endpoint_id)
    try:
        _row, secret = endpoints.rotate(
            endpoint_id=endpoint_id, overlap=_OVERLAP, at=timezone.now(), actor=request.user
        )
    except vault.MissingKey as refusal:
        messages.warning(request, str(refusal))
        return redirect("platform", platform_id=endpoint.platform_id)
    return detail(request, endpoint.platform, secret=secret, secret_kind="signing")  # noqa: S106 - a kind


@access.admins.post
def remove_endpoint(request: access.DeskRequest, endpoint_id: int) -> HttpResponse:
    endpoint = get_object_or_404(WebhookEndpoint, pk=endpoint_id)
    endpoints.remove(endpoint_id=endpoint_id, at=timezone.now(), actor=request.user)
    messages.success(request, _("Endpoint removed. Its log is kept."))
    return redirect("platform", platform_id=endpoint.platform_id)


@access.admins.post
def issue_key(request: access.DeskRequest, platform_id: int) -> HttpResponse:
    """Issue a key and show it, once."""
    row = get_object_or_404(Platform, pk=platform_id)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return detail(request, row, key_form=form, status=422)
    at, secret = timezone.now(), ""
    with access.refusals_told(request):
        _key, secret = api_keys.issue(
            platform=row,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            expires_at=days.end(form.cleaned_data["days"], at=at),
            at=at,
            actor=request.user,
        )
    return detail(request, row, secret=secret, secret_kind="key")  # noqa: S106 - a kind, no secret


@access.admins.post
def revoke_key(request: access.DeskRequest, key_id: int) -> HttpResponse:
    """Close a key for good."""
    key = get_object_or_404(ApiKey, pk=key_id)
    api_keys.revoke(key_id=key_id, actor=request.user, at=timezone.now())
    messages.success(request, _("Key %(prefix)s… has been revoked.") % {"prefix": key.prefix})
    return redirect("platform", platform_id=key.platform_id)


def detail(
    request: access.DeskRequest,
    row: Platform,
    *,
    form: PlatformForm | None = None,
    key_form: KeyForm | None = None,
    endpoint_form: EndpointForm | None = None,
    secret: str = "",
    secret_kind: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show a platform with its forms, and a secret that was made now."""
    deletion = getattr(row, "deletion", None)
    context = {
        "section": "manage",
        "at": timezone.now(),
        "platform": row,
        "deletion": deletion,
        "posts_left": Post.objects.filter(platform=row, erased_at=None).count() if deletion else 0,
        "api_keys": platforms.keys(platform_id=row.pk),
        "akismet_form": AkismetForm(),
        "form": form or PlatformForm(),
        "key_form": key_form or KeyForm(),
        "endpoints": platforms.endpoints(platform_id=row.pk),
        "endpoint_form": endpoint_form or EndpointForm(),
        "secret": secret,
        "secret_kind": secret_kind,
    }
    return render(request, "accounts/platform.html", context, status=status)
