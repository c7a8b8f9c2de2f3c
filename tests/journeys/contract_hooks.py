"""What schemathesis loads from this project: `SCHEMATHESIS_HOOKS=tests.journeys.contract_hooks`."""

from __future__ import annotations

import itertools
from typing import Any

import schemathesis

from tests.journeys import ndjson, stated_refusals

__all__ = ["fresh_key", "ndjson", "stated_refusals"]

_NUMBERS = itertools.count(1)


@schemathesis.hook("before_call")
def fresh_key(_context: Any, case: Any, _kwargs: Any) -> None:
    """Give valid requests an Idempotency-Key of their own: a used one would hide what is wrong behind it."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and case.headers and case.headers.get("Idempotency-Key"):
        case.headers["Idempotency-Key"] = f"contract-{next(_NUMBERS)}"
