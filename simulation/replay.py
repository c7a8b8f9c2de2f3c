"""Replay a simulated world through the operations, with its own clock, and freeze records.

Records and rows come from the same queries and operations that serve, so training data equals what is scored.
Everything happens in one transaction that the caller rolls back.
"""

import heapq
import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from moderation.evidence import captions
from moderation.models import LinkVerdict, Platform, PostLink, Revision, User
from moderation.models.users import Role
from moderation.operations.posts import complaints
from moderation.operations.posts.complaints import IncomingComplaint
from moderation.operations.posts.incoming_post import IncomingPost, of_fields
from moderation.operations.posts.ingest import Accepted
from moderation.queries.records import records
from scoring.records import PostRecord
from simulation import people, rehearse, reputations
from simulation.events import ComplaintEvent, PostEvent, Truth
from simulation.reputations import Reputation
from simulation.simulated_means import Collecting, means
from simulation.web.simulated_web import SimulatedWeb
from simulation.world import World

_ANALYZE_AFTER = frozenset({200, 1000})
# Worlds in which somebody pays for reputation providers; in the others nobody is asked.
_REPUTATION_SHARE = 0.6
# Judgement; and of the posts of a replay, the share whose record waits for their evidence.
_COLLECTED_AFTER_SECONDS, _AWAITED_SHARE = (1.0, 15.0), 0.4
# Platforms that have links opened as a browser, too.
_BROWSES_SHARE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How the world's time becomes the time of arrival.

    A `speed` of 1 is a platform that sends each post as it appears; a higher one hands over weeks of posts
    within minutes, `batch` at a time, as a backlog or a demonstration does. Scoring follows `soon_seconds`
    later.
    """

    start: datetime
    seconds_per_post: float
    speed: float
    batch: int
    soon_seconds: float

    def arrival(self, at: datetime, *, posts: int) -> datetime:
        """Return when what happens at `at` arrives; a backlog arrives after its last post was made."""
        if self.speed == 1:
            return at
        window = timedelta(seconds=self.seconds_per_post * posts)
        return self.start + window + (at - self.start) / self.speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """One record with its truth."""

    record: PostRecord
    truth: Truth


class Replay:
    """The replay of one world through the operations."""

    def __init__(
        self,
        *,
        world: World,
        seed: int,
        run: str,
        posts: int,
        pace: Pace,
        collecting: Collecting | None = None,
    ) -> None:
        self._posts = posts
        self._pace = pace
        self._world = world
        self._rng = random.Random(f"replay {seed}")
        self._platform = Platform.objects.create(slug=run, name=run, created_at=pace.start, removal="always")
        self._moderator = User.objects.create_user(f"{run}-moderator", role=Role.MODERATOR)
        self._waiting: list[PostEvent] = []
        self._due: list[tuple[datetime, int, Callable[[], list[Frozen]]]] = []
        # Breaks ties on the heap: what is scheduled are functions, which cannot be compared.
        self._order = itertools.count()
        self._accepted = 0
        self._has_reputations = self._rng.random() < _REPUTATION_SHARE
        self._said: dict[str, Reputation] = {}
        self._collecting = collecting
        self._web, self._web_at = SimulatedWeb(), pace.start
        self._web_rng = random.Random(f"evidence {seed}")
        awaits = collecting is not None and collecting.is_awaited
        self._uncollected: set[int] = set()
        self._verdicts_before: list[tuple[int, bool]] = []
        self._browses = self._web_rng.random() < _BROWSES_SHARE or awaits

    def records(self) -> Iterator[Frozen]:
        """Yield one record per post: right after the post for half of them, later for the others."""
        pace = self._pace
        events = self._world.run(start=pace.start, seconds_per_post=pace.seconds_per_post, posts=self._posts)
        for event in itertools.chain(events, self._world.complaints_due()):
            arrives_at = pace.arrival(event.at, posts=self._posts)
            yield from self._until(arrives_at)
            if isinstance(event, ComplaintEvent):
                self._complain(event, at=arrives_at)
                continue
            self._waiting.append(event)
            if len(self._waiting) >= pace.batch:
                self._accept(at=arrives_at)
        self._accept(at=arrives_at)
        yield from self._until(None)

    def _until(self, at: datetime | None) -> Iterator[Frozen]:
        while self._due and (at is None or self._due[0][0] < at):
            yield from heapq.heappop(self._due)[2]()

    def _accept(self, *, at: datetime) -> None:
        events, self._waiting = self._waiting, []
        posts = [incoming_post(event.payload) for event in events]
        accepted: list[tuple[int, Truth]] = []
        for answer, event in zip(
            rehearse.accept(platform=self._platform, posts=posts, at=at), events, strict=True
        ):
            if not isinstance(answer, Accepted):
                raise TypeError(f"{answer.external_id} was refused: {answer.detail}")
            accepted.append((answer.revision_id, event.truth))
            self._tell_reputations(answer.revision_id, is_spam=event.truth.is_spam, at=at)
            self._plan_verdict(answer.revision_id, truth=event.truth, at=at)
            for site in event.sites:
                self._web.add(site)
        self._plan_records(accepted, at=at)
        if any(count in _ANALYZE_AFTER for count in range(self._accepted, self._accepted + len(events))):
            _analyze()
        self._accepted += len(events)

    def _tell_reputations(self, revision_id: int, *, is_spam: bool, at: datetime) -> None:
        """Store simulated providers' answers about the links of a post."""
        if not self._has_reputations:
            return
        verdicts = []
        for row in (
            PostLink.objects.filter(revision=revision_id).select_related("domain").order_by("position")
        ):
            is_new = row.domain.name not in self._said
            if is_new:
                self._said[row.domain.name] = reputations.reputation(
                    row.domain.name, is_spam=is_spam, rng=self._rng
                )
            verdicts += reputations.rows(row, said=self._said[row.domain.name], is_new=is_new, at=at)
        LinkVerdict.objects.bulk_create(verdicts)

    def _plan_verdict(self, revision_id: int, *, truth: Truth, at: datetime) -> None:
        if verdict := people.verdict(truth, rng=self._rng):
            decided_at = at + timedelta(seconds=verdict.after_seconds) / self._pace.speed
            self._schedule(
                decided_at, lambda: self._judge(revision_id, is_spam=verdict.is_spam, at=decided_at)
            )

    def _plan_records(self, accepted: list[tuple[int, Truth]], *, at: datetime) -> None:
        """Freeze some posts at once, as scoring does, others after complaints, as rescoring does."""
        soon: list[tuple[int, Truth]] = []
        late: list[tuple[int, Truth]] = []
        awaited = self._plan_evidence(accepted, at=at)
        for post in accepted:
            batch = self._rng.choice((soon, late))
            if post not in awaited:
                batch.append(post)
        soon_at = at + timedelta(seconds=self._pace.soon_seconds)
        late_at = soon_at + timedelta(seconds=self._rng.lognormvariate(9.0, 1.2)) / self._pace.speed
        self._schedule(soon_at, lambda: _freeze(soon, at=soon_at))
        self._schedule(late_at, lambda: _freeze(late, at=late_at))

    def _plan_evidence(self, accepted: list[tuple[int, Truth]], *, at: datetime) -> list[tuple[int, Truth]]:
        """Collect evidence some seconds after the posts; return the posts whose records wait for it."""
        collecting = self._collecting
        if collecting is None:
            return []
        delay = timedelta(
            seconds=self._web_rng.uniform(*_COLLECTED_AFTER_SECONDS) / min(self._pace.speed, 10)
        )
        collected_at = at + delay + timedelta(hours=collecting.after_hours)
        if not collecting.after_hours:
            self._uncollected |= {revision_id for revision_id, _ in accepted}
        share = 1.0 if collecting.is_awaited else _AWAITED_SHARE
        awaited = [post for post in accepted if self._web_rng.random() < share]
        self._schedule(collected_at, lambda: self._collect(accepted, awaited=awaited, at=collected_at))
        return awaited

    def _collect(
        self, accepted: list[tuple[int, Truth]], *, awaited: list[tuple[int, Truth]], at: datetime
    ) -> list[Frozen]:
        if self._collecting is None:
            return []
        self._web_at = at
        there_at = rehearse.collect(
            revision_ids=[revision_id for revision_id, _ in accepted],
            means=means(self._web, readings=self._collecting.readings, clock=lambda: self._web_at),
            browses=self._browses,
            at=at,
        )
        frozen_at = there_at + timedelta(milliseconds=100)
        self._schedule(frozen_at, lambda: _freeze(awaited, at=frozen_at))
        self._schedule(frozen_at, lambda: self._judge_waiting({pk for pk, _ in accepted}, at=frozen_at))
        return []

    def _schedule(self, at: datetime, act: Callable[[], list[Frozen]]) -> None:
        heapq.heappush(self._due, (at, next(self._order), act))

    def _judge_waiting(self, collected: set[int], *, at: datetime) -> list[Frozen]:
        """Judge the posts whose evidence is there, where that was waited for."""
        self._uncollected -= collected
        verdicts = [verdict for verdict in self._verdicts_before if verdict[0] in collected]
        self._verdicts_before = [row for row in self._verdicts_before if row not in verdicts]
        for revision_id, is_spam in verdicts:
            self._judge(revision_id, is_spam=is_spam, at=at)
        return []

    def _judge(self, revision_id: int, *, is_spam: bool, at: datetime) -> list[Frozen]:
        """Judge a post. Evidence takes seconds and people a minute or more: also where days pass in seconds,
        nobody judges before it is there.
        """
        if revision_id in self._uncollected:
            self._verdicts_before.append((revision_id, is_spam))
            return []
        (revision,) = _revisions([revision_id])
        opinions = self._opinions(revision, at=at) if is_spam else {}
        rehearse.judge(
            revision=revision, is_spam=is_spam, moderator=self._moderator, at=at, opinions=opinions
        )
        return []

    def _opinions(self, revision: Revision, *, at: datetime) -> Mapping[str, float | None]:
        """Return what a release makes of a post by then, whose label would not show if nothing was found."""
        if self._collecting is None or self._collecting.opinions is None:
            return {}
        record = records.record_at(revision=revision, at=at)
        return self._collecting.opinions(record) if record.evidence else {}

    def _complain(self, event: ComplaintEvent, *, at: datetime) -> None:
        complaints.record(platform=self._platform, complaint=incoming_complaint(event), at=at)


def incoming_post(payload: dict[str, Any]) -> IncomingPost:
    """Return a simulated payload, valid by construction, as the operations take it."""
    author = dict(payload["author"])
    if "created_at" in author:
        author["created_at"] = datetime.fromisoformat(author["created_at"])
    fields = payload | {"posted_at": datetime.fromisoformat(payload["posted_at"]), "author": author}
    if "transcripts" in payload:
        fields["transcripts"] = [captions.transcript(track) for track in payload["transcripts"]]
    return of_fields(fields)


def incoming_complaint(event: ComplaintEvent) -> IncomingComplaint:
    """Return a simulated complaint as the operations take it."""
    payload = event.payload
    return IncomingComplaint(
        external_id=payload["external_id"],
        post=payload["post"],
        reporter=payload["reporter"]["external_id"],
        reason=payload["reason"],
        note=payload["note"],
        reported_at=event.at,
    )


def _freeze(accepted: list[tuple[int, Truth]], *, at: datetime) -> list[Frozen]:
    revisions = _revisions([revision_id for revision_id, _ in accepted])
    return [
        Frozen(record=record, truth=truth)
        for record, (_, truth) in zip(
            records.records_at(revisions=revisions, at=at) if revisions else [], accepted, strict=True
        )
    ]


def _revisions(ids: list[int]) -> list[Revision]:
    rows = Revision.objects.select_related("post__platform", "post__author", "grouped").in_bulk(ids)
    return [rows[revision_id] for revision_id in ids]


def _analyze() -> None:
    """Run ANALYZE: autovacuum cannot see the rows of an open transaction, and plans would be poor."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
