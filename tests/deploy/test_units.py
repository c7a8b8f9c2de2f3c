"""The systemd units run what `make run` runs, and the manifests of Kubernetes fit schemas and tables."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.db import connection
from django.utils import timezone

from deploy.local import application
from deploy.local.places import ROOT, State
from moderation.models import Post, ScoringJob
from moderation.models.posts import ScoreState
from moderation.queries.health import lateness
from tests.deploy import guide

UNITS = guide.units(ROOT / "deploy" / "systemd")
WORKERS = {kind.name: kind for kind in application.workers()}
COMPOSE = (ROOT / "deploy" / "compose.yaml").read_text()
_DIFFER = ("--loglevel=", "--port=", "--host=", "--processes=")
"""What each installation chooses."""
_NICE = ("nice", "-n", "10")


def options(command: list[str]) -> set[str]:
    """Return a command's own words: without where Python lies and what an installation chooses."""
    own = {word for word in command if not word.startswith(_DIFFER)}
    return own - {"-m", "celery", sys.executable, command[0], *_NICE}


FOLDER = ROOT / "deploy" / "kubernetes"
NOT_OF_KUBERNETES = ("keda.sh/", "kustomize.config.k8s.io/")
DOCUMENTS: list[dict[str, Any]] = [
    document for path in sorted(FOLDER.glob("*.yaml")) for document in yaml.safe_load_all(path.read_text())
]
[SCALER] = [document for document in DOCUMENTS if document["kind"] == "ScaledObject"]
[TRIGGER] = SCALER["spec"]["triggers"]
OLDEST_AND_NEWEST = ("1.29", "1.37")


def _ask() -> float:
    with connection.cursor() as cursor:
        cursor.execute(TRIGGER["metadata"]["query"])
        [[seconds]] = cursor.fetchall()
    assert isinstance(seconds, float)  # what KEDA reads it into
    return seconds


class TestUnits:
    def test_there_is_one_for_every_process(self) -> None:
        assert set(UNITS) == {"web", "beat", "triton", *WORKERS}

    @pytest.mark.parametrize("name", WORKERS)
    def test_a_worker_is_started_as_under_the_supervisor(self, name: str, tmp_path: Path) -> None:
        here = options(list(application.worker(WORKERS[name], state=State(tmp_path)).command))
        there = options(shlex.split(UNITS[name]))

        how_many = {word for word in here | there if word.startswith("--concurrency=")}
        assert here - there <= (how_many if name == "scoring" else set())
        assert there - here <= (how_many if name == "scoring" else set())

    @pytest.mark.parametrize("name", WORKERS)
    def test_evidence_and_learning_give_way_wherever_they_run(self, name: str, tmp_path: Path) -> None:
        gives_way = name in {"evidence", "learning"}
        command = application.worker(WORKERS[name], state=State(tmp_path)).command
        [path] = (ROOT / "deploy" / "systemd").glob(f"spamdesk-{name}*.service")
        unit = path.read_text()
        [in_compose] = re.findall(rf"^  {name}:\n(.*?)\n(?:\n|\Z)", COMPOSE, re.MULTILINE | re.DOTALL)

        assert (command[:3] == _NICE) == gives_way
        assert ("\nNice=10\n" in unit) == gives_way
        assert ("cpu_shares: 256" in in_compose) == gives_way

    def test_beat_and_web_are_started_as_under_the_supervisor_and_in_containers(self) -> None:
        image = (ROOT / "deploy" / "containers" / "app.Dockerfile").read_text()
        [started] = re.findall(r"^CMD (\[.*?\])$", image.replace("\\\n", ""), re.MULTILINE | re.DOTALL)

        assert options(shlex.split(UNITS["beat"])) == options(list(application.beat().command))
        assert options(shlex.split(UNITS["web"])) == options(list(application.web(port=8000).command))
        assert options(shlex.split(UNITS["web"])) == options(json.loads(started))

    def test_the_guide_names_every_unit(self) -> None:
        text = (ROOT / "docs" / "operators-guide.md").read_text()

        assert [name for name in UNITS if f"| `spamdesk-{name}" not in text] == []
        for command in ("restart", "enable --now spamdesk.target"):
            lines = re.findall(rf"^ *systemctl {command} (.*)$", text.replace("\\\n", ""), re.MULTILINE)
            named = {re.sub(r"'|@.*", "", unit) for unit in " ".join(lines).split()}
            assert named == {f"spamdesk-{name}" for name in UNITS}


class TestSchemas:
    @pytest.mark.parametrize("version", OLDEST_AND_NEWEST)
    @pytest.mark.parametrize(
        "document",
        [one for one in DOCUMENTS if not one["apiVersion"].startswith(NOT_OF_KUBERNETES)],
        ids=lambda one: f"{one['kind']}-{one.get('metadata', {}).get('name')}",
    )
    def test_each_manifest_fits_the_api(self, document: dict[str, Any], version: str) -> None:
        kubernetes_validate.validate(document, version, strict=True)

    @pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
    def test_triton_on_a_card_fits_the_api(self) -> None:
        built = subprocess.run(["kubectl", "kustomize", f"{FOLDER}-gpu"], capture_output=True, check=True)
        documents = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(built.stdout)}
        one = documents["Deployment", "triton"]

        kubernetes_validate.validate(one, OLDEST_AND_NEWEST[0], strict=True)
        [container] = one["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["limits"]["nvidia.com/gpu"] == 1
        assert {"/models", "/plans", "/promoted"} < {row["mountPath"] for row in container["volumeMounts"]}

    def test_a_field_that_does_not_exist_is_found(self) -> None:
        [web] = [one for one in DOCUMENTS if one["kind"] == "Service" and one["metadata"]["name"] == "web"]

        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(
                web | {"spec": web["spec"] | {"port": 80}}, OLDEST_AND_NEWEST[0], strict=True
            )


class TestAutoscaler:
    """KEDA's scaler of PostgreSQL: https://keda.sh/docs/latest/scalers/postgresql/."""

    def test_scales_a_deployment_that_says_no_number_of_its_own(self) -> None:
        name = SCALER["spec"]["scaleTargetRef"]["name"]
        [target] = [
            one for one in DOCUMENTS if one["kind"] == "Deployment" and one["metadata"]["name"] == name
        ]

        assert name == "scoring"
        assert "replicas" not in target["spec"]  # `kubectl apply` would set it back

    def test_connects_by_a_variable_of_the_containers_that_it_scales(self) -> None:
        settings = (FOLDER / "settings.yaml").read_text()

        assert TRIGGER["type"] == "postgresql"
        assert TRIGGER["metadata"]["connectionFromEnv"] == "DATABASE_URL"
        assert "DATABASE_URL" in settings  # of the Secret, which every container of the application has

    def test_asks_for_how_long_the_oldest_post_has_waited(
        self, post: Callable[..., Post], later: Callable[[float], datetime], at: datetime
    ) -> None:
        for seconds in (0, 30, 60):
            post(at=later(seconds))
        waiting = ScoringJob.objects.order_by("enqueued_at")
        waiting.filter(pk=waiting[0].pk).update(state=ScoreState.SCORED)
        waiting.filter(pk=waiting[1].pk).update(state=ScoreState.SCORING)

        asked = _ask()

        oldest = lateness.oldest_unscored_at()
        assert oldest == later(30)
        assert asked == pytest.approx((timezone.now() - oldest).total_seconds(), abs=5)

    @pytest.mark.django_db
    def test_asks_for_zero_where_nothing_waits(self) -> None:
        assert _ask() == 0.0

    @pytest.mark.django_db
    def test_reads_one_row_of_an_index(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")  # cheaper where other tests left few rows
            cursor.execute(f"EXPLAIN {TRIGGER['metadata']['query']}")
            plan = "\n".join(line for [line] in cursor.fetchall())

        assert "scoring_open" in plan
        assert "Sort" not in plan
