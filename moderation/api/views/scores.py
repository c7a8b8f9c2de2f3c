"""Scores while the sender waits."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import key_of, platform_of
from moderation.api.errors import Refused
from moderation.api.serializers import scores as formats
from moderation.api.serializers.incoming_post import read
from moderation.api.views.base import ApiView, is_lenient, operation
from moderation.models import ApiKey, Platform
from moderation.models.platforms import Scope
from moderation.operations import score_now, score_preview
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingPost


class Scores(ApiView):
    @operation(
        "score_post",
        "Send a post and wait for its score",
        (
            "Stores the post as `POST /posts` does, scores it at once and answers within about 300 ms. If "
            "the content model does not answer in time, the score is degraded and the post is scored again "
            "later. With `store: false` the post is scored as if it had arrived now and nothing is kept: its "
            "ids are not looked up, and no decision, case or event comes of it."
        ),
        scope=Scope.POSTS_WRITE,
        also=Scope.VERDICTS_READ,
        takes=formats.PostToScoreSerializer,
        answers={200: formats.ScoredPostSerializer},
        refuses=("revision_conflict", "erased"),
    )
    def post(self, request: Request) -> Response:
        if Scope.VERDICTS_READ not in key_of(request).scopes:
            raise Refused("missing_scope", f"This needs a key with the scope {Scope.VERDICTS_READ}, too.")
        platform = platform_of(request)
        data, is_stored = _without_store(request.data)
        post = read(data, platform=platform.slug, is_lenient=is_lenient(request))
        if not is_stored:
            return Response(formats.previewed_post(post, preview(platform, post)))
        found = score_now.run(platform=platform, post=post, at=timezone.now())
        if isinstance(found, ingest.Refused):
            raise Refused(found.code, found.detail)
        return Response(formats.scored_post(found))

    def bucket(self, key: ApiKey) -> Bucket:  # noqa: ARG002 - the same for every key
        """Return the limit: a burst of its own, since each of these holds a web thread while it is scored."""
        return Bucket(name="scores", per_minute=settings.SCORE_NOW_PER_MINUTE, burst=settings.SCORE_NOW_BURST)


def _without_store(data: Any) -> tuple[Any, bool]:
    """Return the body without `store`, which is no part of a post, and its value. Raises ValidationError."""
    if not isinstance(data, dict) or "store" not in data:
        return data, True
    is_stored = data["store"]
    if not isinstance(is_stored, bool):
        raise ValidationError({"store": ["Must be true or false."]})
    return {name: value for name, value in data.items() if name != "store"}, is_stored


def preview(platform: Platform, post: IncomingPost) -> score_preview.Preview | None:
    """Return what a post would get, and keep nothing; None while the models are being loaded."""
    try:
        live = scorer.current().low_latency()
    # The first request of a process starts the load and is told so: a sender waits 300 ms, a load takes
    # seconds.
    except scorer.Loading:
        return None
    return score_preview.run(platform=platform, post=post, live=live, at=timezone.now())
