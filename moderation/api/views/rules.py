"""Rules: draft, backtest, activate, lift."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from moderation.api.authentication import platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import rules as formats
from moderation.api.serializers.fields import field_refusal
from moderation.api.views.base import (
    IF_MATCH,
    PERSON_PROBLEMS,
    ApiView,
    etag_header,
    in_path,
    known,
    location_header,
    number_of,
    operation,
    refuse_changed,
)
from moderation.models import Author, ListedPicture, Rule, User
from moderation.models.platforms import Scope
from moderation.models.rules import RuleKind
from moderation.operations import rules as operations_rules
from moderation.operations.refusals import NoEnd, NotInForce
from moderation.queries.rules import rule_pages
from moderation.queries.rules.rule_pages import state_of

_RULE_ID = in_path("id", "The rule.")


class Rules(ApiView):
    @operation(
        "read_rules",
        "Read rules",
        "The newest first; rules about authors of other platforms are not yours.",
        scope=Scope.RULES_ADMIN,
        parameters=[formats.RuleQuerySerializer],
        answers={200: formats.RulePageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(formats.RuleQuerySerializer, request)
        at = timezone.now()
        found = rule_pages.page(platform=platform_of(request), **asked, at=at)
        return Response(formats.RulePageSerializer(found, context={"at": at}).data)

    @operation(
        "add_rule",
        "Draft a rule about links, senders, texts or pictures",
        (
            "A draft has no effect: backtest it, then activate it. An active rule applies to every platform "
            "of the installation, or to your author. Needs a key that acts for a lead."
        ),
        scope=Scope.RULES_ADMIN,
        parameters=[etag_header(201), location_header(201)],
        takes=formats.RuleRequestSerializer,
        answers={201: formats.RuleSerializer},
        refuses=(*PERSON_PROBLEMS, "erased"),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.RuleRequestSerializer, request)
        at = timezone.now()
        try:
            if given["kind"] == RuleKind.AUTHOR:
                given["value"] = _author(request, given["value"])
            pictures = [ListedPicture(hash=one) for one in given.pop("pictures", ())]
            row = operations_rules.draft(**given, pictures=pictures, actor=_lead(request), at=at)
        except operations_rules.NotATarget as refused:
            raise field_refusal("value", str(refused), code="not_a_target") from None
        except operations_rules.NotAllowable as refused:
            raise field_refusal("effect", str(refused), code="not_allowable") from None
        except NoEnd as refused:
            raise field_refusal("expires_at", str(refused), code="too_late") from None
        answer = _answer(row, status=201)
        answer.headers["Location"] = reverse("api:rule", args=[str(row.pk)])
        return answer


class OneRule(ApiView):
    @operation(
        "read_rule",
        "Read a rule",
        scope=Scope.RULES_ADMIN,
        parameters=[_RULE_ID, etag_header(200)],
        answers={200: formats.RuleSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return _answer(_rule(request, id))

    @operation(
        "lift_rule",
        "Lift a rule, or drop a draft",
        "It stays in the list of ended ones.",
        scope=Scope.RULES_ADMIN,
        parameters=[_RULE_ID, IF_MATCH],
        answers={204: None},
        refuses=PERSON_PROBLEMS,
    )
    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _rule(request, id)
        refuse_changed(request, _etag(row))
        try:
            operations_rules.lift(rule_id=row.pk, actor=_lead(request), at=timezone.now())
        except NotInForce as refused:
            raise Refused("not_found", str(refused)) from None
        return Response(status=204)


class RuleActivations(ApiView):
    @operation(
        "activate_rule",
        "Let a drafted rule hold from now on",
        (
            "Posts that arrive from now on are scored under it; waiting ones are not scored again. Endpoints "
            "that subscribe to `rule.activated` are notified. Needs a key that acts for a lead."
        ),
        scope=Scope.RULES_ADMIN,
        parameters=[_RULE_ID, IF_MATCH, etag_header(200)],
        answers={200: formats.RuleSerializer},
        refuses=(
            *PERSON_PROBLEMS,
            "rule_exists",
            "already_active",
            "rule_ended",
            "second_person_needed",
            "erased",
        ),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _rule(request, id)
        refuse_changed(request, _etag(row))
        return _answer(operations_rules.activate(rule_id=row.pk, actor=_lead(request), at=timezone.now()))


class RuleBacktests(ApiView):
    @operation(
        "backtest_rule",
        "Look at what a rule would reach",
        "Counts your own posts that it would have matched, with people's verdicts on them.",
        scope=Scope.RULES_ADMIN,
        parameters=[_RULE_ID],
        answers={200: formats.BacktestSerializer},
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _rule(request, id)
        figures, newest = rule_pages.reach(row, platform=platform_of(request), at=timezone.now())
        return Response(formats.backtest(row, figures=figures, newest=newest))


def _lead(request: Request) -> User:
    person = user_of(request)
    if not person.may_lead:
        raise Refused("not_allowed", "Only leads make and lift rules.")
    return person


def _author(request: Request, external_id: str) -> str:
    """Return our id of one of the platform's authors. Raises rule.NotATarget."""
    known = Author.objects.filter(platform=platform_of(request), external_id=external_id)
    author_id = known.values_list("pk", flat=True).first()
    if author_id is None:
        raise operations_rules.NotATarget("Nobody with this id has posted.")
    return str(author_id)


def _rule(request: Request, identifier: str) -> Rule:
    with known(Rule, "No rule has this id."):
        return rule_pages.of_platform(platform=platform_of(request), rule_id=number_of(identifier))


def _answer(row: Rule, **more: Any) -> Response:
    answer = formats.RuleSerializer(row, context={"at": timezone.now()}).data
    return Response(answer, headers={"ETag": _etag(row)}, **more)


def _etag(row: Rule) -> str:
    return f'"{row.pk}-{state_of(row, at=timezone.now())}"'
