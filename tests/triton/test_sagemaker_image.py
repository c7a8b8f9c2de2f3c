"""The image model as SageMaker runs it: an archive of `package`, asked with files of pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.sagemaker.__main__ import main
from tests.libraries import needs
from tests.triton import sagemaker_endpoint
from tests.triton.image_files import as_file, drawn
from tests.triton.sagemaker_endpoint import Endpoint

pytestmark = [
    needs("torch"),
    pytest.mark.train,
    pytest.mark.long,
    pytest.mark.xdist_group("image model"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def served(image_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    folder = tmp_path_factory.mktemp("s")
    package = ["--repository", str(image_repository)]
    with sagemaker_endpoint.serving(folder, model="image", package=package) as endpoint:
        yield endpoint


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    kinds = {"one.jpg": ("JPEG", 1), "two.png": ("PNG", 2), "three.webp": ("WEBP", 3)}
    for name, (kind, seed) in kinds.items():
        (tmp_path / name).write_bytes(as_file(drawn(seed=seed), kind))
    return [str(tmp_path / name) for name in kinds]


def test_invoke_answers_alike_in_json_and_in_binary(
    endpoint: Endpoint, pictures: list[str], capsys: pytest.CaptureFixture[str]
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


def test_what_is_no_picture_gets_an_error_by_name(endpoint: Endpoint, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html></html>")

    with pytest.raises(SystemExit, match=r"spamdesk: .*picture 1 of 1: not a picture in JPEG, PNG, WEBP"):
        main(["invoke", "Spam-1", "--image", str(page)])


def test_texts_and_pictures_are_not_sent_together(endpoint: Endpoint, pictures: list[str]) -> None:
    with pytest.raises(SystemExit, match="give texts or, by --image, files of pictures"):
        main(["invoke", "Spam-1", "hello", "--image", *pictures])
