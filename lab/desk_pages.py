"""How long does the server take for the desk's lists at 100,000 posts and 20,000 open cases?

make bench ARGS=desk_pages      (while `make run` is up; nothing stays: it all happens in a transaction)

One scored case is multiplied inside PostgreSQL, with other texts, languages, authors, addresses, domains,
probabilities and times. Every page is then asked for through Django's whole stack, templates included, as a
lead sees it. The figures are of the server alone: no network, no browser.
"""

import argparse

from lab import _product


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=30)


def main(options: argparse.Namespace) -> None:
    """Fill the database, ask for every page, print a line for each, and take everything back."""
    _product.connect()
    from lab import _crowd

    with _crowd.rehearsal():
        _crowd.fill(posts=options.posts, cases=options.cases)
        for line in _crowd.measured(times=options.times):
            print(line, flush=True)
