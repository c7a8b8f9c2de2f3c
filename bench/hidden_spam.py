"""How much spam that hides behind harmless words is found with what links and pictures say, beside without?

.venv/bin/python -m bench hidden_spam --records hidden.jsonl ordinary.jsonl   (with `make run` or TRITON_URL)

The records are those of `manage.py simulate_records --web …`. Each is scored twice by the same release: as it
is, and without its evidence and the hops of its links, as at the first score.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import _content
from scoring.pipeline import Scorer
from scoring.release import Release
from scoring.training import labelled_records, measure_evidence


def main() -> None:
    """Print a line for each file."""
    options = _options()
    scorer = Scorer(release=Release.load(options.release), content=_content.connect())
    print(measure_evidence.HEAD)
    for path in options.records:
        found = measure_evidence.measure(labelled_records.load(path), scorer=scorer, name=path.stem)
        print(measure_evidence.row(found), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, nargs="+", required=True, help="simulated, with evidence")
    parser.add_argument("--release", type=Path, default=Path("scoring/starter"), help="folder of a release")
    return parser.parse_args()


if __name__ == "__main__":
    main()
