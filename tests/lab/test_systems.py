"""What this machine lacks to run bare systems is one line each, and nothing is started then."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from lab.systems import engine


class TestLacks:
    def test_names_root_alone_to_an_ordinary_user(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)

        assert [lack.line for lack in engine.lacks(tmp_path)] == [
            "containers with systems of their own need root: sudo make systems"
        ]

    def test_names_each_program_with_its_packages_the_disk_and_the_path(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = Path("/a/folder/with/a/long/name")
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(shutil, "which", lambda program: None if program == "podman" else f"/{program}")
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: shutil._ntuple_diskusage(20, 19, 2**30))

        podman, disk, path = engine.lacks(folder)

        assert podman.line.startswith("podman is missing: apt-get install ")
        assert podman.packages == ("podman", "crun", "catatonit", "fuse-overlayfs")
        assert disk.line == "/ has less than 15 GiB free: name another with --folder"
        assert path.line == f"the path {folder} is too long for podman: name another with --folder"


class TestTrial:
    """It is copied into a system that has nothing of ours."""

    def test_imports_nothing_but_the_standard_library(self, tmp_path: Path) -> None:
        copy = tmp_path / "trial.py"
        shutil.copy(ROOT / "lab" / "systems" / "trial.py", copy)

        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-c", f"import runpy; runpy.run_path({str(copy)!r})"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

        assert ended.returncode == 0, ended.stderr
