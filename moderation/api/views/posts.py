"""Posts: send one, read one, update its counts, erase it; authors: erase one, tell that one is gone."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import idempotent
from moderation.api.serializers.decisions import PostQuerySerializer
from moderation.api.serializers.erasures import AuthorDeletionSerializer, ErasureSerializer
from moderation.api.serializers.incoming_post import read
from moderation.api.serializers.post_page import PostPageSerializer
from moderation.api.serializers.posts import (
    AcceptedSerializer,
    CountsAnswerSerializer,
    CountsSerializer,
    PostSerializer,
    accepted,
)
from moderation.api.views.base import (
    BODY_PROBLEMS,
    ONCE,
    WRITE_PROBLEMS,
    ApiView,
    PostingView,
    is_lenient,
    location_header,
    number_of,
    problem_responses,
)
from moderation.models import Author, Post
from moderation.models.platforms import Scope
from moderation.operations.erasure import erase
from moderation.operations.posts import counts, ingest
from moderation.queries import platform_posts


class Posts(PostingView):
    """POST /posts and GET /posts?external_id=…"""

    scopes: ClassVar = {"POST": Scope.POSTS_WRITE, "GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="send_post",
        summary="Send a post",
        description=(
            "Stores the post and has it scored. Sending the same external_id and revision again changes "
            "nothing and gives the same answer. Scope: `posts:write`."
        ),
        parameters=[ONCE, location_header(202)],
        request=PostSerializer,
        responses={
            202: OpenApiResponse(AcceptedSerializer, description="Stored; scoring follows"),
            **problem_responses("revision_conflict", "erased", *WRITE_PROBLEMS),
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Store a post and enqueue its scoring; repeating it changes nothing."""
        platform = platform_of(request)
        post = read(request.data, platform=platform.slug, is_lenient=is_lenient(request))
        [answer] = ingest.accept(platform=platform, posts=[post], at=timezone.now())
        if isinstance(answer, ingest.Refused):
            raise Refused(answer.code, answer.detail)
        location = reverse("api:post", args=[str(answer.post_id)])
        return Response(accepted(answer), status=status.HTTP_202_ACCEPTED, headers={"Location": location})

    @extend_schema(
        operation_id="find_post",
        summary="Find a post by your own id",
        description="Scope: `verdicts:read`.",
        parameters=[PostQuerySerializer],
        responses={200: PostPageSerializer, **problem_responses("not_found", "invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read one post by the platform's id."""
        external_id = self.query(PostQuerySerializer, request)["external_id"]
        try:
            page = platform_posts.by_external_id(
                platform=platform_of(request), external_id=external_id, at=timezone.now()
            )
        except Post.DoesNotExist:
            raise Refused("not_found", "No post has this external_id.") from None
        return Response(PostPageSerializer(page).data)


_ACCOUNT_ID = OpenApiParameter(
    "external_id", str, OpenApiParameter.PATH, description="Your id of the account."
)
_POST_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="Our id of the post.")


class OnePost(ApiView):
    """GET, PATCH and DELETE /posts/{id}"""

    scopes: ClassVar = {
        "GET": Scope.VERDICTS_READ,
        "PATCH": Scope.POSTS_WRITE,
        "DELETE": Scope.POSTS_WRITE,
    }

    @extend_schema(
        operation_id="read_post",
        summary="Read a post",
        description="The post with its scores, its case and the decision that holds. Scope: `verdicts:read`.",
        parameters=[_POST_ID],
        responses={200: PostPageSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read one post by our id."""
        try:
            page = platform_posts.by_id(platform=platform_of(request), post_id=id, at=timezone.now())
        except Post.DoesNotExist:
            raise Refused("not_found", "No post has this id.") from None
        return Response(PostPageSerializer(page).data)

    @extend_schema(
        operation_id="update_counts",
        summary="Update a post's counts",
        description=(
            "Shares, comments and views change without an edit. A count that is left out stays as it is. The "
            "post is scored again when shares or comments have doubled. Scope: `posts:write`."
        ),
        parameters=[_POST_ID],
        request=CountsSerializer,
        responses={200: CountsAnswerSerializer, **problem_responses("not_found", "erased", *BODY_PROBLEMS)},
    )
    def patch(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Update the counts of the latest revision."""
        given = self.read(CountsSerializer, request)
        try:
            row = counts.update(
                platform=platform_of(request),
                post_id=number_of(id),
                shares=given.get("shares"),
                comments=given.get("comments"),
                views=given.get("views"),
                at=timezone.now(),
            )
        except Post.DoesNotExist:
            raise Refused("not_found", "No post has this id.") from None
        found = {name: getattr(row, name) for name in ("shares", "comments", "views")}
        return Response({"id": id, "revision": row.number} | found)

    @extend_schema(
        operation_id="erase_post",
        summary="Erase a post",
        description=(
            "Wipes text, links, address, journey and what was derived from them; verdicts and labels stay as "
            "counts. Nothing about the post is accepted afterwards. Scope: `posts:write`."
        ),
        parameters=[_POST_ID],
        responses={202: ErasureSerializer, **problem_responses("not_found")},
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Erase the post."""
        row = Post.objects.filter(platform=platform_of(request), pk=number_of(id)).first()
        if row is None:
            raise Refused("not_found", "No post has this id.")
        erasure = erase.post(post_id=row.pk, at=timezone.now())
        return Response(ErasureSerializer(erasure).data, status=status.HTTP_202_ACCEPTED)


class OneAuthor(ApiView):
    """DELETE /authors/{external_id}"""

    scopes: ClassVar = {"DELETE": Scope.POSTS_WRITE}

    @extend_schema(
        operation_id="erase_author",
        summary="Erase an author",
        description=(
            "Erases every post of the author, the name and the id. An account that writes under the same id "
            "later is a new one. Scope: `posts:write`."
        ),
        parameters=[_ACCOUNT_ID],
        responses={202: ErasureSerializer, **problem_responses("not_found")},
    )
    def delete(self, request: Request, external_id: str) -> Response:
        """Erase the author."""
        try:
            erasure = erase.author(platform=platform_of(request), external_id=external_id, at=timezone.now())
        except Author.DoesNotExist:
            raise Refused("not_found", "No author has this external_id.") from None
        return Response(ErasureSerializer(erasure).data, status=status.HTTP_202_ACCEPTED)


class AuthorDeletions(ApiView):
    """POST /authors/{external_id}/deletion"""

    scopes: ClassVar = {"POST": Scope.POSTS_WRITE}

    @extend_schema(
        operation_id="delete_author",
        summary="Tell that an author deleted the account",
        description=(
            "Cases of the author's posts stay open: their verdicts teach how copies by the next account are "
            "recognised. The author is erased once nothing waits, after 7 days at the latest. For an erasure "
            "at once use `DELETE /authors/{external_id}`. Scope: `posts:write`."
        ),
        parameters=[ONCE, _ACCOUNT_ID],
        request=None,
        responses={202: AuthorDeletionSerializer, **problem_responses("not_found", *WRITE_PROBLEMS)},
    )
    @idempotent
    def post(self, request: Request, external_id: str) -> Response:
        """Note the deletion; repeating it changes nothing."""
        try:
            row = erase.after_verdict(
                platform=platform_of(request), external_id=external_id, at=timezone.now()
            )
        except Author.DoesNotExist:
            raise Refused("not_found", "No author has this external_id.") from None
        return Response(AuthorDeletionSerializer(row).data, status=status.HTTP_202_ACCEPTED)
