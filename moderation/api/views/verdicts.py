"""Verdicts while the sender waits."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.posts import PostSerializer
from moderation.api.serializers.reading import read
from moderation.api.serializers.verdicts import VerdictSerializer, verdict
from moderation.api.views.base import ONCE, WRITE_PROBLEMS, ApiView, is_lenient, problem_responses
from moderation.models import ApiKey
from moderation.models.platforms import Scope
from moderation.operations import score_now
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.intake import ingest


class Verdicts(ApiView):
    """POST /verdicts"""

    scopes: ClassVar = {"POST": Scope.POSTS_WRITE}

    @extend_schema(
        operation_id="judge_post",
        summary="Send a post and wait for the verdict",
        description=(
            "Stores the post as `POST /posts` does, scores it at once and answers within about 300 ms. If "
            "the content model does not answer in time, the score is degraded and follows again later. "
            "Scopes: `posts:write`, and `verdicts:read`."
        ),
        parameters=[ONCE],
        request=PostSerializer,
        responses={
            200: VerdictSerializer,
            **problem_responses("revision_conflict", "erased", *WRITE_PROBLEMS),
        },
    )
    def post(self, request: Request) -> Response:
        """Judge one post."""
        if not isinstance(request.auth, ApiKey) or Scope.VERDICTS_READ not in request.auth.scopes:
            raise Refused("missing_scope", f"This needs a key with the scope {Scope.VERDICTS_READ}, too.")
        platform = platform_of(request)
        post = read(request.data, platform=platform.slug, is_lenient=is_lenient(request))
        found = score_now.now(platform=platform, post=post, at=timezone.now())
        if isinstance(found, ingest.Refused):
            raise Refused(found.code, found.detail)
        return Response(verdict(found))

    def bucket(self, key: ApiKey) -> Bucket:  # noqa: ARG002 - the same for every key
        """Return the limit: a burst of its own, since each of these holds a web thread while it is scored."""
        return Bucket(name="verdicts", per_minute=settings.VERDICTS_PER_MINUTE, burst=settings.VERDICTS_BURST)
