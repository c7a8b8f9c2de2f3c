"""The real server as SageMaker runs it: serving an archive of ours, asked over SageMaker's own contract.

What AWS itself adds, it does not show: no account was at hand. A local server stands in for the address
of the runtime and hands bodies to the real server's /invocations.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from deploy.local import ports, triton_files
from deploy.local.places import TRITON_ENVIRONMENT, State
from deploy.local.triton import Triton
from deploy.local.unix_http import UnixConnection
from deploy.sagemaker.__main__ import main
from scoring.content import ContentModel, Unavailable
from scoring.hosting import Refused, TritonAdmin
from tests.triton import own_network

_PORT = 18080
_START_SECONDS = 60
TEXTS = ["Claim your free prize now", "The choir rehearses on Wednesday", "日本語 🎉", ""]


class Endpoint:
    """A served archive; `delay` seconds pass before each answer, `refusal` is answered in its place."""

    def __init__(self, path: Path) -> None:
        self.socket, self.delay, self.refusal = path, 0.0, (0, "")
        self.asked: list[str] = []

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str, bytes]:
        with contextlib.closing(UnixConnection(self.socket, timeout=20)) as connection:
            connection.request(method, path, body=body, headers={"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type", ""), answer.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """The archive of `package`, unpacked as SageMaker does and served with its environment and options."""
    folder = tmp_path_factory.mktemp("s")
    main(["package", "--out", str(folder / "model.tar.gz")])
    with tarfile.open(folder / "model.tar.gz") as archive:
        archive.extractall(folder / "model", filter="data")
    files = triton_files.find(TRITON_ENVIRONMENT)
    backends = Triton(state=State(folder), grpc_port=0, metrics_port=0)._backends(files)
    command = [
        *("unshare", "--map-root-user", "--net", sys.executable, own_network.__file__, str(folder / "sock")),
        *(str(_PORT), str(files.server), f"--model-repository={folder / 'model'}"),
        *(f"--backend-directory={backends}", "--model-control-mode=explicit", "--load-model=content"),
        *("--allow-sagemaker=true", f"--sagemaker-port={_PORT}", "--allow-http=false", "--allow-grpc=false"),
        *("--allow-metrics=false", "--allow-gpu-metrics=false", "--pinned-memory-pool-byte-size=0"),
        f"--backend-config=python,shm-region-prefix-name=sagemaker_test_{os.getpid()}_",
    ]
    if subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network of its own may be made here: unshare --net is refused")
    environment = os.environ | {
        "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": "content",
        "PATH": f"{TRITON_ENVIRONMENT / 'bin'}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": files.library_path,
        "TOKENIZERS_PARALLELISM": "false",
    }
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    endpoint = Endpoint(folder / "sock")
    try:
        _await(endpoint, server, log=folder / "log")
        yield endpoint
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        for region in Path("/dev/shm").glob(f"sagemaker_test_{os.getpid()}_*"):
            region.unlink()
        shutil.rmtree(folder / "model")


def _await(endpoint: Endpoint, server: subprocess.Popen[bytes], *, log: Path) -> None:
    ends = time.monotonic() + _START_SECONDS
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if endpoint.ask("GET", "/ping")[0] == 200:
                return
        assert server.poll() is None, log.read_text()[-2000:]
        assert time.monotonic() < ends, log.read_text()[-2000:]
        time.sleep(0.1)


@pytest.fixture
def endpoint(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The endpoint `Spam-1` at the address that boto3 takes for SageMaker's runtime."""

    class Runtime(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            _, kind, name, act = unquote(self.path).split("/")
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert (kind, name, act) == ("endpoints", "Spam-1", "invocations")
            assert self.headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=id/")
            served.asked.append(self.headers["Content-Type"])
            time.sleep(served.delay)
            status, content_type, answer = served.ask(
                "POST", "/invocations", body, self.headers["Content-Type"]
            )
            if served.refusal[0]:
                status, code = served.refusal
                content_type, answer = "application/json", json.dumps({"Message": "not now"}).encode()
            with contextlib.suppress(OSError):  # the client may have given up
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                if served.refusal[0]:
                    self.send_header("x-amzn-errortype", code)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    runtime = ThreadingHTTPServer(("127.0.0.1", 0), Runtime)
    threading.Thread(target=runtime.serve_forever, args=(0.02,), daemon=True).start()
    port = runtime.server_address[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    served.asked.clear()
    served.delay, served.refusal = 0.0, (0, "")
    yield served
    runtime.shutdown()
    runtime.server_close()


def test_scores_are_those_of_the_server_beside(endpoint: Endpoint, content_model: ContentModel) -> None:
    found = ContentModel(url="sagemaker://Spam-1", version="1", timeout_seconds=20).scores(TEXTS)

    assert found == content_model.scores(TEXTS)
    assert len(endpoint.asked) == 1
    assert endpoint.asked[0].startswith("application/vnd.sagemaker-triton.binary+json;json-header-size=")


def test_invoke_answers_alike_in_json_and_in_binary(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
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
        began = time.monotonic()

        with pytest.raises(Unavailable, match="TimeoutError"):
            model.probabilities(["hello"])
        assert time.monotonic() - began < 0.9  # boto3 by itself would ask again
        with pytest.raises(Unavailable, match="not asked"):
            model.probabilities(["hello"])

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

    def test_an_endpoint_loads_no_other_model(self) -> None:
        with pytest.raises(Refused, match="serves the one model it was created with"):
            TritonAdmin(url="sagemaker://Spam-1").load("content_0123456789ab")
