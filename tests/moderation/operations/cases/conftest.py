"""A golden item, a case of it beside one of a decision that was drawn, and answers to blind reviews."""

from datetime import datetime

import pytest

from moderation.models import Author, BlindReview, Case, Complaint, GoldenItem, Platform, Post, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.decisions import Verdict
from moderation.models.posts import ComplaintReason
from moderation.models.users import Role
from moderation.operations.cases import blind_reviews, claims, golden_items, shift
from moderation.operations.cases.shift import Choice
from moderation.operations.posts.incoming_post import IncomingAuthor
from tests.moderation.conftest import Case_, judge
from tests.moderation.instants import AT, later

TEXTS = ("Has anybody seen my grey cat near the river?", "Who sells a used bicycle in the old town?")


def answered(case: Case, *, by: User, verdict: Verdict, at: datetime, **more: object) -> BlindReview:
    claims.claim(case_id=case.pk, moderator=by, at=at)
    choice = Choice(verdict=verdict, case_version=case.version, **more)  # type: ignore[arg-type]  # of a Choice
    assert shift.decide(case_id=case.pk, choice=choice, moderator=by, at=at).decision is None
    return BlindReview.objects.get(case=case)


def complain(
    post: Post, *, at: datetime, reporters: int = 1, reason: ComplaintReason = ComplaintReason.SPAM
) -> None:
    for number in range(reporters):
        reporter, _ = Author.objects.get_or_create(
            platform=post.platform, external_id=f"reporter-{number}", defaults={"first_seen_at": at}
        )
        Complaint.objects.create(
            platform=post.platform,
            post=post,
            post_external_id=post.external_id,
            reporter=reporter,
            reason=reason,
            reported_at=at,
            received_at=at,
        )


@pytest.fixture
def other_lead(db: None) -> User:
    return User.objects.create_user("other_lead", role=Role.LEAD)


@pytest.fixture
def third_moderator(db: None) -> User:
    return User.objects.create_user("third_moderator", role=Role.MODERATOR)


@pytest.fixture
def plan(platform: Platform, lead: User) -> None:
    """Every decision is judged again, and half of the blind reviews are golden."""
    blind_reviews.plan(
        platform_id=platform.pk, share=1.0, first_decisions=0, golden_share=0.5, actor=lead, at=AT
    )


@pytest.fixture
def item(open_case: Case_, moderator: User, lead: User, other_lead: User) -> GoldenItem:
    """A golden item: spam, decided by `moderator` before anything was planned, vouched for by two leads."""
    first = judge(open_case(text=TEXTS[0], author=IncomingAuthor(external_id="1")), moderator, at=later(-100))
    made = golden_items.mark(post_id=first.post_id, lead=lead, note="clear", at=later(-50))
    return golden_items.confirm(item_id=made.pk, lead=other_lead, at=later(-40))


@pytest.fixture
def pair(
    item: GoldenItem, plan: None, open_case: Case_, moderator: User, other_moderator: User
) -> tuple[Case, Case]:
    """A case of the golden item and one of a decision that was drawn."""
    judge(open_case(text=TEXTS[1], author=IncomingAuthor(external_id="2")), moderator, at=later(2))
    assert blind_reviews.sweep(at=later(100)) == 2
    golden = Case.objects.get(blind_review__golden=item)
    return golden, Case.objects.get(blind_review__cause=BlindCause.SAMPLE)


@pytest.fixture
def asked_again(pair: tuple[Case, Case], open_case: Case_, moderator: User, other_moderator: User) -> None:
    """The other moderator has answered the golden item, and it may be given to somebody else."""
    answered(pair[0], by=other_moderator, verdict=Verdict.SPAM, at=later(110))
    judge(open_case(text="A lost key, blue ribbon, at the town hall"), moderator, at=later(120))
    blind_reviews.sweep(at=later(300))


_VOUCHED = (
    "Win a phone today, only three left at this price",
    "The choir rehearses on Wednesday in the old school",
    "Double your coins in a week, write to me now",
    "Our tomatoes ripened early, come and take some",
    "Pills without a doctor, sent by night mail",
    "Who has lost a red glove near the station?",
)


def vouched(
    open_case: Case_, number: int, *, by: User, leads: tuple[User, User], at: datetime
) -> list[GoldenItem]:
    """Make golden items, spam and not spam in turn, of posts that nobody else knows."""
    items = []
    for place in range(number):
        author = IncomingAuthor(external_id=f"golden-{place}")
        case = open_case(text=_VOUCHED[place], author=author, at=at)
        judge(case, by, verdict=list(Verdict)[place % 2], at=at)
        made = golden_items.mark(post_id=case.post_id, lead=leads[0], note=f"Because of {place}", at=at)
        items.append(golden_items.confirm(item_id=made.pk, lead=leads[1], at=at))
    return items
