"""Paths: the checkout, its environments, and the one folder for everything that is written.

Standard library only: the installer reads it with the system's Python.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = ROOT / ".venv"
TRITON_ENVIRONMENT = ROOT / ".venv-triton"
REQUIREMENTS = ROOT / "requirements"


@dataclass(frozen=True)
class State:
    """The folder of everything that runs or is written; deleting it starts from nothing."""

    path: Path

    @classmethod
    def from_environment(cls) -> "State":
        """Return the state folder of this checkout, or the one that SPAMDESK_STATE_DIR names."""
        return cls(Path(os.environ.get("SPAMDESK_STATE_DIR") or ROOT / ".state").resolve())

    def folder(self, name: str, *, mode: int = 0o700) -> Path:
        """Return a folder inside, made if needed with these permission bits."""
        self.path.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self.path.chmod(0o711)  # the database's user, who is not root, must pass through
        folder = self.path / name
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
        return folder

    @property
    def warning(self) -> Path:
        """Return the file that says what is wrong with the installation; absent if nothing is."""
        return self.path / "warning"

    def secret(self, name: str) -> str:
        """Return a generated secret, the same at every start, readable by this user alone."""
        path = self.folder("secrets") / name
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")  # one that is there is whole
            unfinished.touch(mode=0o600)
            unfinished.write_text(secrets.token_urlsafe(32))
            unfinished.replace(path)
        return path.read_text()
