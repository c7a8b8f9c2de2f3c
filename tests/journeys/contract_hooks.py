"""What schemathesis loads from this project: `SCHEMATHESIS_HOOKS=tests.journeys.contract_hooks`."""

from tests.journeys import ndjson, stated_refusals

__all__ = ["ndjson", "stated_refusals"]
