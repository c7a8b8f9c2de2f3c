"""`deploy/kubernetes` as kustomize gives it to a cluster, and each pod of it as podman plays it.

Pure functions. podman plays Deployments, Pods and ConfigMaps. A StatefulSet is given to it as a Deployment, a
Job as a Pod, and what it would do otherwise than a cluster is done for it: `pods.py` has the list.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deploy.local.places import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
Document = dict[str, Any]
_WORKLOADS = ("Deployment", "StatefulSet", "Job")
_PLAYED = ("ConfigMap", "PersistentVolumeClaim", "Service", *_WORKLOADS)
_NOT_PODMANS = ("ports", "startupProbe", "readinessProbe", "livenessProbe")


@dataclass(frozen=True)
class Volume:
    """A volume of a pod: the group that a kubelet gives it to, and whether it is the pod's own and empty."""

    name: str
    group: int
    is_temporary: bool
    is_written: bool


def kustomized(folder: Path = FOLDER) -> list[Document]:
    """Return the manifests that the kustomization lists, with its namespace and its images."""
    settings = yaml.safe_load((folder / "kustomization.yaml").read_text())
    documents = [part for name in settings["resources"] for part in _documents(folder / name)]
    names = {row["name"]: f"{row['newName']}:{row['newTag']}" for row in settings["images"]}
    for document in documents:
        if document["kind"] != "Namespace":
            document["metadata"]["namespace"] = settings["namespace"]
    return with_images(documents, names)


def with_images(documents: Iterable[Document], named: Mapping[str, str]) -> list[Document]:
    """Return the documents with other images in place of those that are named."""
    changed = copy.deepcopy(list(documents))
    for container in (part for document in changed for part in _containers(_pod(document))):
        container["image"] = named.get(container["image"], container["image"])
    return changed


def workloads(documents: Iterable[Document]) -> dict[str, Document]:
    """Return what makes pods, by name."""
    return {item["metadata"]["name"]: item for item in documents if item["kind"] in _WORKLOADS}


def settings(documents: Iterable[Document]) -> list[Document]:
    """Return the ConfigMaps."""
    return [document for document in documents if document["kind"] == "ConfigMap"]


def services(documents: Iterable[Document], workload: Document) -> list[str]:
    """Return the names of the Services that send to a workload's pods."""
    labels = workload["spec"]["template"]["metadata"]["labels"].items()
    return [
        document["metadata"]["name"]
        for document in documents
        if document["kind"] == "Service" and document["spec"]["selector"].items() <= labels
    ]


def left_out(documents: Iterable[Document]) -> list[str]:
    """Return the kinds that only a cluster knows."""
    return sorted({document["kind"] for document in documents} - set(_PLAYED))


def pod_names(workload: Document) -> list[str]:
    """Return names for the pods of a workload; those of a StatefulSet are the cluster's own."""
    name = workload["metadata"]["name"]
    return [f"{name}-{number}" for number in range(workload["spec"].get("replicas", 1))]


def volumes(workload: Document, pod: str) -> dict[str, Volume]:
    """Return what a pod mounts, by the names in its manifest."""
    spec = _pod(workload)
    group = spec["securityContext"]["fsGroup"]
    volumes_by_name = {}
    for row in spec.get("volumes", ()):
        claim = row.get("persistentVolumeClaim")
        name = claim["claimName"] if claim else f"{pod}-{row['name']}"
        is_written = not (claim or {}).get("readOnly", False)
        volumes_by_name[row["name"]] = Volume(name, group, is_temporary=claim is None, is_written=is_written)
    for template in workload["spec"].get("volumeClaimTemplates", ()):
        name = template["metadata"]["name"]
        volumes_by_name[name] = Volume(f"{name}-{pod}", group, is_temporary=False, is_written=True)
    return volumes_by_name


def first(workload: Document, pod: str, *, hosts: Mapping[str, str]) -> Document:
    """Return the init containers of a pod as a Pod of their own: podman 4.3 never sees them end."""
    spec = _played_spec(workload, pod, hosts=hosts)
    spec |= {"containers": spec.pop("initContainers"), "restartPolicy": "Never"}
    return _pod_document(workload, pod, spec)


def playable(workload: Document, pod: str, *, hosts: Mapping[str, str]) -> Document:
    """Return one pod of a workload as podman plays it; `hosts` are the addresses of Services.

    A Deployment of one pod, or for a Job a Pod, which ends; without its init containers.
    """
    spec = _played_spec(workload, pod, hosts=hosts)
    spec.pop("initContainers", None)
    if workload["kind"] == "Job":
        return _pod_document(workload, pod, spec)
    template = {"metadata": workload["spec"]["template"]["metadata"], "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": pod},
        "spec": {"replicas": 1, "selector": workload["spec"]["selector"], "template": template},
    }


def waits(workload: Document) -> bool:
    """Return whether the workload's pods have init containers."""
    return bool(_pod(workload).get("initContainers"))


def first_containers(workload: Document) -> list[str]:
    """Return the names of a pod's init containers."""
    return [container["name"] for container in _pod(workload)["initContainers"]]


def probe(workload: Document, kind: str) -> Document | None:
    """Return a probe of the workload's first container: startupProbe, readinessProbe or livenessProbe."""
    container = _pod(workload)["containers"][0]
    spec: Document | None = container.get(kind)
    return spec


def probe_command(probe: Document) -> list[str]:
    """Return the command that asks in the container what a kubelet would ask; it needs Python for HTTP."""
    if "exec" in probe:
        return list(probe["exec"]["command"])
    request = probe["httpGet"]
    headers = {row["name"]: row["value"] for row in request.get("httpHeaders", ())}
    url = f"http://127.0.0.1:{request['port']}{request['path']}"
    seconds = probe.get("timeoutSeconds", 1)
    script = "from urllib.request import Request, urlopen; "
    script += f"urlopen(Request({url!r}, headers={headers!r}), timeout={seconds})"
    return ["python", "-c", script]


def allowed_seconds(probe: Document) -> int:
    """Return how long a kubelet lets this probe fail before it gives up."""
    return int(probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3))


def _played_spec(workload: Document, pod: str, *, hosts: Mapping[str, str]) -> Document:
    """Return the pod's spec with our volumes and hosts, without what podman does otherwise than a cluster."""
    spec = copy.deepcopy(_pod(workload))
    for container in _containers(spec):
        container["imagePullPolicy"] = "Never"
        for name in _NOT_PODMANS:
            container.pop(name, None)
    spec["hostAliases"] = [{"ip": address, "hostnames": [name]} for name, address in hosts.items()]
    spec["volumes"] = [
        {
            "name": name,
            "persistentVolumeClaim": {"claimName": volume.name, "readOnly": not volume.is_written},
        }
        for name, volume in volumes(workload, pod).items()
    ]
    return spec


def _pod_document(workload: Document, pod: str, spec: Document) -> Document:
    metadata = workload["spec"]["template"]["metadata"] | {"name": pod}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _documents(path: Path) -> list[Document]:
    return list(yaml.safe_load_all(path.read_text()))


def _pod(document: Document) -> Document:
    spec: Document = document.get("spec", {}).get("template", {}).get("spec", {})
    return spec


def _containers(spec: Document) -> list[Document]:
    return [*spec.get("initContainers", ()), *spec.get("containers", ())]
