"""The installer uses the user's pip settings, installs once, says when it cannot; where bytecode is kept."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from deploy.local import install, packages

PIP_SETTINGS = """\
:env:.cert='/etc/ssl/own.crt'
:env:.index-url='https://mirror.example/simple'
global.cert='/etc/ssl/other.crt'
global.extra-index-url='https://one.example/simple https://two.example/simple'
global.find-links='/wheels /more-wheels'
global.quiet='1'
install.index-url='https://install.example/simple'
"""


class TestUvEnvironment:
    def test_says_what_pip_was_told(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        _environment_with_pip(tmp_path, prints=PIP_SETTINGS)
        monkeypatch.setattr(packages, "ENVIRONMENT", tmp_path)
        for name in ("SSL_CERT_FILE", "UV_FIND_LINKS", "UV_INDEX", "UV_DEFAULT_INDEX", "UV_SYSTEM_CERTS"):
            monkeypatch.delenv(name, raising=False)

        environment = packages.uv_environment()

        # A variable beats every file.
        assert environment["UV_DEFAULT_INDEX"] == "https://mirror.example/simple"
        assert environment["UV_INDEX"] == "https://one.example/simple https://two.example/simple"
        assert environment["UV_FIND_LINKS"] == "/wheels,/more-wheels"
        assert environment["SSL_CERT_FILE"] == "/etc/ssl/own.crt"
        assert environment["UV_SYSTEM_CERTS"] == "1"

    def test_leaves_what_uv_was_told_itself(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        _environment_with_pip(tmp_path, prints=PIP_SETTINGS)
        monkeypatch.setattr(packages, "ENVIRONMENT", tmp_path)
        monkeypatch.setenv("UV_DEFAULT_INDEX", "https://own.example/simple")

        assert packages.uv_environment()["UV_DEFAULT_INDEX"] == "https://own.example/simple"


class TestInstall:
    @pytest.fixture
    def environment(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        """An environment whose pip and uv only note that they were called."""
        folder = tmp_path / "environment"
        _environment_with_pip(folder, prints="", notes=tmp_path / "calls")
        _program(folder / "bin" / "uv", f"echo uv $* >> {tmp_path}/calls")
        (tmp_path / "run.txt").write_text("django==5.2\n")
        monkeypatch.setattr(packages, "ENVIRONMENT", folder)
        monkeypatch.setattr(packages, "UV", folder / "bin" / "uv")
        monkeypatch.setattr(packages, "REQUIREMENTS", tmp_path)
        return folder

    def test_does_nothing_the_second_time(self, environment: Path, tmp_path: Path) -> None:
        assert packages.install(environment, "run")
        (tmp_path / "calls").unlink()

        assert not packages.install(environment, "run")

        assert not (tmp_path / "calls").exists()

    def test_installs_again_when_the_lock_changed(self, environment: Path, tmp_path: Path) -> None:
        packages.install(environment, "run")
        (tmp_path / "run.txt").write_text("django==5.2.1\n")

        assert packages.install(environment, "run")

    def test_falls_back_to_pip_when_uv_fails(self, environment: Path, tmp_path: Path) -> None:
        _program(environment / "bin" / "uv", "exit 2")

        packages.install(environment, "run")

        assert "pip install" in (tmp_path / "calls").read_text()

    def test_downloads_nothing_that_the_disk_cannot_hold(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=700 * 2**20))

        with pytest.raises(packages.InstallFailed, match="new takes 1400 MB, and its disk has 700 free"):
            packages.create(tmp_path / "new", megabytes=1_400)

        assert not (tmp_path / "new").exists()

    def test_says_what_to_look_at_when_both_fail(self, environment: Path) -> None:
        _program(environment / "bin" / "uv", "exit 2")
        _program(environment / "bin" / "python", "exit 1")

        with pytest.raises(packages.InstallFailed, match=r"run\.txt: is a package index .* MB free"):
            packages.install(environment, "run")

        assert not packages.is_installed(environment, "run")


def test_bytecode_is_kept_in_the_environment_where_none_may_lie_beside_the_sources(tmp_path: Path) -> None:
    source, environment = tmp_path / "source", tmp_path / "environment"
    source.mkdir()
    (source / "small.py").write_text("")
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    variables.pop("PYTHONPYCACHEPREFIX", None)

    packages.keep_bytecode(variables, environment=environment)
    subprocess.run([sys.executable, "-c", "import small"], cwd=source, env=variables, check=True)

    assert [path.name for path in source.iterdir()] == ["small.py"]
    assert [path.name.split(".")[0] for path in environment.rglob("small*.pyc")] == ["small"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, {}),
        ({"PYTHONDONTWRITEBYTECODE": ""}, {}),
        ({"PYTHONPYCACHEPREFIX": "/own"}, {"PYTHONPYCACHEPREFIX": "/own"}),
        ({"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/own"}, {"PYTHONPYCACHEPREFIX": "/own"}),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONPYCACHEPREFIX": "/environment/bytecode"}),
    ],
)
def test_bytecode_goes_where_the_caller_says(given: dict[str, str], kept: dict[str, str]) -> None:
    packages.keep_bytecode(given, environment=Path("/environment"))

    assert given == kept


def test_ctrl_c_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "triton", Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr(sys, "argv", ["deploy.local", "triton"])

    with pytest.raises(SystemExit, match="130"):
        runpy.run_module("deploy.local")


def _environment_with_pip(folder: Path, *, prints: str, notes: Path = Path("/dev/null")) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "settings").write_text(prints)
    _program(folder / "bin" / "python", f"echo pip $* >> {notes}\ncat {folder}/settings")


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
