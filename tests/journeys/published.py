"""Runs published clients of Akismet that put the key into the host name, unchanged, each in a process.

Only names are resolved for them, as the hosts file would: all below `akismet.localhost` is this machine.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from deploy.local import published_clients

HOST = "akismet.localhost"
_PYTHON = """
import json, socket, sys
look_up = socket.getaddrinfo
def here(host, *rest, **more):
    return look_up("127.0.0.1" if str(host).endswith("akismet.localhost") else host, *rest, **more)
socket.getaddrinfo = here
import akismet
given = json.loads(sys.stdin.read())
client = akismet.Akismet(given["key"], blog=given["blog"], application_user_agent="Blog/1.0")
client.protocol, client.domain = "http", given["host"]
said = []
for name, comment in given["calls"]:
    try:
        said.append(getattr(client, name)(**comment))
    except akismet.AkismetServerError as refused:
        said.append(str(refused))
print(json.dumps(said))
"""
_NODE = """
const dns = require('dns'), lookUp = dns.lookup
dns.lookup = (host, options, done) =>
  lookUp(host.endsWith('akismet.localhost') ? '127.0.0.1' : host, options, done)
const { AkismetClient } = require('akismet-api')
const given = JSON.parse(require('fs').readFileSync(0, 'utf8'))
const client = new AkismetClient({ key: given.key, blog: given.blog, host: given.host, protocol: 'http' })
;(async () => {
  const said = []
  for (const [name, comment] of given.calls) {
    try {
      const answer = await client[name](comment)
      said.push(answer && answer.text !== undefined ? answer.text : answer)
    } catch (refused) {
      said.push(refused.message)
    }
  }
  console.log(JSON.stringify(said))
})()
"""


def python_akismet(*, key: str, port: int, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Return what PyPI's python-akismet 0.4.3 makes of each call."""
    environment = os.environ | {"PYTHONPATH": str(published_clients.python_akismet())}
    return _said([sys.executable, "-c", _PYTHON], environment, key=key, port=port, calls=calls)


def npm_akismet(*, key: str, port: int, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Return what npm's akismet-api 6.0.0 makes of each call; skip without node, npm or its registry."""
    folder = published_clients.npm_akismet()
    if folder is None:
        pytest.skip("npm's akismet-api needs node, npm and a registry")
    environment = os.environ | {"NODE_PATH": str(folder / "node_modules")}
    return _said(["node", "-e", _NODE], environment, key=key, port=port, calls=calls)


def _said(
    command: list[str],
    environment: dict[str, str],
    *,
    key: str,
    port: int,
    calls: list[tuple[str, dict[str, Any]]],
) -> list[Any]:
    given = {"key": key, "blog": "https://blog.example", "host": f"{HOST}:{port}", "calls": calls}
    done = subprocess.run(
        command,
        input=json.dumps(given),
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
