"""How long does the server take for the page Quality at a hundred thousand decisions?

make bench ARGS=quality_page      (while `make run` is up; nothing stays: it all happens in a transaction)

A scored post is multiplied inside PostgreSQL, with other times, languages, odds, chances and labels; figures
are estimated as the sweep does, and the page is asked for through Django's whole stack. Server time alone.
"""

from __future__ import annotations

import argparse

from lab import _product


def main() -> None:
    """Fill the database, estimate, ask for the page, and take everything back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    _product.connect()
    from lab import _crowd, _quality_rows

    with _crowd.rehearsal():
        for line in _quality_rows.filled(decisions=options.decisions, labels=options.labels):
            print(line, flush=True)
        for line in _crowd.measured(times=options.times, pages=_quality_rows.PAGES):
            print(line, flush=True)
