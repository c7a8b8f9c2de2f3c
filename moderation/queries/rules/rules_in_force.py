"""The rules that could match some posts, in the format of scoring."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from operator import attrgetter

from django.db.models import F, Q

from moderation.models import Revision, RevisionEvidence, Rule
from moderation.models.rules import IDENTIFIERS, PICTURES, RuleKind
from moderation.queries.rules import rule_pages
from scoring import blocklist
from scoring.blocklist import Blocklist, Effect
from scoring.records import PostRecord

_LINKS = (RuleKind.DOMAIN, RuleKind.HOST)
_LOOKED_AT = (*IDENTIFIERS, *PICTURES)


def for_revisions(*, revisions: Sequence[Revision], records: Sequence[PostRecord], at: datetime) -> Blocklist:
    """Load the live rules about these posts' links, senders and texts only; all rules may be too many.

    The revisions are loaded with `post`; `records` are theirs as of `at`.
    """
    hosts = {pair for record in records for pair in blocklist.hosts_of(record)}
    names = {name for host, domain in hosts for name in blocklist.names_of(host, domain=domain)}
    query = Q(kind__in=_LINKS, value__in=names)
    query |= Q(kind=RuleKind.AUTHOR, author__in={revision.post.author_id for revision in revisions})
    for ip in {record.ip for record in records if record.ip}:
        query |= Q(kind=RuleKind.ADDRESS, first_address__lte=ip, last_address__gte=ip)
    live = Rule.objects.filter(rule_pages.live(at=at)).select_related("author__platform").order_by()
    # With one of each kind that texts and pictures are compared for: in vain where no rule of it is in force.
    one_of_each = live.filter(kind__in=_LOOKED_AT).order_by("kind").distinct("kind").values("pk")
    found = live.filter(query).union(live.filter(pk__in=one_of_each), all=True)
    kinds = {rule.kind for rule in found}.intersection(_LOOKED_AT)
    pictures = [] if kinds.isdisjoint(PICTURES) else listed(revisions, at=at)
    query = Q(pk__in={rule for _, _, rule, _ in pictures})
    for kind, anchors in _anchors(records, kinds=kinds.intersection(IDENTIFIERS)).items():
        query |= Q(kind=kind, anchor__in=anchors)
    rows = [rule for rule in found if rule.kind not in kinds] + (list(live.filter(query)) if kinds else [])
    every = [_as_scored(rule) for rule in sorted(rows, key=attrgetter("pk"))]
    by_id = {rule.id: rule for rule in every}
    return Blocklist(
        names={rule.value: rule for rule in every if rule.kind in _LINKS},
        addresses=tuple(rule for rule in every if rule.kind == RuleKind.ADDRESS),
        authors={rule.value: rule for rule in every if rule.kind == RuleKind.AUTHOR},
        texts=tuple(rule for rule in every if rule.kind in IDENTIFIERS),
        pictures={hash_: by_id[rule] for _, _, rule, hash_ in reversed(pictures)},
    )


def listed(revisions: Iterable[Revision | int], *, at: datetime) -> list[tuple[int, int, int, str]]:
    """Return each picture of revisions that a rule in force lists, those of the strictest rules first: the
    ids of revision, evidence and rule, and the picture's hash.
    """
    live = Rule.objects.filter(rule_pages.live(at=at), kind__in=PICTURES)
    rows = RevisionEvidence.objects.annotate(rule=F("evidence__picture_matches__rule"))
    found = rows.filter(revision__in=revisions, rule__in=live)
    strictest = found.order_by("evidence__picture_matches__rule__effect", "rule")
    return list(strictest.values_list("revision", "evidence", "rule", "evidence__facts__pdq"))


def _as_scored(rule: Rule) -> blocklist.Rule:
    author = rule.author
    value = (
        rule.value
        if author is None
        else blocklist.author_name(author.platform.slug, author.external_id or "")
    )
    return blocklist.Rule(id=rule.pk, value=value, kind=rule.kind, effect=Effect(rule.effect))


def _anchors(records: Sequence[PostRecord], *, kinds: Collection[str]) -> dict[str, set[str]]:
    """Return the anchors of rules that may match any of the posts, by kind."""
    anchors: dict[str, set[str]] = defaultdict(set)
    for record in records if kinds else ():
        for kind, of_post in blocklist.identities(record, kinds=kinds).anchors().items():
            anchors[kind] |= of_post
    return anchors
