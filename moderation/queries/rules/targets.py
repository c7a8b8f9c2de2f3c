"""Targets of rules: parsing, matching posts, and the dry run before activation."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Left
from django.utils.translation import gettext as _

from moderation.evidence import pdq
from moderation.models import (
    Author,
    Domain,
    Evidence,
    Label,
    Post,
    PostLink,
    Revision,
    RevisionEvidence,
    Rule,
)
from moderation.models.rules import IDENTIFIERS, PICTURES, RuleKind, author_label
from moderation.queries import outcome_counts
from moderation.queries.outcome_counts import RECENT as RECENT  # noqa: PLC0414 - the window of a rule's requeue, too
from moderation.queries.outcome_counts import Figures
from scoring import identifiers
from scoring.links import links_in, registrable_domain

_EXAMPLES = 5
# A wider range holds whole providers: banning one is more often a typing error than intended.
_WIDEST = {4: 16, 6: 32}
JUDGED, NEWEST = 2_000, 2_000
"""Posts that are read: those that people judged last, and those that came last."""

_DOMAINS, _PICTURES = 50_000, 1_000
_CHUNK = 500


class NotATarget(Exception):
    """The text is nothing that a rule of this kind can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The target of a rule, in canonical form; `label` is for display.

    `domain` is set for links, the two addresses or an author for senders, `anchor` for what a text names,
    `rule_id` for pictures once a rule lists them.
    """

    kind: RuleKind
    value: str
    label: str
    domain: str = ""
    first_address: str | None = None
    last_address: str | None = None
    author_id: int | None = None
    anchor: str = ""
    rule_id: int | None = None

    @property
    def is_identifier(self) -> bool:
        """Tell whether it is looked for in texts or pictures."""
        return self.kind in (*IDENTIFIERS, *PICTURES)

    @property
    def read_characters(self) -> int:
        """Number of characters of a text, and of its links, in which it is looked for; 0 for the rest."""
        is_in_texts = self.kind in IDENTIFIERS and self.kind != RuleKind.LOOKALIKE
        return identifiers.READ_CHARACTERS if is_in_texts else 0


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """What a rule would have matched until now, with some of the posts that people found harmless."""

    figures: Figures
    harmless: tuple[Revision, ...]


def target(*, kind: str, value: str) -> Target:
    """Parse user input; an author is given by our id. Raises NotATarget with a message for the user."""
    text = value.strip().lower()
    if kind == RuleKind.ADDRESS:
        return _address(text)
    if kind == RuleKind.AUTHOR:
        return _author(text)
    if kind in IDENTIFIERS:
        return _identifier(RuleKind(kind), value)
    if kind in PICTURES:
        return _picture(kind, text)
    return _host(text) if kind == RuleKind.HOST else _domain(text)


def target_of(rule: Rule) -> Target:
    """Return the target of an existing rule."""
    return Target(
        kind=RuleKind(rule.kind),
        value=rule.value,
        label=rule.label,
        domain=rule.domain.name if rule.domain else "",
        first_address=rule.first_address,
        last_address=rule.last_address,
        author_id=rule.author_id,
        anchor=rule.anchor,
        rule_id=rule.pk if rule.kind in PICTURES else None,
    )


def of_author(author: Author) -> Target:
    """Return the target of a rule about an author, who is loaded with the platform."""
    return Target(kind=RuleKind.AUTHOR, value=str(author.pk), label=author_label(author), author_id=author.pk)


def reached(wanted: Target) -> QuerySet[Revision]:
    """Return the latest revisions of the posts that a rule with this target matches.

    For what texts name, and a picture that no rule lists yet, only some posts are read: see `naming`.
    """
    latest = Revision.objects.filter(number=F("post__latest_revision"))
    if wanted.kind == RuleKind.ADDRESS:
        return latest.filter(ip__gte=wanted.first_address, ip__lte=wanted.last_address)
    if wanted.kind == RuleKind.AUTHOR:
        return latest.filter(post__author=wanted.author_id)
    if wanted.kind in IDENTIFIERS:
        return latest.filter(pk__in=naming(kind=wanted.kind, value=wanted.value))
    if wanted.kind in PICTURES:
        listed = Q(evidence__picture_matches__rule=wanted.rule_id)
        shown = RevisionEvidence.objects.filter(
            listed if wanted.rule_id else Q(evidence__in=copies([wanted.value]))
        )
        return latest.filter(pk__in=shown.values("revision"))
    links = PostLink.objects.filter(domain__name=wanted.domain)
    if wanted.kind == RuleKind.HOST:
        links = links.filter(Q(host=wanted.value) | Q(host__endswith=f".{wanted.value}"))
    return latest.filter(pk__in=links.values("revision"))


def dry_run(*, wanted: Target, at: datetime) -> DryRun:
    """Count what a rule would have matched, in few queries."""
    revisions = reached(wanted)
    counted = outcome_counts.of(revisions, at=at)
    return DryRun(figures=counted, harmless=_harmless(revisions) if counted.not_spam else ())


def _harmless(revisions: QuerySet[Revision]) -> tuple[Revision, ...]:
    judged = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True, is_spam=False)
    posts = revisions.filter(Exists(judged)).select_related("post__author").defer("journey", "links")
    return tuple(posts.order_by("-post_id")[:_EXAMPLES])


def _author(text: str) -> Target:
    is_number = text.isascii() and text.isdigit() and len(text) < 19
    authors = Author.objects.select_related("platform").filter(erased_at__isnull=True)
    author = authors.filter(pk=int(text)).first() if is_number else None
    if author is None:
        raise NotATarget(_("Nobody here has this id."))
    return of_author(author)


def _identifier(kind: RuleKind, text: str) -> Target:
    name = _domain(text.strip().lower()).value if kind == RuleKind.LOOKALIKE else text
    value = identifiers.canonical(kind, name)
    if not value:
        raise NotATarget(
            {
                RuleKind.TEXT: _(
                    "A phrase has at least 3 words or 12 characters, and at most 255 characters."
                ),
                RuleKind.PHONE: _("Write the number with its country code, such as +1 888 555 0162."),
                RuleKind.WALLET: _(
                    "“%(text)s” is no address of Bitcoin, Ethereum or TRON; check each character."
                ),
                RuleKind.HANDLE: _("Write a handle as @name, telegram:@name or t.me/name."),
            }[kind]
            % {"text": text}
        )
    return Target(kind=kind, value=value, label=value, anchor=identifiers.anchor(kind, value))


def _picture(kind: str, text: str) -> Target:
    if kind == RuleKind.PICTURES:
        raise NotATarget(_("A list of pictures is imported from a file."))
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise NotATarget(_("“%(text)s” is no PDQ hash of 64 hex digits") % {"text": text})
    return Target(kind=RuleKind.PICTURE, value=text, label=text)


def _domain(text: str) -> Target:
    name = registrable_domain(text) or _host_of(text)
    if not name or (registrable_domain(name) or name) != name or not _is_known(name):
        raise NotATarget(_("“%(text)s” is not a domain under a public suffix.") % {"text": text})
    return Target(kind=RuleKind.DOMAIN, value=name, label=name, domain=name)


def _is_known(name: str) -> bool:
    """Return whether a link could lead to this name: a registrable domain, or an address used as a host."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return bool(registrable_domain(name))
    return True


def _host(text: str) -> Target:
    host = _host_of(text)
    domain = registrable_domain(host) if host else ""
    if not domain:
        raise NotATarget(_("“%(text)s” is not a host under a public suffix.") % {"text": text})
    kind = RuleKind.DOMAIN if host == domain else RuleKind.HOST
    return Target(kind=kind, value=host, label=host, domain=domain)


def _host_of(text: str) -> str:
    links = links_in(f"http://{text}/") if text and not any(letter.isspace() for letter in text) else ()
    return links[0].host if links else ""


def _address(text: str) -> Target:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise NotATarget(
            _("“%(text)s” is neither an address nor a range such as 203.0.113.0/24.") % {"text": text}
        ) from None
    # One typing error, /8 for /28, would ban a country.
    if network.prefixlen < _WIDEST[network.version]:
        raise NotATarget(
            _("A range wider than /%(bits)d covers whole providers; enter parts of it.")
            % {"bits": _WIDEST[network.version]}
        )
    value = str(network.network_address) if network.num_addresses == 1 else str(network)
    return Target(
        kind=RuleKind.ADDRESS,
        value=value,
        label=value,
        first_address=str(network[0]),
        last_address=str(network[-1]),
    )


def naming(*, kind: str, value: str) -> list[int]:
    """Return the latest revisions that name a rule's value, of the posts that are read."""
    if kind == RuleKind.LOOKALIKE:
        return _linking_to(_domains_like(value))
    # No index can answer it: texts are read through their disguises in Python. So the newest and the judged
    # ones only.
    rows = _read_posts().order_by("pk").values_list("pk", Left("text", identifiers.READ_CHARACTERS), "links")
    return [
        pk
        for pk, text, links in rows.iterator(chunk_size=_CHUNK)
        if identifiers.read(text, urls=map(str, links), domains=(), kinds=(kind,)).holds(kind, value)
    ]


def copies(hashes: Sequence[str]) -> list[int]:
    """Return the pictures, the newest of the posts that are read, that are copies of one of these."""
    shown = RevisionEvidence.objects.filter(revision__in=_read_posts()).values("evidence")
    # A picture without a good hash is in no group.
    rows = Evidence.objects.filter(pk__in=shown, picture_group__isnull=False).order_by("-pk")
    pictures = rows.values_list("pk", "facts__pdq", "facts__pdq_turned")[:_PICTURES]
    turns = {pk: {plain, *(turned or ())} for pk, plain, turned in pictures}
    near = pdq.near(set().union(*turns.values()), listed=hashes)
    return [pk for pk, ways in turns.items() if ways & near]


def _read_posts() -> QuerySet[Revision]:
    judged = Label.objects.filter(retracted_at__isnull=True).order_by("-pk").values("post")[:JUDGED]
    newest = Post.objects.order_by("-pk").values("pk")[:NEWEST]
    return Revision.objects.filter(
        Q(post__in=judged) | Q(post__in=newest), number=F("post__latest_revision"), post__erased_at=None
    )


def _domains_like(value: str) -> list[int]:
    domains = Domain.objects.order_by("-pk").values_list("pk", "name")[:_DOMAINS].iterator(chunk_size=_CHUNK)
    return [
        pk
        for pk, name in domains
        if identifiers.read("", urls=(), domains=(name,), kinds=(RuleKind.LOOKALIKE,)).holds(
            RuleKind.LOOKALIKE, value
        )
    ]


def _linking_to(domain_ids: list[int]) -> list[int]:
    links = PostLink.objects.filter(domain__in=domain_ids).order_by("-pk")
    return list(links.values_list("revision", flat=True)[: JUDGED + NEWEST])
