"""The tests as files: none is long, each stands where its module stands, and none waits by the clock."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.places import ROOT

LONGEST = 300
CODE = (
    *("config", "deploy", "docs", "integrations", "lab", "moderation", "scoring", "simulation"),
    *("tests", "training"),
)
_ALSO_IN = {
    "moderation/api": ("views", "serializers"),
    "moderation/management": ("commands",),
    "simulation": ("management/commands",),
}

BESIDE_NO_MODULE = {
    "moderation/operations/campaigns/test_trial.py": "trial 9: joining, deciding and correcting at once",
    "moderation/operations/scoring/test_cost.py": "statements and rows of a whole batch",
    "moderation/operations/webhooks/test_nothing_waits.py": "trial 27, small: a real worker",
    "simulation/test_realism.py": "the whole simulated world",
    "simulation/test_realism_of_groups.py": "the whole simulated world",
    "moderation/web/labels/test_drawn_unseen.py": "posts drawn at random, on every page that shows posts",
    "moderation/web/test_layout.py": "templates and styles as files",
    "moderation/web/test_short_sentences.py": "words of pages with figures",
    "moderation/test_logs.py": "one request's id through API, tasks and webhooks",
    "scoring/features/test_schema.py": "all features together",
    "scoring/test_circumstances.py": "the shipped release: trials 35 and 36",
    "scoring/test_shipped.py": "the shipped release",
}
"""Test modules without a module of their name, and what they are about."""

PAUSES = {
    "tests/browser/review/test_reading.py": "what must not be asked for or told after a while",
    "tests/browser/conftest.py": "what a page sends when it closes may come after that, or not at all",
    "tests/config/health/test_ready.py": "stand-ins that are slow",
    "tests/config/server/test_slow_clients.py": "the server must not end while a client is slow",
    "tests/config/test_worker_alive.py": "what a stopped worker must not do, and how long a broker is silent",
    "tests/moderation/operations/webhooks/test_nothing_waits.py": "the pace at which deliveries come",
    "tests/moderation/evidence/hostile_child.py": "a reader that hangs",
    "tests/moderation/operations/evidence/hostile_site.py": "a stand-in that is slow",
    "tests/moderation/operations/evidence/test_leases.py": "a name server that is slow; the pace of posts",
    "tests/moderation/receiver.py": "a stand-in that is slow",
    "tests/security/test_egress.py": "a stand-in that is slow",
    "tests/triton/sagemaker_endpoint.py": "an endpoint that is slow",
    "tests/triton/test_sagemaker.py": "a request that must not come again",
}
"""Files with a pause that waits for no state, and why."""


def _files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts)


def test_no_file_is_longer_than_one_reads() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in _files(*CODE)}

    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def _has_module(test: Path) -> bool:
    """Tell if a module, or a folder of them, has the name of the test or a beginning of it."""
    folder = test.relative_to(ROOT / "tests").parent
    words = test.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
    places = [ROOT / folder, *(ROOT / folder / part for part in _ALSO_IN.get(str(folder), ()))]
    return any(
        (place / f"{name}.py").exists() or (place / name / "__init__.py").exists() or place.name == name
        for place in places
        for name in names
    )


def test_without_their_libraries_they_say_what_to_do() -> None:
    bare = subprocess.run(
        [sys.executable, "-S", "-c", "import tests"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert bare.returncode == 1
    assert bare.stderr.startswith("spamdesk: ")
    assert "make test" in bare.stderr


def test_each_test_module_stands_where_its_module_stands() -> None:
    folders = ("tests/moderation", "tests/scoring", "tests/simulation", "tests/training")
    tests = [path for path in _files(*folders) if path.name.startswith("test_")]
    alone = {str(path.relative_to(ROOT / "tests")) for path in tests if not _has_module(path)}

    assert alone == set(BESIDE_NO_MODULE)


class _Pauses(ast.NodeVisitor):
    """Find pauses outside a loop that ends when something holds."""

    def __init__(self) -> None:
        self.found: list[int] = []
        self._is_polling = False

    def visit_While(self, node: ast.While) -> None:
        self._polling(node, is_polling=True)

    def visit_For(self, node: ast.For) -> None:
        self._polling(node, is_polling=any(isinstance(one, ast.Return | ast.Break) for one in ast.walk(node)))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        waits = not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
        if name == "wait_for_timeout" or (name == "sleep" and waits and not self._is_polling):
            self.found.append(node.lineno)
        self.generic_visit(node)

    def _polling(self, node: ast.AST, *, is_polling: bool) -> None:
        before, self._is_polling = self._is_polling, self._is_polling or is_polling
        self.generic_visit(node)
        self._is_polling = before


def _pauses(code: str) -> list[int]:
    finder = _Pauses()
    finder.visit(ast.parse(code))
    return finder.found


def test_nothing_waits_by_the_clock_for_what_can_be_seen() -> None:
    found = {str(path.relative_to(ROOT)) for path in _files("tests") if _pauses(path.read_text())}

    assert found == set(PAUSES)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("time.sleep(1)", [1]),
        ("page.wait_for_timeout(1)", [1]),
        ("while not done():\n    time.sleep(1)", []),
        ("while not done():\n    page.wait_for_timeout(1)", [2]),
        ("for _ in range(9):\n    if done():\n        break\n    time.sleep(1)", []),
        ("for _ in range(9):\n    time.sleep(1)", [2]),
        ("await asyncio.sleep(0)", []),
    ],
)
def test_finds_pauses(code: str, lines: list[int]) -> None:
    assert _pauses(code) == lines
