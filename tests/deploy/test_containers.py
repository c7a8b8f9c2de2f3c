"""The container files hold what they promise, as far as it can be seen without an engine."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from config import schedule
from deploy.local import application
from deploy.local.places import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.stem != "kustomization")


def _documents() -> Iterator[dict[str, Any]]:
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text())


def _containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod.get("initContainers", ()), *pod["containers"]]


PODS = {
    f"{document['kind']} {document['metadata']['name']}": document["spec"]["template"]["spec"]
    for document in _documents()
    if "template" in document.get("spec", {})
}

KUBERNETES_SETTINGS: dict[str, str] = next(
    document["data"] for document in _documents() if document["kind"] == "ConfigMap"
)
IMAGE, TRITON_IMAGE = (
    (DEPLOY / "containers" / f"{name}.Dockerfile").read_text() for name in ("app", "triton")
)
[APPLICATION_UID] = re.findall(r"useradd .*--uid (\d+)", IMAGE)


def test_no_secret_stands_on_a_command_line() -> None:
    """Compose and Kubernetes would put it there, where every user of the host reads it; a shell does not."""
    commands = {name: str(row.get("command", "")) for name, row in COMPOSE["services"].items()}
    for name, pod in PODS.items():
        for container in pod["containers"]:
            commands[name] = str(container.get("command", "")) + str(container.get("args", ""))
    put_in = re.compile(r"(?<!\$)\$[({]\w*(?:PASSWORD|SECRET|KEY|TOKEN|AUTH|URL)", re.ASCII)

    assert not [name for name, command in commands.items() if put_in.search(command)]


class TestImage:
    def test_runs_the_command_line_with_no_more_than_it_copies(self, tmp_path: Path) -> None:
        for source, target in re.findall(r"^COPY ([\w./]+) (\S+)$", IMAGE, re.MULTILINE):
            copied = tmp_path / target / (Path(source).name if target.endswith("/") else "")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, copied, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, copied)

        run = subprocess.run(
            [sys.executable, "manage.py", "check", "--tag=urls"],
            cwd=tmp_path,
            env={
                "PATH": os.defpath,
                "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing",
                "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
                "TRITON_URL": "grpc://127.0.0.1:1",
                "SPAMDESK_STATE_DIR": str(tmp_path / "state"),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )

        assert run.returncode == 0, run.stderr[-2_000:]

    def test_is_built_of_files_that_the_build_is_given(self) -> None:
        given = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"}
        for dockerfile in (DEPLOY / "containers").glob("*.Dockerfile"):
            for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile.read_text(), re.MULTILINE):
                for source in sources.split():
                    kept = {source, *(str(parent) for parent in PurePosixPath(source).parents)}
                    assert kept & given, f"{dockerfile.name} copies {source}"


class TestCompose:
    def test_fits_the_compose_specification(self) -> None:
        checker = Path(sys.executable).with_name("check-jsonschema")
        command = [str(checker), "--builtin-schema", "vendor.compose-spec", str(DEPLOY / "compose.yaml")]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)

        assert answer.returncode == 0, answer.stdout

    @pytest.mark.parametrize("name", COMPOSE["services"])
    def test_each_service_is_limited_and_locked_down(self, name: str) -> None:
        service = COMPOSE["services"][name]

        assert {"cpus", "memory"} <= set(service["deploy"]["resources"]["limits"])
        if name != "postgres":  # its image starts as root and drops to its own user
            assert service["cap_drop"] == ["ALL"]
            assert "no-new-privileges:true" in service["security_opt"]

    @pytest.mark.parametrize("name", ["postgres", "valkey", "triton-cpu", "triton-gpu", "web"])
    def test_each_server_is_asked_how_it_is(self, name: str) -> None:
        assert COMPOSE["services"][name]["healthcheck"]["test"]

    def test_a_card_is_reserved_only_for_a_repository_of_the_operators_own(self) -> None:
        reserving = {
            name
            for name, row in COMPOSE["services"].items()
            if row["deploy"]["resources"].get("reservations", {}).get("devices")
        }
        [own] = [row for row in COMPOSE["services"]["triton-gpu"]["volumes"] if isinstance(row, dict)]

        assert reserving == {"triton-gpu"}
        assert own["target"] == "/models"
        assert own["source"].startswith("${TRITON_GPU_REPOSITORY:-/")
        assert own["bind"] == {"create_host_path": False}  # Docker would make an empty one

    def test_the_plan_of_a_card_is_kept_and_waited_for(self) -> None:
        service = COMPOSE["services"]["triton-gpu"]

        assert "plans:/plans" in service["volumes"]
        assert service["healthcheck"]["start_period"] == "30m"
        assert '"--plans=/plans"' in TRITON_IMAGE
        assert "install -d -o triton-server /plans" in TRITON_IMAGE

    def test_publishes_nothing_but_the_web_on_the_loopback(self) -> None:
        published = {name: row["ports"] for name, row in COMPOSE["services"].items() if "ports" in row}

        assert list(published) == ["web"]
        assert published["web"][0].startswith("127.0.0.1:")

    def test_names_every_secret_in_the_example(self) -> None:
        needed = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))
        example = (DEPLOY / "containers" / "example.env").read_text()
        offered = set(re.findall(r"^(\w+)=", example, re.MULTILINE))

        assert needed <= offered


WORKERS = {kind.name: kind for kind in application.workers()}


class TestWorkers:
    """Every way to run the product empties the same queues, and each queue stands in one worker only."""

    @pytest.mark.parametrize("name", WORKERS)
    def test_run_in_containers_as_under_the_supervisor(self, name: str) -> None:
        composed = " ".join(COMPOSE["services"][name]["command"])
        container = PODS[f"Deployment {name}"]["containers"][0]

        for command in (composed, " ".join(container["command"])):
            assert f"--queues={','.join(WORKERS[name].queues)} " in command
            assert ("--pool=threads" in command) is WORKERS[name].has_threads
            if WORKERS[name].has_threads:
                assert f"--concurrency={WORKERS[name].concurrency} " in command

    def test_what_reads_strangers_bytes_is_another_user_without_secrets_and_state(self) -> None:
        service = COMPOSE["services"]["reader"]
        _, container = PODS["Deployment evidence"]["containers"]

        assert not service["environment"]
        assert not {"env", "envFrom"} & set(container)
        assert (service["network_mode"], service["volumes"]) == ("none", ["readers:/readers"])
        assert [row["name"] for row in container["volumeMounts"]] == ["readers"]
        assert {service["user"], str(container["securityContext"]["runAsUser"])} == {"10002"}
        assert f"install -d -o {service['user']} /readers" in IMAGE

    def test_nothing_stands_before_the_sweeps(self) -> None:
        queues = [queue for kind in WORKERS.values() for queue in kind.queues]

        assert WORKERS["housekeeping"].queues == ("housekeeping",)
        assert len(queues) == len(set(queues))

    def test_every_queue_that_is_written_to_is_emptied(self) -> None:
        text = (ROOT / "moderation" / "enqueue.py").read_text()
        written = set(re.findall(r'queue(?:=|": )"(\w+)"', text)) | {
            entry["options"]["queue"] for entry in schedule.BEAT.values()
        }

        emptied = {queue for kind in WORKERS.values() for queue in kind.queues}

        assert len(written) > 5
        assert written <= emptied
        assert {name: kind.queues for name, kind in WORKERS.items()} == schedule.WORKERS


class TestPromotedModels:
    """They are staged beside their folder, and the root is read-only: a volume holds both."""

    VOLUME = PurePosixPath("/promoted")

    @pytest.mark.parametrize(
        "environment", [COMPOSE["x-app"]["environment"], KUBERNETES_SETTINGS], ids=["compose", "kubernetes"]
    )
    def test_lie_in_a_folder_of_their_volume(self, environment: dict[str, str]) -> None:
        assert PurePosixPath(environment["SPAMDESK_TRITON_MODELS_DIR"]).parent == self.VOLUME

    @pytest.mark.parametrize("text", [IMAGE, TRITON_IMAGE], ids=["app", "triton"])
    def test_belong_to_the_application_whichever_image_mounts_the_new_volume_first(self, text: str) -> None:
        [made] = re.findall(r"install -d -o (\w+) .*?(/promoted .*)$", text, re.MULTILINE)

        assert made[0] in ("spamdesk", APPLICATION_UID)
        assert made[1].split() == ["/promoted", "/promoted/models"]

    def test_are_a_repository_of_triton(self) -> None:
        assert '"--model-repository=/promoted/models"' in TRITON_IMAGE


class TestKubernetes:
    @pytest.mark.parametrize("name", PODS)
    def test_each_pod_meets_the_restricted_standard(self, name: str) -> None:
        pod = PODS[name]

        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in _containers(pod):
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert set(container["resources"]["limits"]) == {"cpu", "memory"}

    def test_the_kustomization_lists_every_manifest(self) -> None:
        listed = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]

        assert sorted(listed) == [path.name for path in MANIFESTS]

    def test_the_kustomization_tags_each_image_that_is_built(self) -> None:
        images = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["images"]
        used = {container["image"] for pod in PODS.values() for container in _containers(pod)}

        assert {row["name"] for row in images} == {name for name in used if name.startswith("spamdesk")}

    @pytest.mark.parametrize("name", PODS)
    def test_mounts_only_volumes_that_there_are(self, name: str) -> None:
        [claimed] = [
            document["spec"].get("volumeClaimTemplates", ())
            for document in _documents()
            if name == f"{document['kind']} {document['metadata']['name']}"
        ]
        there = {row["name"] for row in PODS[name].get("volumes", ())}
        there |= {row["metadata"]["name"] for row in claimed}

        mounted = {row["name"] for one in _containers(PODS[name]) for row in one.get("volumeMounts", ())}
        assert mounted <= there

    def test_the_web_waits_for_tables_and_static_files(self) -> None:
        [first] = PODS["Deployment web"]["initContainers"]

        assert "migrate --check" in first["command"][-1]
        assert "static/staticfiles.json" in first["command"][-1]

    def test_triton_waits_for_the_folder_of_promoted_models(self) -> None:
        [first] = PODS["Deployment triton"]["initContainers"]
        [made] = PODS["Job migrate"]["containers"]

        assert KUBERNETES_SETTINGS["SPAMDESK_TRITON_MODELS_DIR"] in first["command"][-1]
        assert 'mkdir -p "$SPAMDESK_TRITON_MODELS_DIR"' in " ".join(made["command"])

    def test_postgresql_has_shared_memory_for_parallel_queries(self) -> None:
        pod = PODS["StatefulSet postgres"]
        [volume] = [row["name"] for row in pod["volumes"] if row["emptyDir"].get("medium") == "Memory"]

        assert {"name": volume, "mountPath": "/dev/shm"} in pod["containers"][0]["volumeMounts"]


@pytest.mark.parametrize(
    "path",
    [DEPLOY / "compose.yaml", DEPLOY / "containers" / "example.env", DEPLOY / "kubernetes" / "settings.yaml"],
    ids=lambda path: path.name,
)
def test_settings_that_are_named_exist(path: Path) -> None:
    known = (ROOT / "config" / "environment.py").read_text()
    named = set(re.findall(r"^\s*(SPAMDESK_[A-Z_]+)\s*[:=]", path.read_text(), re.MULTILINE))

    assert named
    assert {name for name in named if f'"{name}"' not in known} == set()


def test_the_image_copies_every_package_that_runs() -> None:
    copied = set(re.findall(r"^COPY (\w+) ", IMAGE, re.MULTILINE))

    assert {
        *("config", "integrations", "moderation", "scoring", "static", "templates"),
        "triton_repo",
    } <= copied
    assert all((ROOT / name).is_dir() for name in copied)
