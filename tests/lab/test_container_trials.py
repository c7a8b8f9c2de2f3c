"""The trials in containers, without an engine: what they notice, and what they need of the guide."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.local.places import ROOT
from lab.containers import cluster, compose, engine, images
from lab.containers.client import Api
from lab.containers.traffic import Traffic

COMPOSE: dict[str, Any] = yaml.safe_load(compose.COMPOSE.read_text())["services"]


class ForgetfulApi(Api):
    """A platform's API that knows what it is given here."""

    def __init__(self, *, scored: set[str], read: list[str]) -> None:
        super().__init__(port=0, key="")
        object.__setattr__(self, "scored", scored)
        object.__setattr__(self, "read", read)

    def get(self, path: str) -> dict[str, Any]:
        if path.startswith("/posts?external_id="):
            is_scored = path.partition("=")[2] in self.scored  # type: ignore[attr-defined]  # set above
            return {"score_state": "scored", "scores": [{}] if is_scored else []}
        rows, read = list(self.read), self.read  # type: ignore[attr-defined]  # set above
        read.clear()
        return {"data": [{"id": name} for name in rows], "next_cursor": "next"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.containers.traffic._SETTLED_SECONDS", 2)


def traffic(*, scored: set[str], read: list[str]) -> Traffic:
    """Return traffic to which the posts `a` and `b` and the decisions 1 and 2 were acknowledged."""
    made = Traffic(ForgetfulApi(scored=scored, read=read))
    made.posts, made.decided = ["a", "b"], {"1": "10", "2": "20"}
    return made


class TestFindings:
    def test_are_none_where_everything_came_once(self) -> None:
        assert traffic(scored={"a", "b"}, read=["1", "2", "3"]).findings() == []

    def test_name_a_lost_post_a_lost_decision_and_one_read_twice(self) -> None:
        found = traffic(scored={"a"}, read=["1", "1"]).findings()

        assert found == [
            "1 acknowledged posts without a score: b",
            "1 acknowledged decisions that the poller did not read: 2",
            "1 decisions read twice: 1",
        ]

    def test_a_thread_that_gave_up_fails_the_trial(self) -> None:
        gave_up = traffic(scored=set(), read=[])
        gave_up._failures.append("POST /posts was not answered")

        with pytest.raises(engine.Failed, match="was not answered"):
            gave_up.findings()


class TestLacks:
    def test_names_root_alone_to_an_ordinary_user(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)

        [lack] = engine.lacks(tmp_path, command="make containers")

        assert lack.line == "containers with networks of their own need root: sudo make containers"

    def test_names_each_program_with_its_packages_and_the_disk(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        monkeypatch.setattr(shutil, "which", lambda program: None if program == "podman" else f"/{program}")
        monkeypatch.setattr(shutil, "disk_usage", lambda _folder: shutil._ntuple_diskusage(20, 19, 2**30))

        podman, disk = engine.lacks(tmp_path / "not" / "there", command="make containers")

        assert podman.line.startswith("podman is missing: apt-get install ")
        assert disk.line == f"{tmp_path} has less than 15 GiB free: name another with --folder"


class TestEngine:
    def test_each_folder_has_running_containers_of_its_own_in_a_short_path(self, tmp_path: Path) -> None:
        places = []
        for name in ("one", "two"):
            made = engine.Engine.create(tmp_path / name)
            [place] = re.findall(
                r'^runroot = "(.+)"$', (made.folder / "storage.conf").read_text(), re.MULTILINE
            )
            places.append(place)

        assert len(set(places)) == 2
        assert all(len(place) <= 50 for place in places)  # podman allows no more


class TestServices:
    def test_every_one_is_started_and_each_kind_is_killed(self) -> None:
        started = {*compose.STORES, *compose.WORKERS, "reader", "migrate", "web", "beat"}

        assert started == set(COMPOSE) - {"triton-gpu"}

    def test_what_the_compose_file_asks_for_is_set(self) -> None:
        settings = compose.settings(port=8000)

        assert all(settings[name] for name in ("POSTGRES_PASSWORD", "VALKEY_PASSWORD", "SPAMDESK_SECRET_KEY"))
        assert "postgres" in settings["POSTGRES_IMAGE"]

    def test_images_that_are_built_are_those_that_run(self) -> None:
        for service, image in images.BUILT.items():
            assert image in COMPOSE[service]["image"]

    def test_every_stand_in_has_its_file(self) -> None:
        for name in images._STAND_INS:
            assert (ROOT / "deploy" / "containers" / "stand_ins" / f"{name}.Dockerfile").exists()


class TestGuide:
    @pytest.mark.parametrize("name", ["primary", "standby", "synchronous", "failover"])
    def test_has_the_commands_that_the_machines_run(self, name: str) -> None:
        assert cluster.guide_commands(name)

    def test_a_missing_block_is_named(self) -> None:
        with pytest.raises(engine.Failed, match="no block"):
            cluster.guide_commands("nothing")

    def test_every_machine_that_is_balanced_is_in_the_balancers_file(self) -> None:
        text = (ROOT / "deploy" / "containers" / "cluster.cfg").read_text()
        balanced = [name for name in cluster.MACHINES if name.startswith(("web-", "triton-"))]

        assert all(f"spamdesk-host-{name}:" in text for name in balanced)
