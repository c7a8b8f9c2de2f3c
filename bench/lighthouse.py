"""What does Lighthouse say of the desk's pages? Accessibility, best practices, performance, 0 to 100.

make bench ARGS=lighthouse                       (while `make run` is up; needs npx, which fetches
                                                 Lighthouse 12 from npm)
make bench ARGS="lighthouse --only quality"      pages whose name holds a word

The desktop preset, one page after the other in one browser that is signed in as the administrator.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, sync_playwright

from bench import _product
from deploy.local import browser as installed
from deploy.local import ports

_TOOL = "lighthouse@12"
_PROMISED = {"accessibility": 100, "best-practices": 100, "performance": 95}


def main() -> None:
    """Ask for every page, print a line for each and what cost it points; exit code 1 under the promise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="pages whose name holds this")
    wanted = parser.parse_args().only
    _product.connect()
    address = f"http://127.0.0.1:{os.environ['SPAMDESK_WEB_PORT']}"
    session = _session()
    pages = {name: path for name, path in _pages().items() if wanted in name}
    options, port = installed.launch_options(installed.find()), ports.free()
    is_kept = True
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            folder,
            **options | {"args": [*options["args"], f"--remote-debugging-port={port}"]},
        )
        for name, path in pages.items():
            if path != "/sign-in/":
                _sign_in(browser, session, address)
            is_kept &= _told(name, _report(f"{address}{path}", port=port))
        browser.close()
    if not is_kept:
        sys.exit(1)


def _session() -> str:
    from bench import _desk_rows  # noqa: PLC0415 - Django is not set up before

    return _desk_rows.session("admin")


def _pages() -> dict[str, str]:
    from bench import _pages  # noqa: PLC0415 - as above

    # Lighthouse measures no page that is answered with an error; axe does.
    return {name: path for name, path in _pages.addresses().items() if path != _pages.NOWHERE}


def _sign_in(browser: BrowserContext, session: str, address: str) -> None:
    browser.add_cookies([{"name": "sessionid", "value": session, "url": address}])


def _report(url: str, *, port: int) -> dict[str, Any]:
    command = ["npx", "--yes", _TOOL, url, f"--port={port}", "--preset=desktop", "--disable-storage-reset"]
    command += ["--output=json", "--quiet", f"--only-categories={','.join(_PROMISED)}"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        subprocess.run([*command, f"--output-path={out}"], check=True, timeout=180)
        return dict(json.loads(out.read_text()))


def _told(name: str, report: dict[str, Any]) -> bool:
    """Print the points of a page and what cost it some; return whether they are those promised."""
    points = {each: round(100 * report["categories"][each]["score"]) for each in _PROMISED}
    print(f"{name:<18}", "  ".join(f"{each} {points[each]:>3}" for each in _PROMISED), flush=True)
    missed = [each for each, promised in _PROMISED.items() if points[each] < promised]
    for category in missed:
        for part in report["categories"][category]["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                items = json.dumps(audit.get("details", {}).get("items", []))
                print(f"    {category}: {audit['id']} {audit.get('displayValue', '')} {items[:400]}")
    return not missed


if __name__ == "__main__":
    main()
