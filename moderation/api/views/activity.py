"""The queue and its reviewers in numbers."""

from datetime import timedelta

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import platform_of, user_of
from moderation.api.serializers import activity as formats
from moderation.api.views.base import ApiView, operation
from moderation.models.platforms import Scope
from moderation.queries.cases import platform_queue


class QueueFigures(ApiView):
    @operation(
        "read_queue_figures",
        "Read how long the queue is",
        "Your cases that wait, and those of the last day.",
        scope=Scope.CASES_READ,
        answers={200: formats.QueueSerializer},
    )
    def get(self, request: Request) -> Response:
        found = platform_queue.queue(platform=platform_of(request), at=timezone.now())
        return Response(formats.QueueSerializer(found).data)


class ReviewerFigures(ApiView):
    @operation(
        "read_reviewer_figures",
        "Read how many decisions people made",
        (
            "On your posts, in the order of names. Needs a key that acts for a person: a lead reads "
            "everybody's, others their own."
        ),
        scope=Scope.CASES_READ,
        parameters=[formats.ReviewersQuerySerializer],
        answers={200: formats.ReviewersSerializer},
        refuses=("nobody_behind_key",),
    )
    def get(self, request: Request) -> Response:
        person = user_of(request)
        asked = self.query(formats.ReviewersQuerySerializer, request)
        until = timezone.now()
        since = until - timedelta(days=formats.SPANS[asked["span"]])
        found = platform_queue.reviewers(
            platform=platform_of(request),
            since=since,
            until=until,
            only=None if person.may_lead else person,
        )
        return Response(formats.ReviewersSerializer({"since": since, "until": until, "data": found}).data)


class Activity(ApiView):
    @operation(
        "read_activity",
        "Read what a period saw",
        "Your posts, complaints, cases, verdicts and appeals of up to 92 days, in UTC.",
        scope=Scope.CASES_READ,
        parameters=[formats.ActivityQuerySerializer],
        answers={200: formats.ActivitySerializer},
    )
    def get(self, request: Request) -> Response:
        period = self.query(formats.ActivityQuerySerializer, request)["period"]
        found = platform_queue.activity(platform=platform_of(request), period=period)
        return Response(formats.ActivitySerializer(found).data)
