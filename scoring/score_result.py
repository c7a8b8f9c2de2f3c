"""The result of scoring a record: the models' output with its inputs, or a ban's."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring import routing
from scoring.blocklist import Rule
from scoring.content import ContentScore
from scoring.ensemble import MAIN_INPUTS
from scoring.explain import Contribution
from scoring.records import PostRecord
from scoring.release import Release
from scoring.routing import Route, Routing


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """The models' output for a record, with the inputs.

    `content_score` is the `content_model`'s answer, `content_probability` that of the platform's head. base +
    the contributions' sum is the main margin (log-odds before calibration), evidence included. `rule` is the
    one that decided on the post, if any: a banned post has probability 1, route remove, and neither features
    nor contributions; any other rule affects only the route.
    """

    release_id: str
    schema_hash: str
    spam_probability: float
    content_probability: float | None
    sub_models: Mapping[str, float | None]
    base: float
    contributions: tuple[Contribution, ...]
    features: tuple[float, ...]
    routing: Routing
    expected_harm: float
    is_degraded: bool
    rule: Rule | None
    content_score: ContentScore | None = None
    content_model: str = ""


def banned(record: PostRecord, rule: Rule, *, release: Release) -> ScoreResult:
    """Return the result of a post that a ban decides."""
    return ScoreResult(
        release_id=release.id,
        schema_hash=release.schema_hash,
        spam_probability=1.0,
        content_probability=None,
        sub_models=dict.fromkeys(MAIN_INPUTS, None),
        base=0.0,
        contributions=(),
        features=(),
        routing=Routing(route=Route.REMOVE, reason=None, audit_probability=0.0, is_audit_sample=False),
        expected_harm=routing.expected_harm(record, probability=1.0),
        is_degraded=False,
        rule=rule,
    )
