"""How much spam that hides behind harmless words is found with what links and pictures say, beside without?

.venv/bin/python -m bench hidden_spam --records hidden.jsonl ordinary.jsonl   (with `make run` or TRITON_URL)

The records are those of `manage.py simulate_records --web …`. Each is scored twice by the same release: as it
is, and without its evidence and the hops of its links, as at the first score. Where spam plays tricks, as
with `--web attacks`, each of them has a line, too. `--forget-verdicts` scores as if no near-duplicate of any
post had been confirmed spam; `--by-language` measures English and the rest apart.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import _content
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.release import Release
from scoring.training import labelled_records, measure_evidence
from scoring.training.labelled_records import LabelledRecord

_ENGLISH = frozenset({"", "en"})


def main() -> None:
    """Print a line for each file."""
    options = _options()
    scorer = Scorer(release=Release.load(options.release), content=_content.connect())
    print(measure_evidence.HEAD)
    tables = []
    for name, labelled in _parts(options):
        tables.append(measure_evidence.measure(labelled, scorer=scorer, name=name))
        print(measure_evidence.row(tables[-1]), flush=True)
    if any(table.tricks for table in tables):
        of_tricks = [line for table in tables for line in measure_evidence.rows_of_tricks(table)]
        print("", measure_evidence.HEAD_OF_TRICKS, *of_tricks, sep="\n")


def _parts(options: argparse.Namespace) -> Iterator[tuple[str, Sequence[LabelledRecord]]]:
    """Yield the name and the posts of each line that is printed."""
    for path in options.records:
        labelled = labelled_records.load(path)
        if options.forget_verdicts:
            labelled = [dataclasses.replace(one, record=forgotten(one.record)) for one in labelled]
        yield path.stem, labelled
        if options.by_language:
            english, others = (
                [one for one in labelled if (one.record.language in _ENGLISH) == is_english]
                for is_english in (True, False)
            )
            yield f"{path.stem}, English or not known", english
            yield f"{path.stem}, other languages", others


def forgotten(record: PostRecord) -> PostRecord:
    """Return a record of whose near-duplicates nobody confirmed one as spam."""
    similar = dataclasses.replace(
        record.similar, confirmed_spam=0, recent_spam=0.0, spam_days=0, spam_authors=0, spam_complaints=0
    )
    return dataclasses.replace(record, similar=similar)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, nargs="+", required=True, help="simulated, with evidence")
    parser.add_argument("--release", type=Path, default=Path("scoring/starter"), help="folder of a release")
    parser.add_argument(
        "--forget-verdicts", action="store_true", help="as if no near-duplicate had been confirmed spam"
    )
    parser.add_argument("--by-language", action="store_true", help="English and the rest apart, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
