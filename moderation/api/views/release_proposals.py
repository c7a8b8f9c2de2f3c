"""Simulated thresholds; proposals that a release goes live, confirmed by another person's key."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import scorer
from moderation.api.authentication import key_of, platform_of, user_of
from moderation.api.errors import Refused
from moderation.api.serializers import release_proposals as formats
from moderation.api.serializers.cursors import IdPageQuerySerializer
from moderation.api.views.base import (
    PERSON_PROBLEMS,
    ApiView,
    in_path,
    location_header,
    made,
    one_of,
    operation,
)
from moderation.api.views.models import own_training_run
from moderation.models import ReleaseProposal
from moderation.models.platforms import Scope
from moderation.operations.learning import proposals, threshold_changes
from moderation.operations.releases import promote
from moderation.queries import keyset
from moderation.queries.learning import proposal_pages, simulation, traffic

_ID = in_path("id", "The proposal.")
_WHO = "Needs a key that acts for a lead or an ML engineer."


class ReleaseProposals(ApiView):
    @operation(
        "read_proposals",
        "Read proposals of releases",
        "About your thresholds and your training runs, the newest first.",
        scope=Scope.MODELS_READ,
        parameters=[IdPageQuerySerializer],
        answers={200: formats.ProposalPageSerializer},
    )
    def get(self, request: Request) -> Response:
        asked = self.query(IdPageQuerySerializer, request)
        rows = proposal_pages.of_platform(platform_of(request))
        found = keyset.page(rows, order=("-pk",), **asked)
        return Response(formats.ProposalPageSerializer(found, context=_reader(request)).data)

    @operation(
        "propose_release",
        "Propose other thresholds, or the candidate of a training run",
        (
            "It goes live when another person confirms it, here or on the desk, within seven days. "
            "Thresholds that other platforms share are proposed on the desk alone. " + _WHO
        ),
        scope=Scope.MODELS_ADMIN,
        parameters=[location_header(201)],
        takes=formats.ProposalRequestSerializer,
        answers={201: formats.ProposalSerializer},
        refuses=(
            *PERSON_PROBLEMS,
            "not_found",
            "no_candidate",
            "shared_thresholds",
            "already_live",
            "already_proposed",
        ),
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.ProposalRequestSerializer, request)
        row = _candidate(request, given) if "training_run" in given else _thresholds(request, given)
        return made(_answer(request, row), at="api:release-proposal", pk=row.pk)


class OneReleaseProposal(ApiView):
    @operation(
        "read_proposal",
        "Read a proposal of a release",
        scope=Scope.MODELS_READ,
        parameters=[_ID],
        answers={200: formats.ProposalSerializer},
    )
    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - the name that the OpenAPI document shows
        return Response(_answer(request, _row(request, id)))


class ProposalConfirmations(ApiView):
    waits_for_triton = True

    @operation(
        "confirm_proposal",
        "Let a proposed release go live",
        (
            "Needs a second person: nobody confirms their own proposal, whichever key they use. The "
            "promotion gate checks the release again. Workers follow within seconds. " + _WHO
        ),
        scope=Scope.MODELS_ADMIN,
        parameters=[_ID],
        answers={200: formats.ProposalSerializer},
        refuses=(
            *PERSON_PROBLEMS,
            "own_proposal",
            "proposal_closed",
            "going_live",
            "live_has_changed",
            "not_promoted",
        ),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _row(request, id)
        try:
            proposals.confirm(proposal_id=row.pk, actor=user_of(request), at=timezone.now())
        except promote.REFUSED as refusal:
            # What the gate says names other platforms' posts.
            raise Refused("not_promoted", f"It was refused as {type(refusal).__name__}.") from refusal
        return Response(_answer(request, _row(request, id)))


class ProposalRefusals(ApiView):
    @operation(
        "refuse_proposal",
        "Refuse a proposal, or withdraw your own",
        ("Nothing changes, and it can be proposed again. " + _WHO),
        scope=Scope.MODELS_ADMIN,
        parameters=[_ID],
        answers={200: formats.ProposalSerializer},
        refuses=(*PERSON_PROBLEMS, "proposal_closed", "going_live"),
    )
    def post(self, request: Request, id: str) -> Response:  # noqa: A002 - as above
        row = _row(request, id)
        proposals.refuse(proposal_id=row.pk, actor=user_of(request), at=timezone.now())
        return Response(_answer(request, _row(request, id)))


def _thresholds(request: Request, given: dict[str, Any]) -> ReleaseProposal:
    person = user_of(request)
    about = threshold_changes.subject(scorer.release(), platform=platform_of(request))
    return threshold_changes.propose(
        about=about,
        wanted=formats.thresholds(given["thresholds"], live=about.thresholds),
        days=given["days"],
        costs=formats.costs(given.get("costs")),
        reason=given["reason"],
        actor=person,
        at=timezone.now(),
    )


def _candidate(request: Request, given: dict[str, Any]) -> ReleaseProposal:
    person, run = user_of(request), own_training_run(request, given["training_run"])
    return proposals.propose_candidate(run_id=run.pk, reason=given["reason"], actor=person, at=timezone.now())


def _row(request: Request, identifier: str) -> ReleaseProposal:
    return one_of(proposal_pages.of_platform(platform_of(request)), identifier, "No proposal has this id.")


def _reader(request: Request) -> dict[str, Any]:
    """Return what the answer about a proposal depends on besides the proposal."""
    return {"person_id": key_of(request).acts_as_id, "at": timezone.now()}


def _answer(request: Request, row: ReleaseProposal) -> dict[str, Any]:
    return formats.ProposalSerializer(row, context=_reader(request)).data


class ThresholdSimulations(ApiView):
    @operation(
        "simulate_thresholds",
        "Simulate thresholds",
        (
            "What the thresholds would do to your posts, estimated from labels and counted on the last seven "
            "days, beside the live ones. Nothing changes."
        ),
        scope=Scope.MODELS_READ,
        takes=formats.SimulationRequestSerializer,
        answers={200: formats.SimulationSerializer},
    )
    def post(self, request: Request) -> Response:
        given = self.read(formats.SimulationRequestSerializer, request)
        about = traffic.of_platform(scorer.release(), platform=platform_of(request))
        found = simulation.simulate(
            about,
            wanted=formats.thresholds(given.get("thresholds"), live=about.thresholds),
            days=given["days"],
            costs=formats.costs(given.get("costs")),
            precision=given["precision"],
            at=timezone.now(),
        )
        return Response(formats.SimulationSerializer(found, context=given).data)
