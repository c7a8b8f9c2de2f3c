"""How long does it take to find the copies of a picture among a hundred thousand others, and in a flood?

make bench ARGS="picture_groups --pictures 100000"      (starts a database of its own, and leaves it)

Hashes by chance are written; then pictures are looked up as evidence workers do, each with its eight hashes:
copies that differ by 31 bits, and pictures that nobody has seen. Then as many again are written that all have
one band in common with those looked up, as somebody might draw them. Fails where a copy is not found, or the
plan reads all bands.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator

import django
import numpy as np

from lab import _stack

_BITS, _NEAR, _BAND = 256, 31, 0xBEEF


def main() -> None:
    """Fill, look up, print the table; exit code 1 where something is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    with _stack.running(name="picture-groups"):
        django.setup()
        problems = _measure(options.pictures, times=options.times, chance=random.Random(options.seed))
    if problems:
        sys.exit("Broken: " + "; ".join(problems))


def _measure(pictures: int, *, times: int, chance: random.Random) -> list[str]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE moderation_picturegroup CASCADE")
    hashes = [chance.getrandbits(_BITS) for _ in range(pictures)]
    known_hashes = [_marked(hash_) for hash_ in hashes[:times]]
    _write([*known_hashes, *hashes[times:]])
    print("| groups | of them in one band | picture | found | fastest ms | p50 | p95 | load average |")
    print("|---|---|---|---|---|---|---|---|")
    problems = _look_up(pictures, seen=known_hashes, chance=chance, flood=times)
    _write([_marked(chance.getrandbits(_BITS)) for _ in range(pictures)])
    problems += _look_up(2 * pictures, seen=known_hashes, chance=chance, flood=times + pictures)
    return problems + _plan(known_hashes[0])


def _look_up(groups: int, *, seen: list[int], chance: random.Random, flood: int) -> list[str]:
    problems, loads = [], ", ".join(f"{load:.0f}" for load in os.getloadavg())
    copies = [_copy(hash_, chance=chance) for hash_ in seen]
    strangers = [_marked(chance.getrandbits(_BITS)) for _ in seen]
    for label, hashes, expected, place in (
        ("a copy", copies, len(seen), 0),
        ("a copy, turned", copies, len(seen), 7),
        ("a new one", strangers, 0, 0),
    ):
        matches, seconds = 0, []
        for hash_ in hashes:
            others = [chance.getrandbits(_BITS) for _ in range(7)]
            began = time.perf_counter()
            matches += _is_known([*others[:place], hash_, *others[place:]])
            seconds.append(1000 * (time.perf_counter() - began))
        fastest, median, p95 = np.percentile(seconds, (0, 50, 95))
        times = " | ".join(f"{value:.1f}" for value in (fastest, median, p95))
        print(f"| {groups} | {flood} | {label} | {matches} of {len(hashes)} | {times} | {loads} |")
        problems += [] if matches == expected else [f"{label}: {matches} of {len(hashes)} found"]
    return problems


def _is_known(hashes: list[int]) -> bool:
    """Look a picture up as an evidence worker does, but write nothing down."""
    from django.db import transaction
    from django.utils import timezone

    from moderation.models import PictureGroup
    from moderation.operations.similarity import picture_groups

    first, *turned = (f"{hash_:064x}" for hash_ in hashes)
    at = timezone.now()
    with transaction.atomic():
        facts = {"pdq": first, "pdq_turned": turned, "pdq_quality": 100}
        group = picture_groups.of(facts, at=at)
        assert group is not None
        is_known = not PictureGroup.objects.filter(pk=group.pk, first_seen_at=at).exists()
        transaction.set_rollback(True)
    return is_known


def _marked(one: int) -> int:
    """Return a hash with the band in which the flood lies."""
    return one >> 16 << 16 | _BAND


def _copy(one: int, *, chance: random.Random) -> int:
    """Change as many bits as a copy may, so that bands differ by one bit at least wherever that can be."""
    for place in range(_NEAR):
        one ^= 1 << 16 * (place % 16) + (place // 16) * 8 + chance.randrange(8)
    return one


def _write(hashes: list[int]) -> None:
    from django.db import connection

    from moderation.operations.similarity import picture_groups

    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(max(id), 0) FROM moderation_picturegroup")
        begin = cursor.fetchone()[0] + 1
        rows = [(begin + place, f"{value:064x}") for place, value in enumerate(hashes)]
        with cursor.copy("COPY moderation_picturegroup (id, hash, first_seen_at) FROM STDIN") as copy:
            for number, hash_ in rows:
                copy.write_row((number, hash_, "2026-01-01T00:00:00Z"))

        def bands() -> Iterator[tuple[int, int]]:
            for number, hash_ in rows:
                yield from ((digest, number) for digest in picture_groups.digests(hash_))

        with cursor.copy("COPY moderation_pictureband (digest, group_id) FROM STDIN") as copy:
            for row in bands():
                copy.write_row(row)
        cursor.execute("SELECT setval('moderation_picturegroup_id_seq', %s)", [rows[-1][0]])
        cursor.execute("ANALYZE moderation_picturegroup, moderation_pictureband")


def _plan(one: int) -> list[str]:
    """Print the statement's plan; return its steps that read all rows."""
    from django.db import connection, transaction
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as capture:
        _is_known([one])
    statement = next(query["sql"] for query in capture.captured_queries if "unnest" in query["sql"])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + statement)
        lines = [row[0].strip() for row in cursor.fetchall()]
    print("\n".join(line for line in lines if "Scan" in line))
    return [line for line in lines if "Seq Scan on moderation_picture" in line]


if __name__ == "__main__":
    main()
