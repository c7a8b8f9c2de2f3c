"""Templates turn into texts."""

from __future__ import annotations

import random

import pytest

from moderation.simulation import material
from moderation.simulation.grammar import Choices, expand
from moderation.simulation.texts import Template, variant


def test_makes_every_choice() -> None:
    text = expand(
        "[Buy|Get] {thing} for {int:3-3}",
        slots={"thing": ["{colour} shoes"], "colour": ["red"]},
        choices=Choices(rng=random.Random(1)),
    )

    assert text in {"Buy red shoes for 3", "Get red shoes for 3"}


def test_names_the_slot_that_no_list_defines() -> None:
    with pytest.raises(KeyError, match="thing"):
        expand("{thing}", slots={}, choices=Choices(rng=random.Random(1)))


def test_a_campaign_repeats_its_wording_and_changes_its_names() -> None:
    slots = {
        "drug": [f"d{number}" for number in range(50)],
        "first_name": [f"n{number}" for number in range(50)],
    }
    fixed: dict[str, str] = {}
    rng = random.Random(1)

    texts = [
        expand("{drug} {first_name}", slots=slots, choices=Choices(rng=rng, fixed=fixed)) for _ in range(40)
    ]

    drugs, names = zip(*(text.split() for text in texts), strict=True)
    assert max(drugs.count(drug) for drug in drugs) > 25
    assert len(set(names)) > 15


def test_every_template_of_every_language_expands() -> None:
    rng = random.Random(1)

    for language, kinds in material.wordings().items():
        for name, wording in kinds.items():
            for template in wording.templates:
                campaign = Template(
                    kind=material.kinds()[name], language=language, wording=wording, template=template
                )
                assert variant(campaign, rng=rng).text


# What people say in two words, and what they copy letter by letter, is the same from many.
_REPEATED = {"reaction", "chain_letter", "app_post", "follow_bait"}


@pytest.mark.parametrize("name", sorted(material.wordings()["en"].keys() - _REPEATED))
def test_each_kind_has_thousands_of_english_texts(name: str) -> None:
    kind, wording = material.kinds()[name], material.wordings()["en"][name]
    rng = random.Random(1)

    fresh = (
        Template(kind=kind, language="en", wording=wording, template=rng.choice(wording.templates))
        for _ in range(2000)
    )
    texts = {variant(template, rng=rng).text for template in fresh}

    # Two thousand draws with few repeats mean many thousands of texts (the birthday bound).
    assert len(texts) > 1200
