"""The content model that the running product serves, or that of another Triton."""

from __future__ import annotations

import os
import sys

from deploy.local import addresses
from scoring.content import ContentModel


def connect(*, remembers: int = 0) -> ContentModel:
    """Return a client of it that keeps so many answers; exits with a clear message if there is none."""
    addresses.fill()
    if "TRITON_URL" not in os.environ:
        sys.exit("No Triton: start the product with `make run`, or name one in TRITON_URL.")
    return ContentModel(url=os.environ["TRITON_URL"], version="1", timeout_seconds=20.0, remembers=remembers)
