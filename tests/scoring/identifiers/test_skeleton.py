"""Names that look alike have one skeleton."""

from __future__ import annotations

import pytest

from scoring.identifiers.skeleton import skeleton


@pytest.mark.parametrize(
    "name", ["Paypal", "раураl", "paypa1", "PAYPAI", "p\u00e1yp\u00e0l", "p\u200baypal", "ｐａｙｐａｌ"]
)
def test_is_the_same_for_look_alikes(name: str) -> None:
    assert skeleton(name) == "paypal"


@pytest.mark.parametrize(("one", "other"), [("paypal", "paypals"), ("shop", "stop"), ("a_b", "a.b")])
def test_differs_for_other_names(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
