"""What is behind a post's links and media, in order for its page, with what rules in force name there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from moderation.evidence import addresses
from moderation.models import Revision
from moderation.queries.evidence.findings import Finding, host_behind, hosts
from moderation.queries.rules import rule_hits
from moderation.queries.rules.rule_hits import Hits as Hits  # noqa: PLC0414 - pages read them from here
from scoring.evidence_words import words_in as words_in  # noqa: PLC0414 - as above


@dataclass(frozen=True, kw_only=True)
class Behind:
    """Pages and pictures with what rules name in them; addresses of media that nothing was asked of.

    `hosts` has the host that each address leads to, by the address.
    """

    pages: tuple[tuple[Finding, Hits], ...]
    pictures: tuple[tuple[Finding, Hits], ...]
    unopened: tuple[str, ...]
    hosts: Mapping[str, str]

    def host_behind(self, said: str) -> str:
        """Return the host that a code's text leads to, "" if it is no address or was not opened."""
        return host_behind(said, self.hosts)


def of(revision: Revision, findings: Sequence[Finding], *, at: datetime) -> Behind:
    """Put what was found behind a revision's addresses in order."""
    hits = rule_hits.of([finding.text for finding in findings], at=at)
    both = list(zip(findings, hits, strict=True))
    urls = {finding.row.url for finding in findings}
    return Behind(
        pages=tuple(pair for pair in both if not pair[0].is_picture),
        pictures=tuple(pair for pair in both if pair[0].is_picture),
        unopened=tuple(url for url in map(str, revision.media_urls) if addresses.of_media(url) not in urls),
        hosts=hosts(findings),
    )
