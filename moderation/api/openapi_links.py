"""Links of the OpenAPI document: which operation can follow with an id from an answer.

Clients and tests follow them: tests/journeys/test_contract.py walks them from request to request.
"""

from typing import Any

_ID, _FIRST = "$response.body#/id", "$response.body#/data/0/id"

NEXT_PAGE = "next_page"
"""The link of every operation that takes a cursor."""

LINKS: dict[str, dict[str, str]] = {
    "send_post": dict.fromkeys(("read_post", "update_counts"), _ID),
    "score_post": dict.fromkeys(("read_post", "update_counts"), _ID),
    "send_complaint": {"read_complaint": _ID},
    "file_appeal": {"read_appeal": _ID},
    "read_cases": dict.fromkeys(("read_case", "hold_case", "note_case"), _FIRST),
    "claim_cases": dict.fromkeys(
        ("read_case", "decide_case", "escalate_case", "note_case", "hand_back_case"),
        "$response.body#/cases/0/id",
    ),
    "hold_case": dict.fromkeys(("decide_case", "escalate_case"), "$response.body#/case/id"),
    "decide_case": {"reverse_decision": _ID},
    "read_decisions": dict.fromkeys(("reverse_decision", "read_statement"), _FIRST),
    "ask_second_person": {"hold_case": _ID},
    "read_campaigns": dict.fromkeys(("read_members", "decide_campaign"), _FIRST),
    "add_rule": dict.fromkeys(("read_rule", "backtest_rule", "activate_rule"), _ID),
    "read_rules": dict.fromkeys(("read_rule", "backtest_rule"), _FIRST),
    "draw_posts": dict.fromkeys(("read_draw", "cancel_draw"), _ID),
    "request_export": dict.fromkeys(("read_export", "read_export_file"), _ID),
    "read_models": dict.fromkeys(("read_model", "read_model_metrics"), _FIRST),
    "start_training": dict.fromkeys(("read_training", "cancel_training"), _ID),
    "propose_release": dict.fromkeys(("read_proposal", "confirm_proposal", "refuse_proposal"), _ID),
    "read_proposals": dict.fromkeys(("read_proposal", "refuse_proposal"), _FIRST),
    "start_shadow_run": dict.fromkeys(
        ("read_shadow_run", "stop_shadow_run", "read_disagreements", "read_shadow_figures"), _ID
    ),
    "read_shadow_runs": dict.fromkeys(
        ("read_shadow_run", "read_disagreements", "read_shadow_figures"), _FIRST
    ),
    "add_endpoint": dict.fromkeys(
        ("read_endpoint", "change_endpoint", "rotate_secret", "read_deliveries"), _ID
    ),
    "read_deliveries": dict.fromkeys(("read_delivery", "replay_delivery"), _FIRST),
    "read_delivery": {"replay_delivery": _ID},
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
