"""Disguised copies: of both classes, in their group, the same for a seed."""

from __future__ import annotations

from collections import Counter

from training.augment import with_copies
from training.dataset import Example


def examples() -> list[Example]:
    text = "Call the office now and claim your free ticket at http://a.example/{}"
    return [
        Example(id=str(number), source="s", text=text.format(number), label=number % 2, group=str(number))
        for number in range(200)
    ]


def test_copies_that_share_of_either_class() -> None:
    found = with_copies(examples(), share=0.4, seed=1)[200:]

    counts = Counter(copy.label for copy in found)
    assert 50 < len(found) < 110
    assert min(counts.values()) > 0.3 * len(found)


def test_a_copy_is_disguised_and_stays_in_its_group() -> None:
    originals = examples()

    found = with_copies(originals, share=0.4, seed=1)

    assert found[:200] == originals
    by_id = {one.id: one for one in originals}
    for copy in found[200:]:
        original = by_id[copy.id.rstrip("~")]
        assert (copy.group, copy.label) == (original.group, original.label)
        assert copy.text != original.text


def test_is_repeatable() -> None:
    assert with_copies(examples(), share=0.4, seed=1) == with_copies(examples(), share=0.4, seed=1)


def test_no_share_no_copies() -> None:
    assert with_copies(examples(), share=0.0, seed=1) == examples()
