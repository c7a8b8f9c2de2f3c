"""Webhook endpoints, their secrets, and the log of deliveries."""

from datetime import timedelta

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of
from moderation.api.serializers import webhooks as formats
from moderation.api.serializers.fields import field_refusal
from moderation.api.views.base import (
    IF_MATCH,
    ApiView,
    etag_header,
    etag_of,
    in_path,
    known,
    location_header,
    number_of,
    operation,
    refuse_changed,
)
from moderation.models import Delivery, WebhookEndpoint
from moderation.models.platforms import Scope
from moderation.models.webhooks import SignatureKind
from moderation.operations.infrastructure import egress
from moderation.operations.webhooks import endpoints, send
from moderation.queries import webhooks as queries_webhooks

_ENDPOINT_ID = in_path("id", "The endpoint.")
_DELIVERY_ID = in_path("id", "The webhook-id.")


class Endpoints(ApiView):
    shows_secret = True

    @operation(
        "read_endpoints",
        "Read webhook endpoints",
        scope=Scope.WEBHOOKS_ADMIN,
        answers={200: formats.EndpointListSerializer},
    )
    def get(self, request: Request) -> Response:
        rows = queries_webhooks.endpoints(platform=platform_of(request))
        return Response(formats.EndpointListSerializer({"data": rows}).data)

    @operation(
        "add_endpoint",
        "Add a webhook endpoint",
        (
            "Decisions from now on are sent there, signed by the Standard Webhooks specification. Only this "
            "answer shows the secret."
        ),
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[etag_header(201), location_header(201)],
        takes=formats.EndpointRequestSerializer,
        answers={201: formats.NewEndpointSerializer},
        refuses=("endpoint_exists", "too_many_endpoints", "cannot_encrypt"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.EndpointRequestSerializer, request)
        try:
            row, shown = endpoints.add(
                platform=platform_of(request),
                url=given["url"],
                events=given.get("events", ()),
                kind=SignatureKind(given["signature"]),
                at=timezone.now(),
            )
        except egress.Refused as refused:
            raise field_refusal("url", str(refused), code="forbidden_address") from None
        headers = {"Location": reverse("api:endpoint", args=[str(row.pk)]), "ETag": etag_of(row.version)}
        answer = formats.EndpointSerializer(row).data | {"secret": shown}
        return Response(answer, status=201, headers=headers)


class OneEndpoint(ApiView):
    @operation(
        "read_endpoint",
        "Read a webhook endpoint",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_ENDPOINT_ID, etag_header(200)],
        answers={200: formats.EndpointSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        row = _own_endpoint(request, id)
        return Response(formats.EndpointSerializer(row).data, headers={"ETag": etag_of(row.version)})

    @operation(
        "change_endpoint",
        "Change a webhook endpoint",
        "If it is disabled, waiting deliveries fail and can be replayed.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_ENDPOINT_ID, IF_MATCH, etag_header(200)],
        takes=formats.EndpointChangeSerializer,
        answers={200: formats.EndpointSerializer},
        refuses=("endpoint_exists",),
    )
    def patch(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Change an endpoint; its circuit is reset."""
        row = _own_endpoint(request, id)
        given = self.read(formats.EndpointChangeSerializer, request)
        refuse_changed(request, etag_of(row.version))
        try:
            row = endpoints.change(
                endpoint_id=row.pk,
                url=given.get("url"),
                events=given.get("events"),
                is_active=given.get("is_active"),
                # Compared again under the row's lock: somebody may change it between the check above and the
                # write.
                version=row.version if "If-Match" in request.headers else None,
                at=timezone.now(),
            )
        except egress.Refused as refused:
            raise field_refusal("url", str(refused), code="forbidden_address") from None
        return Response(formats.EndpointSerializer(row).data, headers={"ETag": etag_of(row.version)})

    @operation(
        "remove_endpoint",
        "Remove a webhook endpoint",
        "Waiting deliveries are cancelled; its secrets are deleted.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_ENDPOINT_ID, IF_MATCH],
        answers={204: None},
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Remove an endpoint with its secrets; its log stays."""
        row = _own_endpoint(request, id)
        refuse_changed(request, etag_of(row.version))
        endpoints.remove(endpoint_id=row.pk, at=timezone.now())
        return Response(status=204)


class EndpointSecrets(ApiView):
    shows_secret = True

    @operation(
        "rotate_secret",
        "Exchange the signing secret",
        "Until the overlap ends, every message carries a signature by the old and one by the new secret.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_ENDPOINT_ID],
        takes=formats.SecretRequestSerializer,
        answers={201: formats.NewSecretSerializer},
        refuses=("cannot_encrypt",),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _own_endpoint(request, id)
        given = self.read(formats.SecretRequestSerializer, request)
        made, shown = endpoints.rotate(
            endpoint_id=row.pk,
            overlap=timedelta(hours=given["overlap_hours"]),
            kind=SignatureKind(given["signature"]),
            at=timezone.now(),
        )
        answer = formats.SecretSerializer(made).data | {"secret": shown}
        return Response(answer, status=201)


class EndpointDeliveries(ApiView):
    @operation(
        "read_deliveries",
        "Read an endpoint's deliveries",
        "The newest first.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_ENDPOINT_ID, formats.DeliveryQuerySerializer],
        answers={200: formats.DeliveryPageSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _own_endpoint(request, id)
        asked = self.query(formats.DeliveryQuerySerializer, request)
        found = queries_webhooks.deliveries(endpoint=row, **asked)
        return Response(formats.DeliveryPageSerializer(found).data)


class OneDelivery(ApiView):
    @operation(
        "read_delivery",
        "Read a delivery",
        "With its body and every attempt.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_DELIVERY_ID],
        answers={200: formats.WholeDeliverySerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        return Response(formats.WholeDeliverySerializer(_own_delivery(request, id)).data)


class DeliveryReplays(ApiView):
    @operation(
        "replay_delivery",
        "Send a delivery again",
        "With the same id and body, signed anew.",
        scope=Scope.WEBHOOKS_ADMIN,
        parameters=[_DELIVERY_ID],
        answers={202: formats.WholeDeliverySerializer},
        refuses=("no_replay",),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _own_delivery(request, id)
        send.replay(delivery_id=str(row.pk), at=timezone.now())
        answer = formats.WholeDeliverySerializer(_own_delivery(request, id)).data
        return Response(answer, status=202)


def _own_endpoint(request: Request, identifier: str) -> WebhookEndpoint:
    with known(WebhookEndpoint, "No endpoint has this id."):
        return queries_webhooks.endpoint(platform=platform_of(request), endpoint_id=number_of(identifier))


def _own_delivery(request: Request, identifier: str) -> Delivery:
    with known(Delivery, "No delivery has this id."):
        return queries_webhooks.delivery(platform=platform_of(request), delivery_id=identifier)
