"""Every way to be refused at the platform API: stable code, status, and what to do about it (RFC 9457).

Their words are in `problem_types.toml`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path


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


TYPES = tuple(
    ProblemType(code=code, status=int(status), **told)
    for status, kinds in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
    for code, told in kinds.items()
)
