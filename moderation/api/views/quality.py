"""Figures of quality of a platform's posts, and alarms of drift."""

from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.serializers import quality as formats
from moderation.api.views.base import ApiView, operation
from moderation.models.platforms import Scope
from moderation.models.quality import QualitySpan, QualityUnit
from moderation.queries.quality import drift_pages, removal, stored
from moderation.queries.quality.stored import Wanted


class QualityFigures(ApiView):
    @operation(
        "read_quality",
        "Read how good the filter is",
        (
            "Precision of removals, spam among posts let through, recall, prevalence and false alarms of "
            "your posts, together and by slice, as last estimated from random labels; by views, if you send "
            "them. And whether the filter has proven that it may remove by itself."
        ),
        scope=Scope.LABELS_EXPORT,
        parameters=[formats.QualityQuerySerializer],
        answers={200: formats.QualityPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(formats.QualityQuerySerializer, request)
        platform = platform_of(request)
        found = stored.page(
            platform_id=platform.pk,
            wanted=Wanted(
                span=QualitySpan(asked["span"]),
                dimension=asked.get("dimension") or "",
                language=asked.get("language") or "",
                release=asked.get("release") or "",
                unit=QualityUnit(asked["unit"]),
            ),
            after=asked.get("after"),
            limit=asked["limit"],
        )
        answer = {"rows": found.rows, "end": found.end, "removal": removal.standing(platform)}
        return Response(formats.QualityPageSerializer(answer).data)


class DriftAlarms(ApiView):
    @operation(
        "read_drift",
        "Read what has become more frequent",
        (
            "Alarms about your posts, the newest first: words, domains, languages, features and "
            "probabilities whose share has certainly grown, and where these posts are."
        ),
        scope=Scope.LABELS_EXPORT,
        parameters=[formats.DriftQuerySerializer],
        answers={200: formats.DriftPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(formats.DriftQuerySerializer, request)
        found = drift_pages.page(platform_id=platform_of(request).pk, **asked)
        return Response(formats.DriftPageSerializer(found).data)
