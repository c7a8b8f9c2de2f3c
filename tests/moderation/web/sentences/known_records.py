"""Records with every kind of history: counts of which sentences may speak, and counts too small for that."""

import dataclasses
from datetime import timedelta
from typing import Any

from scoring.evidence import EvidencePiece, PageRead, PictureRead
from scoring.records import (
    AuthorSnapshot,
    ComplaintRecord,
    History,
    JourneyStep,
    Link,
    LinkReputation,
    PostRecord,
)
from tests.scoring.random_records import AT, record


def decisions(spam: int, fine: int, *, posts: int | None = None) -> History:
    return History(
        posts=spam + fine if posts is None else posts,
        posts_24h=min(7, spam + fine),
        confirmed_spam=spam,
        confirmed_not_spam=fine,
        complaints=spam * 11,
        authors=min(5, spam + fine),
        first_seen_at=AT - timedelta(days=400),
        recent_spam=spam * 0.37,
        recent_not_spam=fine * 0.37,
        spam_days=min(2, spam),
        spam_authors=min(2, spam),
        spam_complaints=spam * 11,
    )


def known(history: History, **parts: Any) -> PostRecord:
    """A post of which every history is the same."""
    complaint = ComplaintRecord(
        reason="spam",
        reported_at=AT - timedelta(minutes=3),
        reporter_confirmed=history.confirmed_spam,
        reporter_rejected=history.confirmed_not_spam,
    )
    link = Link(
        url="http://shop.example/a/1",
        host="shop.example",
        domain="shop.example",
        domain_history=history,
        url_posts=history.posts,
        author_posts=history.posts,
        reputation=LinkReputation(trust_score=12.0, threat_score=1.0, live_since_at=AT - timedelta(days=9)),
    )
    fields: dict[str, Any] = {
        "author": AuthorSnapshot(
            external_id="author-1",
            created_at=AT - timedelta(days=40),
            email_domain="mail.example",
            friends=history.posts,
            followers=history.posts,
            is_verified=False,
            posts=history.posts,
        ),
        **dict.fromkeys(("author_history", "ip_history", "ip_network_history", "ip_asn_history"), history),
        **dict.fromkeys(("email_domain_history", "resembling", "similar"), history),
        "ip": "192.0.2.7",
        "ip_asn": 64500,
        "links": (link,),
        "journey": tuple(JourneyStep(name=f"step{n % 3}", at_ms=n * n * 900) for n in range(6)),
        "complaints": (complaint,),
        **dict.fromkeys(("same_text_by_author", "shares", "comments"), history.posts),
    }
    return record(**{**fields, **parts})


HISTORIES = {
    "nothing": History(),
    "undecided": decisions(0, 0, posts=17),
    "1 of 1": decisions(1, 0),
    "1 of 2": decisions(1, 1),
    "3 of 3": decisions(3, 0),
    "4 of 9": decisions(4, 5),
    "0 of 20": decisions(0, 20),
    "extreme": decisions(10**9, 10**9),
}
RECORDS = {name: known(history) for name, history in HISTORIES.items()} | {
    "unknown": record(),
    "found": known(
        decisions(4, 5),
        evidence=(
            EvidencePiece(role="link", hops=3, leads_elsewhere=True, page=PageRead(asks_password=True)),
            EvidencePiece(
                role="media", picture=PictureRead(codes=("http://a.example/", "http://b.example/"))
            ),
        ),
    ),
    "crowd": known(decisions(4, 5), complaints=tuple(known(decisions(2, 1)).complaints * 7)),
    "clock ahead": known(
        dataclasses.replace(decisions(4, 5), first_seen_at=AT + timedelta(days=3)),
        posted_at=AT + timedelta(hours=2),
        author=AuthorSnapshot(external_id="author-1", created_at=AT + timedelta(days=1), posts=3),
        journey=(JourneyStep(name="key", at_ms=50), JourneyStep(name="post", at_ms=-900)),
    ),
}
