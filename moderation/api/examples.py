"""Examples of the OpenAPI document: a body per operation that takes one, and an answer drawn from its schema.

Their words are in `examples.json`. tests/journeys/test_contract.py sends the requests.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_EXAMPLES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
)
REQUESTS, _VALUES = _EXAMPLES["requests"], _EXAMPLES["values"]
"""A body by operation, and what fields of a name hold in an answer; others hold something of their type."""

_BY_TYPE: dict[str, Any] = {"integer": 2, "number": 0.5, "boolean": False, "object": {}}
_BY_FORMAT = {"date-time": "2026-03-01T09:30:00Z", "date": "2026-03-01", "uri": "https://parcel.example/pay"}


def add_examples(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the examples to the document; a postprocessing hook of drf-spectacular."""
    schemas = result["components"]["schemas"]
    for methods in result["paths"].values():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["example"] = REQUESTS[operation["operationId"]]
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get("application/json")
                if status.startswith("2") and content is not None:
                    content["example"] = _example(content["schema"], schemas)
    return result


def _example(schema: Mapping[str, Any], schemas: Mapping[str, Any], *, name: str = "") -> Any:
    """Return a value that fits the schema, by the field's name where it is known."""
    parts = [schema[part][0] for part in ("allOf", "oneOf", "anyOf") if part in schema]
    if "$ref" in schema:
        parts = [schemas[schema["$ref"].rpartition("/")[2]]]
    if parts:
        return _example(parts[0], schemas, name=name)
    if "properties" in schema:
        return {key: _example(value, schemas, name=key) for key, value in schema["properties"].items()}
    types = schema.get("type", "object")
    kind = types if isinstance(types, str) else types[0]
    if kind == "array" and name not in _VALUES:
        return [_example(schema["items"], schemas, name=name.removesuffix("s"))]
    return _plain(schema, kind=kind, name=name, is_nullable=kind != types)


def _plain(schema: Mapping[str, Any], *, kind: str, name: str, is_nullable: bool) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if name in _VALUES:
        return _VALUES[name]
    if is_nullable:
        return None
    if kind != "string":
        return _BY_TYPE[kind]
    return _BY_FORMAT.get(schema.get("format", ""), "2" if name.endswith("id") else "string")
