"""A stand-in for the DSA Transparency Database that applies its published rules to batches of statements.

Fields, values and lengths: transparency.dsa.ec.europa.eu/page/api-documentation, since July 2025.
"""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from integrations.dsa import report
from tests.integrations.platform_server import PlatformServer, Request

TOKEN = "1|a-token-of-the-stand-in"
_CATEGORIES = tomllib.loads(Path(report.__file__).with_name("template.toml").read_text())["categories"]
EEA = set(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK".split()  # noqa: SIM905
)
_KINDS = ("decision_visibility", "decision_monetary", "decision_provision", "decision_account")
_VALUES = {
    "decision_visibility": {
        *(f"DECISION_VISIBILITY_CONTENT_{what}" for what in (
            "REMOVED", "DISABLED", "DEMOTED", "AGE_RESTRICTED", "INTERACTION_RESTRICTED", "LABELLED",
        )),
        "DECISION_VISIBILITY_OTHER",
    },
    "decision_monetary": {f"DECISION_MONETARY_{what}" for what in ("SUSPENSION", "TERMINATION", "OTHER")},
    "decision_provision": {
        f"DECISION_PROVISION_{how}_{what}"
        for how in ("PARTIAL", "TOTAL") for what in ("SUSPENSION", "TERMINATION")
    },
    "decision_account": {"DECISION_ACCOUNT_SUSPENDED", "DECISION_ACCOUNT_TERMINATED"},
    "decision_ground": {"DECISION_GROUND_ILLEGAL_CONTENT", "DECISION_GROUND_INCOMPATIBLE_CONTENT"},
    "incompatible_content_illegal": {"Yes", "No"},
    "content_type": {
        f"CONTENT_TYPE_{what}"
        for what in ("APP", "AUDIO", "IMAGE", "PRODUCT", "SYNTHETIC_MEDIA", "TEXT", "VIDEO", "OTHER")
    },
    "category": {*_CATEGORIES, "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"},
    "territorial_scope": EEA,
    "source_type": {
        "SOURCE_ARTICLE_16", "SOURCE_TRUSTED_FLAGGER", "SOURCE_TYPE_OTHER_NOTIFICATION", "SOURCE_VOLUNTARY",
    },
    "automated_detection": {"Yes", "No"},
    "automated_decision": {f"AUTOMATED_DECISION_{how}" for how in ("FULLY", "PARTIALLY", "NOT_AUTOMATED")},
}  # fmt: skip
_LISTS = {"decision_visibility", "content_type", "territorial_scope"}
_LONGEST = {
    "incompatible_content_ground": 500, "incompatible_content_explanation": 2_000, "decision_facts": 5_000,
    "puid": 500,
}  # fmt: skip
_DATES = {"content_date": "2000-01-01", "application_date": "2020-01-01"} | {
    f"end_date_{what}_restriction": "0001-01-01" for what in ("visibility", "account", "service", "monetary")
}
_REQUIRED = {
    "decision_ground", "incompatible_content_ground", "incompatible_content_explanation", "content_type",
    "category", "content_date", "application_date", "decision_facts", "source_type", "automated_detection",
    "automated_decision", "puid",
}  # fmt: skip


class DsaDatabase(PlatformServer):
    """Keeps what it takes, by puid; a puid that it has, or a wrong statement, refuses the whole batch."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}
        self.status = 0

    def answer(self, request: Request) -> tuple[int, Any]:
        """Take a batch, or say of each statement what is wrong."""
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {"message": "Unauthenticated."}
        if self.status or request.name != "POST /api/v1/statements":
            return self.status or 404, b"<html>"
        batch = request.body["statements"]
        if not 1 <= len(batch) <= 100:
            return 422, {"message": "The statements field must have between 1 and 100 items."}
        wrong = {f"statement_{index}": errors for index, one in enumerate(batch) if (errors := _wrong(one))}
        if wrong:
            return 422, {"errors": wrong}
        puids = [one["puid"] for one in batch]
        if known := {str(at): puid for at, puid in enumerate(puids) if puid in self.kept}:
            words = "The platform identifier(s) are not all unique within this call."
            return 422, {"message": words, "errors": {"puid": [words], "existing_puids": known}}
        self.kept |= {one["puid"]: one for one in batch}
        return 201, {"statements": [one | {"permalink": f"{self.url}/{one['puid']}"} for one in batch]}


def _wrong(one: dict[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with a statement, by field."""
    wrong = {field: ["is required"] for field in _REQUIRED if not one.get(field)}
    if not any(one.get(kind) for kind in _KINDS):
        wrong["decision_visibility"] = ["is required when no other restriction is present"]
    for field, value in one.items():
        values = value if field in _LISTS else [value]
        allowed = _VALUES.get(field)
        if not isinstance(values, list) or (allowed is not None and not set(values) <= allowed):
            wrong[field] = [f"{value} is invalid"]
        if field in _LONGEST and len(value) > _LONGEST[field]:
            wrong[field] = ["is too long"]
        if field in _DATES and not date.fromisoformat(_DATES[field]) <= date.fromisoformat(value):
            wrong[field] = ["is too early"]
        if field not in {*_VALUES, *_LONGEST, *_DATES}:
            wrong[field] = ["is not known"]
    if not re.fullmatch(r"[a-zA-Z0-9_-]+", one.get("puid", "")):
        wrong["puid"] = ["has other characters"]
    return wrong
