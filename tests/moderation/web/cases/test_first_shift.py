"""The first shift on the desk: offered, worked through on the review page, with a result."""

from datetime import datetime, timedelta

import pytest
from django.db.models import F
from django.test import Client

from moderation.models import BlindReview, Case, GoldenItem, Reason, User
from moderation.models.users import Role
from tests.moderation.conftest import Case_, Decided
from tests.moderation.operations.cases.conftest import vouched
from tests.moderation.web.conftest import REVIEW_PAGE, DeskOf, flat, read


@pytest.fixture(autouse=True)
def items(
    open_case: Case_, other_moderator: User, lead: User, reasons: dict[str, Reason], now: datetime
) -> None:
    """Five golden items, and a case that is none."""
    leads = lead, User.objects.create_user("other_lead", role=Role.LEAD)
    vouched(open_case, 5, by=other_moderator, leads=leads, at=now - timedelta(hours=1))
    GoldenItem.objects.update(reason="scam")
    open_case(text="A real case")


def answer(desk: Client) -> str:
    """Answer the next post of the first shift; return what the page is sent."""
    case = Case.objects.get(pk=desk.post("/first-shift/start/").headers["Location"].split("/")[2])
    form = {"verdict": "spam", "case_version": case.version}
    return str(desk.post(f"/review/{case.pk}/decide/", form, headers=REVIEW_PAGE).content.decode())


def test_is_offered_to_people_who_never_decided(
    desk: Client,
    lead_desk: Client,
    desk_of: DeskOf,
    other_moderator: User,
    decided: Decided,
    open_case: Case_,
) -> None:
    words = "First shift: 5 test posts, 5 minutes; nothing goes to the platform."
    assert words in read(desk, "/queue/")
    for other in (lead_desk, desk_of(other_moderator)):
        assert "First shift" not in read(other, "/queue/")

    decided(open_case(text="Another real case"))

    assert "First shift" not in read(desk, "/queue/")
    assert desk.post("/first-shift/start/").headers["Location"] == "/queue/"


def test_no_address_tells_golden_items_from_other_cases(desk: Client, desk_of: DeskOf) -> None:
    desk.post("/first-shift/start/")
    other = desk_of(User.objects.create_user("third_moderator", role=Role.MODERATOR))

    assert "A real case" in read(other, "/queue/?first_shift=1")
    other.post("/review/next/", {"filter": "first_shift"})
    assert "First shift" not in read(other, "/review/")


def test_says_how_many_are_left_and_where_the_result_is(desk: Client) -> None:
    page = read(desk, desk.post("/first-shift/start/").headers["Location"])
    assert '<span class="tag tag--accent">First shift</span><strong>5 left</strong>' in flat(page)
    assert "Because of" not in page

    *_, body = [answer(desk) for _ in range(5)]

    assert "The first shift is over" in body
    assert 'href="/first-shift/"' in body
    assert "A real case" not in body


def test_the_result_says_what_was_right_and_why_also_to_leads(
    desk: Client, lead_desk: Client, moderator: User, other_moderator: User, desk_of: DeskOf
) -> None:
    answer(desk)
    assert "Answers that can still be undone follow in a few seconds." in read(desk, "/first-shift/")
    BlindReview.objects.exclude(answered_at=None).update(answered_at=F("answered_at") - timedelta(minutes=5))
    address = f"/first-shift/?of={moderator.pk}"

    pages = [flat(read(desk, "/first-shift/")), flat(read(lead_desk, address))]

    item = BlindReview.objects.get(cause="first").golden
    assert item is not None
    for page in pages:
        assert f"{int(item.verdict == 'spam')} of 1 correct" in page
        assert item.note in page
        assert '<a href="/guidelines/#reason-scam">Scam or fraud</a>' in page
    assert f'href="{address}"' in read(lead_desk, "/golden-items/")
    assert "Result of your first shift" in read(desk, "/account/pace/")
    assert "of 1 correct" not in read(desk_of(other_moderator), address)
    assert lead_desk.get("/first-shift/?of=999999").status_code == 404
