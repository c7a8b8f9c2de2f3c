"""Build the images, run `deploy/compose.yaml`, use it, kill each of its containers; needs root and podman.

`make containers`; ARGS= takes the options. No image registry is needed: Debian's packages stand in for the
base images. Everything is removed at the end, the images with it unless --folder names where they are kept.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from deploy.local import ports
from lab.containers import compose, images, machines, use
from lab.containers import engine as containers
from lab.containers.cluster import Cluster
from lab.containers.compose import Stack
from lab.containers.engine import Engine, Failed
from lab.containers.pods import Pods

_COMMAND = "make containers"
_LOGS = Path("/var/tmp/spamdesk-containers-logs")


def main() -> None:
    """Do all of it; ends with exit code 1, and why, if a step failed or something is lacking."""
    options = _options()
    kept = options.folder or Path("/var/tmp")
    if lacks := containers.lacks(kept, command=_COMMAND):
        sys.exit("\n".join(f"spamdesk: {lack.line}" for lack in lacks))
    containers.enter("lab.containers")
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True)

    with _folders(options.folder) as (engine, folder):
        try:
            images.build_stand_ins(engine, say=say)
            stack = Stack.create(engine, folder=folder, project="spamdesk-trial", port=ports.free())
            _build(stack, is_rebuilt=not options.keep_images, say=say)
            options.trial(stack, folder=folder, say=say)
        except Failed as failure:
            sys.exit(f"spamdesk: {failure}")
    say("stopped and removed")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=_COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="keep base images here for the next run")
    parser.add_argument("--keep-images", action="store_true", help="do not build what the folder holds")
    trials = {
        "--machines": (_machines, "several machines instead, each cut off, frozen and killed"),
        "--kubernetes": (_kubernetes, "the manifests of Kubernetes instead, as far as podman plays them"),
    }
    instead = parser.add_mutually_exclusive_group()
    for name, (trial, meaning) in trials.items():
        instead.add_argument(name, dest="trial", action="store_const", const=trial, help=meaning)
    parser.set_defaults(trial=_one_host)
    return parser.parse_args()


@contextmanager
def _folders(kept: Path | None) -> Iterator[tuple[Engine, Path]]:
    """Yield the engine and a folder for this run's files; remove what is not to be kept."""
    folder = Path(tempfile.mkdtemp(prefix="spamdesk-", dir="/var/tmp"))
    engine = Engine.create(kept or folder / "engine")
    try:
        yield engine, folder
    finally:
        if kept is None:
            engine("system", "reset", "--force")
        shutil.rmtree(folder, ignore_errors=True)


def _build(stack: Stack, *, is_rebuilt: bool, say: containers.Say) -> None:
    for service, image in images.BUILT.items():
        if is_rebuilt or not stack.engine.has_image(f"localhost/{image}"):
            say(f"building {image}")
            stack.build(service)


def _one_host(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    with _stopped_at_the_end(stack.engine, stop=stack.stop, say=say):
        say("starting deploy/compose.yaml")
        stack.start(say=say)
        use.run(stack, folder=folder, say=say)


def _machines(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    settings = compose.settings(port=stack.port)
    cluster = Cluster.create(stack.engine, folder=folder, settings=settings, port=stack.port)
    with _stopped_at_the_end(stack.engine, stop=cluster.stop, say=say):
        machines.run(cluster, say=say, check=partial(use.check, say=say))


def _kubernetes(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    pods = Pods.create(
        stack.engine, folder=folder, settings=compose.settings(port=stack.port), port=stack.port
    )
    with _stopped_at_the_end(stack.engine, stop=pods.stop, say=say):
        say("playing deploy/kubernetes")
        pods.start(say=say)
        use.run(pods, folder=folder, say=say)


@contextmanager
def _stopped_at_the_end(engine: Engine, *, stop: Callable[[], None], say: containers.Say) -> Iterator[None]:
    try:
        yield
    except BaseException:
        engine.save_logs(_LOGS)
        say(f"what the containers said is in {_LOGS}")
        raise
    finally:
        stop()


if __name__ == "__main__":
    main()
