"""What people and platforms do with the product, done with the one that runs in containers."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deploy.local.places import ROOT
from lab.containers import engine as containers
from lab.containers import images
from lab.containers.client import Api, Desk
from lab.containers.engine import Engine, Failed
from lab.containers.product import Product

_PLATFORM = "trial-social"
_POSTS = 12
_PATIENCE_SECONDS = 300
_TRAINING_SECONDS = 1_800
# Run in the training image, which has what changes a model.
_CANDIDATE = """
import json
from pathlib import Path
from lab import _variant
from scoring.release import Release
made = Path("/candidate")
live = Release.load(Path("/app/scoring/starter"))
repository = _variant.repository(made / "repository", shift=0.01)
release = _variant.release(made / "release", of=live, repository=repository)
(made / "report.json").write_text(json.dumps(_variant.report(candidate=release, live=live)))
print(release.id)
"""


def first_key(port: int, run: Callable[..., str]) -> Api:
    """Make an administrator who signs in on the desk, and a platform's key; return the platform's client.

    `run` runs a command in a container of the application.
    """
    password = run("python", "manage.py", "create_user", "admin", "--role=admin").strip()
    Desk(port).sign_in("admin", password)
    options = ("--register=Trial Social", "--acts-as=admin")
    return Api(port, run("python", "manage.py", "create_api_key", _PLATFORM, *options).strip())


def post_is_scored(api: Api, *, seconds: float) -> bool:
    """Send a post and wait for its score; return whether content was in it. Raises Failed if none came."""
    name = f"probe-{time.time_ns()}"
    row: dict[str, Any] = {}
    Api(api.port, api.key, seconds).post("/posts", _post(name, author="author-of-probes"))

    def is_scored() -> bool:
        nonlocal row
        row = Api(api.port, api.key, seconds).get(f"/posts?external_id={name}")
        return bool(row["scores"])

    containers.wait(f"the score of {name}", is_scored, seconds=seconds)
    return not row["scores"][-1]["is_degraded"]


def _post(name: str, *, author: str) -> dict[str, object]:
    return {
        "external_id": name,
        "text": f"Cheap pills, no prescription! Call 1-800-555-0199 ({name})",
        "posted_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "author": {"external_id": author},
    }


def posts_are_scored_with_content(api: Api, *, run: str) -> set[str]:
    """Send posts at once and wait for their scores; return the releases that gave them."""
    names = [f"{run}-{number}" for number in range(_POSTS)]
    for name in names:
        api.post("/posts", _post(name, author=f"author-{run}"))
    scored: dict[str, str] = {}

    def all_are_scored() -> bool:
        for name in set(names) - set(scored):
            post = api.get(f"/posts?external_id={name}")
            if post["scores"] and not post["scores"][-1]["is_degraded"]:
                scored[name] = post["scores"][-1]["release"]
        return len(scored) == len(names)

    containers.wait(f"scores with content of {_POSTS} posts", all_are_scored, seconds=_PATIENCE_SECONDS)
    return set(scored.values())


def labels_are_exported(api: Api) -> int:
    """Ask for exports until one holds labels, and return how many; undoable decisions are none yet."""
    export: dict[str, Any] = {"state": "ready", "rows": 0}

    def has_labels() -> bool:
        nonlocal export
        if export["state"] == "ready":
            export = api.post("/exports", {"dataset": "labels", "format": "jsonl"})
        export = api.get(f"/exports/{export['id']}")
        if export["state"] == "failed":
            raise Failed(f"the export failed: {export['error']}")
        return bool(export["state"] == "ready" and export["rows"])

    containers.wait("an export with labels", has_labels, seconds=_PATIENCE_SECONDS)
    return int(export["rows"])


def make_candidate(engine: Engine, *, folder: Path) -> str:
    """Write a release with a content model of its own, its repository and a report; return its id."""
    target = folder / "candidate"
    target.mkdir(mode=0o777)
    target.chmod(0o777)
    mounts = [f"--volume={target}:/candidate", f"--volume={ROOT / 'lab'}:/app/lab:ro"]
    image = f"localhost/{images.BUILT['learning']}"
    options = ["--rm", "--network=none", *mounts, image]
    return engine("run", *options, "python", "-c", _CANDIDATE).split()[-1]


def promote(product: Product, *, folder: Path) -> str:
    """Promote the candidate from within the product's containers."""
    web = product.container("web")
    product.engine("cp", str(folder / "candidate"), f"{web}:/var/lib/spamdesk/candidate")
    place = "/var/lib/spamdesk/candidate"
    options = (f"{place}/release", f"--report={place}/report.json", f"--repository={place}/repository")
    return product.run("web", "python", "manage.py", "promote", *options).strip()


def roll_back(product: Product) -> str:
    """Take the promotion back."""
    return product.run("web", "python", "manage.py", "rollback").strip()


def train(api: Api, *, say: containers.Say) -> str:
    """Start a training run, wait for its candidate and return the run's id. Raises Failed if it failed."""
    run = api.post("/models/training-runs", {})
    ended = run

    def has_ended() -> bool:
        nonlocal ended
        now = api.get(f"/models/training-runs/{run['id']}")
        if now["step"] != ended["step"]:
            say(f"  training: {now['step']}")
        ended = now
        return now["state"] not in ("waiting", "running")

    containers.wait("the training run", has_ended, seconds=_TRAINING_SECONDS)
    if ended["state"] != "ready":
        raise Failed(f"the training run ended {ended['state']}: {ended['error']}")
    say(f"  training: {ended['gate']['verdict']} by the gate")
    return str(run["id"])


def propose_and_confirm(run: Callable[..., str], api: Api, *, training: str) -> str:
    """Let a lead propose the candidate of a training run and another confirm it; return the release's id."""
    leads = []
    for name in ("lead-one", "lead-two"):
        run("python", "manage.py", "create_user", name, "--role=lead")
        key = run("python", "manage.py", "create_api_key", _PLATFORM, f"--acts-as={name}").strip()
        leads.append(Api(api.port, key))
    proposal = leads[0].post("/release-proposals", {"training_run": training, "reason": "a trial"})
    confirmed = leads[1].post(f"/release-proposals/{proposal['id']}/confirmation", {})
    if confirmed["state"] != "confirmed":
        raise Failed(f"the proposal is {confirmed['state']}")
    return str(confirmed["candidate"])
