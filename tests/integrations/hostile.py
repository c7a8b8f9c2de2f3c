"""Values that a platform's JSON may hold where another is expected."""

import copy
from collections.abc import Iterator
from typing import Any

VALUES: tuple[Any, ...] = (
    *(None, -1, 10**30, 1.5, True, "", "unheard-of", "9" * 5_000, "half \ud800 pair \0"),
    *("<script>alert(1)</script><b>" * 300, "word " * 200_000, "[" * 9_000, "javascript:alert(1)"),
    *("9999-99-99T99:99:99Z", "0001-01-01T00:00:00+14:00"),
    *([], {}, [None, 3, "x", [[]], {"id": {}}], {"id": ["x"]}),
)


def spoiled(value: dict[str, Any], *, values: tuple[Any, ...] = VALUES) -> Iterator[dict[str, Any]]:
    """Yield copies of JSON: each with one field missing, or holding one of the values, at every depth."""
    for path in _paths(value):
        for put in (*values, _MISSING):
            copied = copy.deepcopy(value)
            holder = copied
            for name in path[:-1]:
                holder = holder[name]
            if put is _MISSING:
                del holder[path[-1]]
            else:
                holder[path[-1]] = put
            yield copied


_MISSING = object()


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*above, name)
        yield from _paths(inner, (*above, name))
