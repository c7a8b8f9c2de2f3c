"""The real server as SageMaker runs it: serving archives of ours, asked over SageMaker's own contract.

What AWS itself adds, it does not show: no account was at hand. A local server stands in for the address
of the runtime and hands bodies to the real server's /invocations.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from deploy.local import ports
from deploy.sagemaker.__main__ import main
from moderation import scorer
from moderation.models import Promotion
from moderation.operations.releases import promote
from scoring.content import ContentModel, Unavailable
from scoring.hosting import WrongAnswers, served_name
from tests import releases
from tests.libraries import needs
from tests.moderation.instants import AT
from tests.moderation.operations.releases.promotion import promote_with
from tests.triton import sagemaker_endpoint
from tests.triton.image_files import as_file, drawn
from tests.triton.sagemaker_endpoint import Endpoint

TEXTS = ["Claim your free prize now", "The choir rehearses on Wednesday", "日本語 🎉", ""]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    with sagemaker_endpoint.serving(tmp_path_factory.mktemp("s"), model="content") as endpoint:
        yield endpoint


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    kinds = {"one.jpg": ("JPEG", 1), "two.png": ("PNG", 2), "three.webp": ("WEBP", 3)}
    for name, (kind, seed) in kinds.items():
        (tmp_path / name).write_bytes(as_file(drawn(seed=seed), kind))
    return [str(tmp_path / name) for name in kinds]


class TestContent:
    def test_scores_are_those_of_the_server_beside(
        self, endpoint: Endpoint, content_model: ContentModel
    ) -> None:
        found = ContentModel(url="sagemaker://Spam-1", version="1", timeout_seconds=20).scores(TEXTS)

        assert found == content_model.scores(TEXTS)
        assert len(endpoint.asked) == 1
        assert endpoint.asked[0].startswith("application/vnd.sagemaker-triton.binary+json;json-header-size=")

    def test_invoke_answers_alike_in_json_and_in_binary(
        self, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
    ) -> None:
        answers = []
        for form in ([], ["--binary"]):
            main(["invoke", "Spam-1", *TEXTS, *form])
            answers.append(json.loads(capsys.readouterr().out))

        assert endpoint.asked[0] == "application/json"
        assert endpoint.asked[1].startswith("application/vnd.sagemaker-triton.binary+json")
        assert [answer["model"] for answer in answers] == ["content", "content"]
        for one, other in zip(answers[0]["logits"], answers[1]["logits"], strict=True):
            assert one == pytest.approx(other, rel=1e-6)


class TestUnavailable:
    def test_another_version_than_the_release_pins(self, endpoint: Endpoint) -> None:
        with pytest.raises(Unavailable, match="Spam-1 serves content version 1, the release names content v"):
            ContentModel(url="sagemaker://Spam-1", version="2", timeout_seconds=20).probabilities(["hello"])

    def test_a_late_answer_and_then_the_breaker(self, endpoint: Endpoint) -> None:
        endpoint.delay = 1.0
        model = ContentModel(url="sagemaker://Spam-1", version="1", timeout_seconds=0.2, breaker_failures=1)

        with pytest.raises(Unavailable, match="TimeoutError"):
            model.probabilities(["hello"])
        with pytest.raises(Unavailable, match="not asked"):
            model.probabilities(["hello"])
        time.sleep(endpoint.delay)
        assert len(endpoint.asked) == 1  # boto3 by itself would ask again

    @pytest.mark.parametrize(
        ("status", "code", "asked"),
        [(400, "ThrottlingException", 2), (503, "ServiceUnavailable", 2), (400, "ValidationError", 1)],
    )
    def test_only_what_is_over_by_itself_is_asked_again(
        self, endpoint: Endpoint, status: int, code: str, asked: int
    ) -> None:
        endpoint.refusal = (status, code)
        model = ContentModel(url="sagemaker://Spam-1", version="1", timeout_seconds=20)

        with pytest.raises(Unavailable, match=f"{code}: not now"):
            model.probabilities(["hello"])
        assert len(endpoint.asked) == asked

    def test_nobody_there_or_no_credentials(
        self, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        with pytest.raises(Unavailable, match="NoCredentialsError"):
            ContentModel(url="sagemaker://Spam-1", version="1").probabilities(["hello"])

        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
        monkeypatch.setenv("AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME", f"http://127.0.0.1:{ports.free()}")
        with pytest.raises(Unavailable, match="ConnectionError"):
            ContentModel(url="sagemaker://Spam-1", version="1").probabilities(["hello"])


@pytest.mark.django_db
class TestPromotion:
    @pytest.fixture(autouse=True)
    def served_there(self, endpoint: Endpoint, settings: Settings, tmp_path: Path) -> Iterator[None]:
        settings.TRITON_URL, settings.TRITON_ADMIN_SOCKET = "sagemaker://Spam-1", tmp_path / "no-socket"
        settings.RELEASES_DIR, settings.TRITON_MODELS_DIR = tmp_path / "releases", tmp_path / "models"
        scorer.forget()
        yield
        scorer.forget()

    def test_a_release_with_the_shipped_weights_goes_live(self, tmp_path: Path) -> None:
        thresholds = {"review_from": 0.3, "remove_from": 0.97, "audit_rate": 0.02}
        candidate = releases.release(tmp_path / "candidate", thresholds=thresholds)

        promote_with(candidate, models=releases.REPOSITORY, at=AT)

        scorer.forget()
        assert scorer.release().id == candidate.id
        assert scorer.content().is_ready()

    def test_other_weights_are_asked_under_their_own_name_once_an_update_added_them(
        self, endpoint: Endpoint, tmp_path: Path, settings: Settings
    ) -> None:
        models = releases.repository(tmp_path / "repository", shift=0.3)
        candidate = releases.release(tmp_path / "candidate", models=models)
        name = served_name(candidate.content)
        before = scorer.content().probabilities(TEXTS)
        endpoint.refusal = (400, "ValidationError")

        with pytest.raises(
            WrongAnswers, match=r"ValidationError: .*`python -m deploy.sagemaker update Spam-1`"
        ):
            promote_with(candidate, models=models, at=AT)
        assert not Promotion.objects.exists()

        endpoint.refusal = (0, "")
        # What was installed at the refusal is what is packed.
        package = ["--repository", str(settings.TRITON_MODELS_DIR)]
        with sagemaker_endpoint.serving(tmp_path / "new", model=name, package=package) as added:
            endpoint.beside[name.replace("_", "-")] = added
            promote_with(candidate, models=models, at=AT)
            scorer.forget()

            assert scorer.release().id == candidate.id
            assert (scorer.content().probabilities(TEXTS) > before)[:3].all()
            promote.roll_back(actor=None, at=AT)
        scorer.forget()
        assert scorer.content().probabilities(TEXTS).tolist() == before.tolist()


@needs("torch")
@pytest.mark.train
@pytest.mark.long
@pytest.mark.xdist_group("image model")
@pytest.mark.timeout(600)
class TestImage:
    @pytest.fixture(scope="class")
    def served(self, image_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
        folder = tmp_path_factory.mktemp("s")
        package = ["--repository", str(image_repository)]
        with sagemaker_endpoint.serving(folder, model="image", package=package) as endpoint:
            yield endpoint

    def test_invoke_answers_alike_in_json_and_in_binary(
        self, endpoint: Endpoint, pictures: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        answers = []
        for form in ([], ["--binary"]):
            main(["invoke", "Spam-1", "--image", *pictures, *form])
            answers.append(json.loads(capsys.readouterr().out))

        assert endpoint.asked[0] == "application/json"
        assert endpoint.asked[1].startswith("application/vnd.sagemaker-triton.binary+json")
        assert answers[0] == answers[1]
        assert (answers[0]["model"], answers[0]["version"]) == ("image", "1")
        assert [len(row) for row in answers[0]["classes"]] == [5, 5, 5]
        for row in answers[0]["classes"]:
            shares = [one["probability"] for one in row]
            assert shares == sorted(shares, reverse=True)
            assert all(one["label"] for one in row)

    def test_what_is_no_picture_gets_an_error_by_name(self, endpoint: Endpoint, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        page.write_text("<html></html>")

        with pytest.raises(SystemExit, match=r"spamdesk: .*picture 1 of 1: not a picture in JPEG, PNG, WEBP"):
            main(["invoke", "Spam-1", "--image", str(page)])

    def test_texts_and_pictures_are_not_sent_together(self, endpoint: Endpoint, pictures: list[str]) -> None:
        with pytest.raises(SystemExit, match="give texts or, by --image, files of pictures"):
            main(["invoke", "Spam-1", "hello", "--image", *pictures])
