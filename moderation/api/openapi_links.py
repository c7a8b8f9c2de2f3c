"""Links of the OpenAPI document: which operation can follow with an id from an answer.

Clients and tests follow them: tests/journeys/test_contract.py walks them from request to request.
"""

import tomllib
from pathlib import Path
from typing import Any

NEXT_PAGE = "next_page"
"""The link of every operation that takes a cursor."""

LINKS: dict[str, dict[str, str]] = {
    answered: {name: found for found, names in links.items() for name in names}
    for answered, links in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
"""By the operation that answers: the operation that may follow, and where its `id` is found."""


def add_links(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Add the links to the document; a postprocessing hook of drf-spectacular."""
    for methods in result["paths"].values():
        for operation in methods.values():
            following = LINKS.get(operation["operationId"], {})
            links: dict[str, Any] = {
                name: {"operationId": name, "parameters": {"id": found}} for name, found in following.items()
            }
            links |= _next_page(operation)
            for status, response in operation["responses"].items():
                if status.startswith("2") and links:
                    response["links"] = links
    return result


def _next_page(operation: dict[str, Any]) -> dict[str, Any]:
    """Return the link to the next page: the same parameters with the cursor of the answer."""
    taken = {one["name"]: one["in"] for one in operation.get("parameters", ())}
    if "cursor" not in taken:
        return {}
    same = {name: f"$request.path.{name}" for name, place in taken.items() if place == "path"}
    return {
        NEXT_PAGE: {
            "operationId": operation["operationId"],
            "parameters": same | {"cursor": "$response.body#/next_cursor"},
            "description": "While next_cursor is not null; repeat the other parameters as they were.",
        }
    }
