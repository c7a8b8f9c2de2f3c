"""A release is refused if a link changes the routes of honest texts, whatever reads the link."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from scoring import gate
from scoring.gate import Finding
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.release import Release
from scoring.routing import Route
from scoring.trees import Floats
from tests.scoring.random_records import Said
from tests.scoring.starter import STARTER
from training import added_links, evaluate_releases, labelled_posts
from training.served_content import Opened

pytestmark = [pytest.mark.xdist_group("added links"), pytest.mark.timeout(120)]


class Words(Said):
    """A content model that reads a link as words, or does not."""

    def __init__(self, *, reads_links: bool) -> None:
        self._reads_links = reads_links

    def probabilities(self, texts: Sequence[str]) -> Floats:
        return np.array([0.9 if self._reads_links and "https://" in text else 0.02 for text in texts])


class ByContent:
    """A scorer that routes by content alone."""

    def __init__(self, **_: object) -> None:
        """Take what a Scorer takes."""

    def routes(self, records: Sequence[PostRecord], *, content_probabilities: Floats) -> list[Route]:
        return [Route.REVIEW if said > 0.5 else Route.ALLOW for said in content_probabilities]


@pytest.fixture(autouse=True)
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    posts = [post for post in labelled_posts.kept_out() if post.language == "en"][::4]
    monkeypatch.setattr(labelled_posts, "kept_out", lambda: posts)


def opened(*, reads_links: bool) -> Opened:
    content: Any = Words(reads_links=reads_links)
    return Opened(scorer=Scorer(release=Release.load(STARTER), content=content), content=content, known={})


def findings(*, live: Opened, candidate: Opened) -> list[Finding]:
    return list(gate._links(evaluate_releases._links([], live=live, candidate=candidate, seed=1)))


def test_the_gate_refuses_a_model_that_reads_links_as_words() -> None:
    neutral = opened(reads_links=False)

    popular, small, spam = findings(live=neutral, candidate=opened(reads_links=True))

    assert (popular.passed, small.passed, spam.passed) == (False, False, True)
    assert popular.question == "a link to a popular site changes no route of an honest text"
    assert "unchanged in 0.0% of" in popular.answer


def test_the_gate_lets_a_model_through_that_does_not() -> None:
    neutral = opened(reads_links=False)

    assert all(one.passed for one in findings(live=opened(reads_links=True), candidate=neutral))
    assert all(one.passed for one in findings(live=neutral, candidate=neutral))


def test_a_new_starter_release_has_no_other_to_excuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(added_links, "Scorer", ByContent)
    release = Release.load(STARTER)

    added_links.check(release, content=Words(reads_links=False))
    with pytest.raises(added_links.Refused, match=r"popular site .*: unchanged in 0\.0% of \d+ texts"):
        added_links.check(release, content=Words(reads_links=True))


def test_links_are_those_of_each_kind() -> None:
    links = added_links.links(30, seed=1)

    assert {len(urls) for urls in links.values()} == {30}
    assert not {*links[added_links.POPULAR]} & {*links[added_links.SMALL]}
    assert links == added_links.links(30, seed=1)
