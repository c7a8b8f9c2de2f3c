"""Model control of a Triton whose HTTP protocol listens on a Unix socket.

tritonclient's HTTP client supports TCP only. Each call opens its own connection: a persistent one would keep
Triton from stopping.
"""

import contextlib
import http.client
import json
import socket
from pathlib import Path
from typing import Any


class TritonSocket:
    """The part of tritonclient's interface that `TritonAdmin` uses, with the same exceptions."""

    def __init__(self, path: Path, *, timeout_seconds: float) -> None:
        """Connect to nothing yet."""
        self._path, self._timeout_seconds = path, timeout_seconds

    def is_listening(self) -> bool:
        """Return whether a server listens there; the file may be a leftover."""
        with contextlib.closing(_Connection(self._path, timeout=self._timeout_seconds)) as connection:
            try:
                connection.connect()
            except OSError:
                return False
        return True

    def load_model(self, name: str, **_: Any) -> None:
        """Load a model and its steps. Raises InferenceServerException or OSError."""
        self._post(f"/v2/repository/models/{name}/load", {})

    def unload_model(self, name: str, *, unload_dependents: bool = False, **_: Any) -> None:
        """Unload a model. Raises InferenceServerException or OSError."""
        self._post(
            f"/v2/repository/models/{name}/unload", {"parameters": {"unload_dependents": unload_dependents}}
        )

    def is_model_ready(self, name: str) -> bool:
        """Tell whether the server lists the model as ready. Raises OSError."""
        return self._ask("GET", f"/v2/models/{name}/ready", "")[0] == 200

    def _post(self, path: str, body: dict[str, Any]) -> None:
        from tritonclient.utils import InferenceServerException

        status, message = self._ask("POST", path, json.dumps(body))
        if status != 200:
            raise InferenceServerException(msg=message, status=str(status))

    def _ask(self, method: str, path: str, body: str) -> tuple[int, str]:
        connection = _Connection(self._path, timeout=self._timeout_seconds)
        with contextlib.closing(connection):
            try:
                connection.request(method, path, body=body or None)
                answer = connection.getresponse()
                return answer.status, answer.read().decode(errors="replace")
            except http.client.HTTPException as broken:
                raise OSError(f"Triton broke off: {type(broken).__name__}") from broken


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path, *, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
