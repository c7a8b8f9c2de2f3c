"""Fields of the JSON that platforms send: of the type that they should have, or nothing."""

from datetime import UTC, datetime
from typing import Any

_LARGEST = 2_147_483_647  # of PostgreSQL's integer


def part(value: object, *names: str) -> dict[str, Any]:
    """Return the object behind these names, one inside the other; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def parts(value: object, name: str = "") -> list[dict[str, Any]]:
    """Return the objects of a list, or of a field that is one."""
    items = part(value).get(name) if name else value
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def string(value: object, name: str) -> str:
    """Return a string; numbers, as some ids are, become one."""
    found = part(value).get(name)
    return found if isinstance(found, str) else str(found) if type(found) is int else ""


def count(value: object, name: str) -> int | None:
    """Return a whole number from 0 that the database can hold."""
    found = part(value).get(name)
    return found if type(found) is int and 0 <= found <= _LARGEST else None


def instant(value: object, *names: str) -> datetime | None:
    """Return the first of these fields that is a time; one without a zone is UTC."""
    for name in names:
        try:
            found = datetime.fromisoformat(string(value, name))
            return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def url(value: object, *names: str) -> str:
    """Return the first of these fields that is an address on the web."""
    found = (string(value, name) for name in names)
    return next((text for text in found if text.lower().startswith(("http://", "https://"))), "")


def digits(value: object, name: str = "id") -> str:
    """Return a number as it stands in addresses, "" for anything else."""
    found = string(value, name)
    return found if found.isascii() and found.isdecimal() and len(found) <= 19 else ""


def storable(text: str, longest: int | None = None) -> str:
    """Return text that the database stores: no zero bytes, no halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")[:longest]
