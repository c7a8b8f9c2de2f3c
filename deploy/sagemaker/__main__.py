"""`python -m deploy.sagemaker package | create | wait | update | invoke | delete`, for SageMaker."""

import argparse
import json
import math
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from deploy.local.places import ROOT
from deploy.sagemaker import archive

try:
    from deploy.sagemaker import endpoint, invoke, update
except ModuleNotFoundError as missing:
    sys.exit(f"spamdesk: {missing.name} is missing: pip install -r requirements/sagemaker.txt")

_MODEL = "content"


def _of_form(pattern: str, form: str) -> Callable[[str], str]:
    """Return an argparse type for strings that match `pattern`; `form` describes these."""

    def checked(given: str) -> str:
        if not re.fullmatch(pattern, given):
            raise argparse.ArgumentTypeError(f"{given[:100]!r} is not {form}")
        return given

    return checked


# As AWS's reference of CreateEndpoint and CreateModel has them.
_name = _of_form(
    r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}",
    "a name that SageMaker takes: at most 63 letters, digits and, between them, hyphens",
)
_image = _of_form(r"\S{1,255}", "an image: name:tag, or a whole registry address")
_account = _of_form(r"\d{12}", "the number of an account: 12 digits")
_role = _of_form(
    r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,512}",
    "the ARN of a role: arn:aws:iam::123456789012:role/NAME",
)
_s3_address = _of_form(
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/\S{1,900}", "an address in S3: s3://bucket/key"
)


def _file(given: str) -> Path:
    """Return a file that is there."""
    if not Path(given).is_file():
        raise argparse.ArgumentTypeError(f"{given!r} is no file")
    return Path(given)


def _count(given: str) -> int:
    """Return a number of instances."""
    if not (given.isascii() and given.isdigit() and 0 < int(given) < 1000):
        raise argparse.ArgumentTypeError(f"{given[:20]!r} is not a number from 1 to 999")
    return int(given)


def _seconds(given: str) -> float:
    """Return a time to wait."""
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{given[:20]!r} is not a number of seconds")
    return value


def _pair(given: str) -> tuple[str, str]:
    """Return a variable of the environment and its value."""
    variable, is_pair, value = given.partition("=")
    if not (variable and is_pair):
        raise argparse.ArgumentTypeError(f"{given[:100]!r} is not NAME=value")
    return variable, value


def main(given: list[str] | None = None) -> None:
    """Do one step; ends with exit code 1 and one line on standard error if it cannot be done."""
    options = _options(given)
    try:
        options.act(options)
    except (archive.NotARepository, endpoint.Failed, OSError) as refusal:
        sys.exit(f"spamdesk: {refusal}")
    except KeyboardInterrupt:
        sys.exit("spamdesk: interrupted")


def _package(options: argparse.Namespace) -> None:
    names = archive.write(options.repository, model=options.model, archive=options.out)
    print(f"{options.out}: {', '.join(names)}; {options.out.stat().st_size:,} bytes")


def _create(options: argparse.Namespace) -> None:
    plan = endpoint.Wanted(
        name=options.name,
        image=endpoint.image_address(options.image, account=options.account),
        role=options.role,
        model_data=options.model_data,
        archive=options.archive,
        environment=dict(options.env) | {endpoint.DEFAULT_MODEL: options.model},
        instance_type=options.instance_type,
        instances=options.instances,
    )
    endpoint.create(plan, say=_say)
    _say(f"it costs money from now on: `python -m deploy.sagemaker delete {options.name}` ends that")


def _wait(options: argparse.Namespace) -> None:
    limits = _limits(options)
    try:
        endpoint.wait(options.name, say=_say, **limits)
    except (endpoint.Failed, KeyboardInterrupt) as why:
        if options.delete_on_failure:
            _say(f"deleting {options.name}: {why or 'interrupted'}")
            endpoint.delete(options.name, say=_say, with_archive=False, **limits)
        raise


def _update(options: argparse.Namespace) -> None:
    update.update(
        options.name,
        model=options.model,
        model_data=options.model_data,
        archive=options.archive,
        say=_say,
        **_limits(options),
    )


def _invoke(options: argparse.Namespace) -> None:
    if bool(options.text) == bool(options.image):
        raise endpoint.Failed("give texts or, by --image, files of pictures")
    if options.image:
        pictures = [path.read_bytes() for path in options.image]
        answer = invoke.ask_pictures(options.name, pictures, is_binary=options.binary)
    else:
        answer = invoke.ask(options.name, options.text, is_binary=options.binary)
    print(json.dumps(answer))


def _delete(options: argparse.Namespace) -> None:
    endpoint.delete(options.name, say=_say, with_archive=options.with_archive, **_limits(options))


def _limits(options: argparse.Namespace) -> dict[str, float]:
    return {"timeout_seconds": options.timeout, "poll_seconds": options.poll}


def _options(given: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deploy.sagemaker", description=__doc__)
    steps = parser.add_subparsers(required=True, metavar="STEP")

    def step(act: Callable[[argparse.Namespace], None], about: str) -> argparse.ArgumentParser:
        command = steps.add_parser(act.__name__.removeprefix("_"), help=about, description=about)
        command.set_defaults(act=act)
        return command

    package = step(_package, "write model.tar.gz of a Triton repository")
    package.add_argument("--repository", type=Path, default=ROOT / "triton_repo", help="that of a release")
    package.add_argument("--out", type=Path, default=Path("model.tar.gz"))
    _model(package)
    _add_create(step(_create, "create model, endpoint configuration and endpoint; undone if one fails"))
    wait = step(_wait, "wait until an endpoint is in service")
    wait.add_argument("name", type=_name)
    _waiting(wait)
    wait.add_argument("--delete-on-failure", action="store_true", help="delete all if it does not come up")
    change = step(_update, "serve another model beside an endpoint's newest; if that fails, as before")
    change.add_argument("name", type=_name)
    change.add_argument("--model", required=True, help="the model to add, by the name that `package` took")
    _archive(change)
    _waiting(change)
    invoke = step(_invoke, "send texts or pictures; prints logits, or the five likeliest classes, as JSON")
    invoke.add_argument("name", type=_name)
    invoke.add_argument("text", nargs="*")
    invoke.add_argument("--image", type=Path, nargs="+", help="files of pictures, for the image model")
    invoke.add_argument("--binary", action="store_true", help="tensors in binary behind a JSON header")
    delete = step(_delete, "delete endpoint, once it has started or failed, configuration and model")
    delete.add_argument("name", type=_name)
    _waiting(delete)
    delete.add_argument("--with-archive", action="store_true", help="the model's archive in S3, too")
    return parser.parse_args(given)


def _add_create(create: argparse.ArgumentParser) -> None:
    create.add_argument("name", type=_name, help="of endpoint, configuration and model")
    create.add_argument("--image", type=_image, required=True, help="name:tag, or a whole registry address")
    create.add_argument("--account", type=_account, help="whose registry has name:tag")
    create.add_argument(
        "--role",
        type=_role,
        required=True,
        help="ARN of the execution role, which must read the archive",
    )
    _archive(create)
    create.add_argument("--instance-type", default="ml.c5.xlarge", help="ml.c5.xlarge if not given")
    create.add_argument("--instances", type=_count, default=1)
    create.add_argument(
        "--env", type=_pair, action="append", default=[], help="NAME=value, for the container"
    )
    _model(create)


def _archive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model-data", type=_s3_address, required=True, help="s3://bucket/key of the archive"
    )
    parser.add_argument("--archive", type=_file, help="a local model.tar.gz to send there first")


def _model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default=_MODEL, help="what clients call; content if not given")


def _waiting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timeout", type=_seconds, default=1800.0, help="seconds; 1800 if not given")
    parser.add_argument("--poll", type=_seconds, default=10.0, help="seconds between looks; 10 if not given")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    # What ends a job elsewhere, too: what was made until then is deleted.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
