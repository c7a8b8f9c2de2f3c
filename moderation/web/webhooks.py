"""The log of a webhook endpoint: what was sent, what came back, sending again and a test message."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.models import Delivery, WebhookEndpoint
from moderation.models.deliveries import DeliveryState
from moderation.operations.webhooks import endpoints
from moderation.operations.webhooks import send as webhooks_send
from moderation.queries import webhooks
from moderation.web import access

_STATES = (
    DeliveryState.WAITING,
    DeliveryState.DELIVERED,
    DeliveryState.FAILED,
    DeliveryState.CANCELLED,
)


@access.admins.get
def page(request: access.DeskRequest, endpoint_id: int) -> HttpResponse:
    """List what was sent to an endpoint, with every attempt."""
    endpoint = get_object_or_404(
        WebhookEndpoint.objects.select_related("platform", "circuit"), pk=endpoint_id
    )
    named = request.GET.get("state", "")
    state = named if named in _STATES else ""
    deliveries = webhooks.log(endpoint=endpoint, state=state, cursor=request.GET.get("cursor", ""))
    context = {
        "section": "manage",
        "at": timezone.now(),
        "endpoint": endpoint,
        "state": state,
        "query": f"state={state}" if state else "",
        "states": _STATES,
        "page": deliveries,
        "is_active": endpoint.state == "active",
    }
    return render(request, "webhooks/deliveries.html", context)


@access.admins.post
def test(request: access.DeskRequest, endpoint_id: int) -> HttpResponse:
    """Send a test message."""
    with access.refusals_told(request, done=_("The test message is being sent; reload to see the response.")):
        endpoints.ping(endpoint_id=endpoint_id, actor=request.user, at=timezone.now())
    return redirect("deliveries", endpoint_id=endpoint_id)


@access.admins.post
def send_again(request: access.DeskRequest, delivery_id: UUID) -> HttpResponse:
    """Send a delivery once more, with the same id and body."""
    delivery = get_object_or_404(Delivery, pk=delivery_id)
    with access.refusals_told(request):
        webhooks_send.replay(delivery_id=str(delivery_id), at=timezone.now(), actor=request.user)
        messages.success(request, _("The delivery is being sent again; reload to see the response."))
    return redirect("deliveries", endpoint_id=delivery.endpoint_id)
