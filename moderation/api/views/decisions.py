"""Decisions: the feed for polling, reversals, and statements of reasons."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of, user_of
from moderation.api.serializers import decisions as formats
from moderation.api.serializers.cases import ReversalRequestSerializer
from moderation.api.serializers.cursors import FeedQuerySerializer
from moderation.api.views.base import PERSON_PROBLEMS, ApiView, in_path, known, number_of, one_of, operation
from moderation.models import Decision
from moderation.models.decisions import Verdict
from moderation.models.feed import Stream
from moderation.models.platforms import Scope
from moderation.operations.cases import reversals
from moderation.operations.outbox import feed
from moderation.queries.decisions import platform_decisions


class Decisions(ApiView):
    @operation(
        "read_decisions",
        "Read decisions",
        (
            "Decisions in the order in which they entered the feed. Keep `next_cursor` and pass it as "
            "`cursor`, at once while `has_more`, otherwise at the next poll: nothing is skipped or repeated."
        ),
        scope=Scope.VERDICTS_READ,
        parameters=[FeedQuerySerializer],
        answers={200: formats.DecisionPageSerializer},
    )
    def get(self, request: Request) -> Response:
        page = feed.read(
            platform=platform_of(request),
            stream=Stream.DECISIONS,
            at=timezone.now(),
            **self.query(FeedQuerySerializer, request),
        )
        return Response(formats.DecisionPageSerializer(page).data)


class Reversals(ApiView):
    @operation(
        "reverse_decision",
        "Take a decision back",
        (
            "Makes a new decision that says the opposite and names this one in `reverses`; decisions are "
            "never edited. The webhook is sent at once."
        ),
        scope=Scope.DECISIONS_WRITE,
        parameters=[in_path("id", "The decision that was wrong.")],
        takes=ReversalRequestSerializer,
        answers={201: formats.DecisionSerializer},
        refuses=(*PERSON_PROBLEMS, "already_reversed", "same_verdict", "erased"),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        reason = self.read(ReversalRequestSerializer, request)["reason"]
        own = Decision.objects.filter(post__platform=platform_of(request))
        wrong = one_of(own, id, "No decision has this id.")
        opposite = Verdict.NOT_SPAM if wrong.verdict == Verdict.SPAM else Verdict.SPAM
        made = reversals.correct(
            decision_id=wrong.pk,
            verdict=opposite,
            moderator=user_of(request),
            reason=reason,
            at=timezone.now(),
        )
        return Response(formats.DecisionSerializer(made).data | {"reverses": str(wrong.pk)}, status=201)


class Statements(ApiView):
    @operation(
        "read_statement",
        "Read the statement of reasons",
        (
            "Of a decision that says spam and restricts a post or an account, in the field names of the DSA "
            "transparency database; add `territorial_scope`."
        ),
        scope=Scope.VERDICTS_READ,
        parameters=[in_path("id", "The decision.")],
        answers={200: formats.StatementSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        with known(Decision, "No decision of yours that restricts a post or an account has this id."):
            told = platform_decisions.statement(
                platform=platform_of(request), decision_id=number_of(id), at=timezone.now()
            )
        return Response(told)
