"""Pages of integrations, for administrators, and the hooks that platforms send to."""

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from integrations import deliveries, setup, tasks
from integrations.connector import Connector, SignsIn
from integrations.connectors import CONNECTORS
from integrations.models import Exchange, Integration, IntegrationState
from moderation.models import Delivery, Platform
from moderation.models.deliveries import DeliveryState
from moderation.operations.infrastructure import vault
from moderation.web import access

_SHOWN = 50
_SIGN_IN_SECONDS = 900


class ConnectForm(forms.Form):
    """Address, platform and what the connector asks for."""

    base_url = forms.URLField(
        label=gettext_lazy("Address of the server"),
        max_length=300,
        assume_scheme="https",
        widget=forms.URLInput({"placeholder": "https://social.example"}),
    )
    platform = forms.ModelChoiceField(
        Platform.objects.order_by("slug"),
        label=gettext_lazy("Platform"),
        required=False,
        empty_label=gettext_lazy("a new one, named after the server"),
    )

    def __init__(self, *values: Any, kind: type[Connector], **named: Any) -> None:
        super().__init__(*values, **named)
        for asked in kind.asks:
            widget = forms.PasswordInput({"autocomplete": "off"}) if asked.is_secret else forms.TextInput()
            self.fields[asked.name] = forms.CharField(
                label=asked.label, help_text=asked.help, max_length=2_000, widget=widget
            )


@access.admins.get
def page(request: access.DeskRequest) -> HttpResponse:
    """List the connected platforms, and what can be connected."""
    rows = Integration.objects.exclude(state=IntegrationState.REMOVED).select_related("platform")
    context = {
        "section": "manage",
        "at": timezone.now(),
        "integrations": [(row, CONNECTORS[row.kind].title) for row in rows],
        "kinds": [(name, kind.title) for name, kind in CONNECTORS.items()],
    }
    return render(request, "integrations/integrations.html", context)


@access.admins.get_or_post
def connect(request: access.DeskRequest, kind: str) -> HttpResponse:
    """Connect a server: its address, and who we are there."""
    connector = _kind_of(kind)
    form = ConnectForm(request.POST or None, kind=connector)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            integration = setup.connect(
                platform=data["platform"],
                kind=kind,
                base_url=data["base_url"],
                credentials={asked.name: data[asked.name] for asked in connector.asks},
                redirect_uri=_signed_in_uri(request),
                actor=request.user,
                at=timezone.now(),
            )
        except (setup.CannotConnect, vault.MissingKey) as refusal:
            form.add_error("base_url", str(refusal))
        else:
            if not issubclass(connector, SignsIn):
                _begin(integration, request)
            return redirect("integration", integration_id=integration.pk)
    context = {"section": "manage", "kind": kind, "title": connector.title, "form": form}
    return render(request, "integrations/connect.html", context, status=422 if form.errors else 200)


@access.admins.get
def integration(request: access.DeskRequest, integration_id: int) -> HttpResponse:
    """Show one integration: whom we are there, what a decision does, the log of both directions."""
    row = get_object_or_404(Integration.objects.select_related("platform", "endpoint"), pk=integration_id)
    connector = CONNECTORS[row.kind]
    waiting = Delivery.objects.filter(endpoint=row.endpoint) if row.endpoint else Delivery.objects.none()
    context = {
        "section": "manage",
        "at": timezone.now(),
        "row": row,
        "title": connector.title,
        "asks": connector.asks,
        "is_waiting": row.state == IntegrationState.SIGN_IN,
        "is_removed": row.state == IntegrationState.REMOVED,
        "sign_in_url": _authorize_url(row, request),
        "hook": connector.hook and request.build_absolute_uri(f"/integrations/{connector.hook}/{row.hook}"),
        "failed": waiting.filter(state=DeliveryState.FAILED).count(),
        "waiting": waiting.filter(state=DeliveryState.WAITING).count(),
        "exchanges": row.exchanges.all()[:_SHOWN],
    }
    return render(request, "integrations/integration.html", context)


@access.admins.get
def signed_in(request: access.DeskRequest) -> HttpResponse:
    """Take a sign-in up where the platform sends the browser back."""
    try:
        state = signing.loads(request.GET.get("state", ""), salt=_salt(request), max_age=_SIGN_IN_SECONDS)
    except signing.BadSignature:
        messages.warning(request, _("This sign-in was not begun here, or is too old. Begin again."))
        return redirect("integrations")
    row = get_object_or_404(Integration, pk=state)
    if not request.GET.get("code"):
        messages.warning(request, _("The platform did not allow it."))
        return redirect("integration", integration_id=row.pk)
    with access.refusals_told(request):
        done = setup.sign_in(
            integration_id=row.pk,
            given={"code": request.GET["code"]},
            redirect_uri=_signed_in_uri(request),
            actor=request.user,
            at=timezone.now(),
        )
        _begin(done, request)
    return redirect("integration", integration_id=row.pk)


@access.admins.post
def change(request: access.DeskRequest, integration_id: int) -> HttpResponse:
    """Switch the dry run or a pause, keep a webhook's secret, ask now, remove."""
    row = get_object_or_404(Integration, pk=integration_id)
    at, act = timezone.now(), request.POST.get("act", "")
    asks = CONNECTORS[row.kind].asks
    changes: dict[str, dict[str, Any]] = {
        "dry-run": {"is_dry_run": True},
        "for-real": {"is_dry_run": False},
        "direct": {"takes_direct_messages": True},
        "no-direct": {"takes_direct_messages": False},
        "pause": {"is_paused": True},
        "go-on": {"is_paused": False},
        "secret": {"webhook_secret": request.POST.get("secret", "")[:500].strip()},
    }
    with access.refusals_told(request):
        if act == "remove":
            setup.remove(integration_id=row.pk, actor=request.user, at=at)
            messages.success(request, _("Removed. What was done on the platform stays."))
            return redirect("integrations")
        if act == "ask":
            Integration.objects.filter(pk=row.pk).update(next_poll_at=at)
            tasks.soon(integration_id=row.pk)
            messages.success(request, _("Asked; reload to see what came."))
        elif act == "sign-in":
            given = {asked.name: request.POST.get(asked.name, "")[:2_000] for asked in asks}
            _begin(setup.sign_in(integration_id=row.pk, given=given, actor=request.user, at=at), request)
        elif act in changes:
            setup.change(integration_id=row.pk, actor=request.user, at=at, **changes[act])
            messages.success(request, _("Saved."))
    return redirect("integration", integration_id=row.pk)


@access.admins.post
def read_again(request: access.DeskRequest, exchange_id: int) -> HttpResponse:
    """Read a delivery again that could not be read."""
    row = get_object_or_404(Exchange.objects.exclude(body=""), pk=exchange_id)
    tasks.read_delivery.apply_async(kwargs={"exchange_id": row.pk})
    messages.success(request, _("It is being read again; reload to see the result."))
    return redirect("integration", integration_id=row.integration_id)


@csrf_exempt
@require_POST
def hook(request: HttpRequest, hook: str) -> HttpResponse:
    """Take a platform's delivery: signature, then stored, then read by a task."""
    if int(request.headers.get("content-length") or 0) > deliveries.MOST_BYTES:
        return HttpResponse("Too large.\n", status=413, content_type="text/plain")
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        row = deliveries.store(hook=hook, headers=headers, body=request.body, at=timezone.now())
    except deliveries.Refused as refusal:
        return HttpResponse(f"{refusal}\n", status=refusal.status, content_type="text/plain")
    tasks.read_delivery.apply_async(kwargs={"exchange_id": row.pk})
    return JsonResponse({"id": row.pk}, status=202)


def _kind_of(name: str) -> type[Connector]:
    """Return a connector by name. Raises Integration.DoesNotExist, which the guard tells as not found."""
    try:
        return CONNECTORS[name]
    except KeyError:
        raise Integration.DoesNotExist from None


def _begin(row: Integration, request: access.DeskRequest) -> None:
    tasks.soon(integration_id=row.pk)
    words = _("Connected as %(name)s. Reports are being imported.")
    messages.success(request, words % {"name": row.signed_in_as})


def _salt(request: access.DeskRequest) -> str:
    return f"integration:{request.user.pk}"


def _signed_in_uri(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("integration-signed-in"))


def _authorize_url(row: Integration, request: access.DeskRequest) -> str:
    kind = CONNECTORS[row.kind]
    if row.state == IntegrationState.REMOVED or not issubclass(kind, SignsIn):
        return ""
    credentials = json.loads(vault.decrypt(row.credentials))
    return kind.authorize_url(
        row.base_url,
        credentials,
        redirect_uri=_signed_in_uri(request),
        state=signing.dumps(row.pk, salt=_salt(request)),
    )
