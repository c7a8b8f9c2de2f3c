"""The routes: the desk at /, the platform API at /api/v1/, its problem types at /problems/, and probes."""

from django.urls import include, path

from config import checks as checks  # noqa: PLC0414 - importing registers them
from config import health
from integrations import coop, perspective

urlpatterns = [
    path("readyz", health.dependencies),
    path("metrics", health.metrics),
    path("api/v1/report", coop.Reports.as_view()),  # before the API, which answers all else below /api/
    path("", include("moderation.api.urls")),
    path("", include("integrations.akismet.urls")),
    path("v1alpha1/comments:analyze", perspective.Analyze.as_view()),
    path("v1alpha1/comments:suggestscore", perspective.SuggestScore.as_view()),
    path("", include("integrations.urls")),
    path("", include("moderation.web.urls")),
]
handler500 = "moderation.web.middleware.failure.page"
