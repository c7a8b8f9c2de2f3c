"""The definition of a problem type (RFC 9457)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemType:
    """A kind of refusal. Its type URI is the path of its page: relative, so it is the same everywhere."""

    code: str
    status: int
    title: str
    cure: str

    @property
    def uri(self) -> str:
        """Return the type URI, which resolves to a page of this server."""
        return f"/problems/{self.code}"
