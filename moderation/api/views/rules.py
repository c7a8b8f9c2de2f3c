"""Rules: ban, look at what a ban would have hit, lift. They hold for the whole installation."""

from __future__ import annotations

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.keyset import encode
from moderation.api.serializers.rules import (
    LIVE,
    BacktestSerializer,
    RulePageSerializer,
    RuleQuerySerializer,
    RuleRequestSerializer,
    RuleSerializer,
    backtest,
    rule,
)
from moderation.api.views.base import (
    IF_MATCH,
    ONCE,
    WRITE_PROBLEMS,
    DoorView,
    number_of,
    person_of,
    problem_responses,
    refuse_changed,
)
from moderation.models import Ban, User
from moderation.models.platforms import Scope
from moderation.operations import ban
from moderation.queries import rules

_RULE_ID = OpenApiParameter("id", str, OpenApiParameter.PATH, description="The rule.")


class Rules(DoorView):
    """GET and POST /rules"""

    scopes: ClassVar = {"GET": Scope.RULES_ADMIN, "POST": Scope.RULES_ADMIN}

    @extend_schema(
        operation_id="read_rules",
        summary="Read rules",
        description="The newest first. Scope: `rules:admin`.",
        parameters=[RuleQuerySerializer],
        responses={200: RulePageSerializer, **problem_responses("invalid_fields")},
    )
    def get(self, request: Request) -> Response:
        """Read one page."""
        asked = self.query(RuleQuerySerializer, request)
        rows, has_more = rules.page(
            kind=asked.get("kind", ""),
            is_live=asked["state"] == LIVE,
            after=asked["cursor"][0] if "cursor" in asked else None,
            limit=asked["limit"],
            at=timezone.now(),
        )
        cursor = encode(rows[-1].pk) if has_more else None
        return Response({"data": [rule(row) for row in rows], "next_cursor": cursor})

    @extend_schema(
        operation_id="add_rule",
        summary="Ban a domain, host or address",
        description=(
            "Posts that it reaches are spam without further question, on every platform of the installation. "
            "Needs a key that acts for a lead. Scope: `rules:admin`."
        ),
        parameters=[ONCE],
        request=RuleRequestSerializer,
        responses={
            201: RuleSerializer,
            **problem_responses("nobody_behind_key", "not_allowed", "already_banned", *WRITE_PROBLEMS),
        },
    )
    def post(self, request: Request) -> Response:
        """Ban."""
        given = self.read(RuleRequestSerializer, request)
        try:
            row = ban.impose(
                kind=given["kind"],
                value=given["value"],
                reason=given["reason"],
                expires_at=given["expires_at"],
                actor=_lead(request),
                at=timezone.now(),
            )
        except ban.NotBannable as refused:
            raise ValidationError({"value": [ErrorDetail(str(refused), code="not_bannable")]}) from None
        headers = {"Location": reverse("api:rule", args=[str(row.pk)]), "ETag": _etag(row)}
        return Response(rule(row), status=status.HTTP_201_CREATED, headers=headers)


class OneRule(DoorView):
    """GET and DELETE /rules/{id}"""

    scopes: ClassVar = {"GET": Scope.RULES_ADMIN, "DELETE": Scope.RULES_ADMIN}

    @extend_schema(
        operation_id="read_rule",
        summary="Read a rule",
        description="Scope: `rules:admin`.",
        parameters=[_RULE_ID],
        responses={200: RuleSerializer, **problem_responses("not_found")},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002, ARG002 - the name that the OpenAPI document shows
        """Read one."""
        row = _rule(id)
        return Response(rule(row), headers={"ETag": _etag(row)})

    @extend_schema(
        operation_id="lift_rule",
        summary="Lift a rule",
        description="It stays in the list of ended ones. Scope: `rules:admin`.",
        parameters=[_RULE_ID, IF_MATCH],
        responses={
            204: None,
            **problem_responses("nobody_behind_key", "not_allowed", "not_found", "precondition_failed"),
        },
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Lift one."""
        row = _rule(id)
        refuse_changed(request, _etag(row))
        try:
            ban.lift(ban_id=row.pk, actor=_lead(request), at=timezone.now())
        except ban.NotBanned as refused:
            raise Refused("not_found", str(refused)) from None
        return Response(status=status.HTTP_204_NO_CONTENT)


class RuleBacktests(DoorView):
    """POST /rules/{id}/backtest"""

    scopes: ClassVar = {"POST": Scope.RULES_ADMIN}

    @extend_schema(
        operation_id="backtest_rule",
        summary="Look at what a rule reaches",
        description="Counts among your own posts, with what people judged. Scope: `rules:admin`.",
        parameters=[ONCE, _RULE_ID],
        request=None,
        responses={200: BacktestSerializer, **problem_responses("not_found", *WRITE_PROBLEMS)},
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        """Count."""
        found = rules.reach(_rule(id), platform=platform_of(request), at=timezone.now())
        return Response(backtest(found))


def _lead(request: Request) -> User:
    person = person_of(request)
    if not person.may_lead:
        raise Refused("not_allowed", "Only leads ban and lift bans.")
    return person


def _rule(identifier: str) -> Ban:
    row = Ban.objects.filter(pk=number_of(identifier)).first()
    if row is None:
        raise Refused("not_found", "No rule has this id.")
    return row


def _etag(row: Ban) -> str:
    return f'"{row.pk}-{"lifted" if row.lifted_at else "live"}"'
