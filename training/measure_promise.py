"""`python -m training promise`: a release's promise on real texts, and whether it is kept.

One table: each figure with its 95 % interval, "kept" or "not kept" only where the whole interval says so.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Self

import numpy as np

from scoring.normalise import normalise
from scoring.pipeline import Scorer
from scoring.release import Release
from scoring.splits import Split, split_of
from scoring.urls import UrlModel
from training import (
    added_links,
    base_model,
    cards,
    compare,
    labelled_posts,
    labelled_urls,
    measure_urls,
    new_platform,
    promise,
    promise_rows,
    served_content,
)
from training.labelled_posts import LabelledPost
from training.promise import Row
from training.served_content import Served

_WARM_UP = 5
PART, _TEMPLATE = "promise", Path(__file__).with_name("promise_card.md.template")
_DATA = Path("../shared/data")
_TEXTS = [_DATA / f"{name}.jsonl" for name in ("x_janitr", "youtube_uci", "sms_uci")]
_URLS, _POPULAR = _DATA / "urls.csv.gz", _DATA / "lists" / "popular_domains.csv"
_UNTRAINED = (Split.VALIDATION, Split.TEST)
_FALSE_ALARMS = 0.03
_TIMED = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--release", type=Path, default=Path("scoring/starter"), help="folder of the release")
    parser.add_argument("--texts", type=Path, nargs="+", default=_TEXTS, help="real labelled texts")
    parser.add_argument("--curated", type=Path, default=labelled_posts.CURATED, help="curated posts")
    parser.add_argument(
        "--unseen",
        type=Path,
        nargs="*",
        default=new_platform.FILES,
        help="labelled texts of sources that nothing was trained on: bare, and with a head after some labels",
    )
    parser.add_argument("--urls", type=Path, default=_URLS, help="labelled URLs (CSV with url, dom, cls)")
    parser.add_argument("--popular", type=Path, default=_POPULAR, help="popular domains, one per line")
    parser.add_argument(
        "--kept-back",
        action="store_true",
        help="nothing was trained on what is given for --texts, --curated and --urls: all of it is judged",
    )
    parser.add_argument(
        "--against", type=Path, help="another model repository, whose processor time is compared"
    )
    parser.add_argument("--before", type=Path, help="what an earlier run wrote as --json: a column beside")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--card", type=Path, help="page whose part is rewritten, docs/models.md")
    parser.add_argument("--most", type=int, default=600, help="texts of each kind that are looked at")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a promise is certainly broken")
    served_content.add_arguments(parser)


def main(arguments: argparse.Namespace) -> None:
    """Measure and print the table, naming each row when done. Raises content.Unavailable."""
    release = Release.load(arguments.release)
    served = Served.named_by(arguments)
    content = served_content.connect(
        release.content, normaliser=release.normaliser, served=served, remembers=100_000
    )
    scorer = Scorer(release=release, content=content)
    before: dict[str, float] = json.loads(arguments.before.read_text()) if arguments.before else {}
    posts = Posts.load(arguments)
    begun, rows = time.monotonic(), []
    for row in _rows(posts, arguments=arguments, scorer=scorer, before=before):
        rows.append(row)
        sys.stderr.write(f"{time.monotonic() - begun:4.0f} s  {row.title}\n")
    everything = [*posts.real, *posts.curated, *posts.unseen]
    languages = [*promise_rows.by_language(everything, scorer=scorer)] if everything else []
    languages += [f"\nNot there, so what needs it is left out: {name}." for name in _absent(arguments)]
    card = write(rows, languages=languages, release=release, before=before)
    cards.publish(card, part=PART, page=arguments.card)
    if arguments.json:
        arguments.json.write_text(json.dumps({row.title: row.value for row in rows}, indent=1) + "\n")
    broken = [row.title for row in rows if row.verdict == promise.BROKEN]
    if broken and arguments.strict:
        sys.exit(f"certainly broken: {'; '.join(broken)}")


@dataclass(frozen=True, kw_only=True)
class Posts:
    """The posts that judge a release, without blank texts."""

    real: Sequence[LabelledPost]
    curated: Sequence[LabelledPost]
    unseen: Sequence[LabelledPost]

    @classmethod
    def load(cls, arguments: argparse.Namespace) -> Self:
        """Read the files that are there. Raises labelled_lines.Malformed."""
        every = tuple(Split)
        # Given files are judged whole if nothing was trained on them, the default file never.
        real = every if arguments.kept_back and arguments.texts is not _TEXTS else (Split.TEST,)
        splits = every if arguments.kept_back and arguments.curated != labelled_posts.CURATED else _UNTRAINED
        unseen = _read(arguments.unseen, splits=every)
        return cls(
            real=_read(arguments.texts, splits=real),
            curated=_read([arguments.curated], splits=splits),
            unseen=promise_rows.sampled(unseen, most=arguments.most * max(1, len(arguments.unseen))),
        )


def _read(paths: Iterable[Path], *, splits: Sequence[Split]) -> list[LabelledPost]:
    files = [path for path in paths if path.exists()]
    posts = [post for split in splits for post in labelled_posts.load(files, split=split)]
    return [post for post in posts if post.record.text.strip()]


def write(
    found: Sequence[Row], *, languages: Sequence[str], release: Release, before: Mapping[str, float]
) -> str:
    """Return both tables as markdown."""
    lines = "\n".join(_line(row, before=before) for row in found)
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        release=release.id[:12], lines=lines, languages="\n".join(languages)
    )


def _line(row: Row, *, before: Mapping[str, float]) -> str:
    earlier = row.said(before[row.title]) if row.title in before else ""
    title = f"{row.title} ({row.note})" if row.note else row.title
    figure = promise_rows.told(row) if row.texts else ""
    return f"| {title} | {row.texts:,} | {figure} | {earlier} | {row.promise} | {row.verdict} |"


def _rows(
    posts: Posts, *, arguments: argparse.Namespace, scorer: Scorer, before: Mapping[str, float]
) -> Iterator[Row]:
    real, curated, most = posts.real, posts.curated, arguments.most
    plain = promise_rows.sampled(added_links.honest_without_link([*real, *curated]), most=most)
    if plain:
        popular = arguments.popular if arguments.popular.exists() else None
        yield from promise_rows.of_added_links(plain, scorer=scorer, popular=popular)
    # Curated posts are hard on purpose: the promise is precise removals, not none.
    for name, part, removed_at_most in (("real", real, 0.0), ("curated", curated, math.inf)):
        if part:
            yield from promise_rows.of_linked(name, part, scorer=scorer, removed_at_most=removed_at_most)
    if curated:
        yield from promise_rows.of_curated(curated, scorer=scorer)
    if real:
        yield from promise_rows.of_sources(real, scorer=scorer, before=before)
        yield from promise_rows.of_attacks(real, scorer=scorer, most=most)
    files = [path for path in arguments.unseen if path.exists()]
    yield from new_platform.rows(files, content=scorer.content, most=most)
    if arguments.urls.exists():
        yield from _of_urls(arguments)
    if real:
        few = promise_rows.sampled(real, most=most)
        yield from promise_rows.in_circumstances(few, scorer=scorer)
        yield from promise_rows.of_copies(real, scorer=scorer)
    if arguments.against:
        texts = [post.record.text for post in promise_rows.sampled([*real, *curated], most=_TIMED)]
        yield _processor_time(texts, repository=arguments.repository, against=arguments.against)


def _of_urls(arguments: argparse.Namespace) -> Iterator[Row]:
    """Measure the URL model where each domain counts once."""
    urls = labelled_urls.load(arguments.urls)
    if not arguments.kept_back or arguments.urls == _URLS:
        urls = [url for url in urls if split_of(url.domain) is Split.TEST]
    model = UrlModel.load(arguments.release)
    probabilities = np.array([model.probability(url.url) for url in urls])
    is_bad, weights = measure_urls.bad_of(urls), measure_urls.domain_weights(urls)
    domains = [url.domain for url in urls]
    labels = is_bad.astype(np.float64)
    yield promise.measured(
        f"URL model by domain: recall at {_FALSE_ALARMS:.0%} false alarms",
        domains,
        lambda rows: compare.recall_at(labels[rows], probabilities[rows], weights[rows], rate=_FALSE_ALARMS),
        least=0.75,
    )
    area = measure_urls.roc_auc(probabilities, urls=urls, seed=1)
    yield Row(
        title="URL model by domain: ROC-AUC",
        texts=len(urls),
        value=area.value,
        low=area.low,
        high=area.high,
        form="{:.3f}",
        least=0.96,
    )


def _absent(arguments: argparse.Namespace) -> list[str]:
    paths = [*arguments.texts, arguments.curated, *arguments.unseen, arguments.urls, arguments.popular]
    return [path.name for path in paths if not path.exists()]


def _processor_time(texts: Sequence[str], *, repository: Path, against: Path) -> Row:
    """Measure the ratio of processor time, one text at a time, by turns, on one thread of ONNX Runtime."""
    readers = [_reader(folder) for folder in (repository, against)]
    for text in texts[:_WARM_UP]:
        for read in readers:
            read(text)
    seconds = np.array([[_seconds(read, text) for read in readers] for text in texts])
    return promise.measured(
        "processor time of reading a text, against the other repository",
        range(len(texts)),
        lambda rows: float(seconds[rows, 0].sum() / seconds[rows, 1].sum()),
        form="{:.2f}",
        most=1.5,
        note=", ".join(f"{1000 * mean:.1f} ms" for mean in seconds.mean(axis=0)),
    )


def _seconds(read: Callable[[str], None], text: str) -> float:
    begun = time.process_time()
    read(text)
    return time.process_time() - begun


def _reader(repository: Path) -> Callable[[str], None]:
    """Return a function that reads a text as the server does, all outputs of the graph."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(_latest(repository, "tokenizer/*/tokenizer.json")))
    tokenizer.enable_truncation(base_model.MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(_latest(repository, "distilbert/*/model.onnx")), options, providers=["CPUExecutionProvider"]
    )

    def read(text: str) -> None:
        encoding = tokenizer.encode(normalise(text).text)
        inputs = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask}
        session.run(None, {name: np.array([values], dtype=np.int32) for name, values in inputs.items()})

    return read


def _latest(repository: Path, pattern: str) -> Path:
    return max(repository.glob(pattern), key=lambda path: int(path.parent.name))
