"""Worlds show the texts of one side: those that models learn from, or those kept out."""

import json
import random
from statistics import mean

import pytest

from deploy.local.places import ROOT
from scoring.splits import Split, split_of
from simulation.events import PostEvent
from simulation.texts import CuratedTexts, Families, curated, links, relinked
from simulation.web.shares import Mode
from simulation.world import World
from tests.simulation.seen import START

ROWS = [json.loads(line) for line in (ROOT / "training" / "curated_posts.jsonl").read_text().splitlines()]


def posts_of(texts: Families, *, posts: int = 300) -> list[PostEvent]:
    """Return posts of a world as `make run` shows it, whose readers see no hostile content."""
    world = World(seed=4, run="t", texts=texts, leads=Mode.ORDINARY)
    events = world.run(start=START, seconds_per_post=576, posts=posts)
    return [event for event in events if isinstance(event, PostEvent) and not event.truth.hostile]


@pytest.mark.parametrize("texts", list(Families))
def test_a_world_shows_families_of_one_side_only(texts: Families) -> None:
    posts = posts_of(texts)

    sides = {split_of(name) == Split.TRAIN for post in posts for name in _families(post)}
    assert sides == {texts == Families.TRAIN}


def test_honest_posts_stand_as_they_were_written_and_none_twice() -> None:
    written = {row["text"] for row in ROWS}
    honest = [post for post in posts_of(Families.KEPT_OUT) if not post.truth.is_spam]

    own = [post.payload["text"] for post in honest if not post.truth.campaign]
    assert sum(text in written for text in own) > 0.9 * len(own)  # twins have a link more
    assert len(set(own)) == len(own) > 150


def test_the_links_of_a_text_are_the_links_of_the_post() -> None:
    for post in posts_of(Families.KEPT_OUT):
        assert set(post.payload.get("links", [])) <= set(links(post.payload["text"]))
        assert {site.urls[0] for site in post.sites} == set(links(post.payload["text"]))


def test_people_answer_what_is_about_the_same() -> None:
    posts = {post.payload["external_id"]: post for post in posts_of(Families.KEPT_OUT, posts=900)}
    answers = [(post, post.payload["parent"]) for post in posts.values() if "parent" in post.payload]
    articles = {row["text"]: (row["lang"], row["group"]) for row in ROWS}

    about = [
        (post, articles.get(parent["text"])) if "text" in parent else (post, _about(posts, parent))
        for post, parent in answers
    ]
    assert len(about) > 150
    for post, answered in about:
        if answered:
            assert answered[0] == post.truth.language
            assert post.truth.is_spam or answered[1] == post.truth.kind


def test_a_campaign_that_rewords_says_the_same_in_the_same_language() -> None:
    texts, rng = CuratedTexts(), random.Random(1)
    first = texts.shared(rng=rng, is_spam=True)

    others = [texts.reworded(first, rng=rng) for _ in range(30)]

    assert {(one.kind, one.language, bool(one.urls)) for one in others} == {
        (first.kind, first.language, bool(first.urls))
    }


def test_a_text_that_moves_leads_to_the_new_place_alone() -> None:
    linked = [text for text in curated(Families.KEPT_OUT) if text.kind.is_spam and text.urls]

    moved = [relinked(text, url="https://new.example/x") for text in linked]

    # A few are written so that no program finds their end.
    assert mean(text.urls == ("https://new.example/x",) for text in moved) > 0.95


def test_all_are_shown_before_any_is_shown_again() -> None:
    texts, rng = CuratedTexts(has_links=False), random.Random(1)
    linkless = [one for one in curated(Families.KEPT_OUT) if not one.kind.is_spam and not one.urls]

    taken = [texts.take(rng=rng, is_spam=False).text for _ in linkless]

    assert sorted(taken) == sorted(one.text for one in linkless)
    assert texts.take(rng=rng, is_spam=False).text in taken


def _families(post: PostEvent) -> set[str]:
    return {post.truth.kind, post.truth.words} - {""}


def _about(posts: dict[str, PostEvent], parent: dict[str, str]) -> tuple[str, str] | None:
    answered = posts.get(parent["external_id"])
    return (answered.truth.language, answered.truth.kind) if answered else None
