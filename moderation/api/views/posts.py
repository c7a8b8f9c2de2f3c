"""Posts: send one, read one."""

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
from moderation.api.serializers.decisions import PostQuerySerializer
from moderation.api.serializers.post_page import PostPageSerializer, post_page
from moderation.api.serializers.posts import AcceptedSerializer, PostSerializer, accepted, read
from moderation.api.views.base import BODY_PROBLEMS, DoorView, problem_responses
from moderation.models import Post
from moderation.models.platforms import Scope
from moderation.operations import ingest
from moderation.queries import posts


class Posts(DoorView):
    """POST /posts and GET /posts?external_id=…"""

    scopes: ClassVar = {"POST": Scope.POSTS_WRITE, "GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="send_post",
        summary="Send a post",
        description=(
            "Stores the post and has it scored. Sending the same external_id and revision again changes "
            "nothing and gives the same answer. Scope: `posts:write`."
        ),
        request=PostSerializer,
        responses={
            202: OpenApiResponse(AcceptedSerializer, description="Stored; scoring follows"),
            **problem_responses("revision_conflict", *BODY_PROBLEMS),
        },
    )
    def post(self, request: Request) -> Response:
        """Take in one post."""
        platform = platform_of(request)
        post = read(request.data, platform=platform.slug)
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
        query = PostQuerySerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        external_id = query.validated_data["external_id"]
        try:
            page = posts.by_external_id(
                platform=platform_of(request), external_id=external_id, at=timezone.now()
            )
        except Post.DoesNotExist:
            raise Refused("not_found", "No post has this external_id.") from None
        return Response(post_page(page))


class OnePost(DoorView):
    """GET /posts/{id}"""

    scopes: ClassVar = {"GET": Scope.VERDICTS_READ}

    @extend_schema(
        operation_id="read_post",
        summary="Read a post",
        description="The post with its scores, its case and the decision that holds. Scope: `verdicts:read`.",
        parameters=[OpenApiParameter("id", str, OpenApiParameter.PATH, description="Our id of the post.")],
        responses={200: PostPageSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        """Read one post by our id."""
        try:
            page = posts.by_id(platform=platform_of(request), post_id=id, at=timezone.now())
        except Post.DoesNotExist:
            raise Refused("not_found", "No post has this id.") from None
        return Response(post_page(page))
