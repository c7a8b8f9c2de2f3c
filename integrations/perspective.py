"""Perspective's two calls, for clients that lose it: SPAM is answered, every other attribute is refused.

Their forms are in `conversationai/perspectiveapi`, 2-api/methods.md and 2-api/limits.md.
"""

import hashlib
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import KeyAuthentication, key_of, platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.incoming_post import read
from moderation.api.views.scores import Scores, preview
from moderation.models import Platform
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.platforms import Scope
from moderation.operations import refusals, score_now
from moderation.operations.cases import appeals, opening
from moderation.operations.posts import complaints
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost
from moderation.queries import platform_posts

_STATUSES = {403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
_DETAIL = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"


class _Key(KeyAuthentication):
    def secret_of(self, request: Request) -> str | None:
        return request.headers.get("X-Goog-Api-Key") or request.query_params.get("key")


class Analyze(Scores):
    """POST /v1alpha1/comments:analyze"""

    authentication_classes = [_Key]
    schema = None
    needs, attributes = Scope.VERDICTS_READ, "requestedAttributes"

    def post(self, request: Request) -> Response:
        """Answer how likely the comment is spam; a person's decision about the same words is 0 or 1."""
        if not {Scope.POSTS_WRITE, self.needs} <= set(key_of(request).scopes):
            raise Refused("missing_scope", f"This needs a key with posts:write and {self.needs}.")
        asked = _given(request.data, self.attributes, dict)
        if not asked:
            raise _invalid(f"Missing {self.attributes}", "NO_REQUESTED_ATTRIBUTES")
        for name in asked.keys() - {"SPAM"}:
            raise _invalid(f"Unknown requested attribute: {name}")
        post = _post_of(request.data, platform_of(request), at=timezone.now())
        answer = self.answer(request, _given(asked, "SPAM", dict), post)
        return Response(answer | {"clientToken": _given(request.data, "clientToken", str)})

    def answer(self, request: Request, spam: dict[str, Any], post: IncomingPost) -> dict[str, Any]:
        """Return the score, unless it is below the threshold that the client names."""
        value = (_previewed if _given(request.data, "doNotStore", bool) else _stored)(
            platform_of(request), post
        )
        if value is None:
            raise Refused("unavailable", "The content model did not answer in time.")
        score = {"value": value, "type": "PROBABILITY"}
        whole = {"summaryScore": score, "spanScores": [{"begin": 0, "end": len(post.text), "score": score}]}
        is_shown = value >= _given(spam, "scoreThreshold", float)
        languages = _given(request.data, "languages", list)
        return {"attributeScores": {"SPAM": whole} if is_shown else {}, "languages": languages}

    def handle_exception(self, exc: Exception) -> Response:
        """Answer a refusal as Perspective writes them."""
        answer = super().handle_exception(exc)
        code = 400 if answer.status_code in {401, 422} else answer.status_code
        said = " ".join([answer.data["detail"], *(error["detail"] for error in answer.data["errors"])])
        kind = answer.data.get("error_type", "INVALID_REQUEST")
        status = _STATUSES.get(code, "INVALID_ARGUMENT" if code < 500 else "INTERNAL")
        details = [{"@type": _DETAIL, "errorType": kind}]
        answer.data = {"error": {"code": code, "message": said, "status": status, "details": details}}
        answer.status_code, answer.content_type = code, "application/json"
        return answer


class SuggestScore(Analyze):
    """POST /v1alpha1/comments:suggestscore"""

    needs, attributes = Scope.COMPLAINTS_WRITE, "attributeScores"

    def answer(self, request: Request, spam: dict[str, Any], post: IncomingPost) -> dict[str, Any]:
        """Take a score from one half on as a complaint that the comment is spam, one below as an appeal."""
        summary, platform, at = _given(spam, "summaryScore", dict), platform_of(request), post.posted_at
        if "value" not in summary:
            raise _invalid("Missing summaryScore")
        value = _given(summary, "value", float)
        reporter = f"perspective:{_given(request.data, 'communityId', str)}"[:200]
        _stored(platform, post)
        complaint = IncomingComplaint(post=post.external_id, reporter=reporter, reason="spam", reported_at=at)
        with suppress(opening.NotScored, refusals.Erased):
            if value >= 0.5:
                complaints.record(platform=platform, complaint=complaint, at=at)
            else:
                appeals.file(platform=platform, external_id=post.external_id, at=at)
        return {}


def _invalid(said: str, kind: str = "INVALID_REQUEST") -> Refused:
    return Refused("malformed_request", said, error_type=kind)


def _given(body: Any, name: str, kind: type[Any]) -> Any:
    """Return a member of an object, or what is empty in its kind. Raises Refused for another kind."""
    value = body.get(name) if isinstance(body, dict) else body
    if value is None:
        return kind()
    if isinstance(value, kind) or (kind is float and type(value) is int):
        return value
    raise _invalid(f"Invalid value at '{name}'.")


def _post_of(body: Any, platform: Platform, *, at: datetime) -> IncomingPost:
    comment = _given(body, "comment", dict)
    text = _given(comment, "text", str)
    if _given(comment, "type", str) not in {"", "PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED"}:
        raise _invalid("Currently, only 'PLAIN_TEXT' comments are supported")
    if not text.strip():
        raise _invalid("Comment must be non-empty.", "COMMENT_EMPTY")
    if len(text.encode("utf-8", "replace")) > 20_480:
        raise _invalid("Comment text too long.", "COMMENT_TOO_LONG")
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    # Without a session every text has an author of its own: one for all would look like a flood.
    author = {"external_id": f"perspective:{_given(body, 'sessionId', str) or digest}"[:200]}
    fields = {"external_id": f"perspective:{digest}", "text": text, "author": author}
    return read(fields | {"posted_at": at.isoformat()}, platform=platform.slug)


def _previewed(platform: Platform, post: IncomingPost) -> float | None:
    found = preview(platform, post)
    return None if found is None or found.score.is_degraded else found.score.spam_probability


def _stored(platform: Platform, post: IncomingPost) -> float | None:
    score_now.run(platform=platform, post=post, at=post.posted_at)
    # The same words may have come before, with another time: then the earlier post is the one.
    page = platform_posts.by_external_id(platform=platform, external_id=post.external_id, at=post.posted_at)
    if page.decision is not None and page.decision.source == DecisionSource.MODERATOR:
        return float(page.decision.verdict == Verdict.SPAM)
    return next((score.spam_probability for score in page.scores if not score.is_degraded), None)
