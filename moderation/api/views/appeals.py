"""Appeals: a decision is disputed, and a human reviews the post again."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import about
from moderation.api.authentication import platform_of
from moderation.api.serializers.appeals import AppealRequestSerializer, AppealSerializer
from moderation.api.views.base import ApiView, in_path, known, location_header, made, number_of, operation
from moderation.models import Appeal, Decision
from moderation.models.platforms import Scope
from moderation.operations.cases import appeals
from moderation.queries.cases import platform_cases


class Appeals(ApiView):
    @operation(
        "file_appeal",
        "Dispute a decision",
        (
            "A lead reviews the post again; the decision stands until then. One appeal per decision: a "
            "repetition gives the same answer. The outcome is sent as `appeal.decided` and can be read."
        ),
        scope=Scope.COMPLAINTS_WRITE,
        parameters=[location_header(201)],
        takes=AppealRequestSerializer,
        answers={201: AppealSerializer},
        refuses=("not_found", "already_reversed", "erased"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(AppealRequestSerializer, request)
        with known(Decision, "No decision that you were told of has this id."):
            row = appeals.dispute(
                platform=platform_of(request),
                decision_id=number_of(given["decision"]),
                reason=given.get("reason", ""),
                external_id=given.get("external_id", ""),
                at=timezone.now(),
            )
        about.post(row.post_id)
        return made(AppealSerializer(row).data, at="api:appeal", pk=row.pk)


class OneAppeal(ApiView):
    @operation(
        "read_appeal",
        "Read an appeal",
        scope=Scope.VERDICTS_READ,
        parameters=[in_path("id", "The appeal.")],
        answers={200: AppealSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read an appeal; its outcome is hidden while it can be undone."""
        with known(Appeal, "No appeal has this id."):
            row = platform_cases.appeal(
                platform=platform_of(request), appeal_id=number_of(id), at=timezone.now()
            )
        return Response(AppealSerializer(row).data)
