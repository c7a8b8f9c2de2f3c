"""Labels page by page, exports as files, and posts drawn to be labelled."""

from typing import Any

from django.http import FileResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import exporter_of, key_of, platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import labels as formats
from moderation.api.serializers.cursors import FeedQuerySerializer
from moderation.api.views.base import (
    PERSON_PROBLEMS,
    ApiView,
    in_path,
    location_header,
    made,
    number_of,
    one_of,
    operation,
)
from moderation.models import Export
from moderation.models.exports import ExportState
from moderation.models.feed import Stream
from moderation.models.platforms import Scope
from moderation.operations.labels import draws, export_files, exports
from moderation.operations.outbox import feed
from moderation.queries.decisions.feeds import Position
from moderation.queries.labels import label_balance, label_lines
from moderation.queries.labels.label_balance import DrawRow
from moderation.queries.labels.labels import LabelFilter

_EXPORT_ID = in_path("id", "The export.")


class Labels(ApiView):
    @operation(
        "read_labels",
        "Read labels",
        "Your posts that people judged, the oldest first.",
        scope=Scope.LABELS_EXPORT,
        parameters=[formats.LabelQuerySerializer],
        answers={200: formats.LabelPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(formats.LabelQuerySerializer, request)
        wanted = LabelFilter(
            since=asked.get("since"), until=asked.get("until"), platform_id=platform_of(request).pk
        )
        found = label_lines.page(wanted=wanted, after=asked.get("after"), limit=asked["limit"])
        return Response(formats.LabelPageSerializer(found).data)


class LabelChanges(ApiView):
    @operation(
        "read_label_changes",
        "Read what became of labels",
        (
            "Labels that were given, once they can no longer be undone, and labels that were retracted by a "
            "correction, another decision or an erasure. Follow it by its cursor, like decisions."
        ),
        scope=Scope.LABELS_EXPORT,
        parameters=[FeedQuerySerializer],
        answers={200: formats.LabelChangePageSerializer},
    )
    def get(self, request: Request) -> Response:
        page = feed.read(
            platform=platform_of(request),
            stream=Stream.LABELS,
            at=timezone.now(),
            **self.query(FeedQuerySerializer, request),
        )
        given = [entry.decision_id for entry in page.rows if not entry.is_retraction]
        live = label_lines.json_of(decision_ids=given)
        return Response(formats.LabelChangePageSerializer(page, context={"labels": live}).data)


class Exports(ApiView):
    @operation(
        "request_export",
        "Ask for an export of labels",
        "A task writes your labels to a file. Needs a key that acts for somebody who may export.",
        scope=Scope.LABELS_EXPORT,
        parameters=[location_header(202)],
        takes=formats.ExportRequestSerializer,
        answers={202: formats.ExportSerializer},
        refuses=(*PERSON_PROBLEMS, "not_found", "not_ready"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.ExportRequestSerializer, request)
        person, platform = exporter_of(request), platform_of(request)
        row = exports.request(
            requested_by=person,
            platform=platform,
            wanted=LabelFilter(
                since=given.get("since"),
                until=given.get("until"),
                splits=tuple(given["splits"]),
                after=_positions(request, given.get("after")),
            ),
            form=given["format"],
            has_weights=given["weights"],
            at=timezone.now(),
        )
        return made(formats.ExportSerializer(row).data, at="api:export", pk=row.pk, status=202)


class OneExport(ApiView):
    @operation(
        "read_export",
        "Read how far an export is",
        scope=Scope.LABELS_EXPORT,
        parameters=[_EXPORT_ID],
        answers={200: formats.ExportSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(formats.ExportSerializer(_own_export(request, id)).data)


class ExportFile(ApiView):
    @operation(
        "read_export_file",
        "Get the file of an export",
        "In the format that was asked for.",
        scope=Scope.LABELS_EXPORT,
        parameters=[_EXPORT_ID],
        answers={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
        },
        refuses=("not_allowed", "not_ready"),
    )
    def get(self, request: Request, id: str) -> Any:  # noqa: A002 - as above
        row = _own_export(request, id)
        if row.state != ExportState.READY:
            raise Refused("not_ready", f"The export is {row.state}.")
        person = key_of(request).acts_as
        if person is not None and not exports.may_download(row, person=person):
            raise Refused("not_allowed", "It has addresses, which your key's person may not read.")
        try:
            file = export_files.path_of(row).open("rb")  # closed by the response
        except FileNotFoundError:
            raise Refused("not_found", "The file of this export was removed; ask for a new one.") from None
        return FileResponse(file, content_type=exports.media_type_of(row))


def _positions(request: Request, after: str | None) -> dict[str, Position] | None:
    if after is None:
        return None
    try:
        return exports.positions_of(_own_export(request, after))
    except exports.NotBuilt as refusal:
        raise Refused("not_ready", str(refusal)) from None


def _own_export(request: Request, identifier: str) -> Export:
    return one_of(Export.objects.filter(platform=platform_of(request)), identifier, "No export has this id.")


_DRAW_ID = in_path("id", "The draw.")


class LabelDraws(ApiView):
    @operation(
        "draw_posts",
        "Have random posts labelled",
        (
            "Draws posts uniformly from those of the last days that nobody labelled, whatever the filter did "
            "with them, and puts them into the queue. Needs a key that acts for a lead or an ML engineer."
        ),
        scope=Scope.LABELS_EXPORT,
        parameters=[location_header(201)],
        takes=formats.DrawRequestSerializer,
        answers={201: formats.DrawSerializer},
        refuses=(*PERSON_PROBLEMS, "nothing_to_draw", "too_many_drawn"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.DrawRequestSerializer, request)
        drawn = draws.ask(
            platform=platform_of(request),
            posts=given["posts"],
            days=given["days"],
            asked_by=user_of(request),
            at=timezone.now(),
        )
        row = _own_draw(request, str(drawn.pk))
        return made(formats.DrawSerializer(row).data, at="api:label-draw", pk=drawn.pk)


class OneLabelDraw(ApiView):
    @operation(
        "read_draw",
        "Read how far a draw is labelled",
        scope=Scope.LABELS_EXPORT,
        parameters=[_DRAW_ID],
        answers={200: formats.DrawSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(formats.DrawSerializer(_own_draw(request, id)).data)

    @operation(
        "cancel_draw",
        "Cancel what is left of a draw",
        "The posts decided so far remain a random sample, of fewer posts.",
        scope=Scope.LABELS_EXPORT,
        parameters=[_DRAW_ID],
        answers={204: None},
        refuses=PERSON_PROBLEMS,
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Cancel a draw: its undecided posts leave the queue."""
        row = _own_draw(request, id)
        try:
            draws.cancel(draw_id=row.draw.pk, cancelled_by=user_of(request), at=timezone.now())
        except draws.AlreadyCancelled as refused:
            raise Refused("not_found", str(refused)) from None
        return Response(status=204)


def _own_draw(request: Request, identifier: str) -> DrawRow:
    row = label_balance.draw(platform_id=platform_of(request).pk, draw_id=number_of(identifier))
    if row is None:
        raise Refused("not_found", "No draw has this id.")
    return row
