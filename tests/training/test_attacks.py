"""Attacks disguise and do no more; copies for training are disguised by them, and stay in their group."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.normalise import normalise
from training.attacks import ATTACKS, attacked, with_copies
from training.dataset import Example

SPAM = (
    "URGENT! You have won a free prize. Call 0800 123 456 now or click http://win.example.com/claim and "
    "verify your account to claim your cash"
)


def examples() -> list[Example]:
    text = "Call the office now and claim your free ticket at http://a.example/{}"
    return [
        Example(id=str(number), source="s", text=text.format(number), label=number % 2, group=str(number))
        for number in range(200)
    ]


@pytest.mark.parametrize("attack", ATTACKS)
def test_changes_the_text_the_same_way_every_time(attack: str) -> None:
    first, second = (attacked(SPAM, attack=attack, seed=3) for _ in range(2))

    assert first == second != SPAM


@pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"url_defang"}))
def test_another_seed_gives_another_text(attack: str) -> None:
    assert len({attacked(SPAM, attack=attack, seed=seed) for seed in range(5)}) > 1


@pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"url_defang"}))
def test_leaves_links_alone(attack: str) -> None:
    assert "http://win.example.com/claim" in attacked(SPAM, attack=attack, seed=1)


def test_defang_makes_links_unclickable() -> None:
    found = attacked(SPAM, attack="url_defang", seed=1)

    assert "http://" not in found
    assert "win.example.com" not in found


@pytest.mark.parametrize("attack", ["spacing", "zero_width", "homoglyph", "fullwidth", "leet", "url_defang"])
@pytest.mark.parametrize("seed", range(5))
def test_the_normaliser_restores_nearly_every_word(attack: str, seed: int) -> None:
    found = normalise(attacked(SPAM, attack=attack, seed=seed)).text.split()

    restored = set(found) & set(SPAM.split())
    assert len(restored) >= 0.85 * len(set(SPAM.split()))


def test_padding_keeps_the_message_whole() -> None:
    assert SPAM in attacked(SPAM, attack="ham_padding", seed=1)


@given(text=st.text(max_size=200), attack=st.sampled_from(sorted(ATTACKS)), seed=st.integers(0, 9))
@settings(max_examples=200, deadline=None)
def test_takes_any_text(text: str, attack: str, seed: int) -> None:
    assert isinstance(attacked(text, attack=attack, seed=seed), str)


def test_refuses_an_unknown_attack() -> None:
    with pytest.raises(KeyError):
        attacked(SPAM, attack="hypnosis", seed=1)


class TestCopies:
    def test_copies_that_share_of_either_class(self) -> None:
        found = with_copies(examples(), share=0.4, seed=1)[200:]

        counts = Counter(copy.label for copy in found)
        assert 50 < len(found) < 110
        assert min(counts.values()) > 0.3 * len(found)

    def test_a_copy_is_disguised_and_stays_in_its_group(self) -> None:
        originals = examples()

        found = with_copies(originals, share=0.4, seed=1)

        assert found[:200] == originals
        by_id = {one.id: one for one in originals}
        for copy in found[200:]:
            original = by_id[copy.id.rstrip("~")]
            assert (copy.group, copy.label) == (original.group, original.label)
            assert copy.text != original.text

    def test_is_repeatable(self) -> None:
        assert with_copies(examples(), share=0.4, seed=1) == with_copies(examples(), share=0.4, seed=1)

    def test_no_share_no_copies(self) -> None:
        assert with_copies(examples(), share=0.0, seed=1) == examples()
