"""Strict body parsers: UTF-8, valid JSON, no duplicate names, limited nesting.

Sizes are refused by the views before anything is read (views.base), so a parser sees bounded input only.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from moderation.api.errors import Refused

MAX_LINES = 5_000


class NotANumber:
    """Placeholder for NaN and Infinity: a value of no JSON type, so that its field is refused."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a bulk request; `number` counts from 1, empty lines included."""

    number: int
    raw: bytes


class StrictJsonParser(BaseParser):
    """application/json"""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return what the body says. Raises ParseError, or Refused."""
        return self.read(_whole(stream, parser_context))

    def read(self, raw: bytes) -> Any:
        """Return the value. Raises ParseError with the position of the error."""
        return load(raw)


class LinesParser(StrictJsonParser):
    """application/x-ndjson.

    Splits only: each line is parsed by itself, so that a bad one does not affect the others.
    """

    media_type = "application/x-ndjson"

    def read(self, raw: bytes) -> list[Line]:
        """Return the lines that are not empty. Raises Refused above MAX_LINES."""
        # Counted before splitting: ten million empty lines must not become ten million objects.
        if raw.count(b"\n") > MAX_LINES:
            raise Refused("body_too_large", f"A bulk request holds at most {MAX_LINES} lines.")
        lines = [Line(number, line) for number, line in enumerate(raw.split(b"\n"), start=1) if line.strip()]
        if len(lines) > MAX_LINES:
            raise Refused("body_too_large", f"A bulk request holds at most {MAX_LINES} lines.")
        return lines


def refuse_packed(request: Request) -> None:
    """Refuse bodies that are not UTF-8 or have a content coding (RFC 9110 §8.4)."""
    codings = request.headers.get("Content-Encoding", "").lower().replace(",", " ").split()
    if set(codings) - {"identity"}:
        raise Refused("unsupported_encoding", "A body with Content-Encoding is not unpacked here.")
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if charset not in {"utf-8", "utf8", "us-ascii"}:
        raise Refused("unsupported_media_type", "The charset of a body is utf-8 here.")


def load(raw: bytes) -> Any:
    """Read one JSON value (RFC 8259). Raises ParseError."""
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_not_a_number, object_pairs_hook=_object)
    except UnicodeDecodeError as refused:
        raise ParseError(f"The body is not UTF-8: byte {refused.start} cannot be read.") from None
    except json.JSONDecodeError as refused:
        raise ParseError(
            f"Not JSON: {refused.msg} at line {refused.lineno}, column {refused.colno}."
        ) from None
    except RecursionError:
        raise ParseError("Not readable: arrays or objects are nested too deeply.") from None
    except ValueError:
        # Python's reader refuses whole numbers of more than 4,300 digits this way.
        raise ParseError("Not readable: a number has too many digits.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate names: parsers disagree on which value counts, which spammers could exploit."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ParseError("Not readable: an object has the same name twice.")
    return members


def _not_a_number(_name: str) -> NotANumber:
    return NotANumber()


def _whole(stream: IO[bytes], context: Mapping[str, Any] | None) -> bytes:
    """Read the whole body.

    Raises ParseError if the connection broke: half a bulk request must not be stored.
    """
    raw = stream.read()
    announced = context["request"].META.get("CONTENT_LENGTH") if context else None
    if announced and len(raw) < int(announced):
        raise ParseError("The body ended before the announced length.")
    return raw
