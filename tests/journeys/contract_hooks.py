"""What schemathesis loads from this project: `SCHEMATHESIS_HOOKS=tests.journeys.contract_hooks`."""

import itertools
import json
from typing import Any

import schemathesis

_NUMBERS = itertools.count(1)
PROBLEMS = {
    "erased": "What an earlier request of the same run erased is not taken in again.",
    "precondition_failed": "Which version stands, and so which ETag fits, a schema cannot say.",
    "count_moved": "How many posts a campaign has, a schema cannot say.",
    "idempotency_key_reused": "The tool sends one Idempotency-Key with several bodies.",
}
"""Conflicts with what is stored: 410, 412 and 422 besides the statuses that the tool lets pass."""

FIELDS = {
    "invalid_cursor": "Only what the server gave is a cursor; its form alone can be described.",
    "bad_range": "A schema does not compare two days.",
    "in_future": "A schema knows no clock.",
    "in_past": "A schema knows no clock.",
    "too_late": "A schema knows no clock: a hold ends within 30 days.",
    "too_early": "A schema knows no order of times.",
    "decreasing": "A schema knows no order in an array: a step is not before the one before it.",
    "null_characters_not_allowed": "A pattern without NUL at every text would hide the patterns that matter.",
    "surrogate_characters_not_allowed": "Half a pair is no character, and no pattern can name it.",
    "below_review": "A schema does not compare two fields: removal does not begin below review.",
    "one_of_both": "Exactly one of two fields, which is a condition across fields.",
    "own_parent": "A schema does not compare two fields: a post does not answer itself.",
    "unknown_platform": "Which platform a key belongs to, a schema cannot say.",
    "not_captions": "A file format, which no pattern describes.",
    "not_a_target": "Which domains, addresses and authors a rule may be about depends on its kind.",
    "not_a_member": "Which posts a campaign has, a schema cannot say.",
    "forbidden_address": "Where a name leads, a schema cannot say.",
    "/text blank": "Empty only beside links or media_urls, which is a condition across fields.",
    "/after invalid": "Not beside since or until, which is a condition across fields.",
    "/ip invalid_address": "Two formats, of which one is enough, would make a union of one string's type.",
}
"""Fields of 422 invalid_fields: a code, or a pointer and a code where others mean something else by it."""


@schemathesis.hook("before_call")
def fresh_key(_context: Any, case: Any, _kwargs: Any) -> None:
    """Give valid requests an Idempotency-Key of their own: a used one would hide what is wrong behind it."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and case.headers and case.headers.get("Idempotency-Key"):
        case.headers["Idempotency-Key"] = f"contract-{next(_NUMBERS)}"


@schemathesis.serializer("application/x-ndjson")
def lines(_context: Any, value: Any) -> bytes:
    """Write one line per post; the tool makes one post, or an array where it tries what is wrong."""
    posts = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(post) for post in posts).encode()


@schemathesis.check
def stated_refusals(_ctx: Any, response: Any, case: Any) -> None:
    """Fail if valid data was refused with 410, 412 or 422 for a reason that is not listed here.

    The tool's own `positive_data_acceptance` knows statuses only, and lets pass, by schemathesis.toml, the
    three that are looked at here.
    """
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in (410, 412, 422):
        return
    problem = response.json()
    code = problem["type"].rpartition("/")[2]
    if code == "invalid_fields":
        wrong = [error for error in problem["errors"] if not _is_stated(error)]
        assert not wrong, f"Valid data refused: {wrong}"
    else:
        assert code in PROBLEMS, f"Valid data refused as {code}"


def _is_stated(error: dict[str, str]) -> bool:
    return error["code"] in FIELDS or f"{error['pointer']} {error['code']}" in FIELDS
