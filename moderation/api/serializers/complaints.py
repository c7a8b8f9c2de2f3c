"""Complaints: request and answer formats."""

from typing import Any

from rest_framework import serializers

from moderation.api.serializers.answers import AnswerSerializer
from moderation.api.serializers.decisions import DecisionSerializer
from moderation.api.serializers.fields import (
    FlagField,
    InstantField,
    OneOfField,
    TextField,
    TextListField,
    field_refusal,
)
from moderation.api.serializers.post_page import PostAuthorSerializer
from moderation.api.serializers.posts import MAX_LINKS, MAX_URL_LENGTH, OF_A_POST, AuthorSerializer
from moderation.api.serializers.strict import OPTIONAL, StrictSerializer
from moderation.models import Complaint
from moderation.models.posts import ACCOUNT_PREFIX, ComplaintReason
from moderation.operations.posts.account_complaints import IncomingAccount
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingAuthor


class ReporterSerializer(StrictSerializer):
    """The account that complains."""

    external_id = TextField(max_length=200, help_text="Your id of the account.")


class AccountFieldSerializer(StrictSerializer):
    """A field of a profile."""

    name = TextField(max_length=200)
    value = TextField(max_length=2_000, allow_blank=True)


class AccountSerializer(AuthorSerializer):
    """An account with its public profile as it is now, all of it: what is left out is taken as empty."""

    external_id = TextField(max_length=200 - len(ACCOUNT_PREFIX), help_text="Your id of the account.")
    bio = TextField(max_length=10_000, allow_blank=True, **OPTIONAL)
    fields = AccountFieldSerializer(  # type: ignore[assignment]  # DRF takes fields out of the class, so the base keeps its own
        many=True,
        max_length=50,  # type: ignore[call-arg]  # passed on to the list; unknown to the stubs
        **OPTIONAL,
    )
    links = TextListField(max_items=MAX_LINKS, max_length=MAX_URL_LENGTH, **OPTIONAL)
    picture = TextField(max_length=MAX_URL_LENGTH, **OPTIONAL, help_text="The URL of the account's picture.")


class ComplaintSerializer(StrictSerializer):
    """A user's report of a post, which may arrive later, or of an account; exactly one of the two."""

    external_id = TextField(
        max_length=200, allow_blank=True, **OPTIONAL, help_text="Your id of the complaint."
    )
    post = TextField(max_length=200, **OPTIONAL, validators=[OF_A_POST], help_text="Your id of the post.")
    account = AccountSerializer(**OPTIONAL, help_text="Where the complaint is about no post.")
    reporter = ReporterSerializer()
    reason = OneOfField(choices=ComplaintReason.values)
    note = TextField(max_length=2_000, allow_blank=True, **OPTIONAL)
    is_automated = FlagField(
        **OPTIONAL,
        help_text="Whether a machine reports: a bot or your own filter. Scores stay the same.",
    )
    reported_at = InstantField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a complaint about both a post and an account, and one about neither."""
        if ("post" in attrs) == ("account" in attrs):
            raise field_refusal("post", "Give either post or account.", code="one_of_both")
        return attrs


class ComplaintAnswerSerializer(AnswerSerializer):
    """The answer to a stored complaint."""

    id = serializers.CharField()
    post_id = serializers.CharField(
        allow_null=True, help_text="Our id of the post or account; null until the post comes."
    )


class ComplaintPageSerializer(AnswerSerializer):
    """A complaint, and the decision that answers it, null while it is open."""

    id = serializers.CharField()
    external_id = serializers.CharField()
    post = serializers.CharField(source="post_external_id", help_text="Your id; `account:…` of an account.")
    post_id = serializers.CharField(allow_null=True)
    reporter = PostAuthorSerializer()
    reason = serializers.ChoiceField(choices=ComplaintReason.values)
    is_automated = serializers.BooleanField(help_text="Whether a machine made it.")
    reported_at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=("open", "decided", "erased"), help_text="Open until decided.")
    decision = DecisionSerializer(allow_null=True)

    def read_state(self, row: Complaint) -> str:
        if self.context["decision"]:
            return "decided"
        return "erased" if row.post is not None and row.post.erased_at else "open"

    def read_decision(self, _row: Complaint) -> Any:
        return self.context["decision"]


def incoming(values: dict[str, Any]) -> IncomingComplaint:
    """Return validated fields but for the account as the operation takes them."""
    given = {name: value for name, value in values.items() if name != "account"}
    return IncomingComplaint(**{**given, "reporter": values["reporter"]["external_id"]})


def incoming_account(values: dict[str, Any]) -> IncomingAccount:
    """Return a validated account as the operation takes it."""
    profile = {name: values[name] for name in ("bio", "links", "picture") if name in values}
    fields = [(field["name"], field["value"]) for field in values.get("fields", ())]
    author = {name: value for name, value in values.items() if name not in {*profile, "fields"}}
    return IncomingAccount(author=IncomingAuthor(**author), fields=fields, **profile)
