"""What a reader of pages learns from: nothing that is held out, and a truth that only the words tell."""

from __future__ import annotations

import pytest

from simulation.web import families, learning, wording
from simulation.web.learning import Worded


@pytest.fixture(scope="module")
def learnt() -> list[Worded]:
    return list(learning.texts(pages_each=1, seed=3, held_out=False))


def test_nothing_that_is_held_out_is_learnt(learnt: list[Worded]) -> None:
    held_out = list(learning.texts(pages_each=1, seed=3, held_out=True))
    names = {one.name for one in families.families().values() if one.is_held_out}

    assert names
    assert names <= {one.family for one in held_out}
    assert not names & {one.family for one in learnt}
    assert not {one.text for one in held_out} & {one.text for one in learnt}


def test_no_template_that_is_held_out_is_learnt() -> None:
    held_out = [one for one in families.families().values() if one.is_held_out]
    said = {words for one in held_out for words in (*one.titles, *one.paragraphs)}

    for one in families.to_learn().values():
        assert not one.is_held_out
        assert not said & {*one.titles, *one.paragraphs}, one.name


def test_no_world_shows_what_is_only_learnt_from() -> None:
    assert not set(families.families()) & set(families.to_learn())


def test_every_template_is_filled_in(learnt: list[Worded]) -> None:
    for one in learnt:
        assert one.text.strip(), one
        assert not set("{}[]") & set(one.text), one

    assert {one.shown for one in learnt} == {"page", "picture", "captions"}
    assert {one.is_spam for one in learnt} == {True, False}


def test_who_signs_says_nothing_of_the_truth() -> None:
    for one in families.families().values():
        assert one.kind.replace("_", " ") not in wording.owner(one).lower()


def test_a_seed_repeats_itself(learnt: list[Worded]) -> None:
    again = list(learning.texts(pages_each=1, seed=3, held_out=False))

    assert again == learnt
