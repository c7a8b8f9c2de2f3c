"""A folder is written whole or not at all."""

from pathlib import Path

import pytest

from training import whole_folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder that an earlier run has written."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "old").touch()
    return folder


def test_takes_the_place_of_what_was_there(out: Path) -> None:
    with whole_folder.written(out) as folder:
        (folder / "new").touch()

    assert [path.name for path in out.iterdir()] == ["new"]
    assert list(out.parent.iterdir()) == [out]


def test_a_run_that_ends_half_way_leaves_what_was_there(out: Path) -> None:
    run = whole_folder.written(out)
    (run.__enter__() / "new").touch()
    run.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert [path.name for path in out.iterdir()] == ["old"]
    assert list(out.parent.iterdir()) == [out]


def test_makes_what_was_not_there(tmp_path: Path) -> None:
    with whole_folder.written(tmp_path / "deep" / "release") as folder:
        (folder / "new").touch()

    assert (tmp_path / "deep" / "release" / "new").exists()
