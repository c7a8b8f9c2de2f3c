"""What AWS refuses, what breaks off, and what may not be touched: one line, and nothing left behind."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import boto3
import pytest

from deploy.sagemaker import endpoint
from deploy.sagemaker.__main__ import main
from tests.deploy.conftest import BUCKET, CREATE, left


class TestArguments:
    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            (["--account", "12345"], "'12345' is not the number of an account: 12 digits"),
            (["--role", "nonsense"], "is not the ARN of a role: arn:aws:iam::123456789012:role/NAME"),
            (["--model-data", "model.tar.gz"], "is not an address in S3: s3://bucket/key"),
            (["--model-data", "s3://[x/y"], "is not an address in S3: s3://bucket/key"),
            (["--image", ""], "is not an image: name:tag"),
            (["--instances", "0"], "'0' is not a number from 1 to 999"),
            (["--archive", "nowhere.tar.gz"], "'nowhere.tar.gz' is no file"),
            (["--env", "=1"], "'=1' is not NAME=value"),
        ],
    )
    def test_a_wrong_one_is_refused_before_anything_is_sent(
        self, wrong: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            main([*CREATE, *wrong])
        assert said in capsys.readouterr().err

    @pytest.mark.parametrize("step", [["wait"], ["invoke"], ["delete"], ["create", *CREATE[2:]]])
    @pytest.mark.parametrize("name", ["", "a" * 64, "an_endpoint", "-a", "a-", "a b"])
    def test_a_name_that_sagemaker_does_not_take(
        self, step: list[str], name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit):
            main([step[0], *step[1:], "--", name])
        assert "is not a name that SageMaker takes: at most 63 letters" in capsys.readouterr().err

    @pytest.mark.parametrize("wrong", [["--poll", "0"], ["--timeout", "nan"], ["--timeout", "soon"]])
    def test_a_time_that_is_none(self, wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main(["wait", "spam", *wrong])
        assert "is not a number of seconds" in capsys.readouterr().err


class TestCreate:
    def test_what_is_there_is_not_written_over_and_not_deleted(self, aws: Any, packed: str) -> None:
        main([*CREATE, "--archive", packed])
        for again in ([*CREATE, "--archive", packed], CREATE):
            with pytest.raises(SystemExit, match=r"is there already: "):
                main(again)
        assert left(aws) == ["spam", "spam", "spam", "spam/model.tar.gz"]

        main(["delete", "spam"])
        other = ["create", "other", *CREATE[2:], "--archive", packed]
        with pytest.raises(SystemExit, match=r"s3://.* is there already: leave out --archive to take it"):
            main(other)
        assert left(aws) == ["spam/model.tar.gz"]

    @pytest.mark.parametrize("breaks_off", ["create_model", "create_endpoint_config", "create_endpoint"])
    @pytest.mark.parametrize("is_obeyed", [True, False])
    def test_nothing_is_left_of_one_that_was_interrupted(
        self, aws: Any, packed: str, monkeypatch: pytest.MonkeyPatch, breaks_off: str, *, is_obeyed: bool
    ) -> None:
        """Also where AWS has obeyed and the answer did not come."""
        client = endpoint.client_of("sagemaker")
        create = getattr(client, breaks_off)

        def interrupted(**given: Any) -> None:
            if is_obeyed:
                create(**given)
            raise KeyboardInterrupt

        monkeypatch.setattr(client, breaks_off, interrupted)
        others = endpoint.client_of
        monkeypatch.setattr(
            endpoint, "client_of", lambda service: client if service == "sagemaker" else others(service)
        )
        with pytest.raises(SystemExit, match=r"^spamdesk: interrupted$"):
            main([*CREATE, "--archive", packed])

        assert left(aws) == []

    def test_a_bucket_that_is_not_there(self, aws: Any, packed: str) -> None:
        with pytest.raises(SystemExit, match="NoSuchBucket"):
            main([*CREATE, "--archive", packed, "--model-data", "s3://another-bucket/model.tar.gz"])
        assert left(aws) == []

    @pytest.mark.parametrize(
        ("environment", "said"),
        [
            ({"AWS_ACCESS_KEY_ID": ""}, "^spamdesk: Unable to locate credentials: set AWS_PROFILE, or"),
            ({"AWS_DEFAULT_REGION": ""}, "^spamdesk: You must specify a region: set AWS_DEFAULT_REGION"),
            ({"AWS_PROFILE": "none"}, "could not be found: AWS_PROFILE names none of your configuration"),
            ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Could not connect .*: is the region right"),
        ],
    )
    def test_what_boto3_lacks(
        self,
        aws: Any,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        environment: dict[str, str],
        said: str,
    ) -> None:
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value) if value else patch.delenv(name)
            with pytest.raises(SystemExit, match=said):
                main(CREATE)
        assert left(aws) == []


class TestDelete:
    def test_an_archive_that_stays_keeps_the_model_that_knows_it(
        self, aws: Any, packed: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        main([*CREATE, "--archive", packed])
        with monkeypatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
            patch.setenv("AWS_MAX_ATTEMPTS", "1")
            with pytest.raises(SystemExit, match=rf"not deleted, .*: s3://{BUCKET}/spam/.*, model spam;"):
                main(["delete", "spam", "--with-archive"])
        assert left(aws) == ["spam", "spam/model.tar.gz"]

        main(["delete", "spam", "--with-archive"])
        assert left(aws) == []

    def test_says_that_nothing_knows_where_an_archive_is(
        self, aws: Any, packed: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main([*CREATE, "--archive", packed])
        main(["delete", "spam"])
        main(["delete", "spam", "--with-archive"])

        assert "so nothing says where its archive is: look in S3" in capsys.readouterr().err
        boto3.resource("s3").Bucket(BUCKET).objects.all().delete()


class TestStarting:
    @pytest.fixture
    def asked(self) -> list[str]:
        """What was asked of the control plane."""
        return []

    @pytest.fixture
    def statuses(self, asked: list[str], aws: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
        """What DescribeEndpoint answers, one after the other, the last one again and again."""
        told: list[str] = []

        class Plane(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                act = self.headers["X-Amz-Target"].removeprefix("SageMaker.")
                if act != "ListModels":
                    asked.append(act)
                status = told.pop(0) if len(told) > 1 and act == "DescribeEndpoint" else told[0]
                answer = json.dumps({"EndpointStatus": status, "FailureReason": "no ping", "Models": []})
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Plane)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL_SAGEMAKER", f"http://127.0.0.1:{server.server_address[1]}")
        yield told
        server.shutdown()
        server.server_close()

    def test_says_how_it_goes_and_why_it_failed(
        self, statuses: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        statuses[:] = ["Creating", "Creating", "Failed"]
        with pytest.raises(SystemExit, match="spam is Failed: no ping"):
            main(["wait", "spam", "--poll", "0.01"])

        told = [line.split()[-1] for line in capsys.readouterr().err.splitlines() if " s  " in line]
        assert told == ["Creating", "Creating", "Failed"]

    def test_ends_when_time_is_up(self, statuses: list[str]) -> None:
        statuses[:] = ["Creating"]
        with pytest.raises(SystemExit, match=r"still Creating after \d+ s; it costs money"):
            main(["wait", "spam", "--poll", "0.05", "--timeout", "0.1"])

    def test_is_deleted_once_it_has_started_or_failed_for_aws_does_not_before(
        self, statuses: list[str], asked: list[str]
    ) -> None:
        statuses[:] = ["Creating", "Creating", "Creating", "Failed"]
        main(["delete", "spam", "--poll", "0.01"])

        assert asked == [*["DescribeEndpoint"] * 4, "DeleteEndpoint", "DeleteEndpointConfig", "DeleteModel"]

    def test_keeps_what_it_needs_while_it_does_not_end(self, statuses: list[str], asked: list[str]) -> None:
        statuses[:] = ["Creating"]
        for step in (["delete", "spam"], ["wait", "spam", "--delete-on-failure"]):
            with pytest.raises(SystemExit, match="still Creating"):
                main([*step, "--poll", "0.05", "--timeout", "0.1"])

        assert set(asked) == {"DescribeEndpoint"}

    def test_an_endpoint_that_failed_is_deleted_if_one_asked_for_that(
        self, statuses: list[str], asked: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        statuses[:] = ["Creating", "Failed"]
        with pytest.raises(SystemExit, match="spam is Failed: no ping"):
            main(["wait", "spam", "--poll", "0.01", "--delete-on-failure"])

        assert "deleting spam: spam is Failed: no ping" in capsys.readouterr().err
        assert asked[-3:] == ["DeleteEndpoint", "DeleteEndpointConfig", "DeleteModel"]
