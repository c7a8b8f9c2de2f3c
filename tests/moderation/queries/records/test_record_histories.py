"""Histories. Promises: none of another platform; no verdict on evidence counts against the same words."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from moderation.models import Case, Label, Platform, Post, Revision, User
from moderation.models.cases import CaseState
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.scoring import score
from moderation.queries.cases import case_pages, counted, facts_now
from moderation.queries.cases.counted import Counted
from moderation.queries.records import records
from scoring.records import History, PostRecord
from tests.moderation.conftest import Post_, judge, scored
from tests.moderation.counted_case import account
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later

TEXT = "Cheap pills without prescription at http://pills.example/now"


def send(platform: Platform, number: int, *, at: datetime) -> Revision:
    """The same text from the same address by an account of the same making, wherever it is sent."""
    sent = IncomingPost(
        external_id=f"post-{number}", text=TEXT, posted_at=at, ip="192.0.2.7", author=account(number)
    )
    [answer] = ingest.accept(platform=platform, posts=[sent], at=at)
    assert isinstance(answer, ingest.Accepted)
    score.run(
        revision_ids=list(Revision.objects.filter(post=answer.post_id).values_list("pk", flat=True)), at=at
    )
    rows = Revision.objects.select_related("post__platform", "post__author")
    return rows.get(post=answer.post_id)


def known(record: PostRecord) -> dict[str, History]:
    """All histories that posts of others can move."""
    return {
        "ip": record.ip_history,
        "network": record.ip_network_history,
        "mail": record.email_domain_history,
        "resembling": record.resembling,
        "similar": record.similar,
        "domain": record.links[0].domain_history,
    }


@pytest.fixture
def other(platform: Platform) -> Platform:
    return Platform.objects.create(slug="other", name="Other", created_at=AT)


@pytest.fixture
def spam_there(other: Platform, fake_scorer: FakeScorer, moderator: User) -> None:
    """Twelve posts on the other platform, all decided to be spam."""
    for number in range(12):
        send(other, number, at=AT + timedelta(seconds=number))
    for case in Case.objects.filter(state=CaseState.OPEN).order_by("id"):
        judge(case, moderator, at=AT + timedelta(seconds=20))


@pytest.mark.usefixtures("spam_there")
class TestTwoPlatforms:
    def test_know_nothing_of_one_another_until_both_share(self, platform: Platform, other: Platform) -> None:
        judged = send(platform, 99, at=later(60))
        apart = records.record_at(revision=judged, at=later(61))
        Platform.objects.filter(pk=platform.pk).update(shares_histories=True)
        one_sided = records.record_at(revision=judged, at=later(61))
        Platform.objects.filter(pk=other.pk).update(shares_histories=True)

        record = records.record_at(revision=judged, at=later(61))

        for before in (apart, one_sided):
            assert {history.posts for history in known(before).values()} == {0}
            assert before.links[0].url_posts == 0
        assert {history.confirmed_spam for history in known(record).values()} == {12}
        assert record.links[0].url_posts == 12

    def test_know_their_own_posts_behind_those_of_another(self, platform: Platform, other: Platform) -> None:
        send(platform, 50, at=later(30))
        for number in range(60, 70):
            send(other, number, at=later(number))
        judged = send(platform, 99, at=later(90))

        record = records.record_at(revision=judged, at=later(91))

        assert {history.posts for history in known(record).values()} == {1}


def test_a_platform_alone_is_counted_as_before(platform: Platform, fake_scorer: FakeScorer) -> None:
    for number in range(3):
        send(platform, number, at=later(number))
    judged = send(platform, 99, at=later(60))

    record = records.record_at(revision=judged, at=later(61))

    assert {history.posts for history in known(record).values()} == {3}
    assert Post.objects.count() == 4


Greeting = Callable[..., Case]
Judged = Callable[..., Label]
Opinions = dict[str, float | None]
WORDS = "Feliz cumpleaños a todos mis amigos, que pasen un buen día"
BY_ITS_PAGE = {"content": 0.02, "evidence": 0.97}


@pytest.fixture
def greeting(post: Post_, fake_scorer: FakeScorer) -> Greeting:
    """Store and score the greeting, each time by another author; `opinions` are what the parts make of it."""

    def act(name: str, *, seconds: float, opinions: Opinions, **given: object) -> Case:
        fake_scorer.opinions[name] = opinions
        row = post(
            **{"text": WORDS, "external_id": name, "author": IncomingAuthor(external_id=name)} | given,
            at=later(seconds),
        )
        [case] = scored([row], at=later(seconds + 1))
        return case

    return act


@pytest.fixture
def judged(moderator: User) -> Judged:
    def act(case: Case, verdict: Verdict = Verdict.SPAM, *, seconds: float = 10) -> Label:
        return Label.objects.get(decision=judge(case, moderator, at=later(seconds), verdict=verdict))

    return act


def record_of(case: Case, *, at: datetime) -> PostRecord:
    return records.record_at(revision=case.score.revision, at=at)


class TestTheLabel:
    @pytest.mark.parametrize(
        ("opinions", "verdict", "rests"),
        [
            (BY_ITS_PAGE, Verdict.SPAM, True),
            ({"content": 0.49, "evidence": 0.5}, Verdict.SPAM, True),
            (BY_ITS_PAGE, Verdict.NOT_SPAM, False),
            ({"content": 0.5, "evidence": 0.97}, Verdict.SPAM, False),
            ({"content": 0.02, "evidence": 0.49}, Verdict.SPAM, False),
            ({"content": 0.02}, Verdict.SPAM, False),
            ({"content": None, "evidence": 0.97}, Verdict.SPAM, False),
        ],
    )
    def test_says_whether_a_verdict_rests_on_evidence(
        self, greeting: Greeting, judged: Judged, opinions: Opinions, verdict: Verdict, rests: bool
    ) -> None:
        case = greeting("first", seconds=0, opinions=opinions)

        assert judged(case, verdict).rests_on_evidence is rests

    def test_goes_by_the_score_that_the_person_saw(self, greeting: Greeting, judged: Judged) -> None:
        case = greeting("first", seconds=0, opinions={"content": 0.02})
        label = judged(case)
        case.score.sub_models = BY_ITS_PAGE
        case.score.save()

        label.refresh_from_db()
        assert not label.rests_on_evidence


class TestTheHistoryOfSimilarPosts:
    def test_does_not_count_a_page_against_the_words_that_led_to_it(
        self, greeting: Greeting, judged: Judged
    ) -> None:
        judged(greeting("first", seconds=0, opinions=BY_ITS_PAGE))
        honest = greeting("second", seconds=100, opinions={"content": 0.02})

        similar = record_of(honest, at=later(102)).similar

        assert (similar.posts, similar.authors) == (1, 1)
        spam = (similar.confirmed_spam, similar.recent_spam, similar.spam_days, similar.spam_authors)
        assert (*spam, similar.confirmed_not_spam) == (0, 0.0, 0, 0, 0)

    @pytest.mark.parametrize("opinions", [{"content": 0.8, "evidence": 0.97}, {"content": 0.02}])
    def test_counts_a_verdict_on_words_and_one_on_a_post_without_evidence(
        self, greeting: Greeting, judged: Judged, opinions: Opinions
    ) -> None:
        judged(greeting("first", seconds=0, opinions=opinions))
        copy = greeting("second", seconds=100, opinions={"content": 0.02})

        similar = record_of(copy, at=later(102)).similar

        assert (similar.confirmed_spam, similar.spam_days, similar.spam_authors) == (1, 1, 1)

    def test_counts_those_who_let_the_words_stand(self, greeting: Greeting, judged: Judged) -> None:
        judged(greeting("first", seconds=0, opinions=BY_ITS_PAGE), Verdict.NOT_SPAM)
        copy = greeting("second", seconds=100, opinions={"content": 0.02})

        assert record_of(copy, at=later(102)).similar.confirmed_not_spam == 1

    def test_leaves_what_the_page_and_the_author_did_in_their_histories(
        self, greeting: Greeting, judged: Judged
    ) -> None:
        same = {"text": f"{WORDS} http://pills.example/now", "author": IncomingAuthor(external_id="one")}
        judged(greeting("first", seconds=0, opinions=BY_ITS_PAGE, **same))
        again = greeting("second", seconds=100, opinions=BY_ITS_PAGE, **same)

        record = record_of(again, at=later(102))

        assert record.similar.confirmed_spam == 0
        assert record.author_history.confirmed_spam == 1
        assert record.links[0].domain_history.confirmed_spam == 1


class TestReversals:
    def test_a_corrected_verdict_counts_as_what_it_became(
        self, greeting: Greeting, judged: Judged, moderator: User
    ) -> None:
        label = judged(greeting("first", seconds=0, opinions=BY_ITS_PAGE))
        copy = greeting("second", seconds=100, opinions={"content": 0.02})
        reversals.correct(
            decision_id=label.decision_id, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(1000)
        )

        then, now = (record_of(copy, at=later(seconds)).similar for seconds in (102, 1001))

        assert [(one.confirmed_spam, one.confirmed_not_spam) for one in (then, now)] == [(0, 0), (0, 1)]

    def test_one_corrected_to_spam_rests_on_the_evidence_of_its_score(
        self, greeting: Greeting, judged: Judged, moderator: User
    ) -> None:
        label = judged(greeting("first", seconds=0, opinions=BY_ITS_PAGE), Verdict.NOT_SPAM)
        reversals.correct(
            decision_id=label.decision_id, verdict=Verdict.SPAM, moderator=moderator, at=later(1000)
        )

        standing = Label.objects.get(retracted_at__isnull=True)
        assert (standing.is_spam, standing.rests_on_evidence) == (True, True)

    def test_an_undone_verdict_on_words_counts_no_more(
        self, greeting: Greeting, judged: Judged, moderator: User
    ) -> None:
        label = judged(greeting("first", seconds=0, opinions={"content": 0.8}))
        copy = greeting("second", seconds=11, opinions={"content": 0.02})
        reversals.undo(decision_id=label.decision_id, moderator=moderator, at=later(12))

        counts = [record_of(copy, at=later(seconds)).similar.confirmed_spam for seconds in (11.5, 13)]
        assert counts == [1, 0]


class TestTheListBehindTheCount:
    def test_agrees_with_it_and_says_what_was_not_counted(
        self, greeting: Greeting, judged: Judged, moderator: User
    ) -> None:
        judged(greeting("page", seconds=0, opinions=BY_ITS_PAGE))
        judged(greeting("words", seconds=0, opinions={"content": 0.8}))
        case = greeting("new", seconds=100, opinions={"content": 0.02})
        page = case_pages.case_page(case_id=case.pk, viewer=moderator, at=later(200))

        found = counted.posts(page=page, counted=Counted.SIMILAR, domain="", viewer=moderator)

        assert found.is_complete
        assert (found.spam, found.history.confirmed_spam) == (1, 1)
        told = {post.row.external_id: (post.was_spam, post.spam_by_evidence) for post in found.posts}
        assert told == {"page": (None, True), "words": (True, False)}

    def test_no_change_is_told_where_a_page_was_convicted_since(
        self, greeting: Greeting, judged: Judged, moderator: User
    ) -> None:
        first = greeting("first", seconds=0, opinions=BY_ITS_PAGE)
        case = greeting("second", seconds=5, opinions={"content": 0.02})
        judged(first)

        changes = facts_now.of(case_id=case.pk, viewer=moderator, at=later(20))

        assert changes.rows == ()
