"""What leads and the ML engineer of the demonstration do in their month beside deciding cases."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, Q

from moderation import scorer
from moderation.models import CampaignMember, Decision, GoldenItem, Platform, Post, PostLink, User
from moderation.models.cases import CaseReason
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.preferences import FilterPage
from moderation.operations import rules
from moderation.operations.accounts import platforms, preferences
from moderation.operations.campaigns import campaign_decisions
from moderation.operations.cases import appeals, blind_reviews, golden_items, named_queues
from moderation.operations.labels import draws
from moderation.operations.learning import shadow, thresholds, training_job, training_runs
from moderation.operations.policies import policy, trial
from moderation.queries.campaigns import campaign_members
from simulation import material
from simulation.events import Truth

_DRAWN_DAYS, _DRAWN_POSTS = (2, 6, 10, 14, 18, 22, 26), 36
_AUDIT_SHARE, _AUDITED_PER_DAY = 0.05, 2
_GOLDEN = 8
_MORE_ALLOWED = 0.1
_APPEALED_WHEN_WRONG, _APPEALED_WHEN_RIGHT = 0.7, 0.08
_POLICY = (
    "Fake followers",
    "selling followers, likes or views",
    "Pays for interest that nobody has.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The platform, who works for it, and what each post really is, by its external id."""

    platform: Platform
    people: Mapping[str, User]
    truths: Mapping[str, Truth]
    rng: random.Random


Act = Callable[[datetime], object]


def planned(desk: Desk, *, start: datetime, days: int) -> Iterator[tuple[datetime, Act]]:
    """Yield what is done when, in any order."""
    leads = _Leads(desk)

    def at(day: int, hour: float) -> datetime:
        return start + timedelta(days=day, hours=hour)

    yield at(0, 7), leads.organise
    for day in _DRAWN_DAYS:
        yield at(day, 7.5), leads.draw
    yield at(5, 10.5), leads.mark_golden
    yield at(6, 16.5), leads.confirm_golden
    for week in range(1, days // 7 + 1):
        yield at(7 * week - 1, 9), leads.decide_campaign
    for day in range(1, days):
        yield at(day, 12.25), leads.appeal
    yield at(20, 11), leads.ban_domain
    yield at(12, 11), leads.write_policy
    yield at(days - 1, 18), leads.draw  # waits for the people who come to the demonstration
    yield at(days - 1, 19), leads.decide_campaign
    yield at(days - 1, 19.5), leads.propose_rule
    yield at(days - 8, 9), leads.train
    yield at(days - 7, 9), leads.try_candidate


class _Leads:
    """The acts, each at an instant."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lead, self._other_lead = desk.people["lead"], desk.people["lena"]
        self._engineer = desk.people["ml"]

    def organise(self, at: datetime) -> None:
        """Choose samples, plan second reviews, name a queue, keep a filter."""
        platforms.change(
            platform_id=self._desk.platform.pk,
            audit_first_share=_AUDIT_SHARE,
            audit_cases_per_day=_AUDITED_PER_DAY,
            actor=self._lead,
            at=at,
        )
        blind_reviews.plan(
            platform_id=self._desk.platform.pk,
            share=0.1,
            first_decisions=0,
            golden_share=0.2,
            actor=self._lead,
            at=at,
        )
        reports = named_queues.Content(
            name="Reports", platform_id=None, languages=(), reasons=(CaseReason.COMPLAINTS.value,)
        )
        queue = named_queues.save(queue_id=None, content=reports, actor=self._lead, at=at)
        named_queues.assign(
            queue_id=queue.pk,
            user=self._desk.people["nadia"],
            position=1,
            daily_limit=20,
            actor=self._lead,
            at=at,
        )
        preferences.keep_filter(
            user=self._desk.people["moderator"],
            page=FilterPage.QUEUE,
            name="With a link",
            query="links=yes",
            at=at,
        )

    def draw(self, at: datetime) -> None:
        """Ask for random labels."""
        draws.ask(platform=self._desk.platform, posts=_DRAWN_POSTS, days=7, asked_by=self._engineer, at=at)

    def mark_golden(self, at: datetime) -> None:
        """Vouch for decisions of both kinds that were right."""
        for verdict in Verdict:
            rows = Decision.objects.filter(source=DecisionSource.MODERATOR, verdict=verdict, reversal=None)
            right = [row for row in rows.order_by("pk") if self._is_right(row)]
            for row in self._desk.rng.sample(right, min(len(right), _GOLDEN // 2)):
                golden_items.mark(post_id=row.post_id, lead=self._lead, at=at)

    def confirm_golden(self, at: datetime) -> None:
        """Vouch for them as the second lead, all but one."""
        for item in GoldenItem.objects.order_by("pk")[1:]:
            golden_items.confirm(item_id=item.pk, lead=self._other_lead, at=at)

    def decide_campaign(self, at: datetime) -> None:
        """Decide the spam campaign of which most waits or was let through."""
        places = campaign_members.meant(verdict=Verdict.SPAM, has_filtered=True, may_lead=True)
        members = campaign_members.placed(CampaignMember.objects.all()).filter(place__in=places)
        numbers = Counter(members.values_list("campaign", flat=True))
        for campaign_id, number in numbers.most_common():
            posts = Post.objects.filter(membership__campaign=campaign_id)
            names = posts.values_list("external_id", flat=True)
            if number > 1 and all(self._desk.truths[name].is_spam for name in names):
                wanted = campaign_decisions.Wanted(
                    verdict=Verdict.SPAM,
                    expected_count=number,
                    confirmed_count=number,
                    has_filtered=True,
                    reason="copies",
                )
                campaign_decisions.decide(campaign_id=campaign_id, wanted=wanted, moderator=self._lead, at=at)
                return

    def appeal(self, at: datetime) -> None:
        """Let some authors dispute what was removed yesterday; most of them were wronged."""
        yesterday = Decision.objects.filter(
            verdict=Verdict.SPAM, reversal=None, effective_at__gt=at - timedelta(days=1), effective_at__lte=at
        )
        for row in yesterday.select_related("post").order_by("pk"):
            share = _APPEALED_WHEN_RIGHT if self._is_right(row) else _APPEALED_WHEN_WRONG
            if self._desk.rng.random() < share:
                appeals.dispute(
                    platform=self._desk.platform,
                    decision_id=row.pk,
                    reason=self._desk.rng.choice(material.table("people")["appeals"]),
                    at=at,
                )

    def ban_domain(self, at: datetime) -> None:
        """Ban the domain that most removed posts link to."""
        if name := self._worst_domain():
            rules.impose(
                value=name, reason="Nothing but spam links there since last week.", actor=self._lead, at=at
            )

    def propose_rule(self, at: datetime) -> None:
        """Propose another, which waits for a lead."""
        if name := self._worst_domain():
            rules.propose(
                value=name,
                reason="Another shop of the same people. @lead please check.",
                actor=self._desk.people["nadia"],
                at=at,
            )

    def write_policy(self, at: datetime) -> None:
        """Put a rule of the platform in words, try it, and have people look at what matches."""
        name, words, reason = _POLICY
        row = policy.draft(name=name, words=words, reason=reason, counts="copies", actor=self._lead, at=at)
        trial.run(policy_id=row.pk, at=at)
        policy.activate(
            policy_id=row.pk,
            effect="tag",
            threshold=0.9,
            expires_at=at + timedelta(days=29),
            actor=self._lead,
            at=at,
        )

    def train(self, at: datetime) -> None:
        """Train a release from the labels."""
        run = training_runs.request(requested_by=self._engineer, at=at)
        training_job.run(run_id=run.pk, at=at)

    def try_candidate(self, at: datetime) -> None:
        """Let a release that sends less to people score in shadow."""
        live = scorer.shipped()
        wanted = replace(live.thresholds, review_from=live.thresholds.review_from + _MORE_ALLOWED)
        candidate = thresholds.derive(live, thresholds=wanted)
        shadow.start(candidate=candidate.id, share=1.0, actor=self._engineer, at=at)

    def _worst_domain(self) -> str | None:
        removed = Q(revision__post__decisions__verdict=Verdict.SPAM)
        rows = PostLink.objects.filter(removed).exclude(domain__rules__isnull=False).values("domain__name")
        for row in rows.annotate(posts=Count("revision__post", distinct=True)).order_by(
            "-posts", "domain__name"
        ):
            linking = Post.objects.filter(revisions__post_links__domain__name=row["domain__name"])
            if all(self._desk.truths[post.external_id].is_spam for post in linking):
                return str(row["domain__name"])
        return None

    def _is_right(self, decision: Decision) -> bool:
        return self._desk.truths[decision.post.external_id].is_spam == (decision.verdict == Verdict.SPAM)
