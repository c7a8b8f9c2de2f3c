"""How long from a fresh clone to the first scored post in the browser, and how much memory then?

.venv/bin/python -m lab newcomer

Clones the last commit into an empty folder, gives it an empty home (hence a cold package cache), types
`make run`, signs in as the demo moderator and reloads the queue until it shows a scored post. Then once more
for the second start. Memory is the proportional set size (PSS) of every process, a minute after that.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil

from deploy.local import ports
from deploy.local.places import ROOT
from lab import _memory

_KEPT = re.compile(r"(?i)PATH|LANG|TZ|.*_proxy|(PIP|UV)_.*(INDEX|CERT|HOST).*|SSL_CERT_.*")
_IDLE_SECONDS = 60.0
_A_CASE = re.compile(r'href="/review/\d+/"')


def main(_: argparse.Namespace) -> None:
    """Measure and print; exit code 1 if the product did not come up in time."""
    with tempfile.TemporaryDirectory(prefix="spamdesk-newcomer-") as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        start = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for title in ("fresh clone, cold cache", "second start"):
            memory = _measure(title, clone=clone, home=home, started=start)
            start = time.monotonic()
        print(f"memory of all processes        {memory / 2**30:6.2f} GB")


def _measure(title: str, *, clone: Path, home: Path, started: float) -> float:
    """Run the product once, print the time to the first scored post and return the memory in bytes."""
    port = ports.free()
    variables = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    variables |= {"HOME": str(home), "SPAMDESK_WEB_PORT": str(port)}
    log = clone.parent / "log"
    with log.open("wb") as output:
        product = subprocess.Popen(
            ["make", "run"],
            cwd=clone,
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _until_scored(f"http://127.0.0.1:{port}", product=product, log=log)
        print(f"{title:<31}{time.monotonic() - started:6.1f} s to the first scored post", flush=True)
        if title == "second start":
            time.sleep(_IDLE_SECONDS)
        return _bytes(product.pid)
    finally:
        os.killpg(product.pid, signal.SIGINT)
        product.wait(60)


def _until_scored(url: str, *, product: subprocess.Popen[bytes], log: Path) -> None:
    with httpx.Client(base_url=url, timeout=10, follow_redirects=True) as browser:
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            if product.poll() is not None:
                sys.exit(f"make run ended:\n{log.read_text()[-3000:]}")
            try:
                if _sees_a_case(browser):
                    return
            except httpx.TransportError:
                pass  # not up yet
            time.sleep(0.2)
    sys.exit(f"no scored post after 10 minutes:\n{log.read_text()[-3000:]}")


def _sees_a_case(browser: httpx.Client) -> bool:
    page = browser.get("/queue/")
    if token := re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text):
        form = {"username": "moderator", "password": "demo", "csrfmiddlewaretoken": token[1]}
        if "/sign-in/" in str(page.url):
            page = browser.post(page.url, data=form, headers={"referer": str(page.url)})
    return page.status_code == 200 and _A_CASE.search(page.text) is not None


def _bytes(pid: int) -> float:
    """Return the PSS of a process and all that it started, in bytes."""
    root = psutil.Process(pid)
    return sum(_memory.pss(process) for process in (root, *root.children(recursive=True)))
