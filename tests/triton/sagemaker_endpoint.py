"""A Triton that serves an archive over SageMaker's contract, at an address that boto3 takes for AWS."""

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
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from deploy.local import triton_files
from deploy.local.places import TRITON_ENVIRONMENT, State
from deploy.local.triton import Triton, UnixConnection
from deploy.sagemaker.__main__ import main
from tests.triton import forwarder

_PORT = 18080
_START_SECONDS = 60


class Endpoint:
    """A served archive; `delay` seconds pass before each answer, `refusal` is answered in its place."""

    def __init__(self, path: Path) -> None:
        self.socket, self.delay, self.refusal = path, 0.0, (0, "")
        self.asked: list[str] = []
        self.beside: dict[str, Endpoint] = {}
        """Other production variants, by their names."""

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str, bytes]:
        with contextlib.closing(UnixConnection(self.socket, timeout=20)) as connection:
            connection.request(method, path, body=body, headers={"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type", ""), answer.read()


@contextlib.contextmanager
def serving(folder: Path, *, model: str, package: Sequence[str] = ()) -> Iterator[Endpoint]:
    """The archive of `package`, unpacked as SageMaker does and served with its environment and options."""
    folder.mkdir(exist_ok=True)
    main(["package", "--model", model, "--out", str(folder / "model.tar.gz"), *package])
    with tarfile.open(folder / "model.tar.gz") as archive:
        archive.extractall(folder / "model")
    files = triton_files.find(TRITON_ENVIRONMENT)
    backends = Triton(state=State(folder), grpc_port=0, metrics_port=0)._backends(files)
    command = [
        *("unshare", "--map-root-user", "--net", sys.executable, forwarder.__file__, str(folder / "sock")),
        *(str(_PORT), str(files.server), f"--model-repository={folder / 'model'}"),
        *(f"--backend-directory={backends}", "--model-control-mode=explicit", f"--load-model={model}"),
        *("--allow-sagemaker=true", f"--sagemaker-port={_PORT}", "--allow-http=false", "--allow-grpc=false"),
        *("--allow-metrics=false", "--allow-gpu-metrics=false", "--pinned-memory-pool-byte-size=0"),
        f"--backend-config=python,shm-region-prefix-name=sagemaker_{model}_{os.getpid()}_",
    ]
    if subprocess.run([*command[:3], "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network of its own may be made here: unshare --net is refused")
    environment = os.environ | {
        "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": model,
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
        for region in Path("/dev/shm").glob(f"sagemaker_{model}_{os.getpid()}_*"):
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


@contextlib.contextmanager
def at_aws(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The endpoint `Spam-1` at the address that boto3 takes for SageMaker's runtime."""

    class Runtime(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            _, kind, name, act = unquote(self.path).split("/")
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert (kind, name, act) == ("endpoints", "Spam-1", "invocations")
            assert self.headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=id/")
            served.asked.append(self.headers["Content-Type"])
            time.sleep(served.delay)
            variant = self.headers.get("X-Amzn-SageMaker-Target-Variant", "content")
            status, content_type, answer = served.beside.get(variant, served).ask(
                "POST", "/invocations", body, self.headers["Content-Type"]
            )
            code = ""
            if status >= 400:  # what the model refuses AWS passes on in words of its own
                said = {"OriginalStatusCode": status, "OriginalMessage": answer.decode()}
                said["Message"] = (
                    f"Received server error ({status}) from primary with message {answer.decode()!r}"
                )
                status, code = 424, "ModelError"
                content_type, answer = "application/json", json.dumps(said).encode()
            if served.refusal[0]:
                status, code = served.refusal
                content_type, answer = "application/json", json.dumps({"Message": "not now"}).encode()
            with contextlib.suppress(OSError):  # the client may have given up
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                if code:
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
