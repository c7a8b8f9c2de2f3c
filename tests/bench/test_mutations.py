"""The wrong lines that `bench mutations` tries stand in the code, once each, with tests that are there."""

from __future__ import annotations

from collections import Counter

import pytest

from bench._mutated_lines import MUTATIONS, Mutation
from deploy.local.places import ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.file)
def test_changes_one_line_that_is_there(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.before) == 1
    assert mutation.after != mutation.before
    assert [path for path in mutation.tests.split() if not (ROOT / path).exists()] == []


def test_are_ten_in_each_part() -> None:
    parts = Counter(one.file.removeprefix("moderation/").partition("/")[0] for one in MUTATIONS)

    assert parts == {"operations": 10, "queries": 10, "scoring": 10}
