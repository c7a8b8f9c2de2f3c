"""Inside a bare system: unpack the checkout, `make run`, decide ten posts through the API, run a check.

`python3 trial.py CHECKOUT.tar CHECK…`, on the system's Python with nothing installed: it imports nothing of
ours. Every step prints a line; the first that fails prints the end of its log and ends with exit code 1.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any, NoReturn

CHECKOUT = Path.home() / "spamdesk"
POSTS = 10
PATIENCE_SECONDS = 1800
_SHOWN_CHARACTERS = 3000


def main(arguments: list[str]) -> None:
    """Do all of it."""
    archive, *check = arguments
    CHECKOUT.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", str(CHECKOUT)], check=True)
    print(
        f"  {platform.freedesktop_os_release()['PRETTY_NAME']}, Python {platform.python_version()}",
        flush=True,
    )
    _run_and_decide()
    _check(check)


def _run_and_decide() -> None:
    log, began = Path.home() / "run.log", time.monotonic()
    with log.open("wb") as output:
        product = subprocess.Popen(
            ["make", "run"], cwd=CHECKOUT, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        while "Spamdesk is running" not in log.read_text():
            if product.poll() is not None or time.monotonic() - began > PATIENCE_SECONDS:
                _fail("make run did not come up", log)
            time.sleep(0.5)
        print(f"  make run: up after {time.monotonic() - began:.0f} s", flush=True)
        ids = _decide(POSTS)
        print(f"  decided {len(ids)} posts; Triton's Python is {_version_of_triton_python()}", flush=True)
    finally:
        if product.poll() is None:
            os.killpg(product.pid, signal.SIGINT)
        product.wait(60)


def _decide(count: int) -> set[int]:
    """Return the ids of that many acknowledged decisions on posts that were scored with content."""
    key = _key()
    ids: set[int] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(ids) < count:
        if time.monotonic() > deadline:
            _fail(f"only {len(ids)} posts scored with content came", Path.home() / "run.log")
        for case in _post("/queues/all/claims", {"count": 1}, key=key)["cases"]:
            if case["is_degraded"]:  # a slow machine; none at all is a failure after the time above
                continue
            verdict = "spam" if (case["spam_probability"] or 0.0) >= 0.5 else "not_spam"
            body = {"verdict": verdict, "version": case["version"]}
            ids.add(_post(f"/cases/{case['id']}/decisions", body, key=key)["id"])
        time.sleep(0.5)
    return ids


def _key() -> str:
    scopes = ["--scope", "cases:read", "--scope", "decisions:write"]
    command = [
        ".venv/bin/python",
        "manage.py",
        "create_api_key",
        "demo-social",
        "--acts-as",
        "moderator",
        *scopes,
    ]
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


def _post(path: str, body: dict[str, object], *, key: str) -> dict[str, Any]:
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    url = f"http://127.0.0.1:{os.environ['SPAMDESK_WEB_PORT']}/api/v1{path}"
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return dict(json.load(answer))


def _version_of_triton_python() -> str:
    program = "import platform, sys; print(platform.python_version(), 'from', sys.base_prefix)"
    command = [".venv-triton/bin/python", "-c", program]
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()


def _check(command: list[str]) -> None:
    log, began = Path.home() / "check.log", time.monotonic()
    with log.open("wb") as output:
        code = subprocess.run(
            command,
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if code != 0:
        _fail(f"{' '.join(command)} ended with exit code {code}", log)
    line = log.read_text().strip().rpartition("\n")[2]
    print(f"  {' '.join(command)}: {line.strip('= ')}; {time.monotonic() - began:.0f} s in all", flush=True)


def _fail(what: str, log: Path) -> NoReturn:
    print(log.read_text(errors="replace")[-_SHOWN_CHARACTERS:], flush=True)
    sys.exit(f"  {what}")


if __name__ == "__main__":
    main(sys.argv[1:])
