"""What an answer of the review page brings."""

import re
from typing import Any


def parts(answer: Any) -> list[int]:
    """The cases that an answer brings, in their order."""
    cases = re.findall(r'current-case__body"\s+data-case="(\d+)"', answer.content.decode())
    return [int(found) for found in cases]


def current(answer: Any) -> str:
    """The case that the answer puts in front, "" where the page goes on with what it holds."""
    found = re.search(r'data-current="(\d*)"', answer.content.decode())
    assert found is not None
    return found.group(1)
