"""What is played of the manifests: as kustomize gives them to a cluster, and as podman takes them."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from deploy.local import ports
from lab.containers import images, manifests
from lab.containers.engine import Engine, Failed
from lab.containers.pods import Pods
from lab.containers.relay import Relay

DOCUMENTS = manifests.kustomized()
WORKLOADS = manifests.workloads(DOCUMENTS)
EACH_POD = [(name, pod) for name, one in WORKLOADS.items() for pod in manifests.pod_names(one)]
HOSTS = {"postgres": "10.0.0.10", "triton": "10.0.0.12"}


def containers(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every container of a played document."""
    spec = _spec(document)
    return [*spec.get("initContainers", ()), *spec["containers"]]


class TestKustomized:
    @pytest.mark.skipif(shutil.which("kubectl") is None, reason="kustomize comes with kubectl")
    def test_is_what_kustomize_makes(self) -> None:
        command = ["kubectl", "kustomize", str(manifests.FOLDER)]
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout

        def by_name(documents: list[dict[str, Any]]) -> list[str]:
            return sorted(json.dumps(one, sort_keys=True) for one in documents)

        assert by_name(DOCUMENTS) == by_name(list(yaml.safe_load_all(made)))

    def test_names_each_image_that_is_built_with_a_tag(self) -> None:
        built = {
            container["image"].partition(":")
            for workload in WORKLOADS.values()
            for container in containers(workload)
            if container["image"].startswith("spamdesk")
        }

        assert {name for name, _, _ in built} == set(images.BUILT.values())
        assert {tag for _, _, tag in built} == {"latest"}


class TestPlayable:
    @pytest.mark.parametrize(("name", "pod"), EACH_POD)
    def test_fits_the_api_and_keeps_what_locks_the_pod_down(self, name: str, pod: str) -> None:
        kept = ("command", "args", "env", "envFrom", "securityContext", "resources", "volumeMounts")

        after = [one for document in _played(name, pod) for one in containers(document)]

        for document in _played(name, pod):
            kubernetes_validate.validate(document, "1.29", strict=True)
        for before, played in zip(containers(WORKLOADS[name]), after, strict=True):
            assert {key: before.get(key) for key in kept} == {key: played.get(key) for key in kept}

    @pytest.mark.parametrize(("name", "pod"), EACH_POD)
    def test_publishes_no_port_and_asks_no_registry(self, name: str, pod: str) -> None:
        for container in (one for document in _played(name, pod) for one in containers(document)):
            assert "ports" not in container  # podman would publish them on every address
            assert container["imagePullPolicy"] == "Never"

    @pytest.mark.parametrize(("name", "pod"), EACH_POD)
    def test_mounts_only_volumes_that_are_made(self, name: str, pod: str) -> None:
        made = {volume.name for volume in manifests.volumes(WORKLOADS[name], pod).values()}

        for document in _played(name, pod):
            volumes = _spec(document)["volumes"]
            mounts = {row["name"] for one in containers(document) for row in one["volumeMounts"]}
            assert {row["persistentVolumeClaim"]["claimName"] for row in volumes} == made
            assert mounts <= {row["name"] for row in volumes}

    def test_init_containers_are_a_pod_of_their_own_that_ends(self) -> None:
        first, rest = _played("web", "web-0")

        assert (first["kind"], first["spec"]["restartPolicy"]) == ("Pod", "Never")
        assert [one["name"] for one in containers(first)] == ["migrated"]
        assert [one["name"] for one in containers(rest)] == ["web"]

    def test_two_pods_share_claims_and_no_temporary_volume(self) -> None:
        first, second = (
            {volume.name for volume in manifests.volumes(WORKLOADS["web"], pod).values()}
            for pod in manifests.pod_names(WORKLOADS["web"])
        )

        assert first & second == {"state", "promoted"}

    def test_a_stateful_pod_has_the_claim_that_a_cluster_would_give_it(self) -> None:
        volume = manifests.volumes(WORKLOADS["postgres"], "postgres-0")["data"]

        assert volume == manifests.Volume("data-postgres-0", 999, is_temporary=False, is_written=True)

    def test_a_job_is_a_pod_that_ends_and_services_are_hosts(self) -> None:
        played = manifests.playable(WORKLOADS["migrate"], "migrate-0", hosts=HOSTS)

        assert played["kind"] == "Pod"
        assert played["spec"]["restartPolicy"] == "Never"
        assert {row["hostnames"][0]: row["ip"] for row in played["spec"]["hostAliases"]} == HOSTS

    def test_names_what_only_a_cluster_knows(self) -> None:
        assert manifests.left_out(DOCUMENTS) == [
            "Namespace",
            "NetworkPolicy",
            "PodDisruptionBudget",
            "ScaledObject",
        ]


class TestProbes:
    def test_asks_by_http_with_the_headers_of_the_manifest(self) -> None:
        probe = manifests.probe(WORKLOADS["web"], "readinessProbe")
        assert probe is not None

        python, option, script = manifests.probe_command(probe)

        assert (python, option) == ("python", "-c")
        assert "'http://127.0.0.1:8000/readyz?only=database'" in script
        assert "{'Host': 'localhost'}" in script
        compile(script, "probe", "exec")

    def test_runs_the_command_of_the_manifest(self) -> None:
        probe = manifests.probe(WORKLOADS["postgres"], "readinessProbe")
        assert probe is not None

        assert manifests.probe_command(probe) == ["pg_isready", "-U", "spamdesk"]

    def test_a_start_may_take_as_long_as_the_manifest_says(self) -> None:
        probe = manifests.probe(WORKLOADS["web"], "startupProbe")
        assert probe is not None

        assert manifests.allowed_seconds(probe) == 120

    def test_what_no_probe_asks_has_none(self) -> None:
        assert manifests.probe(WORKLOADS["beat"], "readinessProbe") is None


class TestPods:
    def test_fill_in_the_whole_secret_that_the_manifests_name(self, tmp_path: Path) -> None:
        given = {
            "POSTGRES_PASSWORD": "p",
            "VALKEY_PASSWORD": "v",
            "SPAMDESK_SECRET_KEY": "s",
            "SPAMDESK_ENCRYPTION_KEYS": "e",
            "SPAMDESK_METRICS_TOKEN": "m",
        }
        wanted = (manifests.FOLDER / "settings.yaml").read_text().partition("apiVersion")[0]

        made = Pods.create(Engine(tmp_path), folder=tmp_path, settings=given, port=1)

        assert [name for name in made.values if name not in wanted] == []
        assert all(image.startswith("localhost/") for image in _images(made))

    def test_kill_each_workload_that_stays(self, tmp_path: Path) -> None:
        made = Pods(Engine(tmp_path), tmp_path, {}, port=1)

        assert set(made.killed) == set(WORKLOADS) - {"migrate"}

    def test_a_pod_without_its_container_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Engine, "__call__", lambda *_, **__: "")

        with pytest.raises(Failed, match="web-0 has 0 containers named web"):
            Pods(Engine(tmp_path), tmp_path, {}, port=1).container("web")


class TestWaitingFirst:
    """A volume is new, and everything is applied at once."""

    def test_the_web_waits_for_tables_and_static_files(self) -> None:
        [first] = WORKLOADS["web"]["spec"]["template"]["spec"]["initContainers"]

        assert "migrate --check" in first["command"][-1]
        assert "static/staticfiles.json" in first["command"][-1]

    def test_triton_waits_for_the_folder_of_promoted_models(self) -> None:
        [first] = WORKLOADS["triton"]["spec"]["template"]["spec"]["initContainers"]
        where = next(one for one in DOCUMENTS if one["kind"] == "ConfigMap")["data"][
            "SPAMDESK_TRITON_MODELS_DIR"
        ]

        assert where in first["command"][-1]
        assert 'mkdir -p "$SPAMDESK_TRITON_MODELS_DIR"' in _job_command()

    def test_postgresql_has_shared_memory_for_parallel_queries(self) -> None:
        spec = WORKLOADS["postgres"]["spec"]["template"]["spec"]
        [volume] = [row["name"] for row in spec["volumes"] if row["emptyDir"].get("medium") == "Memory"]

        assert {"name": volume, "mountPath": "/dev/shm"} in spec["containers"][0]["volumeMounts"]


class TestRelay:
    @pytest.fixture
    def echo(self) -> Iterator[tuple[str, int]]:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                taken, _ = server.accept()
                with taken:
                    taken.sendall(taken.recv(100).upper())

            threading.Thread(target=answer, daemon=True).start()
            yield server.getsockname()

    def test_passes_on_to_the_pod_that_answers(self, echo: tuple[str, int]) -> None:
        port = ports.free()
        relay = Relay(port=port, targets=[("127.0.0.1", ports.free()), echo])

        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"hello")
            answer = client.recv(100)

        relay.stop()
        assert answer == b"HELLO"

    def test_ends_the_connection_where_none_does(self) -> None:
        port = ports.free()
        relay = Relay(port=port, targets=[("127.0.0.1", ports.free())])

        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            assert client.recv(100) == b""

        relay.stop()


def _spec(document: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = document["spec"]
    return spec if document["kind"] == "Pod" else spec["template"]["spec"]


def _played(name: str, pod: str) -> list[dict[str, Any]]:
    """Return what podman is given of a pod, in this order."""
    workload = WORKLOADS[name]
    first = [manifests.first(workload, pod, hosts=HOSTS)] if manifests.waits(workload) else []
    return [*first, manifests.playable(workload, pod, hosts=HOSTS)]


def _images(made: Pods) -> set[str]:
    return {container["image"] for workload in made.workloads.values() for container in containers(workload)}


def _job_command() -> str:
    [container] = WORKLOADS["migrate"]["spec"]["template"]["spec"]["containers"]
    return " ".join(container["command"])
