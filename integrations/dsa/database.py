"""Send statements of reasons to the Commission's DSA Transparency Database, a hundred at a time.

A batch is taken whole or not at all: what is refused is told and left out, and the others are sent again.
What the database has already is told as known, so that a period can be sent again after a failure.
transparency.dsa.ec.europa.eu/page/api-documentation
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moderation.operations.infrastructure import egress

URL = "https://transparency.dsa.ec.europa.eu"
MOST = 100
_MOST_BYTES = 4_000_000
_SECONDS = 60

Statement = Mapping[str, Any]


class Unusable(Exception):
    """The database answered otherwise than published, or not at all; what was told before stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the database said of a statement: "created" with its address, "known", or "refused" and why."""

    puid: str
    answer: str
    detail: str = ""


def send(statements: Iterable[Statement], *, url: str, token: str) -> Iterator[Told]:
    """Send statements; yield what became of each. Raises Unusable."""
    batch: list[Statement] = []
    for statement in statements:
        batch.append(statement)
        if len(batch) == MOST:
            yield from _sent(batch, url=url, token=token)
            batch = []
    yield from _sent(batch, url=url, token=token)


def _sent(batch: list[Statement], *, url: str, token: str) -> Iterator[Told]:
    while batch:
        status, answer = _answer(batch, url=url, token=token)
        if status == 201 and "statements" in answer:
            for made in answer["statements"]:
                yield Told(puid=made["puid"], answer="created", detail=made.get("permalink", ""))
            return
        errors = answer.get("errors", {}) if status == 422 else {}
        known = errors.get("existing_puids", [])
        puids = set(known.values() if isinstance(known, dict) else known)  # PHP keeps the keys of a list
        left = []
        for index, statement in enumerate(batch):
            if wrong := errors.get(f"statement_{index}"):
                yield Told(puid=statement["puid"], answer="refused", detail=json.dumps(wrong))
            elif statement["puid"] in puids:
                yield Told(puid=statement["puid"], answer="known")
            else:
                left.append(statement)
        if len(left) == len(batch):
            raise Unusable(f"HTTP status {status}: {answer.get('message', '')}")
        batch = left


def _answer(batch: list[Statement], *, url: str, token: str) -> tuple[int, dict[str, Any]]:
    headers = {
        "authorization": f"Bearer {token}",
        "accept": "application/json",
        "content-type": "application/json",
    }
    try:
        answered = egress.request(
            "POST",
            url=f"{url.rstrip('/')}/api/v1/statements",
            headers=headers,
            body=json.dumps({"statements": batch}).encode(),
            timeout_seconds=_SECONDS,
            most_bytes=_MOST_BYTES,
        )
        read = json.loads(answered.body or b"{}")
    except (egress.Refused, egress.Failed, ValueError) as failure:
        raise Unusable(str(failure)) from failure
    if not isinstance(read, dict):
        raise Unusable(f"HTTP status {answered.status}")
    return answered.status, read
