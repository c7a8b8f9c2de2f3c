"""The doors: the desk at /, the platform's API at /api/v1/, probes for whoever watches the process."""

from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.process),
    path("readyz", health.dependencies),
    path("api/v1/", include("moderation.api.urls")),
    path("", include("moderation.web.urls")),
]
