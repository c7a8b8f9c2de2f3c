"""An endpoint with its configuration and model, all three of one name."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError

READY = "InService"
_ON_THE_WAY = {"Creating", "Updating", "SystemUpdating", "RollingBack"}
DEFAULT_MODEL = "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME"
_ADDED = re.compile(r"-(content|image)-[0-9a-f]{12}")
"""What follows an endpoint's name in those of what an update added."""
_KINDS = (
    ("endpoint", "endpoint", "EndpointName"),
    ("configuration", "endpoint_config", "EndpointConfigName"),
    ("model", "model", "ModelName"),
)
"""What is created: its title, its name in boto3's calls, and the argument that names it."""
_NOT_THERE, _S3_NOT_THERE = "Could not find", "HeadObject: 404:"
"""SageMaker's words for what is not there, and S3's."""

# Not AWS_REGION, which boto3 does not read.
_REGION = ": set AWS_DEFAULT_REGION, or AWS_PROFILE to one that has a region"
_CREDENTIALS = ": set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a machine's role"
_HINTS: dict[type[Exception], str] = {
    exceptions.NoCredentialsError: _CREDENTIALS,
    exceptions.PartialCredentialsError: _CREDENTIALS,
    exceptions.ProfileNotFound: ": AWS_PROFILE names none of your configuration",
    exceptions.NoRegionError: _REGION,
    exceptions.EndpointConnectionError: ": is the region right (AWS_DEFAULT_REGION), and AWS reachable?",
}


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
        reason = " ".join(str(wrong).split()).removesuffix(".")
        raise Failed(reason + _HINTS.get(type(wrong), "")) from wrong


def create(wanted: Wanted, *, say: Callable[[str], None]) -> None:
    """Create model, configuration and endpoint; what was made before a failure is deleted again.

    Returns while the endpoint still starts. Raises Failed, also if one of them is there already: what others
    made is neither written over nor deleted.
    """
    steps = _steps(wanted, client_of("sagemaker"))
    for part, _ in steps:
        if is_there(part):
            raise Failed(f"{part.title} is there already: {part.way_out}")
    make(steps, name=wanted.name, say=say)


def make(
    steps: Sequence[tuple["Part", Callable[[], Any]]], *, name: str, say: Callable[[str], None]
) -> list["Part"]:
    """Make things in order; return them, the last first. What was made before a failure is deleted again."""
    parts: list[Part] = []
    try:
        for part, act in steps:
            parts.append(part)  # before it is made: AWS may do what is asked, and the answer be lost
            with refusals():
                act()
            say(f"created {part.title}")
    except BaseException:
        if rest := removed_but(parts[::-1], say=say):
            say(f"left behind: {', '.join(rest)}; delete {name} when the reason is gone")
        raise
    return parts[::-1]


def wait(name: str, *, timeout_seconds: float, poll_seconds: float, say: Callable[[str], None]) -> None:
    """Return when the endpoint is in service. Raises Failed with AWS's reason, or when time is up."""
    description = settled(name, timeout_seconds=timeout_seconds, poll_seconds=poll_seconds, say=say)
    if description["EndpointStatus"] != READY:
        reason = description.get("FailureReason", "AWS gives no reason")
        raise Failed(f"{name} is {description['EndpointStatus']}: {reason}")


def delete(
    name: str,
    *,
    timeout_seconds: float,
    poll_seconds: float,
    say: Callable[[str], None],
    with_archive: bool = False,
) -> None:
    """Delete endpoint, configuration and model, whichever are there; `with_archive` the model's archive, too.

    AWS deletes no endpoint while it starts, so that is waited for. What one that cannot be deleted needs is
    kept. Raises Failed with all that is left.
    """
    client = client_of("sagemaker")
    with refusals():
        models = client.list_models(NameContains=f"{name}-", MaxResults=100)["Models"]
    added = [one["ModelName"] for one in models if _ADDED.fullmatch(one["ModelName"], len(name))]
    groups = [parts_of(one, client) for one in (name, *added)]
    parts = [groups[0][0], *(group[1] for group in groups)]
    for model in (group[2] for group in groups):
        # Before the model, which alone knows where it is.
        archive = _archive_of(model, say=say) if with_archive else None
        parts += [archive, model] if archive else [model]
    if is_there(parts[0]):
        settled(name, timeout_seconds=timeout_seconds, poll_seconds=poll_seconds, say=say)
    if rest := removed_but(parts, say=say):
        raise Failed(f"not deleted, and may cost money: {', '.join(rest)}; delete {name} again")


def image_address(image: str, *, account: str | None) -> str:
    """Return the address of `name:tag` in the account's registry, or the whole one that was given.

    Raises Failed without an account or a region.
    """
    if "/" in image:
        return image
    if account is None:
        raise Failed(f"whose image is {image}? Give --account, or a whole address")
    region = client_of("sagemaker").meta.region_name
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{account}.dkr.ecr.{region}.{domain}/{image}"


def client_of(service: str) -> Any:
    """Return boto3's client of a service; region and credentials from where boto3 looks. Raises Failed."""
    with refusals():
        return boto3.session.Session().client(service)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing in the account; `find` and `remove` raise what `_NOT_THERE` describes if it is not there."""

    title: str
    find: Callable[[], Any]
    remove: Callable[[], Any]
    way_out: str


def parts_of(name: str, client: Any) -> list[Part]:
    """Return endpoint, configuration and model: each needs those behind it."""
    return [
        Part(
            title=f"{title} {name}",
            find=partial(getattr(client, f"describe_{kind}"), **{argument: name}),
            remove=partial(getattr(client, f"delete_{kind}"), **{argument: name}),
            way_out=f"take another name, or delete {name} first",
        )
        for title, kind, argument in _KINDS
    ]


def _archive(address: str, store: Any) -> Part:
    place = _place(address)
    return Part(
        title=address,
        find=lambda: store.head_object(**place),
        # S3 says nothing if there was none to delete.
        remove=lambda: (store.head_object(**place), store.delete_object(**place)),
        way_out="leave out --archive to take it as it is, or give another --model-data",
    )


def _place(address: str) -> dict[str, str]:
    parts = urlsplit(address)
    return {"Bucket": parts.netloc, "Key": parts.path.removeprefix("/")}


def _archive_of(model: Part, *, say: Callable[[str], None]) -> Part | None:
    if not is_there(model):
        say(f"not there: {model.title}, so nothing says where its archive is: look in S3")
        return None
    with refusals():
        address = model.find()["PrimaryContainer"]["ModelDataUrl"]
    return _archive(address, client_of("s3"))


def _steps(wanted: Wanted, client: Any) -> list[tuple[Part, Callable[[], Any]]]:
    """Return what to make, in order, and how."""
    name = wanted.name
    endpoint, configuration, model = parts_of(name, client)
    container = {
        "Image": wanted.image,
        "ModelDataUrl": wanted.model_data,
        "Environment": dict(wanted.environment),
    }
    variant = {
        "VariantName": wanted.environment[DEFAULT_MODEL].replace("_", "-"),
        "ModelName": name,
        "InstanceType": wanted.instance_type,
        "InitialInstanceCount": wanted.instances,
    }
    steps: list[tuple[Part, Callable[[], Any]]] = [
        (
            model,
            lambda: client.create_model(
                ModelName=name, ExecutionRoleArn=wanted.role, PrimaryContainer=container
            ),
        ),
        (
            configuration,
            lambda: client.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant]),
        ),
        (endpoint, lambda: client.create_endpoint(EndpointName=name, EndpointConfigName=name)),
    ]
    return [*upload(wanted.archive, to=wanted.model_data), *steps]


def upload(archive: Path | None, *, to: str) -> list[tuple[Part, Callable[[], Any]]]:
    """Return the step that sends an archive to S3, none without one."""
    if archive is None:
        return []
    store, place = client_of("s3"), _place(to)
    return [(_archive(to, store), lambda: store.upload_file(Filename=str(archive), **place))]


def settled(
    name: str, *, timeout_seconds: float, poll_seconds: float, say: Callable[[str], None]
) -> dict[str, Any]:
    """Return what AWS says of an endpoint once it neither starts nor changes. Raises Failed."""
    client = client_of("sagemaker")
    began = time.monotonic()
    while True:
        with refusals():
            description: dict[str, Any] = client.describe_endpoint(EndpointName=name)
        status, took = description["EndpointStatus"], time.monotonic() - began
        say(f"{took:5.0f} s  {status}")
        if status not in _ON_THE_WAY:
            return description
        if took + poll_seconds > timeout_seconds:
            raise Failed(
                f"{name} is still {status} after {took:.0f} s; it costs money until it is deleted, which AWS"
                " does not do before"
            )
        time.sleep(poll_seconds)


def is_there(part: Part) -> bool:
    try:
        with refusals():
            part.find()
    except Failed as refusal:
        if _is_missing(refusal):
            return False
        raise
    return True


def removed_but(parts: Sequence[Part], *, say: Callable[[str], None]) -> list[str]:
    """Remove parts up to the first that cannot be; return the titles of that one and of those behind it."""
    for number, part in enumerate(parts):
        try:
            with refusals():
                part.remove()
            say(f"deleted {part.title}")
        except Failed as refusal:
            if not _is_missing(refusal):
                say(f"cannot delete {part.title}: {refusal}")
                return [other.title for other in parts[number:]]
            say(f"not there: {part.title}")
    return []


def _is_missing(refusal: Failed) -> bool:
    return str(refusal).startswith(_S3_NOT_THERE) or _NOT_THERE in str(refusal)
