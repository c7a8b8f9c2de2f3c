"""What this process scores with."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from moderation import scorer


@pytest.mark.parametrize("make", [scorer.of, scorer.shadow_of], ids=lambda one: one.__name__)
def test_threads_that_begin_together_load_a_release_once(make: Callable[[str], object]) -> None:
    scorer.forget()

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(make, [scorer.shipped().id] * 8))

    assert len({id(one) for one in made}) == 1
