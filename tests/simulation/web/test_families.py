"""What is held out for measuring is never shown where models learn, and the other way round."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from simulation.texts import Families, curated
from simulation.web import families, pictures, wording
from simulation.web.pictures import Show


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
