"""Labelled records as the arrays that training and measuring work on."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import features
from scoring.features import Models
from scoring.pipeline import ContentProtocol
from scoring.records import PostRecord
from scoring.splits import Split, split_of
from scoring.trees import Floats
from training import served_content
from training.labelled_records import LabelledRecord, with_links_of_another, with_random_gaps

GAPPED_COPIES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Training material as arrays of one length: features (n, n_features), content probabilities, truth,
    groups, and how much each row counts.
    """

    features: Floats
    content_probabilities: Floats
    is_spam: NDArray[np.bool_]
    groups: NDArray[Any]
    domains: NDArray[Any]
    weights: Floats

    def taken(self, chosen: NDArray[Any]) -> "Rows":
        """Return the chosen rows, by mask or by index."""
        return Rows(**{name: getattr(self, name)[chosen] for name in Rows.__slots__})


@dataclass(frozen=True)
class Material:
    """Labelled records with their content probabilities; `seed` decides what with_gaps takes away, features
    read `models`.
    """

    labelled: Sequence[LabelledRecord]
    content_probabilities: Floats
    seed: int
    models: Models

    def part(self, split: Split) -> "Material":
        """Keep the records whose group falls into the split. Raises ValueError if all are of one sort."""
        places = [place for place, post in enumerate(self.labelled) if split_of(post.group) is split]
        posts = [self.labelled[place] for place in places]
        if len({post.is_spam for post in posts}) < 2:
            raise ValueError(
                f"the {split} part ({len(posts)} records) needs spam and not spam: give more records"
            )
        return self.taken(np.array(places))

    def taken(self, chosen: NDArray[Any]) -> "Material":
        """Return the chosen records, by mask or by index."""
        posts = [self.labelled[place] for place in np.arange(len(self.labelled))[chosen]]
        return Material(posts, self.content_probabilities[chosen], self.seed, self.models)

    def rows(self, *, change: Callable[[PostRecord], PostRecord] = lambda record: record) -> Rows:
        """Return one row for each record, after `change`."""
        return Rows(
            features=np.stack(
                [features.extract(change(post.record), models=self.models) for post in self.labelled]
            ),
            content_probabilities=self.content_probabilities,
            is_spam=np.array([post.is_spam for post in self.labelled]),
            groups=np.array([post.group for post in self.labelled]),
            domains=np.array([_domain_of(post) for post in self.labelled]),
            weights=np.array([post.weight for post in self.labelled]),
        )

    def rows_with_gaps(self) -> Rows:
        """Return each record as it is, and two copies with random parts missing and links exchanged."""
        generator = np.random.default_rng(self.seed)
        honest_links = [post.record.links for post in self.labelled if post.record.links and not post.is_spam]
        copies = []
        for _ in range(GAPPED_COPIES):
            exchanged = [
                with_links_of_another(post, honest_links=honest_links, generator=generator)
                for post in self.labelled
            ]
            copies.append(
                dataclasses.replace(self, labelled=exchanged).rows(
                    change=lambda record: with_random_gaps(record, generator=generator)
                )
            )
        return joined([self.rows(), *copies])


def ask_content(labelled: Sequence[LabelledRecord], *, content: ContentProtocol) -> Floats:
    """Return each text's content probability, NaN for an empty text. Raises content.Unavailable."""
    return served_content.ask([post.record.text for post in labelled], content=content)


def joined(parts: Sequence[Rows]) -> Rows:
    """Return all rows of the parts, in their order."""
    return Rows(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__slots__})


def _domain_of(one: LabelledRecord) -> str:
    """Return the first link's domain, or the group of a post without links: ip_url must not know it."""
    return one.record.links[0].domain or one.record.links[0].host if one.record.links else one.group
