"""Try it: what models and rules would say of a post, and that nothing is kept."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from moderation import scorer
from moderation.models import Platform, User
from moderation.operations import rules, score_preview
from moderation.operations.infrastructure.limits import Bucket
from moderation.web.posts import try_out
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.web.conftest import flat

TEXT = "spam and <b>eggs</b>"
Send = Callable[..., Any]


def rows() -> dict[str, int]:
    """Count every table of ours."""
    ours = apps.get_app_config("moderation").get_models()
    return {model.__name__: model._default_manager.count() for model in ours}


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks come late beside a whole run of tests; the limit is for who waits."""
    monkeypatch.setattr(score_preview, "_MARKING_SECONDS", 600.0)


@pytest.fixture
def send(desk: Client, platform: Platform, fake_scorer: FakeScorer) -> Callable[..., Any]:
    """Press the button as a moderator."""
    return lambda **given: desk.post("/try/", {"platform": platform.pk, "text": TEXT} | given)


class TestPage:
    @pytest.mark.whole
    def test_says_what_would_happen_and_marks_the_words(self, send: Send, fake_scorer: FakeScorer) -> None:
        fake_scorer.default = 0.97

        body = flat(send(author="someone", account_days=3).content.decode())

        assert "would be removed" in body
        assert "97%" in body
        assert '<span class="word word--spam-3">spam</span>' in body
        assert "<b>eggs" not in body

    @pytest.mark.whole
    def test_keeps_nothing(self, send: Send, platform: Platform) -> None:
        before = rows()

        assert send(text="See https://pills.example/x").status_code == 200

        assert rows() == before

    def test_knows_the_history_of_an_author(
        self, send: Send, post: Post_, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[Any] = []
        judge = fake_scorer.score_many

        def noted(records: Any, **given: Any) -> Any:
            seen.extend(records)
            return judge(records, **given)

        monkeypatch.setattr(fake_scorer, "score_many", noted)
        post()

        send(author="honest_author")
        send()

        assert [record.author_history.posts for record in seen] == [1, 0]

    def test_names_the_ban_that_would_answer(self, send: Send, lead: User) -> None:
        rules.impose(value="pills.example", reason="Sells pills", actor=lead, at=timezone.now())

        body = send(text="See https://pills.example/x").content.decode()

        assert "would be removed" in body
        assert "Sells pills" in body

    def test_says_that_the_content_model_is_away(self, send: Send, fake_scorer: FakeScorer) -> None:
        fake_scorer.is_degraded = True

        body = send().content.decode()

        assert "this score ignores the text. Try again later." in body  # nobody scores it again
        assert "No words are marked" in body

    def test_marks_no_words_where_it_takes_long(self, send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(score_preview, "_MARKING_SECONDS", -1.0)

        body = send().content.decode()

        assert "No words are marked" in body
        assert "scored in" in body

    def test_says_that_no_release_can_score(self, send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
        def load() -> None:
            raise scorer.NotKept

        monkeypatch.setattr(scorer.current(), "live", load)

        answer = send()

        assert answer.status_code == 503
        assert "No release can score here." in answer.content.decode()

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ({"text": ""}, "Write a text."),
            ({"account_days": "-1"}, "greater than or equal to 0"),
            ({"platform": "0"}, "There is no such platform."),
            ({"text": "a\0b"}, "Null characters"),
        ],
    )
    def test_names_what_is_wrong(self, send: Send, given: dict[str, str], problem: str) -> None:
        answer = send(**given)

        assert answer.status_code == 422
        assert problem in answer.content.decode()

    def test_is_limited_by_person(self, send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(try_out, "_LIMIT", Bucket(name="few-previews", per_minute=1, burst=1))
        send()

        answer = send()

        assert answer.status_code == 429
        assert "Try again in" in answer.content.decode()

    @pytest.mark.parametrize("number", ["1", "2", "3", "4"])
    def test_examples_fill_the_form(self, desk: Client, platform: Platform, number: str) -> None:
        body = desk.get(f"/try/?example={number}").content.decode()

        assert try_out.EXAMPLES[int(number) - 1].text[:9] in body

    @pytest.mark.parametrize("number", ["0", "5", "x", "²", "1" * 5000])
    def test_other_examples_are_none(self, desk: Client, platform: Platform, number: str) -> None:
        assert desk.get("/try/", {"example": number}).status_code == 200

    def test_the_shipped_models_judge_the_examples_rightly(
        self, triton: None, desk: Client, platform: Platform
    ) -> None:
        forms = [{"platform": platform.pk, "text": example.text} for example in try_out.EXAMPLES]
        bodies = [desk.post("/try/", form).content.decode() for form in forms]

        verdicts = [re.findall(r"would (?:be removed|go to review|be let through)", body) for body in bodies]
        assert verdicts == [["would be removed"]] * 2 + [["would be let through"]] * 2
        assert "word--spam-" in bodies[0].partition('class="legend ')[0]
