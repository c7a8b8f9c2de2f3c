"""Posts: request format, the answer to each, and erasures."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.fields import (
    MAX_WHOLE_NUMBER,
    AddressField,
    FlagField,
    InstantField,
    LanguageField,
    PicturesField,
    TextField,
    TextListField,
    WholeNumberField,
    field_refusal,
)
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.api.serializers.transcripts import MAX_TRANSCRIPTS, TranscriptSerializer
from moderation.evidence.addresses import sent_name
from moderation.models import AuthorDeletion
from moderation.models.erasures import ErasureKind
from moderation.models.posts import ACCOUNT_PREFIX
from moderation.operations.erasure import erase
from moderation.operations.posts.ingest import Accepted
from moderation.queries.cases import platform_cases

MAX_TEXT_LENGTH = 100_000
MAX_PARENT_TEXT_LENGTH = 10_000
MAX_LINKS = 100
MAX_MEDIA_URLS = 20
MAX_JOURNEY_STEPS = 500
MAX_STEP_NAME_LENGTH = 64
MAX_URL_LENGTH = 4_096

# White space is less in JSON Schema's patterns, those of ECMAScript, than in Python's, but for one character.
_EMAIL_DOMAIN_SHAPE = re.compile(r"\A[^\s\x1c-\x1f\x85\ufeff@/]+\Z")
_EMAIL_DOMAIN = RegexValidator(
    _EMAIL_DOMAIN_SHAPE, "Must be the domain alone, such as example.org, without the address."
)
OF_A_POST = RegexValidator(
    rf"\A(?!{ACCOUNT_PREFIX})",
    f"Ids that begin with {ACCOUNT_PREFIX} name accounts; complain of one by the field account.",
    code="account_id",
)


class ParentAuthorSerializer(StrictSerializer):
    """Who wrote the post that a post answers."""

    external_id = TextField(max_length=200, help_text="Your id of the account.")
    display_name = TextField(max_length=200, allow_blank=True, **OPTIONAL)


class AuthorSerializer(ParentAuthorSerializer):
    """The author as the platform knows them now."""

    created_at = InstantField(**OPTIONAL, help_text="When the account was opened.")
    email_domain = TextField(
        max_length=253,
        **OPTIONAL,
        validators=[_EMAIL_DOMAIN],
        help_text="The part after the @ of the registered address; never the address itself.",
    )
    friends = WholeNumberField(**OPTIONAL)
    followers = WholeNumberField(**OPTIONAL)
    is_verified = FlagField(**OPTIONAL)
    posts = WholeNumberField(**OPTIONAL, help_text="Posts published so far.")


class ParentSerializer(StrictSerializer):
    """The post that a post answers. Text and author are kept only of one that you have not sent."""

    external_id = TextField(max_length=200, help_text="Your id of the post that is answered.")
    text = TextField(max_length=MAX_PARENT_TEXT_LENGTH, allow_blank=True, **OPTIONAL)
    author = ParentAuthorSerializer(**OPTIONAL)


class JourneySerializer(serializers.ListSerializer[Any]):
    """A list of steps, with a fast path for plain ones: they took nine tenths of the time to read a post."""

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the steps; those that are not plainly valid are validated one by one."""
        if isinstance(data, list) and len(data) <= MAX_JOURNEY_STEPS and all(map(is_plain_step, data)):
            return data
        steps: list[Any] = super().to_internal_value(data)
        return steps


class JourneyStepSerializer(StrictSerializer):
    """One step in your interface on the way to the post."""

    class Meta:
        list_serializer_class = JourneySerializer

    name = TextField(max_length=MAX_STEP_NAME_LENGTH)
    at_ms = WholeNumberField(help_text="Milliseconds since the first step.")


class PostSerializer(StrictSerializer):
    """A post with everything that the platform knows at this moment; what is unknown is left out."""

    external_id = TextField(max_length=200, validators=[OF_A_POST], help_text="Your id of the post.")
    revision = WholeNumberField(min_value=1, **OPTIONAL, default=1, help_text="Grows with every edit.")
    platform = TextField(max_length=64, **OPTIONAL, help_text="Your platform's name; must be the key's own.")
    text = TextField(
        max_length=MAX_TEXT_LENGTH,
        allow_blank=True,
        help_text="May be empty if links, media_urls or pictures are not.",
    )
    parent = ParentSerializer(**OPTIONAL, help_text="For people to read; the models do not read it.")
    language = LanguageField(**OPTIONAL, help_text="BCP 47.")
    posted_at = InstantField()
    author = AuthorSerializer()
    ip = AddressField(**OPTIONAL, help_text="Where the post came from.")
    ip_asn = WholeNumberField(**OPTIONAL, help_text="The address's autonomous system, if you know it.")
    user_agent = TextField(max_length=500, allow_blank=True, **OPTIONAL)
    links = TextListField(
        max_items=MAX_LINKS,
        max_length=MAX_URL_LENGTH,
        **OPTIONAL,
        help_text="Links beside those in the text, such as the target of a link card.",
    )
    media_urls = TextListField(max_items=MAX_MEDIA_URLS, max_length=MAX_URL_LENGTH, **OPTIONAL)
    pictures = PicturesField(**OPTIONAL)
    transcripts = TranscriptSerializer(
        many=True,
        max_length=MAX_TRANSCRIPTS,  # type: ignore[call-arg]  # as of the journey below
        **OPTIONAL,
        help_text="Captions of the post's videos, for people and for releases that look at evidence.",
    )
    journey = JourneyStepSerializer(
        many=True,
        max_length=MAX_JOURNEY_STEPS,  # type: ignore[call-arg]  # passed on to the list; unknown to the stubs
        **OPTIONAL,
    )
    shares = WholeNumberField(**OPTIONAL)
    comments = WholeNumberField(**OPTIONAL)
    views = WholeNumberField(**OPTIONAL, help_text="How often it was seen so far. No model reads them.")

    def validate_journey(self, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Refuse a journey that runs backwards, at the step where it does."""
        for index in range(1, len(steps)):
            if steps[index]["at_ms"] < steps[index - 1]["at_ms"]:
                refusal = ErrorDetail("Must not be less than at the step before.", code="decreasing")
                raise serializers.ValidationError({str(index): {"at_ms": [refusal]}})
        return steps

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a post without any content, and another platform's."""
        if not any(attrs.get(name) for name in ("text", "links", "media_urls", "pictures")):
            raise field_refusal(
                "text", "May be empty only if links, media_urls or pictures are not.", code="blank"
            )
        if attrs.get("platform", self.context["platform"]) != self.context["platform"]:
            raise field_refusal("platform", "Is not the platform of this key.", code="unknown_platform")
        if is_own_parent(attrs):
            refusal = ErrorDetail("Is the post itself.", code="own_parent")
            raise serializers.ValidationError({"parent": {"external_id": [refusal]}})
        return _named_pictures(attrs, platform=self.context["platform"])


class CountsSerializer(StrictSerializer):
    """Counts that change without an edit."""

    shares = WholeNumberField(**OPTIONAL)
    comments = WholeNumberField(**OPTIONAL)
    views = WholeNumberField(**OPTIONAL)


class CountsAnswerSerializer(serializers.Serializer[Any]):
    """The current counts."""

    id = serializers.CharField()
    revision = serializers.IntegerField()
    shares = serializers.IntegerField(allow_null=True)
    comments = serializers.IntegerField(allow_null=True)
    views = serializers.IntegerField(allow_null=True)


class AcceptedSerializer(serializers.Serializer[Any]):
    """The answer to a stored post."""

    id = serializers.CharField(help_text="Our id of the post.")
    external_id = serializers.CharField()
    revision = serializers.IntegerField()
    score_state = serializers.ChoiceField(
        choices=("pending", "scoring", "scored", "degraded", "superseded", "dead"),
        help_text="pending at first.",
    )
    case_id = serializers.CharField(
        allow_null=True,
        help_text="Null here: a case opens, if at all, once the post is scored; read the post to see it.",
    )


def accepted(answer: Accepted) -> dict[str, Any]:
    """Return the answer to a stored post."""
    return {
        "id": str(answer.post_id),
        "external_id": answer.external_id,
        "revision": answer.revision,
        "score_state": answer.score_state,
        "case_id": None,
    }


def is_email_domain(domain: str) -> bool:
    """Tell whether this could be the part after the @."""
    return _EMAIL_DOMAIN_SHAPE.search(domain) is not None


def is_own_parent(post: Mapping[str, Any]) -> bool:
    """Tell whether a post says that it answers itself."""
    return "parent" in post and bool(post["parent"]["external_id"] == post["external_id"])


def is_plain_step(step: Any) -> bool:
    """Return whether a step is plainly valid."""
    if type(step) is not dict or step.keys() != {"name", "at_ms"}:
        return False
    name, at_ms = step["name"], step["at_ms"]
    is_name = (
        type(name) is str and 0 < len(name) <= MAX_STEP_NAME_LENGTH and name.isascii() and "\0" not in name
    )
    return is_name and type(at_ms) is int and 0 <= at_ms <= MAX_WHOLE_NUMBER


class ErasureSerializer(AnswerSerializer):
    """What was erased."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=[ErasureKind.POST.value, ErasureKind.AUTHOR.value])
    posts = serializers.IntegerField(
        help_text="Posts erased so far; of a very active author the rest follows."
    )
    erased_at = serializers.DateTimeField()


class AuthorDeletionSerializer(AnswerSerializer):
    """An author who deleted the account."""

    deleted_at = serializers.DateTimeField()
    waiting = serializers.IntegerField(help_text="Posts that people are still asked about.")
    erased_by = serializers.DateTimeField(help_text="The author is erased by then, or once nothing waits.")

    def read_waiting(self, row: AuthorDeletion) -> int:
        return platform_cases.waiting(author_id=row.author_id)

    def read_erased_by(self, row: AuthorDeletion) -> datetime:
        return row.deleted_at + erase.AFTER_DELETION


def _named_pictures(attrs: dict[str, Any], *, platform: str) -> dict[str, Any]:
    """Return the fields of a post with its pictures by name, the names before the other `media_urls`."""
    pictures = attrs.pop("pictures", None)
    if not pictures:
        return attrs
    named = {sent_name(data, platform=platform): data for data in pictures}
    return attrs | {"media_urls": [*named, *(attrs.get("media_urls") or ())], "pictures": list(named.items())}
