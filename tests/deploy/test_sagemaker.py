"""What is created, awaited and deleted at SageMaker; its control plane is moto's here, not that of AWS."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import boto3
import pytest

from deploy.local.places import ROOT
from deploy.sagemaker import archive, endpoint
from deploy.sagemaker.__main__ import main
from deploy.sagemaker.endpoint import READY
from tests.deploy.conftest import BUCKET, CREATE, left


@pytest.mark.parametrize("served", ["content", "image"])
def test_creates_awaits_and_deletes(aws: Any, packed: str, served: str) -> None:
    main([*CREATE, "--model", served, "--archive", packed])
    main(["wait", "spam"])

    assert aws.describe_endpoint(EndpointName="spam")["EndpointConfigName"] == "spam"
    [variant] = aws.describe_endpoint_config(EndpointConfigName="spam")["ProductionVariants"]
    assert (variant["ModelName"], variant["InstanceType"]) == ("spam", "ml.c5.xlarge")
    model = aws.describe_model(ModelName="spam")
    assert model["ExecutionRoleArn"] == "arn:aws:iam::123456789012:role/runs-it"
    assert model["PrimaryContainer"] == {
        "Image": "123456789012.dkr.ecr.eu-central-1.amazonaws.com/spamdesk-triton:1",
        "ModelDataUrl": f"s3://{BUCKET}/spam/model.tar.gz",
        "Environment": {"SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": served, "TOKENIZERS_PARALLELISM": "false"},
    }
    stored = boto3.client("s3").get_object(Bucket=BUCKET, Key="spam/model.tar.gz")
    assert stored["Body"].read() == b"an archive"

    main(["delete", "spam", "--with-archive"])
    assert left(aws) == []


class TestUpdate:
    NEW = "content_0123456789ab"
    ADD = ("update", "spam", "--model", NEW, "--model-data", f"s3://{BUCKET}/new.tar.gz", "--poll", "0.01")

    @pytest.fixture(autouse=True)
    def changes(self, aws: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
        """The client with what moto lacks: an endpoint gets another configuration."""
        client, others = endpoint.client_of("sagemaker"), endpoint.client_of

        def changed(**given: str) -> None:
            client.delete_endpoint(EndpointName=given["EndpointName"])
            client.create_endpoint(**given)

        monkeypatch.setattr(client, "update_endpoint", changed)
        monkeypatch.setattr(
            endpoint, "client_of", lambda name: client if name == "sagemaker" else others(name)
        )
        return client

    def test_serves_a_model_beside_the_one_before(self, aws: Any, packed: str) -> None:
        main([*CREATE, "--archive", packed])

        main([*self.ADD, "--archive", packed])

        used = aws.describe_endpoint(EndpointName="spam")["EndpointConfigName"]
        [before, added] = aws.describe_endpoint_config(EndpointConfigName=used)["ProductionVariants"]
        assert (before["VariantName"], before["ModelName"]) == ("content", "spam")
        assert added == before | {"VariantName": "content-0123456789ab", "ModelName": used}
        [old, new] = (aws.describe_model(ModelName=name) for name in ("spam", used))
        assert new["ExecutionRoleArn"] == old["ExecutionRoleArn"]
        environment = old["PrimaryContainer"]["Environment"] | {endpoint.DEFAULT_MODEL: self.NEW}
        changed = {"ModelDataUrl": f"s3://{BUCKET}/new.tar.gz", "Environment": environment}
        assert new["PrimaryContainer"] == old["PrimaryContainer"] | changed

        main([*self.ADD, "--archive", packed])  # as after one that broke off
        main(["delete", "spam", "--with-archive"])
        assert left(aws) == []

    @pytest.mark.parametrize("later", [True, False])
    def test_one_that_fails_leaves_the_endpoint_as_it_was(
        self, aws: Any, changes: Any, monkeypatch: pytest.MonkeyPatch, *, later: bool
    ) -> None:
        main(CREATE)
        before = left(aws)
        with monkeypatch.context() as patch:
            patch.setattr(
                changes, "update_endpoint", lambda **_: None if later else aws.describe_model(ModelName="no")
            )
            # AWS by itself takes back a fleet that does not come up.
            now = {"EndpointStatus": READY, "EndpointConfigName": "spam", "FailureReason": "no capacity"}
            patch.setattr(endpoint, "settled", lambda *_, **__: now)
            with pytest.raises(SystemExit, match="as before: no capacity" if later else "Could not find"):
                main([*self.ADD])

        assert left(aws) == before
        main(["delete", "spam"])


def test_a_failure_leaves_nothing(aws: Any, packed: str) -> None:
    with pytest.raises(SystemExit, match=r"spamdesk: CreateEndpointConfig: ValidationException: .*nonsense"):
        main([*CREATE, "--archive", packed, "--instance-type", "ml.nonsense"])
    assert left(aws) == []


def test_what_was_deleted_by_hand_does_not_keep_the_rest(
    aws: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    main(CREATE)
    aws.delete_endpoint_config(EndpointConfigName="spam")
    main(["delete", "spam"])

    assert "not there: configuration spam" in capsys.readouterr().err
    assert left(aws) == []


class TestArchive:
    @pytest.fixture
    def repository(self, tmp_path: Path) -> Path:
        """The ensemble that ships with little files for steps, one of them compiled Python's."""
        content = tmp_path / "repository" / "content"
        (content / "1").mkdir(parents=True)
        (content / "config.pbtxt").write_bytes((ROOT / "triton_repo/content/config.pbtxt").read_bytes())
        for name in ("tokenizer/1/model.py", "distilbert/1/__pycache__/model.pyc", "distilbert/1/model.py"):
            file = tmp_path / "repository" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(name)
        return tmp_path / "repository"

    def test_holds_what_is_served_and_is_the_same_for_the_same_files(
        self, repository: Path, tmp_path: Path
    ) -> None:
        for name in ("plan.json", "model.plan", "model.onnx"):  # a plan goes without what it was built from
            (repository / "distilbert" / "1" / name).write_text(name)
        one, other = tmp_path / "one.tar.gz", tmp_path / "other.tar.gz"
        archive.write(repository, model="content", archive=one)
        (repository / "tokenizer/1/model.py").touch()
        archive.write(repository, model="content", archive=other)

        with tarfile.open(one) as packed:
            names = packed.getnames()
        assert names == [
            *("tokenizer", "tokenizer/1", "tokenizer/1/model.py"),
            *("distilbert", "distilbert/1", "distilbert/1/model.plan", "distilbert/1/model.py"),
            *("content", "content/1", "content/config.pbtxt"),
        ]
        assert one.read_bytes() == other.read_bytes()
        assert one.read_bytes()[4:8] == bytes(4)  # gzip's time

    def test_what_cannot_be_served_is_refused(self, repository: Path, tmp_path: Path) -> None:
        recipe = repository / "distilbert" / "1" / "plan.json"
        for says, spoil in (
            ("distilbert holds no files", recipe.with_name("model.py").unlink),
            (r"distilbert/1 has no model\.plan: build it by", lambda: recipe.write_text("{}")),
            ("tokenizer has no version", lambda: shutil.rmtree(repository / "tokenizer")),
        ):
            spoil()
            with pytest.raises(archive.NotARepository, match=says):
                archive.write(repository, model="content", archive=tmp_path / "model.tar.gz")
        assert list(tmp_path.glob("*.gz*")) == []


def test_addresses_of_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "cn-north-1")

    assert endpoint.image_address("i:1", account="7") == "7.dkr.ecr.cn-north-1.amazonaws.com.cn/i:1"
    assert endpoint.image_address("registry.example/i:1", account=None) == "registry.example/i:1"
    with pytest.raises(endpoint.Failed, match="whose image is i:1"):
        endpoint.image_address("i:1", account=None)


def test_who_lacks_boto3_is_told_what_to_install() -> None:
    program = "import sys; sys.modules['boto3'] = None; import runpy; runpy.run_module('deploy.sagemaker')"
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said.stderr == "spamdesk: boto3 is missing: pip install -r requirements/sagemaker.txt\n"
