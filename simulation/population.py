"""The authors of one world: they join, post again, and some are taken over."""

import random
from collections import defaultdict
from datetime import datetime

from simulation import authors
from simulation.authors import MADE_IN_BATCHES, Author, Batch, Role
from simulation.platforms import Network
from simulation.texts import Kind

FARMS = 40

_FEWEST_TALKERS = 8
_NEW_TALKER_SHARE = 0.3
# Of honest posts: platforms close accounts whose spam was found, so few of them are heard again.
_PROMOTERS_SHARE, _BOUGHT_SHARE = 0.08, 0.008
_TALKERS = ((Role.ORDINARY, Role.NEWCOMER, Role.POWER_USER, Role.FEED), (74, 13, 8, 5))

# Spam by family: hijacked and repurposed 30 to 60 %, aged and bought 15 to 30 %, fresh 20 to 40 %.
_SPAMMERS = (
    (Role.HIJACKED, Role.REPURPOSED, Role.AGED_BOUGHT, Role.FRESH, Role.PROMOTER),
    (32, 9, 20, 31, 8),
)
_RETURNING = {Role.REPURPOSED: 0.4, Role.AGED_BOUGHT: 0.4, Role.PROMOTER: 0.8, Role.BOOSTER: 0.05}
_STILL_HIJACKED_SHARE, _LOCKED_OUT_SHARE = 0.4, 0.8
_UNHEARD_VICTIM_SHARE = 0.3
_FRESH_POSTS = (1, 1, 1, 2, 2, 3)


class Population:
    """Chooses who writes a post, creating authors as the world grows."""

    def __init__(self, *, run: str, network: Network, rng: random.Random) -> None:
        self._run = run
        self._network = network
        self._rng = rng
        self._count = 0
        self._talkers: dict[str, list[Author]] = defaultdict(list)
        self._spammers: dict[tuple[Role, str], list[Author]] = defaultdict(list)
        self._batches: dict[Role, Batch] = {}
        self._thrown_away_after: dict[str, int] = {}

    def talker(self, *, kind: Kind, language: str, at: datetime) -> Author:
        """Return who writes an ordinary post: mostly ordinary people, at times an account that also spams."""
        rng = self._rng
        if "promoters_talk" in kind.traits and rng.random() < _PROMOTERS_SHARE:
            return self._some(Role.PROMOTER, language=language, at=at)
        if rng.random() < _BOUGHT_SHARE:
            return self._some(rng.choice((Role.AGED_BOUGHT, Role.REPURPOSED)), language=language, at=at)
        talkers = self._talkers[language]
        if len(talkers) < _FEWEST_TALKERS or rng.random() < _NEW_TALKER_SHARE:
            roles, weights = _TALKERS
            role = rng.choices(roles, weights=weights)[0]
            if role == Role.FEED and "fed" not in kind.traits:
                role = Role.ORDINARY
            talkers.append(self._create(role, language=language, at=at))
            return talkers[-1]
        return self._awake(talkers, at=at)

    def spammer(self, *, kind: Kind, language: str, at: datetime) -> Author:
        """Return who writes a single spam post of this kind."""
        rng = self._rng
        if "promoted" in kind.traits and rng.random() < 0.5:
            return self._some(Role.PROMOTER, language=language, at=at)
        if "boosted" in kind.traits and rng.random() < 0.5:
            return self._some(Role.BOOSTER, language=language, at=at)
        roles, weights = _SPAMMERS
        role = rng.choices(roles, weights=weights)[0]
        if role == Role.HIJACKED:
            return self._hijacked(language=language, at=at)
        return self._some(role, language=language, at=at)

    def recruit(self, role: Role, *, language: str, batch: Batch, at: datetime) -> Author:
        """Return an account that a campaign has not used before."""
        if role == Role.HIJACKED:
            return self._hijacked(language=language, at=at)
        return self._create(role, language=language, at=at, batch=batch if role in MADE_IN_BATCHES else None)

    def batch(self, role: Role, *, at: datetime) -> Batch:
        """Return what the next accounts of a role have in common, which only scripts see to."""
        facts = role if role in MADE_IN_BATCHES else Role.FRESH
        farm = self._rng.randrange(FARMS)
        return authors.batch(role=facts, network=self._network, farm=farm, at=at, rng=self._rng)

    def _hijacked(self, *, language: str, at: datetime) -> Author:
        """Return a hijacked account, mostly one that posted before and whose owner is locked out."""
        rng, accounts = self._rng, self._spammers[Role.HIJACKED, language]
        if accounts and rng.random() < _STILL_HIJACKED_SHARE:
            return rng.choice(accounts)
        author = None if rng.random() < _UNHEARD_VICTIM_SHARE else self._victim(language=language, at=at)
        if author is None:
            author = self._create(Role.ORDINARY, language=language, at=at)
            self._talkers[language].append(author)
        if rng.random() < _LOCKED_OUT_SHARE and author in self._talkers[language]:
            self._talkers[language].remove(author)
        author.takeover = authors.takeover(farm=rng.randrange(FARMS), rng=rng)
        accounts.append(author)
        return author

    def _victim(self, *, language: str, at: datetime) -> Author | None:
        """Return somebody to take over, preferably asleep."""
        rng, talkers = self._rng, self._talkers[language]
        candidates = [rng.choice(talkers) for _ in range(4 if len(talkers) >= _FEWEST_TALKERS else 0)]
        free = [author for author in candidates if author.takeover is None and author.role != Role.FEED]
        return next((author for author in free if author.is_asleep(at)), free[0] if free else None)

    def _some(self, role: Role, *, language: str, at: datetime) -> Author:
        """Return a spammers' account of this role, perhaps one that posted before."""
        rng, pool = self._rng, self._spammers[role, language]
        if role == Role.FRESH:
            pool[:] = [author for author in pool[-25:] if self._thrown_away_after[author.external_id] > 0]
        if pool and rng.random() < _RETURNING.get(role, 0.5):
            author = self._skewed(pool)
        else:
            author = self._create(role, language=language, at=at, batch=self._current_batch(role, at=at))
            pool.append(author)
            self._thrown_away_after[author.external_id] = rng.choice(_FRESH_POSTS)
        self._thrown_away_after[author.external_id] -= 1
        return author

    def _current_batch(self, role: Role, *, at: datetime) -> Batch | None:
        """Return the batch that single accounts come from; a new one is bought now and then."""
        if role not in MADE_IN_BATCHES or self._rng.random() < 0.4:
            return None
        if role not in self._batches or self._rng.random() < 0.12:
            self._batches[role] = self.batch(role, at=at)
        return self._batches[role]

    def _create(self, role: Role, *, language: str, at: datetime, batch: Batch | None = None) -> Author:
        self._count += 1
        return authors.create(
            external_id=f"{self._run}-a{self._count:05}",
            role=role,
            network=self._network,
            language=language,
            at=at,
            batch=batch,
            rng=self._rng,
        )

    def _awake(self, talkers: list[Author], *, at: datetime) -> Author:
        """Return one of the talkers, preferably one awake."""
        author = self._skewed(talkers)
        return self._skewed(talkers) if author.is_asleep(at) and self._rng.random() < 0.85 else author

    def _skewed(self, known: list[Author]) -> Author:
        """Return one of the known authors; few people write most posts."""
        return known[int(len(known) * self._rng.random() ** 1.6)]
