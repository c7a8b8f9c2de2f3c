"""What this process scores with."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from moderation import scorer
from scoring.content import ContentModel


@pytest.mark.parametrize("make", ["of", "shadow_of"])
def test_threads_that_begin_together_load_a_release_once(make: str) -> None:
    scorer.forget()

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(getattr(scorer.current(), make), [scorer.shipped().id] * 8))

    assert len({id(one) for one in made}) == 1


def test_probes_are_answered_by_the_server_not_from_memory() -> None:
    scorers, shipped = scorer.current(), scorer.shipped().id

    assert scorers.content_of(shipped) is not scorers.of(shipped).content
    assert scorers.content_of(shipped)._memory._most == 0
    assert isinstance(content := scorers.of(shipped).content, ContentModel)
    assert content._memory._most > 0
