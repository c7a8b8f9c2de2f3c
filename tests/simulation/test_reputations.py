"""What providers say of simulated domains: late, patchy, and blind where the site is somebody else's."""

from __future__ import annotations

import random
from statistics import mean

from simulation.reputations import Reputation, reputation


def said(domain: str, *, is_spam: bool) -> list[Reputation]:
    rng = random.Random(1)
    return [reputation(domain, is_spam=is_spam, rng=rng) for _ in range(4000)]


def ages(reputations: list[Reputation]) -> list[float]:
    return [one.age_days for one in reputations if one.age_days is not None]


def test_domains_registered_for_spam_are_days_old_but_some_were_aged() -> None:
    days = ages(said("cheap-pills7.example", is_spam=True))

    assert 0.6 < mean(age <= 5 for age in days) < 0.7
    assert 0.14 < mean(age > 90 for age in days) < 0.2


def test_sites_broken_into_look_honest() -> None:
    broken_into = said("garcia-bakery.example", is_spam=True)
    honest = said("town-hall.example", is_spam=False)

    assert mean(age > 90 for age in ages(broken_into)) > 0.9
    assert mean(one.threat_score for one in broken_into) < 0.02
    assert abs(mean(ages(broken_into)) / mean(ages(honest)) - 1) < 0.15


def test_blacklists_know_a_minority() -> None:
    assert 0.1 < mean(one.threat_score for one in said("cheap-pills7.example", is_spam=True)) < 0.4
