"""The rules that could match some posts, in the format of scoring."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from moderation.models import PostLink, Revision, Rule
from moderation.models.rules import RuleKind
from moderation.queries.rules import rule_pages
from scoring import blocklist
from scoring.blocklist import Blocklist, Effect

_LINKS = (RuleKind.DOMAIN, RuleKind.HOST)


def for_revisions(*, revisions: Sequence[Revision], at: datetime) -> Blocklist:
    """Load the live rules about these posts' links and senders only; all rules may be too many.

    The revisions are loaded with `post`.
    """
    wanted = Q(kind__in=_LINKS, value__in=_names(revisions))
    wanted |= Q(kind=RuleKind.AUTHOR, author__in={revision.post.author_id for revision in revisions})
    for ip in {revision.ip for revision in revisions if revision.ip}:
        wanted |= Q(kind=RuleKind.ADDRESS, first_address__lte=ip, last_address__gte=ip)
    found = (
        Rule.objects.filter(wanted, rule_pages.live(at=at)).select_related("author__platform").order_by("id")
    )
    every = [_as_scored(rule) for rule in found]
    return Blocklist(
        names={rule.value: rule for rule in every if rule.kind in _LINKS},
        addresses=tuple(rule for rule in every if rule.kind == RuleKind.ADDRESS),
        authors={rule.value: rule for rule in every if rule.kind == RuleKind.AUTHOR},
    )


def _as_scored(rule: Rule) -> blocklist.Rule:
    author = rule.author
    value = (
        rule.value
        if author is None
        else blocklist.author_name(author.platform.slug, author.external_id or "")
    )
    return blocklist.Rule(id=rule.pk, value=value, kind=rule.kind, effect=Effect(rule.effect))


def _names(revisions: Sequence[Revision]) -> set[str]:
    links = PostLink.objects.filter(revision__in=revisions).order_by().values_list("host", "domain__name")
    return {name for host, domain in links for name in blocklist.names_of(host, domain=domain)}
