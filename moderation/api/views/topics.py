"""Topics in words, asked without a trained classifier."""

from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.errors import Refused
from moderation.api.serializers.topics import TopicsRequestSerializer, TopicsSerializer
from moderation.api.views.base import ApiView, operation
from moderation.models import ApiKey
from moderation.models.platforms import Scope
from moderation.operations.infrastructure.limits import Bucket
from moderation.operations.policies import topics

PER_MINUTE, BURST = 300, 20
"""Each asks about up to 64 texts and 20 topics."""


class TopicScores(ApiView):
    waits_for_triton = True

    @operation(
        "score_topics",
        "Ask how probably texts are about topics in words",
        (
            "Without training and without keeping anything: each topic completes “This text is about …”. "
            "What the numbers are worth is in the topic card. Policies in words, which tag or hold posts, "
            "are written on the desk, where they are tried on decided posts first."
        ),
        scope=Scope.VERDICTS_READ,
        takes=TopicsRequestSerializer,
        answers={200: TopicsSerializer},
    )
    def post(self, request: Request) -> Response:
        given = self.read(TopicsRequestSerializer, request)
        try:
            found = topics.score(given["texts"], topics=given["topics"])
        except topics.NotAnswered as refusal:
            raise Refused("unavailable", str(refusal)) from refusal
        return Response({"topics": given["topics"], "probabilities": found})

    def bucket(self, key: ApiKey) -> Bucket:  # noqa: ARG002 - the same for every key
        """Return the limit: a burst of its own, since each of these holds a web thread for a while."""
        return Bucket(name="topics", per_minute=PER_MINUTE, burst=BURST)
