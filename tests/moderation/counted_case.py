"""A post with a past: what its score counted, and what happened afterwards."""

from collections.abc import Callable, Mapping
from datetime import datetime

import pytest

from moderation.models import Case, Decision, Post, User
from moderation.models.decisions import Verdict
from moderation.operations.cases import reversals
from moderation.operations.posts import complaints
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import judge, scored

Later = Callable[[float], datetime]
TEXT = "Cheap pills without prescription, order {} today at http://pills.example/now"


def account(number: int) -> IncomingAuthor:
    """An account as a script makes them: each resembles the others."""
    return IncomingAuthor(
        external_id=f"bulk-{number}",
        display_name=f"Maria_vip{number}",
        created_at=datetime.fromisoformat("2026-02-26T00:00:00+00:00"),
        email_domain="mail.example",
        friends=9,
        followers=2,
    )


@pytest.fixture
def scored_posts(
    post: Callable[..., Post], later: Later, fake_scorer: object
) -> Callable[[Mapping[int, float]], list[Case]]:
    """Store numbered posts of three accounts at their seconds, score all a second after the last.

    Return their cases.
    """

    def act(seconds_of: Mapping[int, float]) -> list[Case]:
        rows = [
            post(
                text=TEXT.format(number),
                author=account(number % 3),
                ip="192.0.2.7",
                ip_asn=64500,
                at=later(seconds),
                posted_at=later(seconds),
            )
            for number, seconds in seconds_of.items()
        ]
        return scored(rows, at=later(max(seconds_of.values()) + 1))

    return act


@pytest.fixture
def judged_at(moderator: User, later: Later) -> Callable[..., Decision]:
    """Decide a case at an instant."""

    def act(case: Case, verdict: Verdict, *, seconds: float) -> Decision:
        return judge(case, moderator, verdict=verdict, at=later(seconds))

    return act


@pytest.fixture
def counted_case(
    scored_posts: Callable[[Mapping[int, float]], list[Case]],
    judged_at: Callable[..., Decision],
    moderator: User,
    later: Later,
) -> Case:
    """The twelfth post of three accounts: of ten earlier ones people decided four spam and three not.

    What happens after its score must change nothing: two more decisions, a correction, posts, complaints.
    """
    earlier = scored_posts({number: number for number in range(10)})
    verdicts = [Verdict.SPAM] * 4 + [Verdict.NOT_SPAM] * 3
    decisions = [
        judged_at(one, verdict, seconds=20 + place)
        for place, (one, verdict) in enumerate(zip(earlier, verdicts, strict=False))
    ]
    for place in (0, 1, 5):
        report_it(earlier[place].post, at=later(40 + place))
    [found] = scored_posts({12: 100})
    judged_at(earlier[7], Verdict.SPAM, seconds=200)
    judged_at(earlier[8], Verdict.NOT_SPAM, seconds=201)
    reversals.correct(
        decision_id=decisions[0].pk, verdict=Verdict.NOT_SPAM, moderator=moderator, at=later(300)
    )
    scored_posts({15: 400})
    report_it(earlier[1].post, at=later(500))
    return found


def report_it(post: Post, *, at: datetime, reason: str = "spam", note: str = "", reporter: str = "") -> None:
    """Complain of a post, each time by somebody else unless a reporter is named."""
    reporter = reporter or f"reporter-{at.isoformat()}"
    said = complaints.IncomingComplaint(
        post=post.external_id, reporter=reporter, reason=reason, note=note, reported_at=at
    )
    complaints.record(platform=post.platform, complaint=said, at=at)
