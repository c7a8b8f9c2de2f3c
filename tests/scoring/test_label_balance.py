"""Weak labels, by their counts."""

import pytest

from scoring.label_balance import Balance, Weakness, findings


@pytest.mark.parametrize(
    ("labels", "spam", "random", "by_complaint", "languages", "found"),
    [
        # The trial of the new platform: 129 labels after complaints and reversals, 115 of them spam.
        (129, 115, 0, 129, {"ru": 129}, ["by_complaint", "one_sided", "few_random", "few_of_a_sort"]),
        (129, 115, 5, 124, {"ru": 129}, ["one_sided", "few_random", "few_of_a_sort"]),
        (334, 120, 100, 0, {"ru": 300, "en": 34}, []),
        # What random labels say of a platform without much spam is no weakness of theirs but a want of spam.
        (200, 10, 200, 0, {"en": 200}, ["few_of_a_sort"]),
        (200, 100, 49, 0, {"en": 200}, ["few_random"]),
        (200, 100, 50, 0, {"en": 200}, []),
        (400, 200, 100, 0, {"en": 398, "ru": 2}, ["one_language"]),
        (400, 200, 100, 0, {"": 390, "ru": 5, "en": 5}, []),
        (3, 3, 0, 3, {"en": 3}, ["few_random", "few_of_a_sort"]),
    ],
)
def test_say_what_is_weak_the_gravest_first(
    labels: int, spam: int, random: int, by_complaint: int, languages: dict[str, int], found: list[str]
) -> None:
    balance = Balance(labels=labels, spam=spam, random=random, by_complaint=by_complaint, languages=languages)

    assert [finding.weakness.value for finding in findings(balance)] == found


def test_every_weakness_has_words_that_say_what_to_do() -> None:
    balances = (
        Balance(labels=129, spam=115, random=0, by_complaint=129, languages={"ru": 129}),
        Balance(labels=400, spam=200, random=100, languages={"en": 398, "ru": 2}),
    )

    found = [finding for balance in balances for finding in findings(balance)]

    assert {finding.weakness for finding in found} == set(Weakness)
    for finding in found:
        assert "{" not in finding.message
        assert "Label 100 random posts" in finding.message
