"""Many posts in one request: NDJSON in, one answer per line out. A bad line does not affect the others."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import key_of, platform_of
from moderation.api.errors import Refused, problem_for
from moderation.api.parsers import Line, LinesParser, load
from moderation.api.serializers.answers import ProblemSerializer
from moderation.api.serializers.incoming_post import read
from moderation.api.serializers.posts import PostSerializer, accepted
from moderation.api.views.base import MEBIBYTE, PostingView, is_lenient, operation
from moderation.models import Platform
from moderation.models.platforms import Scope
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost

CHUNK = 500
"""Lines per transaction: few commits, and no long lock on an author who fills the whole request."""


class BulkLineSerializer(serializers.Serializer[Any]):
    """The answer to one line: that of a single post, or a problem."""

    line = serializers.IntegerField(help_text="Counts from 1; empty lines are counted and left out.")
    status = serializers.IntegerField(help_text="The status that the line alone would have got.")
    id = serializers.CharField(required=False)
    external_id = serializers.CharField(required=False)
    revision = serializers.IntegerField(required=False)
    score_state = serializers.CharField(required=False)
    case_id = serializers.CharField(required=False, allow_null=True)
    problem = ProblemSerializer(required=False)


class BulkAnswerSerializer(serializers.Serializer[Any]):
    """One result per line, in the order of the lines."""

    results = BulkLineSerializer(many=True)
    accepted = serializers.IntegerField()
    refused = serializers.IntegerField()


class BulkPosts(PostingView):
    parser_classes = [LinesParser]
    max_body_bytes = 10 * MEBIBYTE

    @operation(
        "send_posts",
        "Send many posts",
        (
            "One post per line (NDJSON), at most 5,000 lines and 10 MiB. Each line gets an answer of its "
            "own; repeating the whole request is safe."
        ),
        scope=Scope.POSTS_WRITE,
        takes={"application/x-ndjson": PostSerializer},
        answers={207: OpenApiResponse(BulkAnswerSerializer, description="One result per line")},
    )
    def post(self, request: Request) -> Response:
        """Store the posts, a chunk of lines per transaction."""
        lines = cast("Sequence[Line]", request.data or ())
        if not lines:
            raise ValidationError([ErrorDetail("There is no line.", code="empty")])
        if len(lines) > 1:
            self.charge(request, self.bucket(key_of(request)), cost=len(lines) - 1)
        platform, at = platform_of(request), timezone.now()
        results: list[dict[str, Any]] = []
        for start in range(0, len(lines), CHUNK):
            chunk = lines[start : start + CHUNK]
            results += _take_in(chunk, platform=platform, request=request, at=at)
        refused = sum("problem" in result for result in results)
        answer = {"results": results, "accepted": len(results) - refused, "refused": refused}
        return Response(answer, status=207)


def _take_in(
    lines: Sequence[Line], *, platform: Platform, request: Request, at: datetime
) -> Iterator[dict[str, Any]]:
    """Read the lines, store the good ones in one transaction and answer all, in order."""
    lenient = is_lenient(request)
    readings = [_read(line, platform=platform, lenient=lenient) for line in lines]
    good = [reading for reading in readings if isinstance(reading, IncomingPost)]
    answers = iter(ingest.accept(platform=platform, posts=good, at=at) if good else ())
    for line, reading in zip(lines, readings, strict=True):
        answer = next(answers) if isinstance(reading, IncomingPost) else reading
        if isinstance(answer, ingest.Accepted):
            yield {"line": line.number, "status": 202, **accepted(answer)}
            continue
        refusal = Refused(answer.code, answer.detail) if isinstance(answer, ingest.Refused) else answer
        problem = problem_for(refusal, request=request._request)  # noqa: SLF001 - DRF's name for Django's request
        yield {"line": line.number, "status": problem["status"], "problem": problem}


def _read(line: Line, *, platform: Platform, lenient: bool) -> IncomingPost | APIException:
    try:
        return read(load(line.raw), platform=platform.slug, is_lenient=lenient)
    except APIException as refusal:
        return refusal
