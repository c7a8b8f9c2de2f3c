"""`make run GPU=1`, with stand-ins for the card and for the container engine: what it runs and refuses."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.card import IMAGE, Card
from deploy.local.places import ROOT, State
from deploy.local.preflight import Lacking
from deploy.local.triton import Triton


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, with a driver's program and an engine that notes what it is told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    _write(folder / "nvidia-smi", "echo 'NVIDIA H200'; echo 'NVIDIA H200'")
    _write(folder / "docker", f'echo "$@" >> {folder}/told')
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _write(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def _touch(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.touch()


@pytest.fixture
def state() -> Iterator[State]:
    with tempfile.TemporaryDirectory(prefix="spamdesk-") as folder:  # short enough for a socket
        yield State(Path(folder))


class TestFind:
    def test_names_card_and_engine_and_each_gets_the_card_its_own_way(
        self, programs: Path, state: State
    ) -> None:
        assert Card.find() == Card(name="NVIDIA H200", engine=str(programs / "docker"))
        assert "--gpus=all" in Card.find().command(state, ())

        (programs / "docker").rename(programs / "podman")

        assert "--device=nvidia.com/gpu=all" in Card.find().command(state, ())

    @pytest.mark.parametrize(
        ("missing", "why"),
        [("nvidia-smi", "no NVIDIA card here"), ("docker", "neither docker nor podman is here")],
    )
    def test_what_is_missing_is_one_line(self, programs: Path, missing: str, why: str) -> None:
        (programs / missing).unlink()

        with pytest.raises(Lacking, match=f"^{why}"):
            Card.find()

    def test_the_command_says_so_before_it_installs_anything(self, programs: Path) -> None:
        _write(programs / "nvidia-smi", "echo 'no devices were found' >&2; exit 6")

        command = [sys.executable, "-m", "deploy.local", "run", "--gpu"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("spamdesk: no NVIDIA card here")
        assert done.stderr.count("\n") == 1


class TestContainer:
    def test_comes_after_image_graphs_and_plans(self, programs: Path, state: State) -> None:
        card = Card.find()

        image, graphs, plans = card.steps(state)

        build = f"build --tag {IMAGE} --file deploy/containers/triton.Dockerfile ."
        assert " ".join(image.command[1:]) == build
        words = f"variants --variant tensorrt --model content --repository {ROOT / 'triton_repo'} --out"
        assert " ".join(graphs.command[3:-1]) == words
        repository = Path(graphs.command[-1], "tensorrt")
        assert plans.command[-2:] == ("true", f"--model-repository={repository}")
        _touch(repository / "topics_encoder" / "1" / "plan.json")
        assert [step.name for step in card.steps(state)] == ["triton-image", "gpu-plans"]
        _touch(state.path / "image-repository" / "resnet50" / "1" / "model.onnx")
        _, pictures, _ = card.steps(state)
        assert pictures.command[7:10] == ("image", "--repository", f"{state.path}/image-repository")

    def test_serves_the_plans_at_the_places_that_the_product_knows(
        self, programs: Path, state: State
    ) -> None:
        _touch(state.path / "image-repository" / "image" / "config.pbtxt")
        triton = Triton(state=state, grpc_port=18001, metrics_port=18002, card=Card.find())
        service = triton.service()

        service.prepare()

        engine, *options = service.command[: service.command.index(IMAGE)]
        inside = service.command[service.command.index(IMAGE) + 1 :]
        assert engine == str(programs / "docker")
        assert {"--gpus=all", "--network=host", f"--volume={state.path}:{state.path}"} <= set(options)
        assert f"--user={os.getuid()}:{os.getgid()}" in options
        assert inside[:5] == (
            *("python3", "-m", "deploy.serve_plans", f"--plans={state.path}/triton/plans", "tritonserver"),
        )
        installed = triton.administration["SPAMDESK_TRITON_MODELS_DIR"]
        for option in (
            *(f"--model-repository={state.path}/triton/gpu/tensorrt", f"--model-repository={installed}"),
            *("--load-model=content", "--load-model=topics", "--load-model=image"),
            *(f"--http-address=unix:{triton.socket}", "--grpc-address=127.0.0.1", "--grpc-port=18001"),
        ):
            assert option in inside
        [name] = [option for option in options if option.startswith("--name=")]
        assert (programs / "told").read_text() == f"rm --force {name.removeprefix('--name=')}\n"
        assert service.says.endswith("content, topics, image: TensorRT on NVIDIA H200, the rest: processor")
