"""Real labelled texts in circumstances that know nothing of their label.

Simulated posts teach what surrounds spam; real texts teach that much of it surrounds honest posts, too. Each
text gets the circumstances of a random simulated post, whatever the labels: account, past, copies, journey.
Its links keep their looks; a third of those without one get an everyday link, whatever their label, so that a
link says nothing by itself. Of decisions and complaints nothing is known. Content's answer comes from a
training that left the text out (held_out.py).
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import features
from scoring.features import Evidence, Models, link_looks, links
from scoring.known_domains import popular_domains
from scoring.links import links_in
from scoring.pipeline import ContentProtocol
from scoring.records import NOTHING_KNOWN, Link
from scoring.release import file_sha256
from scoring.splits import Split
from scoring.trees import Floats
from training import everyday_urls, held_out, labelled_lines, labelled_posts, served_content
from training.ensemble_rows import Material, Rows
from training.labelled_posts import LabelledPost

COPIES = 3
"""Number of circumstances in which each text of the train part is learnt."""
_LENT = 1 / 3
_LENT_PER_KIND = 50
_HAS_LINK = features.NAMES.index("context.link_count")
# Decisions and complaints look at the post itself, so they can never surround a text by chance.
_DRAWN = [features.NAMES.index(name) for name in features.names_of(Evidence.CIRCUMSTANCE)]
_OF_LINKS = np.array(
    [features.NAMES.index(feature.name) for feature in (*links.FEATURES, *link_looks.FEATURES)], dtype=np.intp
)


@dataclass(frozen=True)
class RealTexts:
    """Posts of one part about which nothing but the text is known, with content's answers, float64 (n,)."""

    posts: Sequence[LabelledPost]
    content_probabilities: Floats
    models: Models

    def and_those(self, others: "RealTexts") -> "RealTexts":
        """Return the texts of both."""
        answers = np.concatenate([self.content_probabilities, others.content_probabilities])
        return RealTexts([*self.posts, *others.posts], answers, self.models)

    def bare(self) -> Rows:
        """Return one row for each text as it is."""
        rows = Material(self.posts, self.content_probabilities, 0, self.models).rows()
        return dataclasses.replace(rows, domains=rows.groups)

    def surrounded(self, surroundings: Rows, *, copies: int, seed: int) -> Rows:
        """Return each text in that many circumstances, drawn from the rows by their weights."""
        random = np.random.default_rng(seed)
        rows = self.bare().taken(np.tile(np.arange(len(self.posts)), copies))
        unlinked = rows.features[:, _HAS_LINK] == 0.0
        lent = unlinked & (random.random(len(unlinked)) < _LENT)
        rows.features[np.ix_(lent, _OF_LINKS)] = self._everyday_links(random, count=int(lent.sum()))
        places = _drawn(rows, surroundings, random=random)
        table = rows.features.copy()
        table[:, _DRAWN] = surroundings.features[places][:, _DRAWN]
        unlinked = rows.features[:, _HAS_LINK] == 0.0
        table[np.ix_(unlinked, _OF_LINKS)] = rows.features[np.ix_(unlinked, _OF_LINKS)]
        return dataclasses.replace(rows, features=table)

    def _everyday_links(self, random: np.random.Generator, *, count: int) -> Floats:
        """Return features of that many posts with an everyday link, (count, len(_OF_LINKS))."""
        everyday = everyday_urls.write(
            sorted(popular_domains()), generator=random, urls_per_kind=_LENT_PER_KIND
        )
        link_parts = [parts for site in everyday for parts in links_in("", extra=[site.url])]
        posts = [
            dataclasses.replace(NOTHING_KNOWN, links=(Link(url=url.url, host=url.host, domain=url.domain),))
            for url in link_parts
        ]
        rows = np.stack([features.extract(post, models=self.models) for post in posts])
        return rows[random.integers(len(rows), size=count)][:, _OF_LINKS]


def load(
    paths: Sequence[Path], *, split: Split, content: ContentProtocol, models: Models, answers: Path
) -> RealTexts:
    """Read one part of labelled texts. Raises Malformed, Corrupt, content.Unavailable.

    `answers` is the file of held_out.py for the content model; texts that each training learned are left out.
    """
    posts = [post for post in labelled_posts.load(paths, split=split) if post.record.text.strip()]
    spam = held_out.ask(
        [post.record.text for post in posts],
        path=answers,
        others=partial(served_content.ask, content=content),
    )
    mask = ~np.isnan(spam)
    return RealTexts([post for post, valid in zip(posts, mask, strict=True) if valid], spam[mask], models)


def at_prevalence(rows: Rows, *, share: float) -> Rows:
    """Weigh rows so that this share of them is spam: simulations hold more of it than platforms do."""
    total = rows.weights[rows.is_spam].sum(), rows.weights[~rows.is_spam].sum()
    factors = np.where(rows.is_spam, share / total[0], (1.0 - share) / total[1])
    return dataclasses.replace(rows, weights=rows.weights * factors)


def _drawn(own: Rows, surroundings: Rows, *, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw surroundings for each row: any for a text without links, those of a linked post for one with."""
    places = np.empty(len(own.is_spam), dtype=np.intp)
    is_linked = own.features[:, _HAS_LINK] > 0.0
    linked = np.flatnonzero(surroundings.features[:, _HAS_LINK] > 0.0)
    anywhere = np.arange(len(surroundings.is_spam))
    for rows, among in ((is_linked, linked if len(linked) else anywhere), (~is_linked, anywhere)):
        weights = surroundings.weights[among]
        places[rows] = random.choice(among, size=int(rows.sum()), p=weights / weights.sum())
    return places


def described(texts: Sequence[Path], real: Mapping[Split, RealTexts]) -> list[dict[str, Any]]:
    """Name each file of real texts and how many of each part were used."""
    described = []
    for path in texts:
        sources = {line.stored["source"] for line in labelled_lines.read_all([path])}
        counts = {
            str(split): sum(post.source in sources for post in part.posts) for split, part in real.items()
        }
        described.append({"file": path.name, "sha256": file_sha256(path), "source": path.stem, **counts})
    return described
