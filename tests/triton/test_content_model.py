"""The shipped content model on the real server, through the client that the product uses."""

import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from deploy.local.places import ROOT
from scoring.content import FIRST, LAST, ContentModel, ContentScore, Unavailable
from scoring.similarity import likeness
from tests.triton.forwarder import forwarded
from training import dataset
from training.train_content import OWN_TEXTS

pytestmark = pytest.mark.gate

_COLLECTIONS = ROOT.parent / "shared" / "data"
# Training texts teach these in other words: that the model knows them shows that it was trained.
TAUGHT_SPAM = {
    "cheap drugs": "Cheap Viagra and Cialis, no prescription needed! Call toll-free 1-800-555-0199 today.",
    "disguised number": "Ch3ap V1agra without a prescripti0n, call now: ①-8OO-555-O①99",
    "prize": "You have won a guaranteed prize of £1,000! To claim, call 0909 879 0123 now, quote code K52.",
    "account": "Your Microsoft account has been compromised! Verify now at http://micros0ft-login.example/secure",
}
TAUGHT_HONEST = {
    "covid": "Covid cases rise across Europe as a new variant spreads, health officials say",
    "crypto": "Cryptocurrencies are a form of digital cash that can be exchanged without a bank.",
    "question": "What time do you finish work today? I could pick you up on my way home.",
    "sports": "We are going to watch the football at my place tonight, are you coming along?",
}
# Unlike everything that the model was trained on, which a test holds; written before the model was asked.
UNTAUGHT_SPAM = {
    "warranty": "Final notice: the extended warranty of your car runs out, renew today and save 300",
    "easy money": "I made 4,300 in my first week working from home, comment READY and I send you the link",
    "essays": "Essays written by experts overnight, plagiarism free, first order half price, write to us",
}
UNTAUGHT_HONEST = {
    "choir": "The choir rehearses on Wednesday this week because the hall is booked on Tuesday",
    "dentist": "Does anyone know a good dentist near the market square? Mine has retired",
    "offside": "The second goal was offside, I have watched it five times now",
    "tomatoes": "My tomatoes have brown spots on the lower leaves, what could that be?",
}
# Of the pairs of starter texts 1 in 1,000 is more alike than 0.11; paraphrases of one text are, from 0.18 on.
ALIKE = 0.15
WORDS = [
    *("hello", "free", "the", "cash", "friend", "click", "here", "tomorrow", "win", "prize", "meeting"),
    *("loan", "https://example.org/a?b=1", "naïve", "日本語", "привет", "🎉", "!!!", "0800", "555", "0123"),
    *("Monday", "supercalifragilistic", "\u200b"),
]


def random_texts(count: int) -> list[str]:
    """Texts of 1 to 150 words, so that every width and the cut at 128 tokens occur."""
    draw = random.Random(11)
    return [" ".join(draw.choices(WORDS, k=draw.choice([1, 3, 8, 15, 30, 60, 150]))) for _ in range(count)]


def likest(text: str, *, corpus: list[str]) -> float:
    """Return how alike the text of a corpus is that is most like this one."""
    return max(likeness(text, other) for other in corpus)


class TestVerdicts:
    @pytest.mark.parametrize("topic", TAUGHT_SPAM)
    def test_spam_of_a_taught_topic_is_spam(self, content_model: ContentModel, topic: str) -> None:
        assert content_model.probabilities([TAUGHT_SPAM[topic]])[0] > 0.9

    @pytest.mark.parametrize("topic", TAUGHT_HONEST)
    def test_news_and_talk_of_a_taught_topic_are_not(self, content_model: ContentModel, topic: str) -> None:
        assert content_model.probabilities([TAUGHT_HONEST[topic]])[0] < 0.1

    def test_spam_unlike_what_was_taught_ranks_above_talk(self, content_model: ContentModel) -> None:
        spam = content_model.probabilities(list(UNTAUGHT_SPAM.values()))
        talk = content_model.probabilities(list(UNTAUGHT_HONEST.values()))

        # The order alone: "warranty" got 0.10, far below any threshold. Probabilities do not carry over.
        assert spam.min() > talk.max(), (spam, talk)


class TestTaughtTexts:
    @pytest.fixture(scope="class")
    def taught(self) -> list[str]:
        """Starter texts and collections at hand: not those of two words, a pair of which may share all."""
        collections = [_COLLECTIONS / f"{name}.jsonl" for name in ("sms_uci", "youtube_uci", "x_janitr")]
        taught = dataset.load([*OWN_TEXTS[:1], *(path for path in collections if path.exists())])
        return [example.text for example in taught if len(example.text) > 30]

    @pytest.mark.parametrize("text", [*UNTAUGHT_SPAM.values(), *UNTAUGHT_HONEST.values()])
    def test_untaught_texts_are_unlike_them(self, text: str, taught: list[str]) -> None:
        assert likest(text, corpus=taught) < ALIKE

    def test_the_likeness_notices_paraphrases(self, taught: list[str]) -> None:
        paraphrased = [TAUGHT_SPAM["account"], TAUGHT_HONEST["covid"], TAUGHT_HONEST["crypto"]]
        assert all(likest(text, corpus=taught) > ALIKE for text in paraphrased)


class TestBatchMates:
    def test_callers_at_the_same_time_do_not_mix(self, content_model: ContentModel) -> None:
        texts = random_texts(48)
        expected = content_model.scores(texts)

        def ask(text: str) -> ContentScore:
            return content_model.scores([text])[0]

        with ThreadPoolExecutor(max_workers=8) as pool:
            assert list(pool.map(ask, texts)) == expected


class TestUnusualTexts:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            " \t\n",
            "\x00",
            "🎉" * 300,
            "العربية עברית हिन्दी ไทย 中文 日本語 한국어",
            "\u202eevil\u202c \u200bzero\u200dwidth",
            "a" * 100_000,
            "word " * 60_000,
            "\ud800 alone",
            "é" * 500,
        ],
        ids=[
            *("empty", "space", "nul", "emoji", "scripts", "bidi", "one word", "many words"),
            *("surrogate", "accents"),
        ],
    )
    def test_are_answered(self, content_model: ContentModel, text: str) -> None:
        (probability,) = content_model.probabilities([text])

        assert 0.0 <= probability <= 1.0

    def test_white_space_does_not_push_the_message_out_of_sight(self, content_model: ContentModel) -> None:
        plain, padded = content_model.scores(
            [TAUGHT_SPAM["cheap drugs"], " " * 100_000 + TAUGHT_SPAM["cheap drugs"]]
        )

        assert plain == padded

    def test_only_the_first_128_tokens_count(self, content_model: ContentModel) -> None:
        start = "hello friend " * 100

        plain, longer = content_model.scores([start, start + TAUGHT_SPAM["cheap drugs"]])

        assert plain == longer


class TestContentModel:
    def test_no_texts_no_call(self, content_model: ContentModel) -> None:
        assert content_model.probabilities([]).shape == (0,)

    def test_answers_more_texts_than_a_batch_in_order(self, content_model: ContentModel) -> None:
        spam, talk = TAUGHT_SPAM["cheap drugs"], TAUGHT_HONEST["covid"]

        found = content_model.probabilities([spam, talk] * 40)

        assert found.shape == (80,)
        assert found.dtype == np.float64
        assert ((found > 0.5) == ([True, False] * 40)).all()

    def test_probability_is_the_softmax_of_the_logits(self, content_model: ContentModel) -> None:
        (score,) = content_model.scores(["hello"])

        ham, spam = np.exp(score.logits)
        assert score.probability == pytest.approx(spam / (ham + spam), rel=1e-9)

    def test_an_unknown_version_is_unavailable(self, triton_url: str) -> None:
        with pytest.raises(Unavailable, match=r"not found|not ready"):
            ContentModel(url=triton_url, version="999").probabilities(["hello"])

    def test_works_after_a_fork(self, content_model: ContentModel) -> None:
        assert content_model.is_ready()
        child = os.fork()
        if child == 0:
            # No pytest in the child: it only reports through its exit status.
            os._exit(0 if content_model.is_ready() else 1)

        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0

    @pytest.mark.whole
    def test_priority_does_not_change_a_score(self, triton_url: str) -> None:
        """Explanations ask with the last one. Whether others go first is not tested."""
        first, last = (
            ContentModel(url=triton_url, version="1", priority=priority, timeout_seconds=20)
            for priority in (FIRST, LAST)
        )

        assert last.scores(["cheap pills now"]) == first.scores(["cheap pills now"])

    def test_http_answers_the_same(self, content_model: ContentModel) -> None:
        socket = Path(os.environ.get("SPAMDESK_TRITON_ADMIN_SOCKET", "/nowhere"))
        if not socket.exists():
            pytest.skip("SPAMDESK_TRITON_ADMIN_SOCKET names no socket")
        texts = random_texts(8)

        with forwarded(socket) as port:
            model = ContentModel(url=f"http://127.0.0.1:{port}", version="1", timeout_seconds=20)
            assert model.scores(texts) == content_model.scores(texts)
            assert model.served_by() == content_model.served_by() == "OpenVINO, CPU"
