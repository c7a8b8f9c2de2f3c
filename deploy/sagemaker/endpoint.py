"""An endpoint with its configuration and model, all three of one name."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.exceptions import BotoCoreError, ClientError

READY = "InService"
_ON_THE_WAY = {"Creating", "Updating", "SystemUpdating", "RollingBack"}
_VARIANT = "all"


class Failed(Exception):
    """AWS refused, or the endpoint did not come up; the message is for the person at the terminal."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to create. `model_data` is an s3:// address; `archive`, if given, is sent there first."""

    name: str
    image: str
    role: str
    model_data: str
    environment: Mapping[str, str]
    instance_type: str
    instances: int = 1
    archive: Path | None = None


@contextmanager
def refusals() -> Iterator[None]:
    """Raise Failed, in one line, for every refusal of AWS or boto3 inside."""
    try:
        yield
    except ClientError as refusal:
        error = refusal.response.get("Error", {})
        raise Failed(f"{refusal.operation_name}: {error.get('Code')}: {error.get('Message')}") from refusal
    except (BotoCoreError, boto3.exceptions.Boto3Error) as wrong:
        raise Failed(" ".join(str(wrong).split())) from wrong


def create(wanted: Wanted, *, say: Callable[[str], None]) -> None:
    """Create model, configuration and endpoint; what was made before a failure is deleted again.

    Returns while the endpoint still starts. Raises Failed.
    """
    with refusals():
        made = sagemaker()
        undo: list[tuple[str, Callable[[], Any]]] = []
        try:
            for title, act, revert in _steps(wanted, made):
                act()
                undo.append((title, revert))
                say(f"created {title}")
        except BaseException:
            for title, revert in reversed(undo):
                _try(title, revert, say=say)
            raise


def wait(name: str, *, timeout_seconds: float, poll_seconds: float, say: Callable[[str], None]) -> None:
    """Return when the endpoint is in service. Raises Failed with AWS's reason, or when time is up."""
    began = time.monotonic()
    while True:
        with refusals():
            found = sagemaker().describe_endpoint(EndpointName=name)
        status, took = found["EndpointStatus"], time.monotonic() - began
        say(f"{took:5.0f} s  {status}")
        if status == READY:
            return
        if status not in _ON_THE_WAY:
            raise Failed(f"{name} is {status}: {found.get('FailureReason', 'AWS gives no reason')}")
        if took + poll_seconds > timeout_seconds:
            raise Failed(f"{name} is still {status} after {took:.0f} s; it costs money until it is deleted")
        time.sleep(poll_seconds)


def delete(name: str, *, say: Callable[[str], None], with_archive: bool = False) -> None:
    """Delete endpoint, configuration and model, whichever are there.

    `with_archive` also the model's archive in S3. One that cannot be deleted does not keep the others.
    Raises Failed with all that is left.
    """
    with refusals():
        client = sagemaker()
    steps = [
        (f"endpoint {name}", lambda: client.delete_endpoint(EndpointName=name)),
        (f"configuration {name}", lambda: client.delete_endpoint_config(EndpointConfigName=name)),
        (f"model {name}", lambda: client.delete_model(ModelName=name)),
    ]
    if with_archive:
        steps.insert(0, (f"archive of {name}", lambda: _delete_archive(client, name)))
    if left := [title for title, act in steps if not _try(title, act, say=say)]:
        raise Failed(f"not deleted, and may cost money: {', '.join(left)}")


def sagemaker() -> Any:
    """Return boto3's client of the control plane; region and credentials from where boto3 looks."""
    return boto3.session.Session().client("sagemaker")


def _steps(wanted: Wanted, client: Any) -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Return what to make, in order: title, how, and how to take it back."""
    name = wanted.name
    if wanted.archive:
        store, place = boto3.session.Session().client("s3"), _object(wanted.model_data)
        yield (
            wanted.model_data,
            lambda: store.upload_file(str(wanted.archive), place["Bucket"], place["Key"]),
            lambda: store.delete_object(**place),
        )
    container = {
        "Image": wanted.image,
        "ModelDataUrl": wanted.model_data,
        "Environment": dict(wanted.environment),
    }
    yield (
        f"model {name}",
        lambda: client.create_model(ModelName=name, ExecutionRoleArn=wanted.role, PrimaryContainer=container),
        lambda: client.delete_model(ModelName=name),
    )
    variant = {
        "VariantName": _VARIANT,
        "ModelName": name,
        "InstanceType": wanted.instance_type,
        "InitialInstanceCount": wanted.instances,
    }
    yield (
        f"configuration {name}",
        lambda: client.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant]),
        lambda: client.delete_endpoint_config(EndpointConfigName=name),
    )
    yield (
        f"endpoint {name}",
        lambda: client.create_endpoint(EndpointName=name, EndpointConfigName=name),
        lambda: client.delete_endpoint(EndpointName=name),
    )


def _delete_archive(client: Any, name: str) -> None:
    found = client.describe_model(ModelName=name)["PrimaryContainer"]["ModelDataUrl"]
    boto3.session.Session().client("s3").delete_object(**_object(found))


def _object(address: str) -> dict[str, str]:
    parts = urlsplit(address)
    return {"Bucket": parts.netloc, "Key": parts.path.removeprefix("/")}


def _try(title: str, act: Callable[[], Any], *, say: Callable[[str], None]) -> bool:
    try:
        with refusals():
            act()
    except Failed as refusal:
        if "Could not find" in str(refusal):  # SageMaker's words for what is not there
            say(f"not there: {title}")
            return True
        say(f"cannot delete {title}: {refusal}")
        return False
    say(f"deleted {title}")
    return True
