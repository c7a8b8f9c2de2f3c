"""The authors of one world: they join, post again, and some are taken over."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime

from moderation.simulation import authors
from moderation.simulation.authors import Author, Role
from moderation.simulation.material import Kind

FARMS = 40

_FEWEST_TALKERS = 8

_PROMOTED = ("referral_code", "astroturf", "seo_links", "followers_for_sale")
_PROMOTER_TALK = ("own_work", "private_sale", "recommendation")


class Population:
    """Chooses who writes a post, creating authors as the world grows."""

    def __init__(self, *, run: str, rng: random.Random) -> None:
        self._run = run
        self._rng = rng
        self._count = 0
        self._talkers: dict[str, list[Author]] = defaultdict(list)
        self._by_role: dict[Role, list[Author]] = {role: [] for role in Role}

    def talker(self, *, kind: Kind, language: str, at: datetime) -> Author:
        """Return who writes an ordinary post: mostly ordinary people, at times an account that also spams."""
        rng = self._rng
        if kind.name in _PROMOTER_TALK and rng.random() < 0.3:
            return self._some(Role.PROMOTER, language=language, at=at, new_share=0.15)
        if rng.random() < 0.05:
            return self._some(Role.PATIENT, language=language, at=at, new_share=0.35)
        talkers = self._talkers[language]
        if len(talkers) < _FEWEST_TALKERS or rng.random() < 0.22:
            role = rng.choices([Role.ORDINARY, Role.NEWCOMER, Role.POWER_USER], weights=[60, 32, 8])[0]
            talkers.append(self._create(role, language=language, at=at))
            return talkers[-1]
        return self._skewed(talkers)

    def spammer(self, *, kind: Kind, language: str, at: datetime) -> Author:
        """Return who writes a spam post of this kind."""
        rng = self._rng
        if kind.name in _PROMOTED and rng.random() < 0.55:
            return self._some(Role.PROMOTER, language=language, at=at, new_share=0.15)
        role = rng.choices([Role.FRESH_BULK, Role.HIJACKED, Role.PATIENT], weights=[52, 25, 23])[0]
        if role == Role.HIJACKED:
            return self._hijacked(language=language, at=at)
        return self._some(role, language=language, at=at, new_share=0.4 if role == Role.FRESH_BULK else 0.1)

    def _hijacked(self, *, language: str, at: datetime) -> Author:
        """Return a hijacked account; a new one is somebody who was heard before, if there is anybody."""
        taken = self._by_role[Role.HIJACKED]
        if taken and self._rng.random() < 0.6:
            return self._skewed(taken)
        talkers = self._talkers[language]
        if len(talkers) < _FEWEST_TALKERS:
            return self._create(Role.HIJACKED, language=language, at=at)
        author = talkers.pop(self._rng.randrange(len(talkers)))
        authors.hijack(author, farm=self._rng.randrange(FARMS), rng=self._rng)
        taken.append(author)
        return author

    def _some(self, role: Role, *, language: str, at: datetime, new_share: float) -> Author:
        known = self._by_role[role]
        if not known or self._rng.random() < new_share:
            return self._create(role, language=language, at=at)
        # Bulk accounts are thrown away: only recent ones post again.
        return self._rng.choice(known[-25:]) if role == Role.FRESH_BULK else self._skewed(known)

    def _create(self, role: Role, *, language: str, at: datetime) -> Author:
        self._count += 1
        author = authors.create(
            external_id=f"{self._run}-a{self._count:05}",
            role=role,
            language=language,
            at=at,
            farm=self._rng.randrange(FARMS),
            rng=self._rng,
        )
        self._by_role[role].append(author)
        return author

    def _skewed(self, known: list[Author]) -> Author:
        """Return one of the known authors; few people write most posts."""
        return known[int(len(known) * self._rng.random() ** 1.6)]
