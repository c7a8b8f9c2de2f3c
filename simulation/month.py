"""A month on the demonstration's platform: what is posted and reported, and what its moderators, leads and
ML engineer do, through the operations that serve, each at the instant when it happens.
"""

import heapq
import itertools
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery import current_app

from moderation.models import Case, Decision, Evidence, EvidenceRequest, Post, ScoringJob, User
from moderation.models.cases import CaseState
from moderation.models.evidence import OPEN
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.models.users import Role
from moderation.operations import activity, reconsider
from moderation.operations.accounts import demo, platforms
from moderation.operations.campaigns import decide_large
from moderation.operations.cases import blind_reviews, shift
from moderation.operations.evidence import collect, opening
from moderation.operations.learning import shadow_scoring
from moderation.operations.posts import complaints, ingest
from moderation.operations.quality import drift, refresh
from moderation.operations.scoring import score
from simulation import month_leads
from simulation.events import ComplaintEvent, Event, PostEvent, Truth
from simulation.month_file import END
from simulation.month_leads import Desk
from simulation.people import Reviewer
from simulation.platforms import Network
from simulation.replay import incoming_complaint, incoming_post
from simulation.simulated_means import Readings, means
from simulation.texts import CuratedTexts, Families, Part
from simulation.web.shares import Mode
from simulation.web.simulated_web import SimulatedWeb
from simulation.world import World

DAYS, POSTS_PER_DAY = 30, 40
START = END - timedelta(days=DAYS)
_SPAM_SHARE = 0.02
_BURST_POSTS, _BURST_HOURS, _BURST_SPAM_SHARE = 40, 20, 0.9
"""The end of the month: a burst of spam of many kinds, most of which nobody has decided yet."""
_EAGERNESS = 4.0
_SCORED_AFTER = timedelta(seconds=2)
_ROUND = timedelta(seconds=1)
_MOST_ROUNDS = 30

COLLEAGUES = (
    ("nadia", "Nadia", "Novak", Role.MODERATOR),
    ("tomas", "Tomás", "Torres", Role.MODERATOR),
    ("lena", "Lena", "Lindt", Role.LEAD),
)
"""Who works beside the accounts of the demonstration; nobody signs in as them."""

_RESTED_HOURS = 30
"""Before the end: what came then waits, but for a last short shift."""
_SHIFTS = {"moderator": (8, 14), "nadia": (11, 17), "tomas": (19,), "lead": (10,), "lena": (16,)}
"""Hours of the day at which somebody begins to decide."""


class Month:
    """Lives through the month, in the database of the settings, which has the demonstration's accounts."""

    def __init__(self, *, seed: int, readings: Readings, report: Callable[[str], object]) -> None:
        self._rng = random.Random(f"month {seed}")
        self._report = report
        self._now = START
        self._web = SimulatedWeb()
        self._means = means(self._web, readings=readings, clock=lambda: self._now)
        texts = CuratedTexts(Families.KEPT_OUT, part=Part.MONTH)
        self._world, self._burst = (
            World(
                seed=seed,
                run=run,
                texts=texts,
                spam_share=spam_share,
                network=Network.MICROBLOG,
                eagerness=_EAGERNESS,
                leads=Mode.ORDINARY,
            )
            for run, spam_share in (("month", _SPAM_SHARE), ("burst", _BURST_SPAM_SHARE))
        )
        self.posts: list[PostEvent] = []
        self._truths: dict[str, Truth] = {}
        self._plan: list[tuple[datetime, int, Callable[[datetime], object]]] = []
        self._order = itertools.count()

    def live(self) -> None:
        """Live through it, hour by hour."""
        self._open_the_desk()
        for event in heapq.merge(self._everyday(), self._spam_burst(), key=lambda event: event.at):
            self._until(event.at)
            if isinstance(event, PostEvent):
                self._post(event)
            else:
                self._complain(event)
        self._until(END)

    def _everyday(self) -> Iterator[Event]:
        posts = DAYS * POSTS_PER_DAY
        yield from self._world.run(start=START, seconds_per_post=86_400 / POSTS_PER_DAY, posts=posts)
        yield from self._world.complaints_due(until=END)

    def _spam_burst(self) -> Iterator[Event]:
        pace = _BURST_HOURS * 3600 / _BURST_POSTS
        start = END - timedelta(hours=_BURST_HOURS)
        yield from self._burst.run(start=start, seconds_per_post=pace, posts=_BURST_POSTS)
        yield from self._burst.complaints_due(until=END)

    def _until(self, at: datetime) -> None:
        """Do what is planned before an instant."""
        while self._plan and self._plan[0][0] < at:
            planned_at, _, act = heapq.heappop(self._plan)
            self._now = planned_at
            act(planned_at)
        self._now = at

    def _at(self, at: datetime, act: Callable[[datetime], object]) -> None:
        heapq.heappush(self._plan, (at, next(self._order), act))

    def _post(self, event: PostEvent) -> None:
        for site in event.sites:
            self._web.add(site)
        self.posts.append(event)
        self._truths[event.payload["external_id"]] = event.truth
        ingest.store(platform=self._platform, posts=[incoming_post(event.payload)], at=event.at)
        self._at(event.at + _SCORED_AFTER, self._score)

    def _complain(self, event: ComplaintEvent) -> None:
        complaints.record(platform=self._platform, complaint=incoming_complaint(event), at=event.at)
        self._at(event.at + _SCORED_AFTER, self._score)

    def _score(self, at: datetime) -> None:
        """Score what waits, collect what it leads to, and score it again, as the workers do."""
        for _ in range(_MOST_ROUNDS):
            waiting = _ids(ScoringJob.objects.filter(state=ScoreState.PENDING))
            unopened = EvidenceRequest.objects.filter(opened_at__isnull=True)
            requests = list(unopened.order_by("pk").values_list("revision", flat=True))
            addresses = _ids(Evidence.objects.filter(state__in=OPEN))
            if not (waiting or requests or addresses):
                return
            if waiting:
                score.run(revision_ids=waiting, at=at)
            if requests:
                opening.run(revision_ids=requests, at=at)
            for evidence_id in addresses:
                collect.run(evidence_id=evidence_id, at=at, means=self._means)
            at += _ROUND
            self._now = at

    def _open_the_desk(self) -> None:
        self._platform = demo.demo(at=START)
        for username, first_name, last_name, role in COLLEAGUES:
            User.objects.create_user(username, first_name=first_name, last_name=last_name, role=role)
        self._people = {user.username: user for user in User.objects.all()}
        lead = self._people["lead"]
        platforms.change(
            platform_id=self._platform.pk,
            collects_evidence=Collecting.ON,
            browses_evidence=Collecting.UNSURE,
            actor=lead,
            at=START,
        )
        desk = Desk(platform=self._platform, people=self._people, truths=self._truths, rng=self._rng)
        for at, act in month_leads.planned(desk, start=START, days=DAYS):
            self._at(at, act)
        for hour in range(DAYS * 24):
            self._at(START + timedelta(hours=hour, minutes=59), self._sweep)
        for name, hours in _SHIFTS.items():
            carelessness = _CARELESSNESS.get(name, 1.0)
            reviewer = Reviewer(user=self._people[name], carelessness=carelessness, rng=self._rng)
            for day, hour in itertools.product(range(DAYS), hours):
                at = START + timedelta(days=day, hours=hour)
                if at < END - timedelta(hours=_RESTED_HOURS):
                    self._at(at, partial(self._shift, reviewer, most=_MOST_PER_SHIFT))
            if name == "nadia":
                self._at(END - timedelta(hours=7), partial(self._shift, reviewer, most=_LAST_SHIFT))

    def _sweep(self, at: datetime) -> None:
        """Do what the schedule does, hourly, and daily before midnight."""
        self._score(at)
        # No worker listens: what waits would look like a backlog.
        with current_app.connection_for_write() as connection:
            channel: Any = connection.default_channel  # typed without what AMQP defines
            channel.queue_purge("scoring")
        for work in _HOURLY:
            work(at=at)
        self._score(at)
        if at.hour == 23:
            for work in _DAILY:
                work(at=at)
            self._report(
                f"day {(at - START).days + 1}: {Post.objects.count()} posts, "
                f"{Case.objects.filter(state=CaseState.OPEN).count()} cases open, "
                f"{Decision.objects.count()} decisions"
            )

    def _shift(self, reviewer: Reviewer, at: datetime, *, most: int) -> None:
        for _ in range(most):
            cases = shift.hold(moderator=reviewer.user, at=at)
            if not cases:
                break
            case, truth = cases[0], self._truths[cases[0].post.external_id]
            at += timedelta(seconds=reviewer.seconds())
            question = reviewer.handed_on(truth)
            if question:
                shift.escalate(case_id=case.pk, moderator=reviewer.user, note=question, at=at)
            else:
                choice = reviewer.choice(case, truth)
                shift.decide(case_id=case.pk, choice=choice, moderator=reviewer.user, at=at)
        shift.hand_back(case_ids=_ids(Case.objects.filter(claimed_by=reviewer.user)), moderator=reviewer.user)
        self._score(at)


_CARELESSNESS = {"lead": 0.3, "lena": 0.3, "tomas": 2.5}
_MOST_PER_SHIFT, _LAST_SHIFT = 40, 8
_HOURLY: tuple[Callable[..., object], ...] = (
    decide_large.sweep,
    reconsider.sweep,
    blind_reviews.sweep,
    shadow_scoring.sweep,
    activity.count,
)
_DAILY: tuple[Callable[..., object], ...] = (refresh.refresh, drift.sweep)


def _ids(rows: Any) -> list[int]:
    return list(rows.order_by("pk").values_list("pk", flat=True))
