"""The door's addresses. Everything else below /api/ is answered with a problem, not with a page."""

from django.urls import path, re_path

from moderation.api.views import pages
from moderation.api.views.base import NothingHere
from moderation.api.views.bulk import BulkPosts
from moderation.api.views.complaints import Complaints
from moderation.api.views.decisions import Decisions
from moderation.api.views.posts import OnePost, Posts

app_name = "api"

urlpatterns = [
    path("api/v1/posts", Posts.as_view(), name="posts"),
    path("api/v1/posts:bulk", BulkPosts.as_view(), name="bulk"),
    path("api/v1/posts/<str:id>", OnePost.as_view(), name="post"),
    path("api/v1/complaints", Complaints.as_view(), name="complaints"),
    path("api/v1/decisions", Decisions.as_view(), name="decisions"),
    path("api/v1/openapi.json", pages.openapi, name="openapi"),
    path("api/v1/docs", pages.documentation, name="documentation"),
    re_path(r"^api(/|$)", NothingHere.as_view(), name="nothing"),
    path("problems/", pages.problem_list, name="problems"),
    path("problems/<str:code>", pages.problem, name="problem"),
]
