"""The topics model on the real server: the shipped one, and one of inference that a test made."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import tritonclient.grpc
from sklearn.metrics import roc_auc_score
from tritonclient.utils import InferenceServerException

from deploy.local.places import ROOT, State
from scoring.content import ContentModel
from scoring.topics import HYPOTHESIS, TopicModel
from tests.libraries import needs
from tests.triton import own_server
from training import export_topics

pytestmark = pytest.mark.xdist_group("topics model")
CRYPTO = "Bitcoin and Ethereum prices rise while traders wait for the new token"
SPORT = "What a match! Our team scored in the last minute and won the cup"
TOPICS = ["cryptocurrency, bitcoin or tokens", "sports", "cooking or food"]


IN_WORDS = {
    "essay_services": "essays and exams written for students for money",
    "fake_pharmacy": "cheap medicine without a prescription",
    "fines_and_tolls": "an unpaid fine or toll and a link to pay it",
    "task_jobs": "earning money from home with simple tasks",
    "pet_adoption": "adopting a pet",
    "recipes_with_links": "cooking or a recipe",
}


def curated() -> list[dict[str, Any]]:
    with (ROOT / "training" / "curated_posts.jsonl").open(encoding="utf-8") as lines:
        posts = [json.loads(line) for line in lines]
    others = [post for post in posts if post["group"] not in IN_WORDS]
    return [post for post in posts if post["group"] in IN_WORDS] + others[::20]


@pytest.fixture
def model(triton_url: str) -> TopicModel:
    return of(triton_url)


def of(url: str) -> TopicModel:
    content = ContentModel(url=url, version="1", timeout_seconds=20.0, remembers=1_000)
    return TopicModel(url=url, content=content, timeout_seconds=20.0)


def asked(client: Any, texts: list[str], topics: list[list[str]]) -> Any:
    inputs = []
    for name, rows in (("TEXT", [[text] for text in texts]), ("TOPICS", topics)):
        tensor = tritonclient.grpc.InferInput(name, [len(rows), len(rows[0])], "BYTES")
        tensor.set_data_from_numpy(np.array([[t.encode() for t in row] for row in rows], dtype=np.object_))
        inputs.append(tensor)
    return client.infer("topics", inputs).as_numpy("PROBABILITIES")


class TestShipped:
    def test_texts_are_most_about_their_own_topic(self, model: TopicModel) -> None:
        found = model.probabilities([CRYPTO, SPORT], topics=TOPICS)

        assert found.argmax(axis=1).tolist() == [0, 1]
        assert found[0, 0] > 0.3 > found[0, 2]

    def test_a_headline_is_about_its_subject(self, model: TopicModel) -> None:
        headline = "The largest moons of Jupiter may hide oceans under their ice, a new probe finds"

        found = model.probabilities([headline], topics=["space and cosmos", "politics", "cooking or food"])

        assert found.argmax() == 0

    def test_the_documented_example_is_what_it_answers(self, model: TopicModel) -> None:
        guide = (ROOT / "docs" / "api-guide.md").read_text(encoding="utf-8").partition("topics:score")[2]
        texts, topics, documented = (
            json.loads(guide.partition(f'"{name}":')[2].partition("\n")[0].rstrip(","))
            for name in ("texts", "topics", "probabilities")
        )

        found = model.probabilities(texts, topics=topics)

        assert found == pytest.approx(np.array(documented), abs=0.02)

    @pytest.mark.long  # some 1,400 texts
    @pytest.mark.parametrize(("is_english", "least"), [(True, 0.82), (False, 0.75)])
    def test_ranks_texts_by_topic_in_many_languages(
        self, model: TopicModel, is_english: bool, least: float
    ) -> None:
        """Curated posts of six families against those of the others, as docs/topic-card.md tells."""
        posts = [post for post in curated() if (post["lang"] == "en") is is_english]

        answers = model.probabilities([post["text"] for post in posts], topics=list(IN_WORDS.values()))

        areas = [
            roc_auc_score([post["group"] == family for post in posts], answers[:, column])
            for column, family in enumerate(IN_WORDS)
        ]
        assert np.mean(areas) >= least

    def test_an_answer_does_not_depend_on_its_neighbours(self, model: TopicModel) -> None:
        texts = [CRYPTO, "x", SPORT, "word " * 300, "日本語", "\ud800 half"]

        together = model.probabilities(texts, topics=TOPICS)

        alone = np.concatenate([model.probabilities([text], topics=TOPICS) for text in texts])
        assert np.array_equal(together, alone)

    def test_hostile_topics_are_words_like_others(self, model: TopicModel) -> None:
        hostile = ["{}", "{0.__class__}", "\x00", "\u202e" * 200, "🎉" * 200, "%s %n", "a" * 5_000]

        found = model.probabilities([CRYPTO], topics=hostile)

        assert np.isfinite(found).all()

    def test_reads_a_text_once(self, triton_client: Any, model: TopicModel) -> None:
        assert model.is_ready()  # the weights are there
        texts, seconds = [f"{uuid4()} {'word ' * 100}" for _ in range(16)], []
        for _ in range(6):
            began = time.monotonic()
            asked(triton_client, texts, [["sports"]] * 16)
            seconds.append(time.monotonic() - began)

        assert min(seconds) < seconds[0] / 3

    def test_refuses_too_many_pairs(self, triton_client: Any, triton: None) -> None:
        with pytest.raises(InferenceServerException, match="pairs of text and topic"):
            asked(triton_client, ["a"] * 100, [["b"] * 100] * 100)

        assert asked(triton_client, ["a"], [["b"]]).shape == (1, 1)

    def test_is_ready(self, model: TopicModel) -> None:
        assert model.is_ready()


@pytest.mark.long  # a server of its own, torch and transformers
@pytest.mark.timeout(300)
@needs("torch", "transformers", "onnx")
def test_a_model_of_inference_answers_as_in_torch(nli_base: Path, served: tuple[TopicModel, Path]) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, base = served
    texts, topics = [CRYPTO, SPORT, "x"], ["sports", "a much longer topic than the text that it is asked of"]

    found = model.probabilities(texts, topics=topics)

    torch_model = AutoModelForSequenceClassification.from_pretrained(base).eval()
    tokenizer = AutoTokenizer.from_pretrained(base)
    for row, text in enumerate(texts):
        for column, topic in enumerate(topics):
            pair = tokenizer(text, HYPOTHESIS.format(topic), return_tensors="pt")
            with torch.no_grad():
                logits = torch_model(**pair).logits[0]
            expected = torch.softmax(logits[[0, 2]], dim=0)[1].item()
            assert abs(found[row, column] - expected) < 0.02  # INT8 weights; 0.006 was measured


@pytest.fixture(scope="module")
def nli_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.training.tiny_nli import write

    return write(tmp_path_factory.mktemp("nli"))


@pytest.fixture(scope="module")
def served(nli_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TopicModel, Path]]:
    folder = tmp_path_factory.mktemp("topics")
    repository = folder / "triton_repo"
    shutil.copytree(ROOT / "triton_repo", repository, ignore=shutil.ignore_patterns("__pycache__", "topics"))
    export_topics.export(export_topics.load(str(nli_base)), repository=repository)
    with own_server.serving(State(folder / "state"), repository=repository) as (server, _):
        yield of(server.url), nli_base
