"""Cases: read, claim, escalate, annotate and decide them on behalf of a user; second reviews."""

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import about
from moderation.api.authentication import platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import cases as formats
from moderation.api.serializers.decisions import DecisionSerializer
from moderation.api.views.base import (
    IF_MATCH,
    PERSON_PROBLEMS,
    ApiView,
    etag_header,
    etag_of,
    in_path,
    known,
    number_of,
    operation,
    refuse_changed,
)
from moderation.models import Case
from moderation.models.cases import PLATFORM_REASONS
from moderation.models.decisions import Verdict
from moderation.models.platforms import Scope
from moderation.operations import refusals
from moderation.operations.cases import claims, notes, review, second_review
from moderation.queries.cases import platform_cases

EVERY_QUEUE = "all"
CASE_ID = in_path("id", "The case.")
_CLAIM_PROBLEMS = (*PERSON_PROBLEMS, "case_closed", "already_decided")


class Cases(ApiView):
    @operation(
        "read_cases",
        "Read cases",
        "Your platform's cases, by expected harm or as `sort` says.",
        scope=Scope.CASES_READ,
        parameters=[formats.CaseQuerySerializer],
        answers={200: formats.CasePageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked, at = self.query(formats.CaseQuerySerializer, request), timezone.now()
        wanted = platform_cases.Wanted(
            state=asked["state"],
            reason=asked.get("queue", ""),
            priority_from=asked.get("priority_gte"),
            campaign_id=number_of(asked["campaign"]) if "campaign" in asked else None,
            release_id=asked.get("model", ""),
            sort=asked["sort"],
            after=asked.get("after"),
        )
        found = platform_cases.page(platform=platform_of(request), wanted=wanted, limit=asked["limit"])
        return Response(formats.CasePageSerializer(found, context={"at": at}).data)


class OneCase(ApiView):
    @operation(
        "read_case",
        "Read a case",
        "The case with what its post says. The ETag is its version.",
        scope=Scope.CASES_READ,
        parameters=[CASE_ID, etag_header(200)],
        answers={200: formats.WholeCaseSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        row = own_case(request, id)
        answer = formats.WholeCaseSerializer(row, context={"at": timezone.now()}).data
        return Response(answer, headers={"ETag": etag_of(row.version)})


class Claims(ApiView):
    @operation(
        "claim_cases",
        "Claim the next cases",
        (
            "Claims the most harmful cases that nobody holds; cases that you hold already come first. Nobody "
            "else gets them until the lease ends."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[
            OpenApiParameter(
                "queue",
                str,
                OpenApiParameter.PATH,
                enum=[EVERY_QUEUE, *PLATFORM_REASONS],
                description="A reason, or all.",
            )
        ],
        takes=formats.ClaimRequestSerializer,
        answers={200: formats.ClaimsSerializer},
        refuses=PERSON_PROBLEMS,
    )
    def post(self, request: Request, queue: str) -> Response:
        if queue not in (EVERY_QUEUE, *PLATFORM_REASONS):
            raise Refused("not_found", "There is no such queue.")
        count, at = self.read(formats.ClaimRequestSerializer, request)["count"], timezone.now()
        own = platform_cases.of_platform(platform_of(request), reason="" if queue == EVERY_QUEUE else queue)
        claimed = claims.claim_next(moderator=user_of(request), at=at, count=count, among=own)
        rows = platform_cases.some(case_ids=[row.pk for row in claimed])
        lease_end_at = min((row.lease_end_at for row in rows if row.lease_end_at), default=None)
        answer = {"cases": rows, "lease_end_at": lease_end_at}
        return Response(formats.ClaimsSerializer(answer, context={"at": at}).data)


class OneClaim(ApiView):
    @operation(
        "hold_case",
        "Claim a case, or keep it longer",
        "The id is that of the case. Repeat it as a heartbeat to extend the lease.",
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        answers={200: formats.ClaimSerializer},
        refuses=("already_claimed", *_CLAIM_PROBLEMS),
    )
    def put(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        at = timezone.now()
        held = claims.claim(case_id=own_case(request, id).pk, moderator=user_of(request), at=at)
        answer = {"case": own_case(request, id), "lease_end_at": held.lease_end_at}
        return Response(formats.ClaimSerializer(answer, context={"at": at}).data)

    @operation(
        "hand_back_case",
        "Hand a case back",
        "Has no effect if somebody else holds it.",
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        answers={204: None},
        refuses=("nobody_behind_key",),
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        claims.hand_back(case_id=own_case(request, id).pk, moderator=user_of(request))
        return Response(status=204)


class CaseDecisions(ApiView):
    @operation(
        "decide_case",
        "Decide a case",
        (
            "Needs a live claim and the version that was reviewed. It takes effect once it can no longer be "
            "undone. One decision wins per version: whoever comes second gets it in the problem's "
            "`decision`."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[IF_MATCH, CASE_ID],
        takes=formats.DecisionRequestSerializer,
        answers={201: DecisionSerializer},
        refuses=("claim_lost", "post_changed", *_CLAIM_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = own_case(request, id)
        given = self.read(formats.DecisionRequestSerializer, request)
        refuse_changed(request, etag_of(row.version))
        try:
            made = review.decide(
                case_id=row.pk,
                case_version=given["version"],
                moderator=user_of(request),
                verdict=Verdict(given["verdict"]),
                reason=given.get("reason", ""),
                note=given.get("note", ""),
                at=timezone.now(),
            )
        except refusals.AlreadyDecided as lost:
            winner = DecisionSerializer(lost.decision).data
            raise Refused("already_decided", "The case was decided before.", decision=winner) from None
        return Response(DecisionSerializer(made).data, status=201)


class CaseEscalations(ApiView):
    @operation(
        "escalate_case",
        "Hand a case to the leads",
        "Needs a live claim.",
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        takes=formats.HandOnRequestSerializer,
        answers={201: formats.CaseSerializer},
        refuses=("claim_lost", *_CLAIM_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row, at = own_case(request, id), timezone.now()
        note = self.read(formats.HandOnRequestSerializer, request).get("note", "")
        review.escalate(case_id=row.pk, moderator=user_of(request), note=note, at=at)
        answer = formats.CaseSerializer(own_case(request, id), context={"at": at}).data
        return Response(answer, status=201)


def own_case(request: Request, identifier: str) -> Case:
    """Return a case of the caller's platform. Raises Refused."""
    with known(Case, "No case has this id."):
        return platform_cases.one(platform=platform_of(request), case_id=number_of(identifier))


class CaseNotes(ApiView):
    @operation(
        "note_case",
        "Leave a note on a case",
        "For the next reviewer; needs no claim.",
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        takes=formats.NoteRequestSerializer,
        answers={201: formats.CaseNoteSerializer},
        refuses=("erased", *PERSON_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        row, text = own_case(request, id), self.read(formats.NoteRequestSerializer, request)["note"]
        made = notes.write(case=row, author=user_of(request), text=text, at=timezone.now())
        about.post(row.post_id)
        return Response(formats.CaseNoteSerializer(made).data, status=201)


class SecondReviews(ApiView):
    @operation(
        "ask_second_person",
        "Have a decided case looked at again",
        (
            "Opens a new case of the post, which the first decider does not get. Its reviewer does not see "
            "the first verdict, which stands until then."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[CASE_ID],
        takes=formats.HandOnRequestSerializer,
        answers={201: formats.CaseSerializer},
        refuses=("not_decided", "erased", *PERSON_PROBLEMS),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row, at = own_case(request, id), timezone.now()
        text = self.read(formats.HandOnRequestSerializer, request).get("note", "")
        made = second_review.ask(case_id=row.pk, asked_by=user_of(request), text=text, at=at)
        answer = formats.CaseSerializer(own_case(request, str(made.pk)), context={"at": at}).data
        return Response(answer, status=201)
