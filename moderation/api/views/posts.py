"""Posts: send, read, complain of, update and erase one; authors: erase one, tell that one is gone."""

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers import complaints as forms
from moderation.api.serializers import posts as formats
from moderation.api.serializers.decisions import PostQuerySerializer
from moderation.api.serializers.incoming_post import read
from moderation.api.serializers.post_page import PostPageSerializer
from moderation.api.views.base import (
    ApiView,
    PostingView,
    in_path,
    is_lenient,
    known,
    location_header,
    made,
    number_of,
    one_of,
    operation,
)
from moderation.models import Author, Complaint, Post
from moderation.models.platforms import Scope
from moderation.operations.erasure import erase
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.posts import account_complaints, complaints, counts, ingest
from moderation.operations.posts.account_complaints import IncomingAccount
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.queries import platform_posts
from moderation.queries.decisions import platform_decisions


class Posts(PostingView):
    @operation(
        "send_post",
        "Send a post",
        (
            "Stores the post and has it scored. Sending the same external_id and revision again changes "
            "nothing and gives the same answer."
        ),
        scope=Scope.POSTS_WRITE,
        parameters=[location_header(202)],
        takes=formats.PostSerializer,
        answers={202: OpenApiResponse(formats.AcceptedSerializer, description="Stored; scoring follows")},
        refuses=("revision_conflict", "erased"),
    )
    def post(self, request: Request) -> Response:
        platform = platform_of(request)
        post = read(request.data, platform=platform.slug, is_lenient=is_lenient(request))
        [answer] = ingest.accept(platform=platform, posts=[post], at=timezone.now())
        if isinstance(answer, ingest.Refused):
            raise Refused(answer.code, answer.detail)
        return made(formats.accepted(answer), at="api:post", pk=answer.post_id, status=202)

    @operation(
        "find_post",
        "Find a post by your own id",
        scope=Scope.VERDICTS_READ,
        parameters=[PostQuerySerializer],
        answers={200: PostPageSerializer},
        refuses=("not_found",),
    )
    def get(self, request: Request) -> Response:
        external_id = self.query(PostQuerySerializer, request)["external_id"]
        with known(Post, "No post has this external_id."):
            page = platform_posts.by_external_id(
                platform=platform_of(request), external_id=external_id, at=timezone.now()
            )
        return Response(PostPageSerializer(page).data)


_ACCOUNT_ID = in_path("external_id", "Your id of the account.")
_POST_ID = in_path("id", "Our id of the post.")


class OnePost(ApiView):
    @operation(
        "read_post",
        "Read a post",
        "The post with its scores, its case and the decision that holds.",
        scope=Scope.VERDICTS_READ,
        parameters=[_POST_ID],
        answers={200: PostPageSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        with known(Post, "No post has this id."):
            page = platform_posts.by_id(platform=platform_of(request), post_id=id, at=timezone.now())
        return Response(PostPageSerializer(page).data)

    @operation(
        "update_counts",
        "Update a post's counts",
        (
            "Shares, comments and views change without an edit. A count that is left out stays as it is. The "
            "post is scored again when shares or comments have doubled."
        ),
        scope=Scope.POSTS_WRITE,
        parameters=[_POST_ID],
        takes=formats.CountsSerializer,
        answers={200: formats.CountsAnswerSerializer},
        refuses=("erased",),
    )
    def patch(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Update the counts of the latest revision."""
        given = self.read(formats.CountsSerializer, request)
        with known(Post, "No post has this id."):
            row = counts.update(
                platform=platform_of(request),
                post_id=number_of(id),
                shares=given.get("shares"),
                comments=given.get("comments"),
                views=given.get("views"),
                at=timezone.now(),
            )
        found = {name: getattr(row, name) for name in ("shares", "comments", "views")}
        return Response({"id": id, "revision": row.number} | found)

    @operation(
        "erase_post",
        "Erase a post",
        (
            "Wipes text, links, address, journey and what was derived from them; verdicts and labels stay as "
            "counts. Nothing about the post is accepted afterwards."
        ),
        scope=Scope.POSTS_WRITE,
        parameters=[_POST_ID],
        answers={202: formats.ErasureSerializer},
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = one_of(Post.objects.filter(platform=platform_of(request)), id, "No post has this id.")
        erasure = erase.post(post_id=row.pk, at=timezone.now())
        return Response(formats.ErasureSerializer(erasure).data, status=202)


class OneAuthor(ApiView):
    @operation(
        "erase_author",
        "Erase an author",
        (
            "Erases every post of the author, the name and the id. An account that writes under the same id "
            "later is a new one."
        ),
        scope=Scope.POSTS_WRITE,
        parameters=[_ACCOUNT_ID],
        answers={202: formats.ErasureSerializer},
    )
    def delete(self, request: Request, external_id: str) -> Response:
        with known(Author, "No author has this external_id."):
            erasure = erase.author(platform=platform_of(request), external_id=external_id, at=timezone.now())
        return Response(formats.ErasureSerializer(erasure).data, status=202)


class AuthorDeletions(ApiView):
    @operation(
        "delete_author",
        "Tell that an author deleted the account",
        (
            "Cases of the author's posts stay open: their verdicts teach how copies by the next account are "
            "recognised. The author is erased once nothing waits, after 7 days at the latest. For an erasure "
            "at once use `DELETE /authors/{external_id}`."
        ),
        scope=Scope.POSTS_WRITE,
        parameters=[_ACCOUNT_ID],
        answers={202: formats.AuthorDeletionSerializer},
    )
    def post(self, request: Request, external_id: str) -> Response:
        """Note the deletion; repeating it changes nothing."""
        with known(Author, "No author has this external_id."):
            row = erase.after_verdict(
                platform=platform_of(request), external_id=external_id, at=timezone.now()
            )
        return Response(formats.AuthorDeletionSerializer(row).data, status=202)


class Complaints(ApiView):
    @operation(
        "send_complaint",
        "Send a complaint",
        (
            "Stores a user's report of a post, once per reporter and post; a repetition changes nothing. The "
            "post may still be unknown: the complaint is attached when it arrives. A report of an account "
            "without a post brings the account's profile, which is then scored and reviewed as a post is."
        ),
        scope=Scope.COMPLAINTS_WRITE,
        takes=forms.ComplaintSerializer,
        answers={202: OpenApiResponse(forms.ComplaintAnswerSerializer, description="Stored")},
        refuses=("erased",),
    )
    def post(self, request: Request) -> Response:
        given = self.read(forms.ComplaintSerializer, request)
        account = forms.incoming_account(given["account"]) if "account" in given else None
        row = self.stored(request, forms.incoming(given), account=account)
        return Response(forms.ComplaintAnswerSerializer(row).data, status=202)

    def stored(
        self, request: Request, complaint: IncomingComplaint, *, account: IncomingAccount | None = None
    ) -> Complaint:
        """Store a complaint, about an account if one is given. Raises LimitReached or Erased."""
        platform, at = platform_of(request), timezone.now()
        # An account that reports thousands of posts must not cause thousands of scorings.
        limits.take(bucket=_per_reporter(), owner=f"{platform.pk}:{complaint.reporter}", at=at)
        if account is not None:
            return account_complaints.record(platform=platform, account=account, complaint=complaint, at=at)
        return complaints.record(platform=platform, complaint=complaint, at=at)


class OneComplaint(ApiView):
    @operation(
        "read_complaint",
        "Read a complaint and its outcome",
        "To tell the reporter what came of it. Decisions that can still be undone are left out.",
        scope=Scope.VERDICTS_READ,
        parameters=[in_path("id", "Our id of the complaint.")],
        answers={200: forms.ComplaintPageSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        own = Complaint.objects.filter(platform=platform_of(request)).select_related("post", "reporter")
        row = one_of(own, id, "No complaint has this id.")
        decision = platform_decisions.answering(row, at=timezone.now())
        return Response(forms.ComplaintPageSerializer(row, context={"decision": decision}).data)


def _per_reporter() -> Bucket:
    return Bucket(
        name="complaints",
        per_minute=settings.COMPLAINTS_PER_REPORTER_PER_MINUTE,
        burst=settings.COMPLAINTS_PER_REPORTER_BURST,
    )
