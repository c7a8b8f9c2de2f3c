"""What a trial does with the product that it has started: use, new models, killed containers."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from lab.containers import engine as containers
from lab.containers import journey
from lab.containers.client import Api
from lab.containers.engine import Engine, Failed
from lab.containers.product import Product
from lab.containers.traffic import Traffic

_BACK_SECONDS = 180
_BESIDE_SECONDS = 5


def run(product: Product, *, folder: Path, say: containers.Say) -> None:
    """Do all of it while a platform is at work; nothing acknowledged may be lost. Raises Failed."""
    api = journey.first_key(product.port, partial(product.run, "web"))
    say("an administrator has signed in and chosen a password; a platform has a key")
    [shipped] = journey.posts_are_scored_with_content(api, run="first")
    say(f"12 posts are scored with content by release {shipped[:12]}")
    with Traffic(api) as traffic:
        containers.wait("ten decisions", lambda: _is_busy(traffic), seconds=300)
        say(f"posts come in and are decided: {traffic.counts}")
        say(f"an export holds {journey.labels_are_exported(api)} labels")
        _release(product, api, folder=folder, shipped=shipped, say=say)
        for service in product.killed:
            say(f"  {service:<13} killed: {_kill(product, service)}; {traffic.counts}")
            traffic.check()
    check(traffic, say=say)


def check(traffic: Traffic, *, say: containers.Say) -> None:
    """Report what the platform did. Raises Failed if some of it had no effect."""
    say(f"sent, decided and read beside all this: {traffic.counts}")
    if findings := traffic.findings():
        raise Failed("; ".join(findings))
    say("each acknowledged post is scored, each acknowledged decision was read, once")


def _is_busy(traffic: Traffic) -> bool:
    traffic.check()
    return len(traffic.decided) >= 10


def _release(product: Product, api: Api, *, folder: Path, shipped: str, say: containers.Say) -> None:
    candidate = journey.make_candidate(product.engine, folder=folder)
    say(journey.promote(product, folder=folder))
    _scored_by(candidate, api)
    say(f"posts are scored by {candidate[:12]}, whose content model Triton has loaded from the shared volume")
    say(journey.roll_back(product))
    _scored_by(shipped, api)
    say(f"posts are scored by {shipped[:12]} again")
    say("the learning worker trains on the decisions so far")
    training = journey.train(api, say=say)
    candidate = journey.propose_and_confirm(partial(product.run, "web"), api, training=training)
    _scored_by(candidate, api)
    say(f"one lead proposed {candidate[:12]}, another confirmed it on the web server; posts are scored by it")


def _scored_by(release: str, api: Api) -> None:
    """Wait until workers have followed: new posts are scored by this release alone."""
    for number in range(10):
        releases = journey.posts_are_scored_with_content(api, run=f"{release[:8]}-{number}-{time.time_ns()}")
        if releases == {release}:
            return
    raise Failed(f"posts are scored by {', '.join(name[:12] for name in releases)}, not by {release[:12]}")


def _kill(product: Product, service: str) -> str:
    """Kill the first process of a service's container; return how its successor came."""
    name = product.container(service)
    before = product.engine.state(name)
    product.engine.kill_process(name)
    seconds = containers.wait(
        f"{service}'s restart",
        lambda: _is_another(product.engine, name, before["Pid"]),
        seconds=_BACK_SECONDS,
    )
    if product.is_asked(service):
        seconds += product.wait_until_healthy(service)
        time.sleep(_BESIDE_SECONDS)
        return f"healthy again after {seconds:.0f} s"
    time.sleep(_BESIDE_SECONDS)
    return f"runs again after {seconds:.0f} s"


def _is_another(engine: Engine, name: str, process: int) -> bool:
    state = engine.state(name)
    return bool(state["Running"]) and state["Pid"] not in (0, process)
