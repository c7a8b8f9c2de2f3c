"""What the simulated web says: every family is written, and a reader learns nothing that is held out."""

import random
from itertools import combinations

import pytest

from simulation.management.commands import simulate_pages
from simulation.management.commands.simulate_pages import Worded
from simulation.texts import Families, curated
from simulation.web import families, pictures, wording
from simulation.web.pictures import Show


@pytest.fixture(scope="module")
def learnt() -> list[Worded]:
    return list(simulate_pages.texts(pages_each=1, seed=3))


def test_every_kind_of_page_has_families_on_both_sides() -> None:
    kinds = {one.kind for one in families.families().values()}

    for kind in kinds:
        assert families.of_kind(kind, held_out=True)
        assert len(families.of_kind(kind, held_out=False)) >= 2
    assert len(kinds) >= 20


def test_families_share_no_template() -> None:
    for one, other in combinations(families.families().values(), 2):
        assert not {*one.titles, *one.paragraphs} & {*other.titles, *other.paragraphs}, (one.name, other.name)


def test_every_kind_of_post_leads_to_pages_of_its_own_side() -> None:
    for kind in {text.kind for each in Families for text in curated(each)}:
        assert families.page_kinds(kind.name), kind
        for page_kind in families.page_kinds(kind.name):
            (side,) = {one.is_hostile for one in families.families().values() if one.kind == page_kind}
            assert side == kind.is_spam, (kind.name, page_kind)


@pytest.mark.parametrize("name", sorted(families.families()))
def test_every_family_fills_in_its_templates(name: str) -> None:
    family, rng = families.families()[name], random.Random(1)

    for template in (*family.titles, *family.paragraphs, *family.calls):
        said = wording.phrase(template, slots=family, site="Some Site", rng=rng)
        assert said
        assert not set("{}[]|") & set(said), said


def test_no_picture_is_on_both_sides() -> None:
    pool = pictures.pool().values()
    shown = {
        side: {
            (one.family, pictures.lines(one))
            for one in pool
            if one.is_held_out == side and pictures.lines(one)
        }
        for side in (True, False)
    }

    assert not shown[True] & shown[False]
    assert len({one.name for one in pool}) == len(pool)


def test_a_language_without_pages_says_what_its_posts_say() -> None:
    family = families.families()["phishing_login.notice"]

    german = wording.said(
        family, post_kind="fines_and_tolls", language="de", site="Seite", rng=random.Random(2)
    )

    assert any(word in " ".join(german.paragraphs) for word in ("Maut", "Vignette", "Bußgeld"))


def test_few_hundred_pictures_are_enough_to_learn_from() -> None:
    unaltered = [one for one in pictures.pool().values() if one.alteration == "none" and not one.is_held_out]

    assert 300 < len(unaltered) < 700
    assert {one.show for one in unaltered} == set(Show)


class TestLearning:
    def test_nothing_that_is_held_out_is_learnt(self, learnt: list[Worded]) -> None:
        pool = pictures.pool().values()
        kinds = {one.family for one in pool if one.is_held_out and one.show == Show.WORDS}
        names = {one.name for one in families.families().values() if one.is_held_out}

        assert min(len(names), len(kinds)) > 0
        assert not (names | kinds) & {one.family for one in learnt}

    def test_no_template_that_is_held_out_is_learnt(self) -> None:
        held_out = [one for one in families.families().values() if one.is_held_out]
        said = {words for one in held_out for words in (*one.titles, *one.paragraphs)}

        for one in families.to_learn().values():
            assert not one.is_held_out
            assert not said & {*one.titles, *one.paragraphs}, one.name

    def test_no_world_shows_what_is_only_learnt_from(self) -> None:
        assert not set(families.families()) & set(families.to_learn())

    def test_every_template_is_filled_in(self, learnt: list[Worded]) -> None:
        for one in learnt:
            assert one.text.strip(), one
            assert not set("{}[]") & set(one.text), one

        assert {one.shown for one in learnt} == {"page", "picture", "captions"}
        assert {one.is_spam for one in learnt} == {True, False}

    def test_who_signs_says_nothing_of_the_truth(self) -> None:
        for one in families.families().values():
            assert one.kind.replace("_", " ") not in wording.owner(one).lower()

    def test_a_seed_repeats_itself(self, learnt: list[Worded]) -> None:
        again = list(simulate_pages.texts(pages_each=1, seed=3))

        assert again == learnt
