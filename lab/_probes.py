"""Monitoring of a running product: health probes and Prometheus scrapes, every few seconds."""

import threading

import httpx

_EVERY_SECONDS = 5.0
_PATHS = ("/readyz", "/metrics")


class Probes(threading.Thread):
    """Polls until stopped; errors are expected while a server is down."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.asked = 0
        self._is_over = threading.Event()
        self._client = httpx.Client(base_url=url, trust_env=False, timeout=10)

    def run(self) -> None:
        while not self._is_over.wait(_EVERY_SECONDS):
            for path in _PATHS:
                self._status(path)

    def stop(self) -> list[str]:
        """Stop; return the endpoints that still fail although every server is back."""
        self._is_over.set()
        self.join()
        bad = [path for path in _PATHS if self._status(path) != httpx.codes.OK]
        self._client.close()
        return bad

    def _status(self, path: str) -> int:
        self.asked += 1
        try:
            return self._client.get(path).status_code
        except httpx.TransportError:
            return 0
