"""Where no Python fits Triton, uv downloads one; one line says why it cannot."""

from pathlib import Path

import pytest

from deploy.local import install, packages, preflight


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of uv's Pythons, empty at first."""
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "pythons"))
    return tmp_path / "pythons"


class TestPath:
    def test_names_the_cause_and_what_to_do_when_the_mirror_lacks_it(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("UV_PYTHON_INSTALL_MIRROR", f"file://{tmp_path}/empty")

        with pytest.raises(preflight.Lacking) as refusal:
            install.managed_python()

        assert "\n" not in (said := str(refusal.value))
        assert f"could not download one (failed to query metadata of file `{tmp_path}/empty/" in said
        assert "install python3.12 with its venv module" in said
        assert "TRITON_URL=grpc://" in said

    def test_names_uv_when_it_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(packages, "has_uv", lambda: False)

        with pytest.raises(preflight.Lacking, match="uv, which would download one, could not be installed"):
            install.managed_python()


class TestPythonForTriton:
    """Only where none that fits is there, and none that apt could complete, does anything come from afar."""

    @pytest.fixture(autouse=True)
    def _managed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(install, "managed_python", lambda: "uv's")

    @pytest.mark.parametrize(
        ("fitting", "without_library", "may_install", "chosen"),
        [
            ("/usr/bin/python3.12", [], False, "/usr/bin/python3.12"),
            (None, ["/usr/bin/python3.11"], True, "/usr/bin/python3.11"),
            (None, ["/usr/bin/python3.11"], False, "uv's"),
            (None, [], True, "uv's"),
        ],
        ids=["fits", "lacks a library that root installs", "lacks a library, not root", "none"],
    )
    def test_is_the_systems_where_it_can_be(
        self,
        monkeypatch: pytest.MonkeyPatch,
        fitting: str | None,
        without_library: list[str],
        may_install: bool,
        chosen: str,
    ) -> None:
        monkeypatch.setattr(preflight, "triton_python", lambda: fitting)
        monkeypatch.setattr(preflight, "pythons", lambda: without_library)
        monkeypatch.setattr(preflight, "may_install", lambda: may_install)

        assert install._python_for_triton() == chosen
