"""A stand-in for the DSA Transparency Database that applies its published rules to batches of statements."""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from integrations.dsa import report
from tests.integrations.platform_server import PlatformServer, Request

TOKEN = "1|a-token-of-the-stand-in"
_RULES = tomllib.loads(Path(__file__).with_name("dsa_rules.toml").read_text())
_VALUES = {field: set(values.split()) for field, values in _RULES["values"].items()}
_TEMPLATE = tomllib.loads(Path(report.__file__).with_name("template.toml").read_text())
_VALUES["category"] = {*_TEMPLATE["categories"], "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"}
_LISTS, _ONE_OF, _REQUIRED = (_RULES[name].split() for name in ("lists", "one_of", "required"))


class DsaDatabase(PlatformServer):
    """Keeps what it takes, by puid; a puid that it has, or a wrong statement, refuses the whole batch."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}
        self.status = 0

    def answer(self, request: Request) -> tuple[int, Any]:
        """Take a batch, or say of each statement what is wrong."""
        is_right = request.headers.get("authorization") == f"Bearer {TOKEN}"
        if self.status or not is_right or request.name != "POST /api/v1/statements":
            return self.status or 401, b"<html>"
        batch = request.body["statements"]
        if not 1 <= len(batch) <= 100:
            return 422, {"message": "The statements field must have between 1 and 100 items."}
        wrong = {f"statement_{index}": errors for index, one in enumerate(batch) if (errors := _wrong(one))}
        if wrong:
            return 422, {"errors": wrong}
        known = {str(at): one["puid"] for at, one in enumerate(batch) if one["puid"] in self.kept}
        if known or len({one["puid"] for one in batch}) < len(batch):
            words = "The platform identifier(s) are not all unique within this call."
            return 422, {"message": words, "errors": {"puid": [words], "existing_puids": known}}
        self.kept |= {one["puid"]: one for one in batch}
        return 201, {"statements": [one | {"permalink": f"{self.url}/{one['puid']}"} for one in batch]}


def _wrong(one: dict[str, Any]) -> dict[str, list[str]]:
    """Return what is wrong with a statement, by field."""
    wrong = {field: ["is required"] for field in _REQUIRED if not one.get(field)}
    if not any(one.get(kind) for kind in _ONE_OF):
        wrong["decision_visibility"] = ["is required where nothing else is restricted"]
    for field, value in one.items():
        if field in _VALUES:
            is_right = isinstance(value, list) == (field in _LISTS)
            is_right &= set(value if field in _LISTS else [value]) <= _VALUES[field]
        elif field in _RULES["earliest"]:
            is_right = date.fromisoformat(value) >= _RULES["earliest"][field]
        else:
            is_right = len(value) <= _RULES["longest"].get(field, 0)
        if not is_right:
            wrong[field] = [f"{value} is invalid"]
    if not re.fullmatch(r"[a-zA-Z0-9_-]+", one.get("puid", "")):
        wrong["puid"] = ["has other characters"]
    return wrong
