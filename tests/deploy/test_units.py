"""The systemd units run what `make run` and the containers run, and the guide names all of them."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from deploy.local import application
from deploy.local.places import ROOT, State
from tests.deploy import guide

UNITS = guide.units(ROOT / "deploy" / "systemd")
WORKERS = {kind.name: kind for kind in application.workers()}
COMPOSE = (ROOT / "deploy" / "compose.yaml").read_text()
_DIFFER = ("--loglevel=", "--port=", "--host=", "--processes=")
"""What each installation chooses."""
_NICE = ("nice", "-n", "10")


def options(command: list[str]) -> set[str]:
    """Return a command's own words: without where Python lies and what an installation chooses."""
    own = {word for word in command if not word.startswith(_DIFFER)}
    return own - {"-m", "celery", sys.executable, command[0], *_NICE}


def test_there_is_one_for_every_process() -> None:
    assert set(UNITS) == {"web", "beat", *WORKERS}


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_is_started_as_under_the_supervisor(name: str, tmp_path: Path) -> None:
    here = options(list(application.worker(WORKERS[name], state=State(tmp_path)).command))
    there = options(shlex.split(UNITS[name]))

    how_many = {word for word in here | there if word.startswith("--concurrency=")}
    assert here - there <= (how_many if name == "scoring" else set())
    assert there - here <= (how_many if name == "scoring" else set())


@pytest.mark.parametrize("name", WORKERS)
def test_evidence_and_learning_give_way_wherever_they_run(name: str, tmp_path: Path) -> None:
    gives_way = name in {"evidence", "learning"}
    command = application.worker(WORKERS[name], state=State(tmp_path)).command
    unit = (ROOT / "deploy" / "systemd" / f"spamdesk-{name}.service").read_text()
    [in_compose] = re.findall(rf"^  {name}:\n(.*?)\n(?:\n|\Z)", COMPOSE, re.MULTILINE | re.DOTALL)

    assert (command[:3] == _NICE) == gives_way
    assert ("\nNice=10\n" in unit) == gives_way
    assert ("cpu_shares: 256" in in_compose) == gives_way


def test_beat_and_web_are_started_as_under_the_supervisor_and_in_containers() -> None:
    image = (ROOT / "deploy" / "containers" / "app.Dockerfile").read_text()
    [started] = re.findall(r"^CMD (\[.*?\])$", image.replace("\\\n", ""), re.MULTILINE | re.DOTALL)

    assert options(shlex.split(UNITS["beat"])) == options(list(application.beat().command))
    assert options(shlex.split(UNITS["web"])) == options(list(application.web(port=8000).command))
    assert options(shlex.split(UNITS["web"])) == options(json.loads(started))


def test_the_guide_names_every_unit() -> None:
    text = (ROOT / "docs" / "operators-guide.md").read_text()

    assert [name for name in UNITS if f"| `spamdesk-{name}` |" not in text] == []
    restarts = " ".join(re.findall(r"^ *systemctl restart (.*)$", text, re.MULTILINE)).split()
    assert set(restarts) == {f"spamdesk-{name}" for name in UNITS}
