"""The wrong lines that `bench mutations` tries stand in the code, once each, with tests that are there."""

from __future__ import annotations

import pytest

from deploy.local.places import ROOT
from lab._mutated_lines import MUTATIONS, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.file)
def test_changes_one_line_that_is_there(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.before) == 1
    assert mutation.after != mutation.before
    assert [path for path in mutation.tests.split() if not (ROOT / path).exists()] == []
