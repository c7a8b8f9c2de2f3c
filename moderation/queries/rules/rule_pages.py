"""Rules in force, drafts and ended rules, and what they match among a platform's posts."""

from collections.abc import Collection, Iterable
from datetime import datetime
from enum import StrEnum

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from moderation.models import Case, Label, Platform, Revision, Rule, Score
from moderation.models.cases import CaseReason, CaseState
from moderation.models.rules import PICTURES, RuleEffect, RuleKind
from moderation.queries import keyset, outcome_counts
from moderation.queries.keyset import Key, Page
from moderation.queries.outcome_counts import Figures, Share
from moderation.queries.rules import targets
from moderation.queries.rules.targets import Target

_EXAMPLES = 5
_LISTED = 200


class RuleState(StrEnum):
    """Drafts wait for activation, live rules are in force, ended ones were lifted or have expired."""

    DRAFT = "draft"
    LIVE = "live"
    ENDED = "ended"


def live(*, at: datetime) -> Q:
    """Return the condition for rules in force at an instant."""
    return Q(activated_at__lte=at) & _unended(at=at)


def ended(*, at: datetime) -> Q:
    """Return the condition for rules, drafts included, that were lifted or had expired by an instant."""
    return Q(lifted_at__lte=at) | Q(lifted_at__isnull=True, expires_at__lte=at)


def state_of(rule: Rule, *, at: datetime) -> RuleState:
    """Return the state of a loaded rule at an instant."""
    if rule.lifted_at is not None or (rule.expires_at is not None and rule.expires_at <= at):
        return RuleState.ENDED
    return RuleState.DRAFT if rule.is_draft else RuleState.LIVE


def first_live(found: Iterable[Rule], *, at: datetime) -> Rule | None:
    """Return the first of loaded rules that is in force at an instant."""
    return next((rule for rule in found if state_of(rule, at=at) == RuleState.LIVE), None)


def live_by_domain(domain_ids: Collection[int], *, at: datetime) -> dict[int, Rule]:
    """Return the rules in force about whole domains, by the domain's id, each with its creator."""
    rows = Rule.objects.filter(live(at=at), kind=RuleKind.DOMAIN, domain__in=domain_ids)
    return {rule.domain_id: rule for rule in rows.select_related("imposed_by") if rule.domain_id is not None}


def listed(*, state: RuleState, kind: str, effect: str, text: str, at: datetime) -> list[Rule]:
    """Return rules, the newest first, at most 200; `text` stands in what they name or in their reason."""
    rows = _wanted(state=state, kind=kind, effect=effect, at=at)
    if text:
        author = Q(author__external_id__icontains=text) | Q(author__display_name__icontains=text)
        rows = rows.filter(Q(value__icontains=text) | Q(reason__icontains=text) | author)
    return list(_whole(rows)[:_LISTED])


def hits(rules: Iterable[Rule]) -> dict[int, int]:
    """Count the texts that each rule decided, by the rule's id; a text that was scored twice counts once."""
    ids = [rule.pk for rule in rules]
    counts: dict[int, int] = {}
    for field in ("ban", "rule"):
        scores = Score.objects.filter(**{f"{field}__in": ids}).order_by().values_list(field)
        counts |= dict(scores.annotate(texts=Count("revision", distinct=True)))
    return counts


def precision(rules: Iterable[Rule]) -> dict[int, Share]:
    """Return how many of the judged posts with pictures that a rule lists are spam, by the rule's id."""
    ids = [rule.pk for rule in rules if rule.kind in PICTURES]
    blind = Case.objects.filter(post=OuterRef("post"), state=CaseState.OPEN, reason=CaseReason.BLIND)
    labels = Label.objects.filter(~Exists(blind), retracted_at__isnull=True).order_by()
    latest = labels.annotate(
        rule=F("post__revisions__evidence__evidence__picture_matches__rule"),
        number=F("post__revisions__number"),
    )
    found = latest.filter(rule__in=ids, number=F("post__latest_revision")).values_list("rule")
    posts = Count("post", distinct=True)
    spam = Count("post", distinct=True, filter=Q(is_spam=True))
    counts = {rule: Share(part=part, of=of) for rule, of, part in found.annotate(of=posts, part=spam)}
    return dict.fromkeys(ids, Share(part=0, of=0)) | counts


def count_drafts(*, at: datetime) -> int:
    """Return how many drafts wait to be activated or dropped."""
    return _wanted(state=RuleState.DRAFT, at=at).count()


def page(
    *,
    platform: Platform,
    state: RuleState,
    kind: str = "",
    effect: str = "",
    after: Key | None = None,
    limit: int,
    at: datetime,
) -> Page[Rule]:
    """Return rules that concern a platform, the newest first."""
    rows = _wanted(state=state, kind=kind, effect=effect, at=at).filter(_concerns(platform))
    return keyset.page(_whole(rows), order=("-pk",), after=after, limit=limit)


def of_platform(*, platform: Platform, rule_id: int) -> Rule:
    """Read a rule that concerns a platform. Raises Rule.DoesNotExist, also for another's author."""
    return _whole(Rule.objects.filter(_concerns(platform))).get(pk=rule_id)


def of_domain(*, name: str) -> list[Rule]:
    """Return every rule of a domain or of a host in it that was in force, the newest first."""
    return list(_whole(Rule.objects.filter(activated_at__isnull=False, domain__name=name.lower())))


def of_address(*, wanted: Target) -> list[Rule]:
    """Return every rule that covered an address or a whole range, the newest first."""
    covering = Rule.objects.filter(
        activated_at__isnull=False,
        kind=RuleKind.ADDRESS,
        first_address__lte=wanted.first_address,
        last_address__gte=wanted.last_address,
    )
    return list(_whole(covering))


def of_author(*, author_id: int) -> list[Rule]:
    """Return every rule of an author that was in force, the newest first."""
    return list(_whole(Rule.objects.filter(activated_at__isnull=False, author=author_id)))


def about(wanted: Target) -> list[Rule]:
    """Return every rule in force now or before that a target falls under, the newest first; of a domain those
    of the whole domain.
    """
    if wanted.author_id is not None:
        return of_author(author_id=wanted.author_id)
    if wanted.kind == RuleKind.ADDRESS:
        return of_address(wanted=wanted)
    if wanted.is_identifier:
        same = Rule.objects.filter(activated_at__isnull=False, kind=wanted.kind, value=wanted.value)
        return list(_whole(same))
    return [rule for rule in of_domain(name=wanted.domain) if rule.kind == RuleKind.DOMAIN]


def drafts_about(wanted: Target, *, at: datetime) -> list[Rule]:
    """Return the drafts about exactly this target, the newest first."""
    drafts = _wanted(state=RuleState.DRAFT, kind=wanted.kind, effect="", at=at)
    return list(_whole(drafts.filter(value=wanted.value)))


def reach(rule: Rule, *, platform: Platform, at: datetime) -> tuple[Figures, list[Revision]]:
    """Count the posts of a platform that a rule matches, with the newest of them."""
    reached = targets.reached(targets.target_of(rule)).filter(post__platform=platform)
    newest = reached.select_related("post").order_by("-post_id")[:_EXAMPLES]
    return outcome_counts.of(reached, at=at), list(newest.only("number", "post__external_id"))


def posts_decided_by(rule: Rule) -> QuerySet[Revision]:
    """Return the latest revisions that a rule decided and that nobody judged."""
    under = {"scores__ban": rule} if rule.effect == RuleEffect.BAN else {"scores__rule": rule}
    latest = Revision.objects.filter(number=F("post__latest_revision"), **under)
    judged = Label.objects.filter(post=OuterRef("post"), retracted_at__isnull=True)
    return latest.exclude(Exists(judged)).distinct()


def _wanted(*, state: RuleState, kind: str = "", effect: str = "", at: datetime) -> QuerySet[Rule]:
    by_state = {
        RuleState.DRAFT: Q(activated_at__isnull=True) & _unended(at=at),
        RuleState.LIVE: live(at=at),
        RuleState.ENDED: ~_unended(at=at),
    }
    rows = Rule.objects.filter(by_state[state])
    if kind:
        rows = rows.filter(kind=kind)
    return rows.filter(effect=effect) if effect else rows


def _unended(*, at: datetime) -> Q:
    return Q(lifted_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=at))


def _concerns(platform: Platform) -> Q:
    """Return the condition for rules that concern a platform: about links, addresses and its own authors."""
    return Q(author__isnull=True) | Q(author__platform=platform)


def _whole(rows: QuerySet[Rule]) -> QuerySet[Rule]:
    return rows.select_related("imposed_by", "lifted_by", "domain", "author__platform")
