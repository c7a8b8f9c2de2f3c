"""What posts lead to: the truth is behind the link where the words are harmless, and the other way round."""

from collections import Counter
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from moderation.evidence import captions
from simulation.events import PostEvent
from simulation.hosts import RESERVED_SUFFIXES
from simulation.platforms import PlatformKind
from simulation.texts import Families
from simulation.web import families
from simulation.web.shares import Mode
from simulation.web.sites import Behaviour, Site
from simulation.world import World

START = datetime(2026, 3, 1, tzinfo=UTC)


def posts_of(
    leads: Mode | None,
    *,
    seed: int = 5,
    posts: int = 900,
    kind: PlatformKind = PlatformKind.EVERYTHING,
    texts: Families = Families.KEPT_OUT,
) -> list[PostEvent]:
    world = World(seed=seed, run="sim-w", texts=texts, platform=kind, leads=leads)
    events = world.run(start=START, seconds_per_post=200, posts=posts)
    return [event for event in events if isinstance(event, PostEvent)]


@pytest.fixture(scope="module")
def ordinary() -> list[PostEvent]:
    # One world holds some forty posts of hidden spam: too few for a share of a tenth of them.
    worlds = (posts_of(Mode.ORDINARY, seed=seed, posts=4000, texts=Families.TRAIN) for seed in (5, 6, 7, 8))
    return [event for world in worlds for event in world]


@pytest.fixture(scope="module")
def hidden() -> list[PostEvent]:
    return posts_of(Mode.HIDDEN)


def is_hostile(site: Site) -> bool:
    return families.families()[site.family].is_hostile


def test_without_a_web_posts_lead_nowhere() -> None:
    for event in posts_of(None, posts=200):
        assert not event.sites
        assert not {"media_urls", "transcripts"} & set(event.payload)


def test_hidden_spam_has_harmless_words_and_a_hostile_page(hidden: list[PostEvent]) -> None:
    # No Japanese post that is kept out is harmless and without a link.
    spam = [event for event in hidden if event.truth.is_spam and event.truth.language != "ja"]

    assert all(event.truth.hides_in for event in spam)
    for event in spam:
        pages = [is_hostile(site) for site in event.sites]
        assert pages == ([True] if event.truth.hides_in == "page" else [])
        assert bool(event.payload.get("media_urls")) == (event.truth.hides_in in ("picture", "code"))
        assert bool(event.payload.get("transcripts")) == (event.truth.hides_in == "captions")


def test_its_honest_twins_lead_on_in_the_same_way(hidden: list[PostEvent]) -> None:
    talk = [event for event in hidden if not event.truth.is_spam]

    assert all(event.truth.twin_in or event.sites for event in talk)
    assert not any(is_hostile(site) for event in talk for site in event.sites)
    assert {event.truth.twin_in for event in talk} >= {"page", "picture", "code", "captions"}


def test_the_truth_names_the_tricks_of_attacks() -> None:
    spam = [one for one in posts_of(Mode.ATTACKS) if one.truth.hides_in]

    by_place = {where: Counter[str]() for where in ("page", "picture", "code", "captions")}
    for event in spam:
        by_place[event.truth.hides_in].update(event.truth.tricks)
    assert set(by_place["page"]) == {"cloaked", "turns"}
    assert set(by_place["picture"]) == {"words", "mirrored", "cropped", "recompressed"}
    assert set(by_place["code"]) <= {"mirrored", "cropped", "recompressed"}
    assert not by_place["captions"]


def test_what_is_held_out_is_shown_in_no_other_world(
    ordinary: list[PostEvent], hidden: list[PostEvent]
) -> None:
    learnt, measured = (
        {name for event in events for site in event.sites for name in (site.family, site.face) if name}
        for events in (ordinary, hidden)
    )

    assert not learnt & measured
    assert not any(families.families()[name].is_held_out for name in learnt)


def test_no_link_of_spam_and_of_honest_people_meet(hidden: list[PostEvent]) -> None:
    sides: dict[str, set[bool]] = {}
    for event in hidden:
        for site in event.sites:
            sides.setdefault(site.urls[0], set()).add(is_hostile(site))

    assert all(len(side) == 1 for side in sides.values())


def test_links_lead_on_to_names_that_cannot_exist(ordinary: list[PostEvent]) -> None:
    urls = {url for event in ordinary for url in event.payload.get("media_urls", [])}
    named = {urlsplit(site.urls[0]).hostname for event in ordinary for site in event.sites}
    urls |= {url for event in ordinary for site in event.sites for url in site.urls[1:]}

    others = {urlsplit(url).hostname or "" for url in urls} - named
    assert len(urls) > 400
    assert [host for host in others if not host.endswith(RESERVED_SUFFIXES)] == []


def test_an_ordinary_world_has_the_shares_of_its_guide(ordinary: list[PostEvent]) -> None:
    spam = [event for event in ordinary if event.truth.is_spam]
    talk = [event for event in ordinary if not event.truth.is_spam]

    assert 0.05 < sum(bool(event.truth.hides_in) for event in spam) / len(spam) < 0.25
    assert 0.1 < sum("media_urls" in event.payload for event in talk) / len(talk) < 0.25
    assert 0.1 < sum("media_urls" in event.payload for event in spam) / len(spam) < 0.35
    behaviours = Counter(site.behaviour for event in spam for site in event.sites)
    assert set(behaviours) == set(Behaviour)
    assert behaviours[Behaviour.PLAIN] > 0.4 * behaviours.total()
    honest_behind_spam = [site for event in spam for site in event.sites if not is_hostile(site)]
    assert 0 < len(honest_behind_spam) < 0.2 * sum(len(event.sites) for event in spam)


@pytest.mark.parametrize(
    ("kind", "shown"),
    [(PlatformKind.MESSENGER, {"media_urls", "transcripts"}), (PlatformKind.ACCOUNTS, set())],
)
def test_a_platform_shows_only_what_it_has(kind: PlatformKind, shown: set[str]) -> None:
    events = posts_of(Mode.HIDDEN, posts=200, kind=kind)

    found = {name for event in events for name in ("media_urls", "transcripts") if name in event.payload}
    assert found == shown
    assert any(event.sites for event in events) == (kind != PlatformKind.MESSENGER)


def test_captions_can_be_read(hidden: list[PostEvent]) -> None:
    sent = [one for event in hidden for one in event.payload.get("transcripts", [])]

    assert len(sent) > 20
    for one in sent:
        stored = captions.transcript(one)
        assert len(stored["cues"]) >= 4
        assert not stored["is_cut"]
