"""What the links and media of a revision lead to, in the post's order; of each address the last fetch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from moderation.evidence import addresses
from moderation.models import Evidence, Revision, RevisionEvidence
from moderation.models.evidence import OPEN, EvidenceKind, EvidenceRole, EvidenceState
from scoring.links import links_in

MOST = 30
"""As many as are fetched for one revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one address led to; `facts` is empty if nothing was read."""

    row: Evidence
    role: str

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts of moderation/evidence/facts.py, as they are stored."""
        return self.row.facts or {}

    @property
    def text(self) -> str:
        """Return what can be read on the page."""
        return str(self.facts.get("text", ""))

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture, or was expected to be one and nothing else came."""
        return "format" in self.facts or (self.row.kind == EvidenceKind.PICTURE and not self.facts)

    @property
    def is_sent(self) -> bool:
        """Whether it came with the post, and has no address."""
        return addresses.is_sent(self.row.url)

    @property
    def is_preview(self) -> bool:
        """Whether it is the picture by which a page presents itself."""
        return self.role == EvidenceRole.PREVIEW

    @property
    def codes(self) -> list[dict[str, Any]]:
        """Return the QR and bar codes in a picture, each with `format` and `text`."""
        return list(self.facts.get("codes") or ())

    @property
    def is_unread(self) -> bool:
        """Whether a picture's text is unknown: no engine is installed, or reading it took too long."""
        return "format" in self.facts and not self.facts.get("text_engine")

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self.row.state in OPEN

    @property
    def was_fetched(self) -> bool:
        """Whether the address answered with something that was read whole."""
        return self.row.state == EvidenceState.FETCHED

    @property
    def leads_elsewhere(self) -> bool:
        """Whether it ends on another site than the link's own."""
        return bool(self.row.final_host) and (self.row.final_domain or self.row.final_host) != self.row.site

    @property
    def is_browsers(self) -> bool:
        """Whether the link was opened as a browser, not by our own name."""
        return self.role == EvidenceRole.BROWSER

    @property
    def differs_for_browser(self) -> bool | None:
        """Whether a browser is shown another page than a program; None if nobody looked or saw enough."""
        value = self.facts.get("differs_for_browser")
        return None if value is None else bool(value)

    @property
    def differs_from_preview(self) -> bool | None:
        """Whether the page says nothing of what its preview promises; None if too little can be read."""
        value = self.facts.get("differs_from_preview")
        return None if value is None else bool(value)

    @property
    def hops(self) -> list[dict[str, Any]]:
        """Return the addresses that it led through, but for the link itself."""
        return list(self.row.chain[1:])

    @property
    def asks_password(self) -> bool:
        """Whether a form of the page asks for a password."""
        return any(form.get("asks_password") for form in self.facts.get("forms", ()))

    @property
    def posts_to(self) -> list[str]:
        """Return the other hosts that forms of the page post to."""
        forms = self.facts.get("forms", ())
        return sorted({form["action_host"] for form in forms if form.get("posts_elsewhere")})


def hosts(findings: Iterable[Finding]) -> dict[str, str]:
    """Return the host that each address led to, for those that were opened by our own name."""
    opened = [finding.row for finding in findings if finding.row.final_host and not finding.is_browsers]
    return {row.url: row.final_host for row in opened}


def host_behind(said: str, hosts: Mapping[str, str]) -> str:
    """Return the host that a code's text leads to, "" if it is no address or was not opened."""
    return next((hosts[link.url] for link in links_in(said) if link.url in hosts), "")


def of(revision: Revision) -> tuple[Finding, ...]:
    """Return what is known, or still to come, about the addresses that a revision carries."""
    rows = RevisionEvidence.objects.filter(revision=revision).select_related("evidence")
    findings = _last(Finding(row=row.evidence, role=row.role) for row in rows.order_by("position", "id"))
    return tuple(findings[:MOST])


def _last(findings: Iterable[Finding]) -> list[Finding]:
    """Return each address's last finished fetch, or its only one; a browser's too where it differs."""
    by_address: dict[str, Finding] = {}
    for finding in findings:
        is_repeated = finding.is_browsers and finding.differs_for_browser is False
        if not is_repeated and not (finding.is_open and finding.row.url_digest in by_address):
            by_address[finding.row.url_digest] = finding
    return list(by_address.values())
