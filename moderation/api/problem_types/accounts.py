"""Problems with a key, or with the user that it acts for."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

TYPES = (
    ProblemType(
        code="not_authenticated",
        status=401,
        title="A key is missing",
        cure="Send your key in the header Authorization: Bearer <key>.",
    ),
    ProblemType(
        code="invalid_key",
        status=401,
        title="The key is not known",
        cure="Check that the whole key was sent, and that it was issued by this installation.",
    ),
    ProblemType(
        code="revoked_key", status=401, title="The key was revoked", cure="Use the key that took its place."
    ),
    ProblemType(code="expired_key", status=401, title="The key has expired", cure="Ask for a new key."),
    ProblemType(
        code="missing_scope",
        status=403,
        title="The key may not do this",
        cure="Use a key with the scope that the detail names.",
    ),
    ProblemType(
        code="nobody_behind_key",
        status=403,
        title="The key acts in nobody's name",
        cure="Claims, decisions, rules and exports need a key that acts in the name of a person (--acts-as).",
    ),
    ProblemType(
        code="not_allowed",
        status=403,
        title="The person behind the key may not do this",
        cure="The detail says who may: a lead, for instance.",
    ),
)
