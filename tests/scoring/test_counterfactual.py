"""The smallest single change that alters the route, on the shipped release with a stand-in content model."""

import dataclasses
import re
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from scoring import counterfactual, routing
from scoring.counterfactual import MAX_TRIES, Change, Counterfactual
from scoring.pipeline import Scorer
from scoring.platform_head import PlatformHeads
from scoring.records import AuthorSnapshot, ComplaintRecord, History, Link, PostRecord
from scoring.release import Release, Thresholds
from scoring.routing import Route
from scoring.trees import Floats
from tests.scoring.random_records import AT, Said, record
from tests.scoring.starter import STARTER


class OneBadWord(Said):
    """A content model that minds one word and nothing else."""

    def __init__(self, word: str = "pills") -> None:
        self.word = word
        self.asked: list[str] = []

    def probabilities(self, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        return np.array([0.9999 if self.word in text else 0.0001 for text in texts])


class ByThresholds(Scorer):
    """Routes by made-up probabilities, without safety bounds."""

    def __init__(self) -> None:
        thresholds = Thresholds(review_from=0.2, remove_from=0.9, audit_rate=0.0)
        self.release = dataclasses.replace(Release.load(STARTER), thresholds=thresholds)
        self.content = OneBadWord()
        self.heads = PlatformHeads({})

    def routed(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> tuple[Floats, list[Route]]:
        thresholds = self.release.thresholds
        probabilities = self.spam_probabilities(records, content_probabilities=content_probabilities)
        return probabilities, [
            routing.decide(probability=one, thresholds=thresholds, is_degraded=False).route
            for one in probabilities.tolist()
        ]


class OnlyAge(ByThresholds):
    """Models that mind the age of the account, and complaints if told so."""

    def __init__(self, decisive_days: float, *, without_complaints: float = 0.5) -> None:
        super().__init__()
        self._decisive_days, self._without_complaints = decisive_days, without_complaints

    def spam_probabilities(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> Floats:
        return np.array([self._probability(one) for one in records])

    def _probability(self, post: PostRecord) -> float:
        assert post.author.created_at is not None
        if post.at - post.author.created_at > timedelta(days=self._decisive_days):
            return 0.01
        return 0.5 if post.complaints else self._without_complaints


class Worse(ByThresholds):
    """Models that give the post one probability, and every changed post another."""

    def __init__(self, before: float, *, changed: float) -> None:
        super().__init__()
        self.before, self.changed = before, changed

    def spam_probabilities(
        self, records: Sequence[PostRecord], *, content_probabilities: Floats, read: Floats | None = None
    ) -> Floats:
        return np.array([self.before, *[self.changed] * (len(records) - 1)])


@pytest.fixture
def content() -> OneBadWord:
    return OneBadWord()


@pytest.fixture
def scorer(content: OneBadWord) -> Scorer:
    return Scorer(release=Release.load(STARTER), content=content)


def words_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


def found_in(
    post: PostRecord, *, scorer: Scorer, content_probability: float | None = None
) -> Counterfactual | None:
    return counterfactual.find(
        post, scorer=scorer, content_probability=content_probability, words=words_of(post.text)
    )


class TestFind:
    def test_names_the_word_that_decides_and_the_probability_without_it(self, scorer: Scorer) -> None:
        post = record(text="we sell cheap pills here today")

        found = found_in(post, scorer=scorer, content_probability=0.9999)

        assert found is not None
        assert found.change is Change.WORD_REMOVED
        assert (found.subject, post.text[found.start : found.end]) == ("pills", "pills")
        changed = dataclasses.replace(post, text="we sell cheap  here today")
        [expected] = scorer.spam_probabilities([changed], content_probabilities=np.array([0.0001]))
        assert found.probability == pytest.approx(expected, abs=1e-12)

    def test_always_alters_the_route(self, scorer: Scorer) -> None:
        thresholds = scorer.release.thresholds
        for probability in (0.001, 0.2, 0.5, 0.8, 0.95, 0.9999):
            post = record(text="hello pills", author=author(days=40))
            [before] = scorer.spam_probabilities([post], content_probabilities=np.array([probability]))

            found = found_in(post, scorer=scorer, content_probability=probability)

            if found is not None:
                sides = [
                    (value >= thresholds.review_from) + (value >= thresholds.remove_from)
                    for value in (before, found.probability)
                ]
                assert sides[0] != sides[1]
                assert list(Route)[sides[1]] is found.route

    @pytest.mark.parametrize(("decisive_days", "expected_days"), [(5, 8), (20, 31), (300, 366), (1000, 1826)])
    def test_takes_the_fewest_steps(self, decisive_days: int, expected_days: int) -> None:
        post = record(text="", author=author(days=1))

        found = found_in(post, scorer=OnlyAge(decisive_days))

        assert found == Counterfactual(
            change=Change.ACCOUNT_OLDER,
            value_before=1.0,
            value_after=expected_days,
            probability=0.01,
            route=Route.ALLOW,
        )

    def test_of_equals_takes_the_one_that_moves_least(self) -> None:
        post = record(
            text="", author=author(days=1), complaints=(ComplaintRecord(reason="spam", reported_at=AT),)
        )

        found = found_in(post, scorer=OnlyAge(5, without_complaints=0.1))

        assert found is not None
        assert found.change is Change.FEWER_COMPLAINTS
        assert found.probability == 0.1

    def test_of_a_likely_spam_post_nothing_makes_it_worse_but_of_an_honest_one(self) -> None:
        post = record(text="", author=author(days=40, is_verified=False))

        assert found_in(post, scorer=Worse(0.93, changed=0.99)) is None
        found = found_in(post, scorer=Worse(0.05, changed=0.6))
        assert found is not None
        assert found.route is Route.REVIEW

    @pytest.mark.parametrize(
        ("before", "changed", "is_found"),
        [(0.204, 0.196, False), (0.204, 0.19, True), (0.196, 0.204, False), (0.905, 0.896, False)],
    )
    def test_crosses_in_whole_per_cent_too(self, before: float, changed: float, is_found: bool) -> None:
        """With a threshold of 20 %, nobody sees that 20.4 % and 19.6 % are two sides of it."""
        post = record(text="", author=author(days=40, is_verified=True))

        assert (found_in(post, scorer=Worse(before, changed=changed)) is not None) is is_found

    def test_a_post_that_nothing_can_move_has_none(self, scorer: Scorer) -> None:
        post = record(text="see you at the river", author=author(days=3000, is_verified=True))

        assert found_in(post, scorer=scorer, content_probability=0.0001) is None

    def test_without_content_probability_no_word_is_tried(self, scorer: Scorer, content: OneBadWord) -> None:
        found_in(record(text="cheap pills"), scorer=scorer)

        assert content.asked == []

    def test_asks_a_bounded_number_of_texts(self, scorer: Scorer, content: OneBadWord) -> None:
        post = record(
            text=" ".join(f"word{number}" for number in range(500)),
            author=author(days=50),
            complaints=tuple(ComplaintRecord(reason="spam", reported_at=AT) for _ in range(150)),
            links=tuple(seen_link(f"site{number}.example") for number in range(100)),
        )

        found_in(post, scorer=scorer, content_probability=0.5)

        assert len(content.asked) <= counterfactual.MAX_WORDS

    def test_stops_after_eight_words_that_alter_nothing(self, scorer: Scorer, content: OneBadWord) -> None:
        post = record(text=" ".join(["pills", *(f"word{number}" for number in range(30))]))

        found = found_in(post, scorer=scorer, content_probability=0.9999)

        assert found is not None
        assert found.subject == "pills"
        assert len(content.asked) == 8 + 8

    def test_a_removed_link_leaves_the_record_too(self, scorer: Scorer) -> None:
        url = "http://pills.example/"
        post = record(
            text=f"look {url} now", links=(Link(url=url, host="pills.example", domain="pills.example"),)
        )
        tried = list(counterfactual._words(post, words=words_of(post.text)))

        assert [len(one.record.links) for one in tried] == [1, 0, 1]


class TestAllowedChanges:
    def test_no_more_than_the_bound(self) -> None:
        rich = History(posts=5, confirmed_spam=2, complaints=3)
        post = record(
            author=author(days=500, is_verified=False),
            author_history=rich,
            ip_history=rich,
            similar=rich,
            complaints=tuple(ComplaintRecord(reason="spam", reported_at=AT) for _ in range(9)),
            links=tuple(seen_link(f"site{number}.example") for number in range(20)),
        )

        tried = list(counterfactual._facts(post))

        assert {one.change for one in tried} == set(Change) - {
            Change.WORD_REMOVED,
            Change.AUTHOR_NOT_VERIFIED,
        }
        assert len(tried) + counterfactual.MAX_WORDS <= MAX_TRIES

    def test_each_changes_the_record(self) -> None:
        post = record(author=author(days=10, is_verified=True), links=(seen_link("a.example"),))

        assert all(one.record != post for one in counterfactual._facts(post))

    def test_what_is_unknown_is_not_invented(self) -> None:
        changes = {one.change for one in counterfactual._facts(record())}

        assert changes == set()


def test_json_reads_back_what_was_stored() -> None:
    found = Counterfactual(
        change=Change.ACCOUNT_OLDER, value_before=1.0, value_after=8.0, probability=0.1, route=Route.ALLOW
    )

    assert Counterfactual.from_json(found.to_json()) == found


def author(*, days: float, is_verified: bool | None = None) -> AuthorSnapshot:
    return AuthorSnapshot(
        external_id="author-1", created_at=AT - timedelta(days=days), is_verified=is_verified
    )


def seen_link(domain: str) -> Link:
    return Link(url=f"http://{domain}/", host=domain, domain=domain, domain_history=History(posts=3))
