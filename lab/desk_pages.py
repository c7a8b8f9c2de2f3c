"""How long does the server take for the desk's lists at 100,000 posts and 20,000 open cases?

make bench ARGS=desk_pages      (while `make run` is up; nothing stays: it all happens in a transaction)

One scored case is multiplied inside PostgreSQL, with other texts, languages, authors, addresses, domains,
probabilities and times. Every page is then asked for through Django's whole stack, templates included, as a
lead sees it. The figures are of the server alone: no network, no browser. What it costs to explain the first
cases of the queue is measured before, in processor time of the server of models.
"""

import argparse
import os
import time

import psutil

from lab import _product


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--posts", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--explained", type=int, default=10, help="cases that are explained")


def main(options: argparse.Namespace) -> None:
    """Fill the database, ask for every page, print a line for each, and take everything back."""
    _product.connect()
    from lab import _crowd

    with _crowd.rehearsal():
        print(_explaining(cases=options.explained), flush=True)
    with _crowd.rehearsal():
        _crowd.fill(posts=options.posts, cases=options.cases)
        for line in _crowd.measured(times=options.times):
            print(line, flush=True)


def _explaining(*, cases: int) -> str:
    """Explain the first open cases anew, and say what a case costs."""
    from moderation.models import Score
    from moderation.operations import explanations

    first = Score.objects.filter(cases__state="open", content_probability__isnull=False)
    ids = list(first.order_by("-cases__priority", "pk").values_list("pk", flat=True)[: cases + 1])
    scores = Score.objects.filter(pk__in=ids[1:])
    Score.objects.filter(pk__in=ids).update(word_contributions=None, evidence_words=None, counterfactual=None)
    explanations.explain(score_id=ids[0])  # imports shap
    own, of_models = time.process_time(), _seconds_of_models()
    for score_id in ids[1:]:
        explanations.explain(score_id=score_id)
    own, of_models = time.process_time() - own, _seconds_of_models() - of_models
    words = sum(len(score.word_contributions or ()) for score in scores)
    count = max(1, len(scores))
    return (
        f"explaining {len(scores)} cases of {words / count:.0f} words: {1000 * of_models / count:.0f} ms of"
        f" the models' processor a case, {1000 * own / count:.0f} of Python"
    )


def _seconds_of_models() -> float:
    """Return the processor seconds of this product's Triton and its models so far."""
    port = os.environ["TRITON_URL"].rpartition(":")[-1]
    servers = [
        process
        for process in psutil.process_iter(["cmdline"])
        if any("tritonserver" in word for word in process.info["cmdline"] or ())
        and any(port in word for word in process.info["cmdline"])
    ]
    parts = [part for server in servers for part in (server, *server.children(recursive=True))]
    return sum(sum(part.cpu_times()[:2]) for part in {part.pid: part for part in parts}.values())
