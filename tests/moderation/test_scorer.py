"""What this process scores with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from moderation import scorer


@pytest.mark.parametrize("make", ["of", "shadow_of"])
def test_threads_that_begin_together_load_a_release_once(make: str) -> None:
    scorer.forget()

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(getattr(scorer.current(), make), [scorer.shipped().id] * 8))

    assert len({id(one) for one in made}) == 1
