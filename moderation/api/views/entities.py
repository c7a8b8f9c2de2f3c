"""Timelines of authors and counts of domains, for review tools."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.entities import DomainSerializer, TimelineSerializer
from moderation.api.views.base import ApiView, in_path, known, operation
from moderation.models import Author
from moderation.models.platforms import Scope
from moderation.queries.entities import platform_lookups
from moderation.queries.rules.targets import NotATarget


class AuthorTimeline(ApiView):
    @operation(
        "read_author_timeline",
        "Read what happened around an author",
        "Posts, complaints and decisions, without words.",
        scope=Scope.CASES_READ,
        parameters=[in_path("external_id", "Your id of the account.")],
        answers={200: TimelineSerializer},
    )
    def get(self, request: Request, external_id: str) -> Response:
        with known(Author, "No author has this external_id."):
            found = platform_lookups.of_author(platform=platform_of(request), external_id=external_id)
        return Response(TimelineSerializer(found).data)


class OneDomain(ApiView):
    @operation(
        "read_domain",
        "Read a domain's history",
        "Counts your posts only; for a host you get its domain.",
        scope=Scope.CASES_READ,
        parameters=[in_path("domain", "Such as evil.example.")],
        answers={200: DomainSerializer},
    )
    def get(self, request: Request, domain: str) -> Response:
        at = timezone.now()
        try:
            found = platform_lookups.of_domain(platform=platform_of(request), value=domain, at=at)
        except NotATarget:
            raise Refused("not_found", "This is no domain that anybody can register.") from None
        return Response(DomainSerializer(found, context={"at": at}).data)
