"""Drawn cases. Promise: until it is decided, no page tells what the filter said of the post."""

import re
from collections.abc import Callable
from typing import cast

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Decision, Platform, Post, Revision, User
from moderation.models.cases import BLIND_REASONS, CaseState
from moderation.models.decisions import Verdict
from moderation.models.users import Role
from moderation.operations.labels import draws
from moderation.operations.posts.incoming_post import IncomingAuthor
from moderation.operations.scoring import score
from moderation.queries import search
from moderation.queries.search import PostFilter
from tests.moderation.fakes import FakeScorer

TEXTS = {"Grey cats like the river": 0.0123, "Blue boats like the river": 0.9876}


@pytest.fixture
def pair(
    post: Callable[..., Post], platform: Platform, lead: User, fake_scorer: FakeScorer
) -> tuple[Case, Case]:
    """Two drawn cases of posts that only the filter told apart: one let through, one removed."""
    now = timezone.now()
    fake_scorer.probabilities = TEXTS
    for text in TEXTS:
        post(text=text, author=IncomingAuthor(external_id=text.split()[0]), at=now)
    score.run(revision_ids=list(Revision.objects.values_list("pk", flat=True)), at=now)
    assert set(Decision.objects.values_list("verdict", flat=True)) == set(Verdict.values)
    draws.ask(platform=platform, posts=2, days=7, asked_by=lead, at=timezone.now())
    let_through, removed = (Case.objects.get(score__revision__text=text) for text in TEXTS)
    return let_through, removed


@pytest.mark.parametrize(
    "address",
    [
        "/review/{case}/",
        "/review/{case}/beside/author/",
        "/posts/{post}/",
        "/posts/?q={word}",
        "/authors/{author}/",
        "/queue/",
    ],
)
def test_look_the_same_whatever_the_filter_did(
    desk: Client, moderator: User, pair: tuple[Case, Case], address: str
) -> None:
    pages = []
    for case in pair:
        word = case.score.revision.text.split()[0]
        named = address.format(case=case.pk, post=case.post_id, author=case.post.author_id, word=word)
        answer = desk.get(named)
        assert answer.status_code == 200
        html = answer.content.decode()
        assert word in html
        assert not re.search(r"98\.8|99 ?%|0\.98|\b1 ?%|0\.012", html)
        pages.append(_plain(html))

    assert pages[0] == pages[1]


def test_leave_the_filter_out_of_leads_decisions(client: Client, lead: User, pair: tuple[Case, Case]) -> None:
    def listed(user: User) -> list[Case]:
        client.force_login(user)
        html = client.get("/decisions/?whose=everyone").content.decode()
        rows = b"".join(cast("StreamingHttpResponse", client.get("/decisions/csv/?whose=everyone"))).decode()
        shown = [case for case in pair if f'"/posts/{case.post_id}/"' in html]
        assert len(rows.splitlines()) == len(shown) + 1
        return shown

    assert listed(lead) == []
    assert listed(User.objects.create_user("reader", role=Role.ML_ENGINEER)) == list(pair), "judges nothing"
    Case.objects.filter(pk=pair[0].pk).update(state=CaseState.WITHDRAWN)
    assert listed(lead) == [pair[0]]


@pytest.mark.parametrize("reason", sorted(BLIND_REASONS))
def test_are_not_found_by_a_verdict(moderator: User, pair: tuple[Case, Case], reason: str) -> None:
    Case.objects.update(reason=reason)

    rows = search.posts(wanted=PostFilter(), viewer=moderator).rows
    assert {(row.verdict, row.is_human, row.spam_probability) for row in rows} == {("", False, None)}
    for state in Verdict.values:
        assert not search.posts(wanted=PostFilter(state=state), viewer=moderator).rows
    Case.objects.update(state=CaseState.WITHDRAWN)
    for state in Verdict.values:
        found = search.posts(wanted=PostFilter(state=state), viewer=moderator).rows
        assert [row.verdict for row in found] == [state]


def _plain(html: str) -> str:
    """Return a page without what differs between any two cases: words, ids, times and tokens."""
    html = re.sub(r"[A-Za-z0-9]{32,}|[0-9a-f]{8}-[0-9a-f-]{27}", "", html)
    return re.sub(r"\d+", "N", re.sub(r"Grey cats|Blue boats|Grey|Blue|cats|boats", "W", html))
