"""Thumbnails of a post's pictures, from our own store: nothing that a page shows comes from elsewhere."""

from __future__ import annotations

from csp.decorators import csp
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from moderation.operations.evidence import thumbnails
from moderation.web import access

_NOTHING = {"default-src": ["'none'"], "sandbox": True}


@require_safe
@access.readers
@csp(_NOTHING)  # type: ignore[arg-type]  # it is annotated for views without arguments
def picture(request: HttpRequest, post_id: int, digest: str) -> HttpResponse:  # noqa: ARG001 - Django's
    """Answer with a thumbnail that a post carries; who may read posts may see it."""
    found = thumbnails.of_post(post_id=post_id, digest=digest)
    if found is None:
        raise Http404("This post has no such picture.")
    answer = HttpResponse(found, content_type=thumbnails.CONTENT_TYPE)
    answer["Content-Disposition"] = 'inline; filename="picture.webp"'
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer
