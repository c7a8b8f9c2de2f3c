"""Before a start and after it: what the system lacks, ports, secrets, and the screen of `make run`."""

import os
import shutil
import socket
from pathlib import Path
from unittest.mock import Mock

import pytest

from deploy.local import ports, preflight
from deploy.local.places import State
from deploy.local.preflight import Lack, Lacking
from deploy.local.run import screen

VENV = Lack("Python has no venv module with ensurepip", ("python3.11-venv",))


def _never(_packages: list[str]) -> bool:
    raise AssertionError("nothing may be installed here")


def test_lack_names_the_command_that_an_ordinary_user_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert VENV.line == (
        "Python has no venv module with ensurepip: "
        "sudo apt-get install -y --no-install-recommends python3.11-venv"
    )


def test_names_a_folder_in_which_triton_would_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPAMDESK_STATE_DIR", "/srv/my desk")

    [lack] = preflight.for_triton()

    assert "'/srv/my desk'" in lack.line
    assert "SPAMDESK_STATE_DIR" in lack.line


class TestCure:
    def test_refuses_to_install_as_an_ordinary_user(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        monkeypatch.setattr(preflight, "apt_install", _never)

        with pytest.raises(Lacking) as refusal:
            preflight.cure([VENV, Lack("no chromium", ("chromium",))])

        assert str(refusal.value).splitlines() == [VENV.line, Lack("no chromium", ("chromium",)).line]

    def test_refuses_what_no_package_brings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(preflight, "apt_install", _never)

        with pytest.raises(Lacking, match="needs x86-64: give TRITON_URL"):
            preflight.cure([Lack("needs x86-64", hint="give TRITON_URL")])

    def test_installs_all_packages_at_once_as_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        installed: list[list[str]] = []

        def install(packages: list[str]) -> bool:
            installed.append(packages)
            return True

        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/apt-get")
        monkeypatch.setattr(preflight, "apt_install", install)

        preflight.cure([VENV, Lack("no zlib", ("zlib1g",))])

        assert installed == [["python3.11-venv", "zlib1g"]]

    def test_does_nothing_when_nothing_is_lacking(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(preflight, "apt_install", _never)

        preflight.cure([])


class TestForStub:
    def test_names_the_package_of_a_missing_library(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        ldd = tmp_path / "ldd"
        ldd.write_text(
            "#!/bin/sh\necho '	libpython3.11.so.1.0 => not found'\necho '	libc.so.6 => /lib/libc.so.6'\n"
        )
        ldd.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

        lacks = preflight.for_stub(tmp_path / "stub", library_path="/nowhere")

        assert [lack.what for lack in lacks] == ["Triton's Python part lacks libpython3.11.so.1.0"]
        assert lacks[0].packages[0].startswith("libpython3.11")

    def test_finds_nothing_missing_in_a_program_that_runs(self) -> None:
        assert preflight.for_stub(Path("/bin/sh"), library_path="") == []


class TestFree:
    def test_keeps_the_preferred_port_when_nobody_listens(self) -> None:
        port = ports.free()

        assert ports.free(preferred=port) == port

    def test_takes_another_when_somebody_listens(self) -> None:
        with socket.create_server((ports.LOOPBACK, 0)) as server:
            taken = server.getsockname()[1]

            assert not ports.is_free(taken)
            assert ports.free(preferred=taken) != taken

    def test_never_gives_the_same_twice(self) -> None:
        given = [ports.free() for _ in range(50)]

        assert len(set(given)) == 50


class TestScreen:
    def test_says_what_the_preparation_warns_of(self, tmp_path: Path) -> None:
        state = State(tmp_path)
        calm = screen(port=8000, state=state, mode="demo")
        state.warning.write_text("Posts are not scored: release 0123 does not know context.mentions\n")

        warned = screen(port=8000, state=state, mode="demo")

        assert "WARNING" not in calm
        assert warned == f"{calm}\n  WARNING    {state.warning.read_text()}"

    def test_a_secret_that_was_half_written_is_not_taken_for_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "write_text", Mock(side_effect=OSError("the disk is full")))
            with pytest.raises(OSError, match="full"):
                State(tmp_path).secret("broker-password")

        assert len(State(tmp_path).secret("broker-password")) > 40
