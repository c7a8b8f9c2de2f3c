"""Rows that most tests of the app begin with. Accounts are named for their role."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Model
from pytest_django import Settings

from moderation import scorer, topic_model
from moderation.models import Case, Decision, Label, Platform, Post, Revision, User
from moderation.models.decisions import DecisionSource, Verdict
from moderation.models.platforms import Removal
from moderation.models.users import Role
from moderation.operations.cases import claims, review
from moderation.operations.infrastructure import transactions
from moderation.operations.posts import ingest
from moderation.operations.posts.incoming_post import IncomingAuthor, IncomingPost
from moderation.operations.scoring import score
from moderation.operations.similarity import text_groups
from tests.moderation import instants
from tests.moderation.fakes import FakeContent, FakeScorer, FakeScorers, FakeTopics
from tests.moderation.operations.posts.arrivals import complain

Later = Callable[[float], datetime]
Incoming = Callable[..., IncomingPost]
Post_ = Callable[..., Post]
Case_ = Callable[..., Case]
Decided = Callable[..., Decision]
Judged = Callable[..., None]
Cases = Callable[[Iterable[Mapping[str, object]]], list[Case]]
AUDIT = {"route": "review", "route_reason": "audit", "is_audit_sample": True, "audit_probability": 0.1}
"""What differs in the score of an audit sample, for `judged_alike`."""


@pytest.fixture(autouse=True)
def _transactions_of_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count only transactions that the product opened: the one around a test would hide that one lacks."""
    monkeypatch.setattr(
        transactions,
        "is_open",
        lambda: any(not block._from_testcase for block in connection.atomic_blocks),  # type: ignore[attr-defined]  # of Django's own, without a type
    )


@pytest.fixture
def at() -> datetime:
    """A frozen instant; tests add to it."""
    return instants.AT


@pytest.fixture
def later() -> Later:
    """Return the instant so many seconds after `at`."""
    return instants.later


@pytest.fixture
def platform(db: None, at: datetime) -> Platform:
    """A platform where the filter removes alone: most tests are not about proving that it may."""
    return Platform.objects.create(slug="social", name="Social", created_at=at, removal=Removal.ALWAYS)


@pytest.fixture
def moderator(db: None) -> User:
    return User.objects.create_user("moderator", role=Role.MODERATOR)


@pytest.fixture
def other_moderator(db: None) -> User:
    return User.objects.create_user("other_moderator", role=Role.MODERATOR)


@pytest.fixture
def lead(db: None) -> User:
    return User.objects.create_user("lead", role=Role.LEAD)


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_user("admin", role=Role.ADMIN)


@pytest.fixture
def evidence_store(settings: Settings, tmp_path: Path) -> None:
    """Keep files of evidence in a folder of the test's own."""
    settings.EVIDENCE_DIR = tmp_path / "evidence"


@pytest.fixture
def own_folder(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Keep releases in a folder of the test's own."""
    settings.RELEASES_DIR = tmp_path / "releases"
    scorer.forget()
    yield
    scorer.forget()


@pytest.fixture
def fake_scorer(monkeypatch: pytest.MonkeyPatch) -> FakeScorer:
    """Put a stand-in where the process's scorer would be."""
    fake = FakeScorer()
    stand_in = FakeScorers(scorer=fake, content=FakeContent(fake))
    monkeypatch.setattr(scorer, "current", lambda: stand_in)
    return fake


@pytest.fixture
def fake_topics(monkeypatch: pytest.MonkeyPatch) -> FakeTopics:
    """Put a stand-in where the process's topics model would be."""
    fake = FakeTopics()
    monkeypatch.setattr(topic_model, "current", lambda *_, **__: fake)
    return fake


@pytest.fixture
def incoming(at: datetime) -> Incoming:
    """Build a valid post; every call gives another external id unless one is named."""
    numbers = count(1)

    def build(**given: object) -> IncomingPost:
        values: dict[str, object] = {
            "external_id": f"post-{next(numbers)}",
            "text": "Has anybody seen my grey cat near the river?",
            "posted_at": at,
            "author": IncomingAuthor(external_id="honest_author"),
        }
        return IncomingPost(**(values | given))  # type: ignore[arg-type]  # tests name real fields

    return build


@pytest.fixture
def post(platform: Platform, incoming: Incoming, at: datetime) -> Post_:
    """Store a post and return its row."""

    def store(**given: object) -> Post:
        stored_at = given.pop("at", at)
        assert isinstance(stored_at, datetime)
        [answer] = ingest.accept(platform=platform, posts=[incoming(**given)], at=stored_at)
        assert isinstance(answer, ingest.Accepted)
        # As scoring does first: most tests never score what they store.
        text_groups.backfill(
            revisions=list(Revision.objects.filter(pk=answer.revision_id).select_related("post"))
        )
        return Post.objects.get(pk=answer.post_id)

    return store


def scored(posts: Sequence[Post], *, at: datetime) -> list[Case]:
    """Score posts as one batch; return their cases, in the order in which the posts were stored."""
    revisions = Revision.objects.filter(post__in=posts).order_by("pk").values_list("pk", flat=True)
    score.run(revision_ids=list(revisions), at=at)
    return list(Case.objects.filter(post__in=posts).order_by("post_id"))


def with_thresholds(case: Case) -> Case:
    """Have the case's release send posts to review from 20 % and remove them from 90 %."""
    case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}
    case.score.release.save()
    return case


@pytest.fixture
def open_cases(post: Post_, fake_scorer: FakeScorer, later: Later) -> Cases:
    """Store posts that the models are unsure of and score them as one batch; return their cases."""
    return lambda posts: scored([post(**given) for given in posts], at=later(1))


@pytest.fixture
def open_case(open_cases: Cases) -> Case_:
    """Store and score a post that the models are unsure of; return its case."""

    def store(**given: object) -> Case:
        [case] = open_cases([given])
        return case

    return store


@pytest.fixture
def account_case(platform: Platform, fake_scorer: FakeScorer, later: Later) -> Case:
    """The case of an account that somebody complained of."""
    about = complain(platform).post
    assert about is not None
    [case] = scored([about], at=later(1))
    return case


@pytest.fixture
def claimed_case(open_case: Case_, moderator: User, later: Later) -> Case:
    """A case that `moderator` holds since two seconds after `at`."""
    return claims.claim(case_id=open_case().pk, moderator=moderator, at=later(2))


def judge(
    case: Case, moderator: User, *, at: datetime, verdict: Verdict = Verdict.SPAM, **given: Any
) -> Decision:
    """Claim a case and decide it, both at one instant."""
    held = claims.claim(case_id=case.pk, moderator=moderator, at=at)
    return review.decide(
        case_id=case.pk, case_version=held.version, moderator=moderator, verdict=verdict, at=at, **given
    )


def copies(row: Model, changes: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Store copies of a row, each with some columns of its own."""
    kept = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields[1:]}
    kind = type(row)
    return list(kind._default_manager.bulk_create([kind(**kept | dict(change)) for change in changes]))


@pytest.fixture
def judged_alike(moderator: User, at: datetime) -> Judged:
    """Store posts like a case's that scored `probability` and were judged, without the way that leads there.

    `score` and `decision` replace fields of these rows.
    """

    def store(
        case: Case,
        *,
        probability: float,
        spam: int,
        fine: int,
        score: dict[str, Any] | None = None,
        decision: dict[str, Any] | None = None,
    ) -> None:
        verdicts = [True] * spam + [False] * fine
        posts = copies(case.post, [{"external_id": f"alike-{uuid4()}"} for _ in verdicts])
        revisions = copies(case.score.revision, [{"post_id": post.pk} for post in posts])
        said = {"spam_probability": probability, "audit_probability": 1.0} | (score or {})
        scores = copies(case.score, [{"revision_id": revision.pk} | said for revision in revisions])
        decided: dict[str, Any] = {
            "source": DecisionSource.MODERATOR,
            "decided_by": moderator,
            "decided_at": at,
            "effective_at": at,
        }
        decisions = Decision.objects.bulk_create(
            Decision(
                post=post,
                revision=revision,
                score=own,
                verdict="spam" if is_spam else "not_spam",
                **(decided | (decision or {})),
            )
            for post, revision, own, is_spam in zip(posts, revisions, scores, verdicts, strict=True)
        )
        Label.objects.bulk_create(
            Label(decision=one, post=one.post, is_spam=is_spam, similarity_group=uuid4(), labelled_at=at)
            for one, is_spam in zip(decisions, verdicts, strict=True)
        )

    return store
