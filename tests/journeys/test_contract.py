"""The API against its own OpenAPI document: generated requests, right and wrong, answered as described."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from deploy.local.places import ROOT
from tests.journeys.conftest import new_key
from tests.moderation.api.routes import OPERATIONS

pytestmark = pytest.mark.whole


@pytest.mark.parametrize(
    ("phases", "mode"),
    [
        ("examples,coverage", "positive"),
        pytest.param("coverage", "negative", marks=pytest.mark.long),
        pytest.param("fuzzing,stateful", "all", marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("fake_topics")  # without a server it answers 503, which the tool takes for a crash
@pytest.mark.django_db(transaction=True)
def test_answers_as_the_document_says(
    phases: str, mode: str, live_server: LiveServer, tmp_path: Path
) -> None:
    secret = new_key("social", acts_as_lead=True)

    Client().get(reverse("api:openapi"))  # kept from then on: the tool waits ten seconds for it
    run = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={Path(__file__).with_name('schemathesis.toml')}",
            "run",
            f"{live_server.url}/api/v1/openapi.json",
            f"--header=Authorization: Bearer {secret}",
            "--checks=all",
            f"--phases={phases}",
            f"--mode={mode}",
            "--max-examples=4",
            "--request-timeout=60",
            "--generation-deterministic",
            "--no-color",
        ],
        cwd=tmp_path,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.journeys.contract_hooks", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-5_000:] + run.stderr[-2_000:]
    assert f"{len(OPERATIONS)} selected" in run.stdout
