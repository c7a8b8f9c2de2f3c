"""manage.py suspicious_labels. Promise: the worst labels are judged again; what is overruled is exported."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from moderation.models import BlindReview, Case, Post, User
from moderation.models.blind_reviews import BlindCause
from moderation.models.decisions import Verdict
from moderation.operations.cases import blind_answers, claims, shift
from moderation.operations.cases.shift import Choice
from moderation.operations.erasure import erase
from tests.moderation.conftest import judge


@pytest.fixture
def labelled(open_case: Callable[..., Case], moderator: User) -> list[Post]:
    """Three posts that `moderator` called spam an hour ago."""
    earlier, posts = timezone.now() - timedelta(hours=1), []
    for number in range(3):
        case = open_case(text=f"Grey cat number {number} on the roof")
        judge(case, moderator, at=earlier)
        posts.append(case.post)
    return posts


@pytest.fixture
def suspicious(labelled: list[Post], tmp_path: Path) -> Path:
    """What training would write: the third post first, then the first."""
    path = tmp_path / "suspicious.jsonl"
    rows = [(labelled[2], True, 0.01), (labelled[0], True, 0.2), (labelled[1], False, 0.3)]
    lines = [
        {"platform": "social", "post": post.external_id, "is_spam": is_spam, "quality": sure}
        for post, is_spam, sure in rows
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(path: Path, *more: str) -> str:
    out = StringIO()
    call_command("suspicious_labels", str(path), *more, stdout=out)
    return out.getvalue()


def test_draws_the_worst_first_and_none_twice(suspicious: Path, labelled: list[Post]) -> None:
    assert run(suspicious, "--most", "1").startswith("1 of 3")

    drawn = BlindReview.objects.get()
    assert (drawn.post, drawn.cause) == (labelled[2], BlindCause.SUSPICIOUS)
    assert drawn.case is not None
    # The label of the second post is another one by now: only the first is left.
    assert [run(suspicious).split()[0] for _ in range(2)] == ["1", "0"]


def test_leaves_out_erased_posts(suspicious: Path, labelled: list[Post]) -> None:
    erase.post(post_id=labelled[2].pk, at=timezone.now())

    assert run(suspicious).startswith("1 of 3")


@pytest.mark.parametrize("text", ["[]", "{", '{"platform": "social"}'])
def test_refuses_another_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text + "\n")

    with pytest.raises(CommandError, match="line 1"):
        run(path)


@pytest.mark.usefixtures("labelled")
def test_what_is_overruled_reaches_the_next_export(
    suspicious: Path, other_moderator: User, lead: User, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    call_command("export_labels", out=first, stdout=StringIO())
    run(suspicious, "--most", "1")
    case = Case.objects.get(blind_review__cause=BlindCause.SUSPICIOUS)
    now = timezone.now()
    claims.claim(case_id=case.pk, moderator=other_moderator, at=now)
    choice = Choice(verdict=Verdict.NOT_SPAM, case_version=case.version)
    shift.decide(case_id=case.pk, choice=choice, moderator=other_moderator, at=now)
    BlindReview.objects.update(answered_at=now - timedelta(minutes=5))
    blind_answers.settle(
        review_id=BlindReview.objects.get().pk,
        verdict=Verdict.NOT_SPAM,
        lead=lead,
        note="a cat",
        at=now - timedelta(minutes=1),
    )

    call_command("export_labels", out=second, stdout=StringIO())

    before, after = ({line["text"]: line["label"] for line in _lines(path)} for path in (first, second))
    texts = [f"Grey cat number {number} on the roof" for number in range(3)]
    assert before == dict.fromkeys(texts, 1)
    assert after == before | {texts[2]: 0}


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
