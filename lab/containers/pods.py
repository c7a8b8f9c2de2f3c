"""The manifests of `deploy/kubernetes`, played by `podman play kube`; the engine must be this trial's alone.

What a cluster does and podman does not, or otherwise, is done here: a Service is an address in every pod's
hosts and, for the web, a relay; volumes belong to the group that the manifest names; a Job is repeated; the
probes are asked. The operator's guide has the reasons.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import yaml

from lab.containers import engine as containers
from lab.containers import images, manifests
from lab.containers.compose import WORKERS
from lab.containers.engine import Engine, Failed
from lab.containers.manifests import Document, Volume
from lab.containers.relay import Relay

_NETWORK = "spamdesk-pods"
_SECRET = "spamdesk"
_WEB_PORT = 8000
_FIRST_ADDRESS = 10
_READY_SECONDS = 600
_JOB_SECONDS = 600
_FIRST_DELAY_SECONDS = 10  # as a cluster's between two tries of a Job, doubled each time
_IMAGES = {
    "spamdesk:latest": f"localhost/{images.BUILT['web']}",
    "spamdesk-triton:latest": f"localhost/{images.BUILT['triton-cpu']}",
    "spamdesk-training:latest": f"localhost/{images.BUILT['learning']}",
    "postgres:18": images.stand_in("postgres"),
    "valkey/valkey:9": images.stand_in("valkey"),
}


@dataclass(frozen=True)
class Pods:
    """Every pod of the manifests, as many of each as they say."""

    engine: Engine
    folder: Path
    values: Mapping[str, str]
    port: int
    documents: list[Document] = field(
        default_factory=lambda: manifests.with_images(manifests.kustomized(), _IMAGES)
    )
    addresses: dict[str, str] = field(default_factory=dict)
    played: list[Path] = field(default_factory=list)
    relays: list[Relay] = field(default_factory=list)

    @classmethod
    def create(cls, engine: Engine, *, folder: Path, settings: Mapping[str, str], port: int) -> Pods:
        """Fill in what the manifests expect of the operator: the Secret."""
        names = ("SPAMDESK_SECRET_KEY", "SPAMDESK_ENCRYPTION_KEYS", "SPAMDESK_METRICS_TOKEN")
        values = {name: settings[name] for name in ("POSTGRES_PASSWORD", "VALKEY_PASSWORD", *names)}
        values |= {
            "DATABASE_URL": f"postgresql://spamdesk:{settings['POSTGRES_PASSWORD']}@postgres:5432/spamdesk",
            "CELERY_BROKER_URL": f"redis://:{settings['VALKEY_PASSWORD']}@valkey:6379/0",
        }
        return cls(engine, folder, values, port)

    @cached_property
    def workloads(self) -> dict[str, Document]:
        """Return what makes pods, in the order of the kustomization."""
        return manifests.workloads(self.documents)

    @property
    def killed(self) -> tuple[str, ...]:
        """Return the workloads whose containers a trial kills, those last that others need."""
        return (*WORKERS, "beat", "web", "triton", "valkey", "postgres")

    def start(self, *, say: containers.Say) -> None:
        """Play everything at once, as `kubectl apply` does, and wait until all of it is ready."""
        say(f"  podman knows no {', '.join(manifests.left_out(self.documents))}")
        self._make_network()
        self._make_secret()
        (self.folder / "settings.yaml").write_text(yaml.safe_dump_all(manifests.settings(self.documents)))
        self._make_volumes()
        for name, pod in self._pods():
            waits = manifests.waits(self.workloads[name])
            self._play(name, pod, manifests.first if waits else manifests.playable)
        self.engine.weigh()
        say(f"  {len(self.played)} pods are played at once")
        self._finish(say=say)
        self._await_all(say=say)

    def container(self, service: str) -> str:
        """Return the name of the container of a workload's first pod."""
        return self._container(service, manifests.pod_names(self.workloads[service])[0])

    def run(self, service: str, *command: str) -> str:
        """Run a command in that container and return its output."""
        return self.engine("exec", self.container(service), *command)

    def is_asked(self, service: str) -> bool:
        """Return whether the manifest has a readiness probe for it."""
        return manifests.probe(self.workloads[service], "readinessProbe") is not None

    def wait_until_healthy(self, service: str) -> float:
        """Ask the manifest's probes in each pod of the workload and return the seconds. Raises Failed."""
        workload = self.workloads[service]
        return sum(
            self._wait_until_ready(workload, self._container(service, pod))
            for pod in manifests.pod_names(workload)
        )

    def stop(self) -> None:
        """Take down what was played, and remove volumes, secret and network. Raises Failed if a pod stays."""
        for relay in self.relays:
            relay.stop()
        for file in reversed(self.played):
            self.engine("play", "kube", "--down", str(file))
        rest = self.engine("pod", "ps", "--format={{.Name}}").split()
        self.engine("pod", "rm", "--all", "--force", "--time=0")
        self.engine("volume", "rm", "--all", "--force")
        self.engine("secret", "rm", "--all")
        self.engine("network", "rm", "--force", _NETWORK)
        if rest:
            raise Failed(f"--down left {', '.join(rest)}")

    def _finish(self, *, say: containers.Say) -> None:
        """Wait for Jobs and for init containers, whose pods go on then. Raises Failed."""
        for name, pod in self._pods():
            workload = self.workloads[name]
            if workload["kind"] == "Job":
                self._finish_job(name, pod, say=say)
        for name, pod in self._pods():
            if not manifests.waits(self.workloads[name]):
                continue
            for container in manifests.first_containers(self.workloads[name]):
                if not self._has_succeeded(self._container(container, pod), say=say):
                    raise Failed(f"{container} of {pod} failed")
            self._take_down(self.folder / f"{pod}.yaml")
            self._play(name, pod, manifests.playable)

    def _await_all(self, *, say: containers.Say) -> None:
        for name in self.workloads:
            if self.is_asked(name):
                say(f"  {name} is ready after {self.wait_until_healthy(name):.0f} s")
        self._relay()

    def _relay(self) -> None:
        """Lead the port to the web's pods, over the bridge: podman gives this machine no address there."""
        interface, subnet = self._network()
        ours = f"{subnet[1]}/{subnet.prefixlen}"
        self.engine.program("ip", "address", "add", ours, "dev", interface)
        targets = [(self.addresses[pod], _WEB_PORT) for pod in manifests.pod_names(self.workloads["web"])]
        self.relays.append(Relay(port=self.port, targets=targets))

    def _pods(self) -> list[tuple[str, str]]:
        """Return every pod with its workload's name, in the order of the kustomization."""
        return [(name, pod) for name, entry in self.workloads.items() for pod in manifests.pod_names(entry)]

    def _make_network(self) -> None:
        """Make a network that leads nowhere else, and give each pod its address there."""
        self.engine("network", "create", "--internal", "--disable-dns", _NETWORK)
        _, subnet = self._network()
        for number, (_, pod) in enumerate(self._pods()):
            self.addresses[pod] = str(subnet[_FIRST_ADDRESS + number])

    def _network(self) -> tuple[str, ipaddress.IPv4Network]:
        """Return the bridge and the addresses of our network."""
        [network] = json.loads(self.engine("network", "inspect", _NETWORK))
        return network["network_interface"], ipaddress.IPv4Network(network["subnets"][0]["subnet"])

    def _make_secret(self) -> None:
        data = {name: base64.b64encode(value.encode()).decode() for name, value in self.values.items()}
        self.engine("secret", "create", _SECRET, "-", given=json.dumps(data).encode())

    def _make_volumes(self) -> None:
        """Make each volume as a new one of a cluster is: its file system's, with the first writer's group."""
        volumes: dict[str, Volume] = {}
        for name, pod in self._pods():
            for volume in manifests.volumes(self.workloads[name], pod).values():
                if volume.is_written:
                    volumes.setdefault(volume.name, volume)
        for volume in volumes.values():
            self._make_volume(volume)

    def _make_volume(self, volume: Volume) -> None:
        self.engine("volume", "create", "--opt", f"o=uid=0,gid={volume.group}", volume.name)
        [details] = json.loads(self.engine("volume", "inspect", volume.name))
        root = Path(details["Mountpoint"])
        root.chmod(0o2777 if volume.is_temporary else 0o2775)
        if not volume.is_temporary:
            (root / "lost+found").mkdir(mode=0o700)  # also: podman copies nothing of an image into it

    def _play(self, name: str, pod: str, render: Callable[..., Document]) -> None:
        file = self.folder / f"{pod}.yaml"
        file.write_text(yaml.safe_dump(render(self.workloads[name], pod, hosts=self._hosts(but=name))))
        self.played.append(file)
        options = [f"--network={_NETWORK}", f"--ip={self.addresses[pod]}"]
        self.engine("play", "kube", *options, f"--configmap={self.folder / 'settings.yaml'}", str(file))

    def _take_down(self, file: Path) -> None:
        self.engine("play", "kube", "--down", str(file))
        self.played.remove(file)

    def _hosts(self, *, but: str) -> dict[str, str]:
        """Return the Services' addresses that a workload's pods need: those of each one's first pod."""
        return {
            service: self.addresses[manifests.pod_names(workload)[0]]
            for name, workload in self.workloads.items()
            for service in manifests.services(self.documents, workload)
            if name != but
        }

    def _finish_job(self, name: str, pod: str, *, say: containers.Say) -> None:
        """Wait for a Job, and play it again as often as its manifest allows. Raises Failed."""
        most = self.workloads[name]["spec"]["backoffLimit"]
        for failures in range(most + 1):
            if failures:
                time.sleep(_FIRST_DELAY_SECONDS * 2 ** (failures - 1))
                self._take_down(self.folder / f"{pod}.yaml")
                self._play(name, pod, manifests.playable)
            if self._has_succeeded(self._container(name, pod), say=say):
                return
        raise Failed(f"{name} failed {most + 1} times")

    def _has_succeeded(self, container: str, *, say: containers.Say) -> bool:
        seconds = containers.wait(
            f"{container}'s end",
            lambda: self.engine.state(container)["Status"] == "exited",
            seconds=_JOB_SECONDS,
        )
        code = self.engine.state(container)["ExitCode"]
        last = self.engine.logs(container).strip().splitlines()[-1:]
        say(f"  {container} ended with {code} after {seconds:.0f} s{f': {last[0][:100]}' if code else ''}")
        return bool(code == 0)

    def _container(self, service: str, pod: str) -> str:
        """Return a pod's container, which podman names by pod and container, for a Deployment with more."""
        pattern = f"^{pod}(-pod.*)?-{service}$"
        names = self.engine("ps", "--all", "--format={{.Names}}", f"--filter=name={pattern}").split()
        if len(names) != 1:
            raise Failed(f"{pod} has {len(names)} containers named {service}")
        return names[0]

    def _wait_until_ready(self, workload: Document, container: str) -> float:
        seconds = 0.0
        for kind in ("startupProbe", "readinessProbe"):
            if (probe := manifests.probe(workload, kind)) is None:
                continue
            is_ready = partial(self.engine.succeeds, "exec", container, *manifests.probe_command(probe))
            most = manifests.allowed_seconds(probe) if kind == "startupProbe" else _READY_SECONDS
            seconds += containers.wait(f"{container}'s {kind}", is_ready, seconds=most)
        return seconds
