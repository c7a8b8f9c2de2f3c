"""How long does the server take for Today, decisions and the audit log at a million posts?

make bench ARGS=activity_pages      (while `make run` is up; nothing stays: it all happens in a transaction)

Posts, decisions and audit entries of a month are multiplied inside PostgreSQL, with other times, persons,
verdicts and reasons; all decisions point to one scored text. Hours are counted as the product counts them.
Every page is then asked for through Django's whole stack. The figures are of the server alone.
"""

from __future__ import annotations

import argparse

from lab import _product


def main() -> None:
    """Fill the database, count its hours, ask for every page, and take everything back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--posts", type=int, default=1_000_000)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    _product.connect()
    from lab import _activity_rows, _crowd

    with _crowd.rehearsal():
        for line in _activity_rows.filled(posts=options.posts, cases=options.cases):
            print(line, flush=True)
        for line in _crowd.measured(times=options.times, pages=_activity_rows.pages()):
            print(line, flush=True)
