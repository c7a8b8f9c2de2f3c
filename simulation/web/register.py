"""Sites of simulated posts in a file: written by the simulated platform, read by the server of its web."""

import json
import threading
from collections.abc import Iterable
from pathlib import Path

from simulation.web.sites import Site, key

FILE = "web.jsonl"


def write(sites: Iterable[Site], *, path: Path) -> None:
    """Add sites at the end of the file, which is made with its folder if it is missing."""
    lines = [json.dumps(site.to_json(), ensure_ascii=False) + "\n" for site in sites]
    if not lines:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(lines)


class Register:
    """Finds sites in the file by key; lines that were added since are read when something is not found."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        self._sites: dict[str, Site] = {}
        self._lock = threading.Lock()

    def find(self, address: str) -> Site | None:
        """Return the first site written at an address, None if there is none yet."""
        with self._lock:
            if address not in self._sites:
                self._read_on()
            return self._sites.get(address)

    def _read_on(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read_to)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # the rest of it is being written
                self._read_to += len(line)
                site = Site.from_json(json.loads(line))
                for url in site.urls:
                    self._sites.setdefault(key(url), site)
