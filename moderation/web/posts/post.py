"""The page of a post: what it said, what was decided on it and why, and what the platform was told."""

from collections.abc import Sequence
from datetime import datetime

from csp.decorators import csp
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from moderation.models import Revision, Score
from moderation.operations.evidence import thumbnails
from moderation.queries import post_pages
from moderation.queries.cases.scored_post import ScoredPost
from moderation.queries.evidence.findings import Finding
from moderation.queries.policies import policy_pages
from moderation.queries.post_pages import Cursors
from moderation.web import access
from moderation.web.cases import behind, evidence, model_view
from moderation.web.text.text_marks import Segment

_Text = tuple[Revision, list[Segment], bool, list[behind.Captions]]
_NOTHING = {"default-src": ["'none'"], "sandbox": True}


@access.readers.get
def page(request: access.DeskRequest, post_id: int) -> HttpResponse:
    """Show a post, also one that no human saw; `?score=` explains an earlier score."""
    at = timezone.now()
    score_id = request.GET.get("score", "")
    post = post_pages.page(
        post_id=post_id,
        viewer=request.user,
        cursors=Cursors(**{name: request.GET.get(name, "") for name in Cursors.__slots__}),
        score_id=int(score_id) if score_id.isdecimal() else None,
    )
    explained = post.explained
    context = {
        "section": "search",
        "at": at,
        "page": post,
        "may_be_golden": request.user.may_lead and not post.is_golden,
        "policies": () if post.is_blind else policy_pages.matched_by(post_id, at=at),
        "texts": [_text(revision, explained) for revision in post.revisions.rows],
        "behind": _behind(post.latest, post.evidence, explained, at=at) if post.latest else None,
        "score": explained.score if explained else None,
        "view": model_view.of(explained, at=at) if explained and not explained.score.ban_id else None,
    }
    return render(request, "posts/post.html", context)


@access.readers.get
def text(request: access.DeskRequest, post_id: int, number: int) -> HttpResponse:
    """Show the whole text of a revision."""
    revision = post_pages.revision(post_id=post_id, number=number)
    segments = evidence.segments_of(revision.text, is_whole=True)
    context = {"section": "search", "revision": revision, "segments": segments}
    template = "posts/revision_text.html#text" if request.htmx else "posts/revision_text.html"
    return render(request, template, context)


def _behind(
    revision: Revision, findings: Sequence[Finding], explained: ScoredPost | None, *, at: datetime
) -> behind.Shown:
    """Return what a revision leads to; words are marked if the shown score is of it."""
    score = _score_of(revision, explained)
    return behind.of(revision, findings, at=at, words=score.evidence_words if score else None)


def _text(revision: Revision, explained: ScoredPost | None) -> _Text:
    """Return a revision with its inert text; words are marked if the shown score is of it."""
    score = _score_of(revision, explained)
    words = explained.word_contributions if explained and score else ()
    segments = evidence.segments_of(revision.text, is_whole=False, words=words)
    captions = behind.captions(revision, words=score.evidence_words if score else None)
    return revision, segments, evidence.is_shortened(revision.text), captions


def _score_of(revision: Revision, explained: ScoredPost | None) -> Score | None:
    return explained.score if explained and explained.score.revision_id == revision.pk else None


@access.readers.get
@csp(_NOTHING)  # type: ignore[arg-type]  # it is annotated for views without arguments
def picture(request: HttpRequest, post_id: int, digest: str) -> HttpResponse:  # noqa: ARG001 - Django's
    """Answer with a thumbnail of a post, to all who may read posts."""
    thumbnail = thumbnails.of_post(post_id=post_id, digest=digest)
    if thumbnail is None:
        raise Http404("This post has no such picture.")
    answer = HttpResponse(thumbnail, content_type=thumbnails.CONTENT_TYPE)
    answer["Content-Disposition"] = 'inline; filename="picture.webp"'
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer
