"""Explanations follow the moderators: those at the head of the queue, and those just claimed."""

from collections.abc import Sequence
from uuid import uuid4

import numpy as np
import pytest
from celery import current_app
from pytest_django import DjangoCaptureOnCommitCallbacks

from moderation import enqueue, scorer
from moderation.models import Case, ReviewPage, Revision, Score, User
from moderation.operations import explanations
from moderation.operations.cases import claims
from moderation.operations.scoring import score
from scoring import evidence_words
from tests.moderation.conftest import Case_, Post_
from tests.moderation.fakes import FakeContent, FakeScorer
from tests.moderation.instants import later

pytestmark = pytest.mark.usefixtures("fake_scorer")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The scores whose explanation was asked for."""
    found: list[int] = []
    monkeypatch.setattr(enqueue, "explanation", lambda *, score_id: found.append(score_id))
    return found


class TestExplain:
    def test_stores_the_share_of_each_word_once(self, open_case: Case_) -> None:
        explanations.explain(score_id=open_case(text="this is spam today").score_id)

        words = Score.objects.get().word_contributions or []
        shares = {"this is spam today"[start:end]: share for start, end, share in words}
        assert max(shares, key=lambda word: shares[word]) == "spam"

    @pytest.mark.parametrize(("sub_models", "stored"), [({"evidence": 0.9}, [["pay", 2.5]]), ({}, None)])
    def test_stores_the_words_of_evidence_that_speaks_for_spam(
        self,
        sub_models: dict[str, float],
        stored: list[list[object]] | None,
        open_case: Case_,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(evidence_words, "of", lambda _record, *, release, content: [("pay", 2.5)])
        case = open_case(text="this is spam today")
        Score.objects.update(sub_models=sub_models)

        explanations.explain(score_id=case.score_id)

        assert Score.objects.get().evidence_words == stored

    def test_stores_the_smallest_change_of_the_route(self, post: Post_, fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.9
        post(text="this is spam today")
        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        explanations.explain(score_id=Score.objects.get().pk)

        stored = Score.objects.get().counterfactual or {}
        assert (stored["change"], stored["subject"], stored["route"]) == ("word_removed", "spam", "allow")
        assert stored["probability"] == pytest.approx(0.1)

    def test_asks_only_after_all_who_score(
        self, open_case: Case_, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The changed texts, too: with the priority of scoring they would stand before new posts."""
        case, asked = open_case(text="this is spam today"), list[str]()
        Score.objects.update(spam_probability=0.9, word_contributions=[[0, 4, -1.0], [8, 12, 1.0]])

        class LastInLine(FakeContent):
            def probabilities(self, texts: Sequence[str]) -> np.ndarray:
                asked.extend(texts)
                return super().probabilities(texts)

        last = LastInLine(fake_scorer)
        monkeypatch.setattr(scorer.current(), "explaining_content_of", lambda _release: last)
        monkeypatch.setattr(FakeScorer, "content", None)

        explanations.explain(score_id=case.score_id)

        assert asked == ["this is  today"], "of likely spam only words that speak for it are left out"

    def test_is_not_begun_again_while_it_runs(
        self, open_case: Case_, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        case, calls = open_case(text="this is spam today"), list[int]()

        class AskedAgain(FakeContent):
            def probabilities(self, texts: Sequence[str]) -> np.ndarray:
                calls.append(len(texts))
                explanations.explain(score_id=case.score_id)
                return super().probabilities(texts)

        again = AskedAgain(fake_scorer)
        monkeypatch.setattr(scorer.current(), "explaining_content_of", lambda _release: again)

        explanations.explain(score_id=case.score_id)

        assert sum(calls) == 2 * 4 + 4, "two texts a word, and each word left out once"

    def test_a_post_without_text_still_has_its_facts(self, open_case: Case_) -> None:
        case = open_case(text="", links=("http://shop.example/",))
        Score.objects.update(content_probability=None)

        explanations.explain(score_id=case.score_id)

        assert Score.objects.get().counterfactual == {}
        assert Score.objects.get().word_contributions is None

    def test_says_that_the_release_is_gone(self, open_case: Case_, monkeypatch: pytest.MonkeyPatch) -> None:
        case = open_case()

        def gone(release_id: str) -> object:
            raise scorer.NotKept(release_id)

        monkeypatch.setattr(scorer.current(), "of", gone)

        explanations.explain(score_id=case.score_id)

        assert Score.objects.get().counterfactual == {"impossible": "NotKept"}

    def test_waits_for_the_content_model(self, open_case: Case_, fake_scorer: FakeScorer) -> None:
        case = open_case()
        fake_scorer.is_degraded = True

        explanations.explain(score_id=case.score_id)

        assert Score.objects.get().word_contributions is None


class TestAsk:
    def test_scoring_asks_for_nothing(self, post: Post_, asked: list[int]) -> None:
        post()

        score.run(revision_ids=[Revision.objects.get().pk], at=later(1))

        assert Case.objects.exists()
        assert asked == []

    def test_a_claim_asks_for_what_is_lacking(
        self, open_case: Case_, moderator: User, asked: list[int]
    ) -> None:
        lacking, explained = open_case(), open_case()
        Score.objects.filter(pk=explained.score_id).update(word_contributions=[], counterfactual={})

        claims.claim_next(moderator=moderator, at=later(2), count=2)

        assert asked == [lacking.score_id]

    def test_looks_ahead_in_the_order_of_the_queue(
        self, open_case: Case_, moderator: User, asked: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ReviewPage.objects.create(page=uuid4(), user=moderator, used_at=later(5))
        cases = [open_case() for _ in range(3)]
        for priority, case in enumerate(cases):
            Case.objects.filter(pk=case.pk).update(priority=priority)
        monkeypatch.setattr(explanations, "AHEAD", 2)

        assert explanations.ahead(at=later(6)) == 2

        assert asked == [cases[2].score_id, cases[1].score_id]

    def test_looks_no_farther_ahead_at_once_than_leaves_the_processor_to_scoring(
        self, open_case: Case_, moderator: User, asked: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ReviewPage.objects.create(page=uuid4(), user=moderator, used_at=later(5))
        cases = [open_case(text="grey cat") for _ in range(3)]
        Case.objects.filter(pk=cases[2].pk).update(is_escalated=True)
        monkeypatch.setattr(explanations, "AHEAD_CHARACTERS", 2 * len("grey cat"))

        assert explanations.ahead(at=later(6)) == 2

        assert asked == [cases[2].score_id, cases[0].score_id]
        monkeypatch.setattr(explanations, "AHEAD_CHARACTERS", 0)
        assert explanations.ahead(at=later(7)) == 1, "a text longer than all of it has its turn"

    def test_looks_not_ahead_while_nobody_reviews(
        self, open_case: Case_, moderator: User, asked: list[int]
    ) -> None:
        open_case()
        assert explanations.ahead(at=later(6)) == 0

        ReviewPage.objects.create(page=uuid4(), user=moderator, used_at=later(5))
        assert explanations.ahead(at=later(5) + explanations.REVIEWED_WITHIN) == 0
        assert asked == []


def test_a_message_has_its_own_queue_and_an_end(
    open_case: Case_,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    case = open_case()
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(current_app, "send_task", lambda task, **options: sent.append(options))

    with django_capture_on_commit_callbacks(execute=True):
        enqueue.explanation(score_id=case.score_id)

    assert sent[0]["queue"] == "explanations"
    assert sent[0]["expires"] == enqueue.EXPLANATION_EXPIRES_SECONDS
