"""A connected Matrix stand-in, whose reports are imported."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from pytest_django import Settings

from integrations import setup
from integrations.models import Integration
from moderation.models import ActionRule, Platform, User
from moderation.models.actions import Action, DecidedBy
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from tests.integrations.matrix_server import TOKEN, MatrixServer
from tests.integrations.platform_server import serving


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN)


@pytest.fixture(autouse=True)
def _may_call_this_machine(settings: Settings) -> None:
    settings.EGRESS_PRIVATE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def matrix() -> Iterator[MatrixServer]:
    server = MatrixServer()
    with serving(server):
        yield server


@pytest.fixture
def integration(matrix: MatrixServer, platform: Platform, admin: User, at: datetime) -> Integration:
    """A signed-in integration that carries decisions out; people's spam decisions shadow-ban the account."""
    row = setup.connect(
        platform=platform,
        kind="matrix",
        base_url=matrix.url,
        credentials={"token": TOKEN},
        actor=admin,
        at=at,
    )
    ActionRule.objects.filter(platform=platform).delete()
    ActionRule.objects.create(
        platform=platform, verdict=Verdict.SPAM, decided_by=DecidedBy.PERSON, action=Action.LIMIT
    )
    return setup.change(integration_id=row.pk, actor=admin, at=at, is_dry_run=False)
