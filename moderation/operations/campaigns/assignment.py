"""In-memory campaign assignment of one batch of posts; the result is written afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from moderation.models import Campaign, Revision
from moderation.operations.campaigns.membership import Ties, weigh
from moderation.queries.campaigns.shared_traits import Home, Sighting
from scoring import similarity

MERGED_AT_MOST = 1_000
"""Merging moves members while other workers wait for the lock: two campaigns larger than this are not merged.
"""

_UNSAVED = 1 << 62
"""Numbers of campaigns that have no id yet begin here: above all others, as their ids will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMember:
    """A post that joins a campaign. One drawn in by a later post comes without its revision."""

    campaign: Campaign
    post_id: int
    revision: Revision | None
    ties: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Assignment:
    """The campaign of each post, by post id, and the changes of this batch."""

    places: dict[int, int] = field(default_factory=dict)
    campaigns: dict[int, Campaign] = field(default_factory=dict)
    decided: set[int] = field(default_factory=set)
    _mergers: list[tuple[int, int]] = field(default_factory=list)
    _new_members: list[NewMember] = field(default_factory=list)
    _kept: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, fresh: Sequence[Revision], *, found: dict[int, list[Sighting]], homes: dict[int, Home]
    ) -> "Assignment":
        """Choose places for posts; those that are in a campaign leave it. What was erased is not seen."""
        chosen, leaving = cls(), {one.post_id for one in fresh}
        for post, home in homes.items():
            if (pk := home.campaign_id) is None or post in leaving:
                continue
            chosen.places[post] = pk
            if pk not in chosen.campaigns:
                chosen.campaigns[pk] = Campaign(pk=pk, posts=home.posts or 0, example_id=home.example_id)
                chosen.decided |= {pk} if home.is_decided else set()
        for revision in fresh:
            seen = [replace(one, posts=tuple(filter(homes.get, one.posts))) for one in found[revision.pk]]
            chosen.place(revision, seen=[sighting for sighting in seen if sighting.posts])
        return chosen

    def save(self) -> None:
        """Store the campaigns that were opened, in one statement; call it before what follows is read."""
        opened = [row for row in self.campaigns.values() if row.pk is None]
        for row in opened:
            row.posts = 0  # counted with the members
        Campaign.objects.bulk_create(opened)

    @property
    def new_members(self) -> list[NewMember]:
        """Return the posts that join, with their campaigns after all merges."""
        return [
            replace(one, campaign=self.campaigns[self._home(self.places[one.post_id])])
            for one in self._new_members
        ]

    @property
    def mergers(self) -> list[tuple[int, int]]:
        """Return the campaigns that are gone, each with the one that keeps its members."""
        return [(self.campaigns[gone].pk, self.campaigns[kept].pk) for gone, kept in self._mergers]

    def place(self, revision: Revision, *, seen: list[Sighting]) -> None:
        """Assign a post to the campaign with the most evidence, if it is enough.

        Merge the campaigns it connects.
        """
        if revision.post_id in self.places:
            return  # already assigned by an earlier post of this batch
        ties = weigh(seen, words=similarity.word_count(revision.text), target_of=self._target_of)
        enough = [target for target, evidence in ties.items() if evidence.is_enough]
        if not enough:
            return
        # Single posts are negative numbers: with equal evidence a campaign comes before a post, the newest
        # campaign before older ones.
        best = min(enough, key=lambda target: (-ties[target].evidence, -target))
        campaigns = sorted(target for target in enough if target > 0)
        home = best if best > 0 else campaigns[0] if campaigns else self._open(revision)
        if best < 0:
            self._join(home, post_id=-best, revision=None, ties=ties[best])
        self._join(home, post_id=revision.post_id, revision=revision, ties=ties[best])
        for other in campaigns:
            # Looked up each time: a merger of this loop may have moved either.
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
        number = _UNSAVED + len(self.campaigns)
        self.campaigns[number] = Campaign(
            opened_at=revision.received_at, latest_at=revision.received_at, example=revision
        )
        return number

    def _join(self, campaign_id: int, *, post_id: int, revision: Revision | None, ties: Ties) -> None:
        campaign, kinds = self.campaigns[campaign_id], tuple(ties.kinds)
        self._new_members.append(NewMember(campaign=campaign, post_id=post_id, revision=revision, ties=kinds))
        self.places[post_id] = campaign_id
        campaign.posts += 1

    def _unite(self, first: int, second: int) -> None:
        """Merge the smaller campaign into the larger; a campaign with a decision keeps it."""
        if first == second or {first, second} <= self.decided:
            return
        kept_id, gone_id = sorted(
            (first, second),
            key=lambda pk: (pk not in self.decided, -self.campaigns[pk].posts, pk),
        )
        if self.campaigns[gone_id].posts > MERGED_AT_MOST:
            return
        self._kept[gone_id] = kept_id
        self.campaigns[kept_id].posts += self.campaigns[gone_id].posts
        self._mergers.append((gone_id, kept_id))
