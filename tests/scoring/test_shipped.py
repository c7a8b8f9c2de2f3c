"""The shipped release: confirmed spam never lowers a score, and fake accounts are ranked higher."""

import dataclasses
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring import features
from scoring.ensemble import SUB_MODELS, Ensemble
from scoring.pipeline import Scorer
from scoring.records import NOTHING_KNOWN, History, PostRecord
from tests.scoring.random_records import labelled
from tests.scoring.starter import STARTER
from training.promise import roc_auc

RECORDS = [one.record for one in labelled(60)]


def with_spam(history: History, count: int) -> History:
    """The same posts, `count` more of them confirmed as spam, and those posts' days and authors with them."""
    confirmed = min(history.confirmed_spam + count, max(history.posts, history.confirmed_spam))
    return dataclasses.replace(
        history,
        confirmed_spam=confirmed,
        recent_spam=history.recent_spam + 0.9 * (confirmed - history.confirmed_spam),
        spam_days=min(confirmed, history.spam_days + count),
        spam_authors=min(history.authors, history.spam_authors + count),
    )


def with_more_spam(history: History, count: int) -> History:
    """`count` more posts, all of them confirmed as spam, today."""
    more = dataclasses.replace(history, posts=history.posts + count)
    return with_spam(more, count)


def counted(record: PostRecord, count: int) -> PostRecord:
    """The platform's own count of the author's posts grows with each that is sent here."""
    if record.author.posts is None:
        return record
    author = dataclasses.replace(record.author, posts=record.author.posts + count)
    return dataclasses.replace(record, author=author)


def links(record: PostRecord, change: Callable[[History], History]) -> PostRecord:
    changed = tuple(
        dataclasses.replace(link, domain_history=change(link.domain_history)) for link in record.links
    )
    return dataclasses.replace(record, links=changed)


def field(name: str) -> Callable[[PostRecord, Callable[[History], History]], PostRecord]:
    def changed(record: PostRecord, change: Callable[[History], History]) -> PostRecord:
        histories: dict[str, Any] = {name: change(getattr(record, name))}
        return dataclasses.replace(record, **histories)

    return changed


HISTORIES = {
    **{
        name: field(name)
        for name in (
            *("author_history", "ip_history", "ip_network_history", "ip_asn_history"),
            *("email_domain_history", "resembling", "similar"),
        )
    },
    "domain_history": links,
}
# Akyon, Kalfaoglu 2019 (arXiv 1910.03090): followers, friends and posts of Instagram accounts.
_REAL = Path(__file__).parents[3] / "shared" / "data" / "accounts_instafake.jsonl"


class TestMonotony:
    @pytest.mark.parametrize("name", HISTORIES)
    def test_posts_that_turn_out_to_be_spam_never_lower_the_score(self, scorer: Scorer, name: str) -> None:
        for content in (0.03, 0.5, float("nan")):
            ladder = [
                scorer.spam_probabilities(
                    [HISTORIES[name](record, partial(with_spam, count=count)) for record in RECORDS],
                    content_probabilities=np.full(len(RECORDS), content),
                )
                for count in (0, 1, 2, 4, 8)
            ]

            assert (np.diff(np.stack(ladder), axis=0) >= -1e-12).all()

    @pytest.mark.parametrize("name", ["author_history", "domain_history"])
    def test_nor_do_more_spam_posts(self, scorer: Scorer, name: str) -> None:
        ladder = [
            scorer.spam_probabilities(
                [
                    HISTORIES[name](counted(record, count), partial(with_more_spam, count=count))
                    for record in RECORDS
                ],
                content_probabilities=np.full(len(RECORDS), 0.2),
            )
            for count in (0, 1, 3, 9)
        ]

        assert (np.diff(np.stack(ladder), axis=0) >= -1e-12).all()

    def test_a_more_reliable_reporter_never_lowers_the_score(self, scorer: Scorer) -> None:
        reported = [record for record in RECORDS if record.complaints]
        ladder = []
        for confirmed in (0, 1, 3, 9, 40):
            changed = [
                dataclasses.replace(
                    record,
                    complaints=tuple(
                        dataclasses.replace(complaint, reporter_confirmed=confirmed)
                        for complaint in record.complaints
                    ),
                )
                for record in reported
            ]
            ladder.append(
                scorer.spam_probabilities(changed, content_probabilities=np.full(len(reported), 0.2))
            )

        assert (np.diff(np.stack(ladder), axis=0) >= -1e-12).all()


class TestRealAccounts:
    @pytest.mark.skipif(not _REAL.exists(), reason=f"the real accounts are not at {_REAL}")
    def test_behaviour_ranks_fake_accounts_above_genuine_ones(self) -> None:
        accounts = [json.loads(line) for line in _REAL.read_text(encoding="utf-8").splitlines()]
        facts = ("friends", "followers", "posts")
        authors = [
            dataclasses.replace(NOTHING_KNOWN.author, **{name: account[name] for name in facts})
            for account in accounts
        ]
        posts = [dataclasses.replace(NOTHING_KNOWN, author=author) for author in authors]
        rows = np.stack([features.extract(post, models=features.NO_MODELS) for post in posts])
        ensemble = Ensemble.load(STARTER)

        margins = ensemble.sub_model_margins("behaviour", rows)

        heard = np.where(np.isnan(margins), ensemble.silent_margins[SUB_MODELS.index("behaviour")], margins)
        assert roc_auc(np.array([account["label"] == 1 for account in accounts]), heard) >= 0.75
