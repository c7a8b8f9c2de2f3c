"""Releases that differ from the live one in their thresholds alone, and what the gate asks of them."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from django.utils.translation import gettext as _

from moderation.models import ReleaseProposal
from moderation.operations.refusals import Refusal
from moderation.operations.releases import store
from scoring.gate import NOT_ASKED, Finding
from scoring.pins import manifest_id
from scoring.release import Release, Thresholds

FEWEST_LABELS = 20
"""With fewer labels the simulation says nothing that the gate could hold against thresholds."""


class Unchanged(Refusal):
    """The thresholds are those of the release already."""


class NoOwnThresholds(Refusal):
    """The platform has no thresholds of its own: those that all share hold there."""


def derive(release: Release, *, thresholds: Thresholds, platform: str = "") -> Release:
    """Keep a release with the same models and other thresholds: everywhere, or on a platform with its own.

    Idempotent. Raises Unchanged, NoOwnThresholds, or OSError if the folder cannot be written.
    """
    if platform and platform not in release.platforms:
        raise NoOwnThresholds(_("This platform has no thresholds of its own."))
    if release.thresholds_on(platform) == thresholds:
        raise Unchanged(_("These thresholds are live already."))
    manifest = _changed(release, thresholds=thresholds, platform=platform)
    return Release.load(store.files(release, manifest=manifest))


def values(thresholds: Thresholds) -> dict[str, float]:
    """Return thresholds as a manifest names them."""
    return {name: getattr(thresholds, name) for name in Thresholds.__slots__}


def findings(proposal: ReleaseProposal, *, candidate: Release, live: Release) -> list[Finding]:
    """Return what the gate asks of thresholds: the same models, the change that was shown, and the simulation
    frozen in the proposal, by which automatic removal must not be certainly less precise than it is.
    """
    shown = proposal.changes
    derived = _changed(live, thresholds=Thresholds(**shown["to"]), platform=str(shown.get("platform", "")))
    return [
        Finding(
            question="has the models of the live release and the thresholds that were shown",
            passed=manifest_id(derived) == candidate.id,
            answer=candidate.id[:12],
        ),
        _precision(proposal.evidence),
    ]


def _precision(evidence: Mapping[str, Any]) -> Finding:
    """Compare intervals: removal fails if all of its new interval is below all of today's."""
    question = "automatic removal is not certainly less precise, by the simulation"
    before, after = (evidence.get(name, {}).get("precision") or {} for name in ("now", "then"))
    labels = min(before.get("labels", 0), after.get("labels", 0))
    if labels < FEWEST_LABELS:
        return Finding(question=question, passed=True, answer=f"{NOT_ASKED}: {labels} labels")
    return Finding(
        question=question,
        passed=after["high"] >= before["low"],
        answer=f"{_span(after)}, today {_span(before)}",
    )


def _span(estimate: Mapping[str, float]) -> str:
    return f"{estimate['low']:.4f} to {estimate['high']:.4f}"


def _changed(release: Release, *, thresholds: Thresholds, platform: str) -> dict[str, Any]:
    manifest = deepcopy(dict(release.manifest))
    part = manifest["platforms"][platform] if platform in release.platforms else manifest
    part["thresholds"] = {**part["thresholds"], **values(thresholds)}
    # Thresholds that were live once and come back are another release: each has its own promotion.
    manifest["derived"] = {"from": release.id, "change": "thresholds", "platform": platform}
    return manifest
