"""Which campaign each post of a batch is assigned to: in memory, written afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef

from moderation.models import Campaign, CampaignDecision, CampaignMember, Revision
from moderation.operations.campaigns.membership import Ties, weigh
from moderation.queries.campaigns.shared_traits import Sighting
from scoring import similarity

MERGED_AT_MOST = 1_000
"""Moving members takes time while everybody waits: of two campaigns larger than this, both stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A post that joins a campaign. One drawn in by a later post comes without its revision."""

    campaign_id: int
    post_id: int
    revision: Revision | None
    ties: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Table:
    """Where posts sit, by their id, and what has changed."""

    at: datetime
    places: dict[int, int]
    campaigns: dict[int, Campaign]
    decided: set[int]
    mergers: list[tuple[int, int]] = field(default_factory=list)
    _newcomers: list[Newcomer] = field(default_factory=list)
    _kept: dict[int, int] = field(default_factory=dict)

    @classmethod
    def around(cls, posts: set[int], *, at: datetime) -> Table:
        """Read where these posts sit."""
        members = CampaignMember.objects.filter(post__in=posts)
        places = dict(members.values_list("post_id", "campaign_id"))
        decisions = CampaignDecision.objects.filter(campaign=OuterRef("pk"))
        campaigns = Campaign.objects.in_bulk(set(places.values()))
        decided = Campaign.objects.filter(Exists(decisions), pk__in=campaigns).values_list("pk", flat=True)
        return cls(at=at, places=places, campaigns=campaigns, decided=set(decided))

    @property
    def newcomers(self) -> list[Newcomer]:
        """Those who join, with the campaigns that stayed after all mergers."""
        return [
            Newcomer(
                campaign_id=self._home(newcomer.campaign_id),
                post_id=newcomer.post_id,
                revision=newcomer.revision,
                ties=newcomer.ties,
            )
            for newcomer in self._newcomers
        ]

    def seat(self, revision: Revision, *, seen: list[Sighting]) -> None:
        """Put a post where the evidence is greatest, if it is enough; unite the campaigns it connects."""
        if revision.post_id in self.places:
            return  # an earlier post of this batch has drawn it in
        ties = weigh(seen, words=similarity.word_count(revision.text), target_of=self._target_of)
        enough = [target for target, found in ties.items() if found.is_enough]
        if not enough:
            return
        best = min(enough, key=lambda target: (-ties[target].evidence, -target))
        campaigns = sorted(target for target in enough if target > 0)
        home = best if best > 0 else campaigns[0] if campaigns else self._open(revision)
        if best < 0:
            self._join(home, post_id=-best, revision=None, ties=ties[best])
        self._join(home, post_id=revision.post_id, revision=revision, ties=ties[best])
        for other in campaigns:
            self._unite(self._home(home), self._home(other))

    def _target_of(self, post_id: int) -> int:
        """Return the campaign of a post, or the post itself as a negative number."""
        place = self.places.get(post_id)
        return -post_id if place is None else self._home(place)

    def _home(self, campaign_id: int) -> int:
        while campaign_id in self._kept:
            campaign_id = self._kept[campaign_id]
        return campaign_id

    def _open(self, revision: Revision) -> int:
        row = Campaign.objects.create(
            opened_at=revision.received_at, latest_at=revision.received_at, example=revision
        )
        self.campaigns[row.pk] = row
        return row.pk

    def _join(self, campaign_id: int, *, post_id: int, revision: Revision | None, ties: Ties) -> None:
        newcomer = Newcomer(
            campaign_id=campaign_id, post_id=post_id, revision=revision, ties=tuple(ties.kinds)
        )
        self._newcomers.append(newcomer)
        self.places[post_id] = campaign_id
        self.campaigns[campaign_id].posts += 1

    def _unite(self, first: int, second: int) -> None:
        """Let the larger take the smaller in; a decision on record stays with its own campaign."""
        if first == second or {first, second} <= self.decided:
            return
        kept, gone = sorted(
            (first, second),
            key=lambda pk: (pk not in self.decided, -self.campaigns[pk].posts, pk),
        )
        if self.campaigns[gone].posts > MERGED_AT_MOST:
            return
        self._kept[gone] = kept
        self.campaigns[kept].posts += self.campaigns[gone].posts
        self.mergers.append((gone, kept))
