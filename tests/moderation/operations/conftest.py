"""Releases of a test's own, beside the shipped one, on the real Triton; a campaign and who hears of it."""

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from moderation import scorer
from moderation.models import Campaign, CampaignDecision, Decision, Platform, Rule, User
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations import rules
from moderation.operations.releases import triton as releases_triton
from moderation.operations.webhooks import endpoints
from moderation.queries.cases import queue_mix
from scoring.release import Release
from tests import releases
from tests.moderation.caches import forget
from tests.moderation.conftest import Case_, judge
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.campaigns.campaign_posts import decide, opened, spam

OTHER_MODELS_SHIFT = 0.3
ON_TRITON = [
    pytest.mark.usefixtures("own_releases"),
    pytest.mark.xdist_group("triton"),
    pytest.mark.timeout(300),
]
"""Of tests that load models into the real Triton: one after the other."""
Decided = Callable[..., Decision]
Impose = Callable[..., Rule]


def in_thread(work: Callable[[], object], *, passes: type[BaseException] | None = None) -> threading.Thread:
    """Run with a connection of its own, as another process would; an end by `passes` is no failure."""

    def run() -> None:
        with suppress(*(passes,) if passes else ()):
            try:
                work()
            finally:
                connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def side_by_side(*acts: Callable[[], object]) -> list[object]:
    """Run everything at once, as other processes would; return what each came to, a refusal or an answer."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            start.wait()
            return act()
        except Exception as refusal:  # noqa: BLE001 - the refusal is what the tests look at
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.fixture
def own_releases(triton: None, tmp_path: Path, settings: object) -> Iterator[None]:
    """Keep releases in a folder of the test's own, and leave Triton as it was."""
    settings.RELEASES_DIR = tmp_path / "releases"  # type: ignore[attr-defined]  # pytest-django's fixture
    scorer.forget()
    yield
    scorer.forget()
    models = Path(settings.TRITON_MODELS_DIR)  # type: ignore[attr-defined]  # pytest-django's fixture
    admin = releases_triton.admin()
    for folder in (*models.glob("content_*"), *models.glob("image_*")):
        admin.unload(folder.name)
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir()


@pytest.fixture(scope="module")
def other_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model repository whose content model finds everything a little more like spam."""
    return releases.repository(tmp_path_factory.mktemp("other") / "repository", shift=OTHER_MODELS_SHIFT)


@pytest.fixture
def candidate(tmp_path: Path, other_models: Path) -> Release:
    return releases.release(tmp_path / "candidate", models=other_models)


@pytest.fixture
def impose(lead: User) -> Impose:
    """Impose a rule: a ban of `pills.example`, unless told otherwise."""
    usual: dict[str, Any] = {"value": "pills.example", "reason": "x", "actor": lead, "at": AT}
    return lambda **given: rules.impose(**usual | given)


@pytest.fixture
def ml_engineer(db: None) -> User:
    return User.objects.create_user("ml_engineer", role=Role.ML_ENGINEER)


@pytest.fixture
def webhook(platform: Platform) -> Platform:
    """The platform takes webhooks, so deliveries wait."""
    endpoints.add(platform=platform, url="https://hooks.example/", at=AT)
    return platform


@pytest.fixture
def fresh_mix() -> Iterator[None]:
    """Nothing is remembered of an earlier mix of the queue, and nothing of this one afterwards."""
    forget(queue_mix)
    yield
    forget(queue_mix)


@pytest.fixture
def pills(platform: Platform, fake_scorer: FakeScorer) -> Campaign:
    """A campaign of five that waits."""
    return opened(platform, 5, at=AT)


@pytest.fixture
def ruling(pills: Campaign, moderator: User) -> CampaignDecision:
    """The campaign of five, decided as spam after a minute."""
    return decide(pills, spam(5), by=moderator, at=later(60))


@pytest.fixture
def decided_posts(open_case: Case_, moderator: User) -> None:
    """Three decided posts: two spam near-duplicates and one that is not, decided at 10, 20 and 30 s."""
    texts = [
        ("Cheap pills without prescription, call 1-800-555-0101", Verdict.SPAM),
        ("Cheap pills without prescription, call 1-800-555-0202", Verdict.SPAM),
        ('Look at this =HYPERLINK("x") "quoted"\nnew line', Verdict.NOT_SPAM),
    ]
    for number, (text, verdict) in enumerate(texts, start=1):
        judge(open_case(text=text), moderator, at=later(number * 10), verdict=verdict)


@pytest.fixture
def decided(open_case: Case_, moderator: User) -> Decided:
    """Open a case and decide it; `case` names one that is open."""

    return lambda *, at, case=None: judge(case or open_case(), moderator, at=at)
