"""Posts of a campaign, for the tests that need one."""

from collections.abc import Sequence
from datetime import datetime
from itertools import count

from moderation.models import (
    Campaign,
    CampaignDecision,
    CampaignMember,
    Platform,
    Post,
    Revision,
    ScoringJob,
    User,
)
from moderation.models.decisions import Verdict
from moderation.operations.campaigns import campaign_decisions, campaign_reversals
from moderation.operations.campaigns import gather as campaigns_gather
from moderation.operations.campaigns.campaign_decisions import Wanted
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.scoring import score
from moderation.operations.similarity import text_groups

_NUMBERS = count(1)
CITIES = ("Oslo", "Leeds", "Lyon", "Quito", "Lima", "Osaka")
TEXT = "Cheap pills without prescription in {city}, call now and save {number} dollars today"


def incoming(number: int, *, at: datetime, **given: object) -> IncomingPost:
    """Build the post of one spammer: the same text with another city and number."""
    values: dict[str, object] = {
        "external_id": f"campaign-{next(_NUMBERS)}",
        "text": TEXT.format(city=CITIES[number % len(CITIES)], number=number),
        "posted_at": at,
        "author": IncomingAuthor(external_id=f"spammer-{number}"),
    }
    return IncomingPost(**(values | given))  # type: ignore[arg-type]  # tests name real fields


def accept(platform: Platform, posts: Sequence[IncomingPost], *, at: datetime) -> list[Post]:
    """Store posts, in order, compared with earlier ones as scoring does first."""
    answers = ingest.accept(platform=platform, posts=posts, at=at)
    ids = [answer.post_id for answer in answers if isinstance(answer, ingest.Accepted)]
    revisions = Revision.objects.filter(post__in=ids).select_related("post").order_by("id")
    text_groups.backfill(revisions=list(revisions))
    rows = Post.objects.in_bulk(ids)
    return [rows[post] for post in ids]


def gather(posts: Sequence[Post], *, at: datetime) -> None:
    """Gather posts into campaigns without scoring them."""
    revisions = Revision.objects.filter(post__in=posts).select_related("post", "grouped").order_by("id")
    campaigns_gather.gather(revisions=list(revisions), at=at)


def run_all(posts: Sequence[Post], *, at: datetime) -> None:
    """Score posts, which gathers them: all, though a slow machine gives back what a task has no time for."""
    ids = list(Revision.objects.filter(post__in=posts).values_list("pk", flat=True))
    while score.run(revision_ids=ids, at=at):
        pass


def opened(platform: Platform, size: int, *, at: datetime, **given: object) -> Campaign:
    """Store and score a campaign, and return it."""
    posts = accept(platform, [incoming(number, at=at, **given) for number in range(size)], at=at)
    run_all(posts, at=at)
    campaign = campaign_of(posts[0])
    jobs = ScoringJob.objects.order_by("pk").values_list("pk", "state")
    homes = CampaignMember.objects.order_by("post").values_list("post", "campaign")
    assert campaign is not None, (posts[0].pk, list(jobs), list(homes))
    assert campaign.posts == size
    return campaign


def campaign_of(post: Post) -> Campaign | None:
    """Return the campaign that a post is in."""
    member = CampaignMember.objects.filter(post=post).select_related("campaign").first()
    return member.campaign if member else None


def spam(count: int, **given: object) -> Wanted:
    """Ask for a whole campaign of so many to be judged spam."""
    return Wanted(verdict=Verdict.SPAM, expected_count=count, **given)  # type: ignore[arg-type]  # its own fields


def decide(campaign: Campaign, wanted: Wanted, *, by: User, at: datetime) -> CampaignDecision:
    """Decide a whole campaign."""
    return campaign_decisions.decide(campaign_id=campaign.pk, wanted=wanted, moderator=by, at=at)


def leave_out(campaign: Campaign, post_id: int, *, by: User, at: datetime, is_left_out: bool = True) -> None:
    """Leave a member out of later decisions, or take it in again."""
    campaign_decisions.leave_out(
        campaign_id=campaign.pk, post_id=post_id, is_left_out=is_left_out, moderator=by, at=at
    )


def correct(decision: CampaignDecision, *, by: User, at: datetime) -> CampaignDecision:
    """Correct a whole decision."""
    return campaign_reversals.correct(
        campaign_decision_id=decision.pk, moderator=by, reason="a charity", at=at
    )
