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

from deploy.containers import compose, images, journey, machines
from deploy.containers import engine as containers
from deploy.containers.client import Api
from deploy.containers.cluster import Cluster
from deploy.containers.compose import STORES, WORKERS, Stack
from deploy.containers.engine import Engine, Failed
from deploy.containers.traffic import Traffic
from deploy.local import ports

_COMMAND = "make containers"
_KILLED = (*WORKERS, "beat", "web", *reversed(STORES))
_LOGS = Path("/var/tmp/spamdesk-containers-logs")
_BACK_SECONDS = 180
_BESIDE_SECONDS = 5


def main() -> None:
    """Do all of it; ends with exit code 1, and why, if a step failed or something is lacking."""
    options = _options()
    kept = options.folder or Path("/var/tmp")
    if lacks := containers.lacks(kept, command=_COMMAND):
        sys.exit("\n".join(f"spamdesk: {lack.line}" for lack in lacks))
    containers.enter("deploy.containers")
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {line}", flush=True)

    with _folders(options.folder) as (engine, folder):
        try:
            images.build_stand_ins(engine, say=say)
            stack = Stack.create(engine, folder=folder, project="spamdesk-trial", port=ports.free())
            _build(stack, is_rebuilt=not options.keep_images, say=say)
            trial = _machines if options.machines else _one_host
            trial(stack, folder=folder, say=say)
        except Failed as failure:
            sys.exit(f"spamdesk: {failure}")
    say("stopped and removed")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=_COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="keep base images here for the next run")
    parser.add_argument("--keep-images", action="store_true", help="do not build what the folder holds")
    parser.add_argument(
        "--machines", action="store_true", help="several machines instead, each cut off, frozen and killed"
    )
    return parser.parse_args()


@contextmanager
def _folders(kept: Path | None) -> Iterator[tuple[Engine, Path]]:
    """Yield the engine and a folder for this run's files; remove what is not to be kept."""
    made = Path(tempfile.mkdtemp(prefix="spamdesk-", dir="/var/tmp"))
    engine = Engine.create(kept or made / "engine")
    try:
        yield engine, made
    finally:
        if kept is None:
            engine("system", "reset", "--force")
        shutil.rmtree(made, ignore_errors=True)


def _build(stack: Stack, *, is_rebuilt: bool, say: containers.Say) -> None:
    for service, image in images.BUILT.items():
        if is_rebuilt or not stack.engine.has_image(f"localhost/{image}"):
            say(f"building {image}")
            stack.build(service)


def _one_host(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    with _stopped_at_the_end(stack.engine, stop=stack.stop, say=say):
        say("starting deploy/compose.yaml")
        stack.start(say=say)
        _use(stack, folder=folder, say=say)


def _machines(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    settings = compose.settings(port=stack.port)
    cluster = Cluster.create(stack.engine, folder=folder, settings=settings, port=stack.port)
    with _stopped_at_the_end(stack.engine, stop=cluster.stop, say=say):
        machines.run(cluster, say=say, check=partial(_check, say=say))


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


def _use(stack: Stack, *, folder: Path, say: containers.Say) -> None:
    api = journey.first_key(stack.port, partial(stack.run, "web"))
    say("an administrator has signed in and chosen a password; a platform has a key")
    [shipped] = journey.posts_are_scored_with_content(api, run="first")
    say(f"12 posts are scored with content by release {shipped[:12]}")
    with Traffic(api) as traffic:
        containers.wait("ten decisions", lambda: _is_busy(traffic), seconds=300)
        say(f"posts come in and are decided: {traffic.counts}")
        say(f"an export holds {journey.labels_are_exported(api)} labels")
        _release(stack, api, folder=folder, shipped=shipped, say=say)
        for service in _KILLED:
            say(f"  {service:<13} killed: {_kill(stack, service)}; {traffic.counts}")
            traffic.check()
    _check(traffic, say=say)


def _check(traffic: Traffic, *, say: containers.Say) -> None:
    say(f"sent, decided and read beside all this: {traffic.counts}")
    if found := traffic.findings():
        raise Failed("; ".join(found))
    say("each acknowledged post is scored, each acknowledged decision was read, once")


def _is_busy(traffic: Traffic) -> bool:
    traffic.check()
    return len(traffic.decided) >= 10


def _release(stack: Stack, api: Api, *, folder: Path, shipped: str, say: containers.Say) -> None:
    candidate = journey.make_candidate(stack.engine, folder=folder)
    say(journey.promote(stack, folder=folder))
    _scored_by(candidate, api)
    say(f"posts are scored by {candidate[:12]}, whose content model Triton has loaded from the shared volume")
    say(journey.roll_back(stack))
    _scored_by(shipped, api)
    say(f"posts are scored by {shipped[:12]} again")
    say("the learning worker trains on the decisions so far")
    training = journey.train(api, say=say)
    candidate = journey.propose_and_confirm(partial(stack.run, "web"), api, training=training)
    _scored_by(candidate, api)
    say(f"one lead proposed {candidate[:12]}, another confirmed it on the web server; posts are scored by it")


def _scored_by(release: str, api: Api) -> None:
    """Wait until workers have followed: new posts are scored by this release alone."""
    for number in range(10):
        found = journey.posts_are_scored_with_content(api, run=f"{release[:8]}-{number}-{time.time_ns()}")
        if found == {release}:
            return
    raise Failed(f"posts are scored by {', '.join(one[:12] for one in found)}, not by {release[:12]}")


def _kill(stack: Stack, service: str) -> str:
    """Kill the first process of a service's container; return how its successor came."""
    name = stack.container(service)
    before = stack.engine.state(name)
    stack.engine.kill_process(name)
    seconds = containers.wait(
        f"{service}'s restart", lambda: _is_another(stack.engine, name, before["Pid"]), seconds=_BACK_SECONDS
    )
    if service in (*STORES, "web"):
        seconds += stack.wait_until_healthy(service)
        time.sleep(_BESIDE_SECONDS)
        return f"healthy again after {seconds:.0f} s"
    time.sleep(_BESIDE_SECONDS)
    return f"runs again after {seconds:.0f} s"


def _is_another(engine: Engine, name: str, process: int) -> bool:
    state = engine.state(name)
    return bool(state["Running"]) and state["Pid"] not in (0, process)


if __name__ == "__main__":
    main()
