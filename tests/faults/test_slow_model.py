"""A content model ten times slower than usual: no work is done in vain."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.places import ROOT, State
from scoring.content import ContentModel, Unavailable
from tests.triton import own_server

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("product"), pytest.mark.timeout(900)]

_ANSWER = "found = self.infer_request.infer(inputs)"
_SLOWLY = """import time

        began = time.monotonic()
        found = self.infer_request.infer(inputs)
        wanted, log = Path({wanted!r}), Path({log!r})
        time.sleep(max(float(wanted.read_text()), 0.0) * (time.monotonic() - began))
        with log.open("a") as lines:
            lines.write(f"{{len(ids)}}\\n")"""


class SlowTriton:
    """A Triton of its own whose content model takes `times` as long as it would."""

    url: str

    def __init__(self, folder: Path) -> None:
        self.wanted, self.log = folder / "wanted", folder / "log"
        self.log.touch()
        self.times(1.0)
        self.repository = folder / "triton_repo"
        shutil.copytree(ROOT / "triton_repo", self.repository, ignore=shutil.ignore_patterns("__pycache__"))
        step = self.repository / "distilbert" / "1" / "model.py"
        slowly = _SLOWLY.format(wanted=str(self.wanted), log=str(self.log))
        step.write_text(step.read_text().replace(_ANSWER, slowly))

    def times(self, factor: float) -> None:
        """Slow it down, from its next answer on."""
        self.wanted.with_suffix(".new").write_text(str(factor - 1))
        self.wanted.with_suffix(".new").replace(self.wanted)

    def computed(self) -> int:
        """Return how many texts it has computed."""
        return sum(map(int, self.log.read_text().split()))


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlowTriton]:
    folder = tmp_path_factory.mktemp("slow")
    made = SlowTriton(folder)
    with own_server.serving(State(folder / "state"), repository=made.repository) as (server, _):
        made.url = server.url
        yield made


def test_the_server_drops_what_nobody_waits_for(slow: SlowTriton) -> None:
    model = ContentModel(
        url=slow.url, version="1", timeout_seconds=0.5, batch_size=128, least_batch=128, attempts=1
    )
    texts = [f"{'word ' * (number % 100)}{number}" for number in range(128)]
    patient = ContentModel(url=slow.url, version="1", timeout_seconds=60)
    patient.scores(["warm"])
    slow.times(10.0)
    before = slow.computed()
    for _ in range(3):
        with pytest.raises(Unavailable):
            model.scores(texts)
    slow.times(1.0)
    patient.scores(["behind them"])

    # Of three times as many; how many it had begun hangs on the machine.
    assert slow.computed() - before < 1.5 * len(texts)
