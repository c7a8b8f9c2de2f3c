"""Teaches schemathesis to write NDJSON."""

from __future__ import annotations

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(_context: Any, value: Any) -> bytes:
    """Write one line per post; the tool makes one post, or an array where it tries what is wrong."""
    posts = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(post) for post in posts).encode()
