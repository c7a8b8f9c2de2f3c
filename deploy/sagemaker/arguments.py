"""Types of the commands' arguments by AWS's rules, so that a wrong one is refused before sending."""

import argparse
import math
import re
from collections.abc import Callable
from pathlib import Path


def _of_form(pattern: str, form: str) -> Callable[[str], str]:
    """Return an argparse type for strings that match `pattern`; `form` describes these."""

    def checked(given: str) -> str:
        if not re.fullmatch(pattern, given):
            raise argparse.ArgumentTypeError(f"{given[:100]!r} is not {form}")
        return given

    return checked


# As AWS's reference of CreateEndpoint and CreateModel has them.
name = _of_form(
    r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}",
    "a name that SageMaker takes: at most 63 letters, digits and, between them, hyphens",
)
image = _of_form(r"\S{1,255}", "an image: name:tag, or a whole registry address")
account = _of_form(r"\d{12}", "the number of an account: 12 digits")
role = _of_form(
    r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,512}",
    "the ARN of a role: arn:aws:iam::123456789012:role/NAME",
)
s3_address = _of_form(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/\S{1,900}", "an address in S3: s3://bucket/key")


def file(given: str) -> Path:
    """Return a file that is there."""
    if not Path(given).is_file():
        raise argparse.ArgumentTypeError(f"{given!r} is no file")
    return Path(given)


def count(given: str) -> int:
    """Return a number of instances."""
    if not (given.isascii() and given.isdigit() and 0 < int(given) < 1000):
        raise argparse.ArgumentTypeError(f"{given[:20]!r} is not a number from 1 to 999")
    return int(given)


def seconds(given: str) -> float:
    """Return a time to wait."""
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{given[:20]!r} is not a number of seconds")
    return value


def pair(given: str) -> tuple[str, str]:
    """Return a variable of the environment and its value."""
    variable, is_pair, value = given.partition("=")
    if not (variable and is_pair):
        raise argparse.ArgumentTypeError(f"{given[:100]!r} is not NAME=value")
    return variable, value
