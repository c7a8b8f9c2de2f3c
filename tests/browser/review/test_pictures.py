"""Pictures of the case in front: blurred until asked for, larger by key, and never those of the next case."""

import pytest
from playwright.sync_api import Page, expect

from moderation.models import Case, User
from moderation.models.evidence import EvidenceKind, EvidenceRole
from tests.browser.review.review_page import in_front
from tests.browser.stage import LONG_HOST, MARKUP, Open, Watch, press_and_wait, violations
from tests.moderation.carried_pictures import carry, carry_picture
from tests.moderation.conftest import Case_

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("evidence_store"),
]

BLUR = "getComputedStyle(document.querySelector('#current-case .picture__image')).filter"
LOADED = "document.querySelector('#current-case .picture__image').naturalWidth"


@pytest.fixture
def cases(open_case: Case_) -> list[Case]:
    found = [open_case(text=f"Post number {number}") for number in range(14)]
    for case in found:
        carry_picture(case, f"http://pictures.example/{case.pk}.png", text="Pay now")
    return found


def is_blurred(page: Page) -> bool:
    return "blur" in page.evaluate(BLUR)


def test_one_key_shows_and_blurs_and_another_enlarges(page: Page, watch: Watch) -> None:
    page.wait_for_function(f"{LOADED} === 640")
    small = page.locator(".picture__image").evaluate("image => image.clientWidth")
    assert is_blurred(page)

    page.keyboard.press("v")
    assert page.locator(".picture__image").evaluate("image => image.clientWidth") > 2 * small
    assert is_blurred(page)
    page.keyboard.press("b")
    assert not is_blurred(page)
    page.keyboard.press("b")
    assert is_blurred(page)

    assert watch.findings == []


@pytest.mark.gate
def test_no_other_case_comes_unblurred(page: Page) -> None:
    first = in_front(page)
    page.keyboard.press("b")
    assert not is_blurred(page)

    press_and_wait(page, "s")
    assert in_front(page) != first
    assert is_blurred(page)
    press_and_wait(page, "u")
    assert in_front(page) == first
    assert is_blurred(page)


def test_a_case_ahead_loads_no_picture(page: Page, cases: list[Case]) -> None:
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")

    pictures = [url for url in loaded if "/pictures/" in url]
    assert all(f"/posts/{Case.objects.get(pk=in_front(page)).post_id}/" in url for url in pictures)


def test_the_post_is_shown_before_its_pictures(page_of: Open, cases: list[Case], moderator: User) -> None:
    page = page_of(moderator)
    page.goto("/account/preferences/")
    page.get_by_label("Blur posts").select_option("always")
    page.get_by_role("button", name="Save").first.click()
    page.goto(f"/review/{cases[0].pk}/")
    article = page.locator("article.case--blurred")

    seen = []
    for _ in range(4):
        seen.append((article.count(), is_blurred(page)))
        page.keyboard.press("b")

    assert seen == [(1, True), (0, True), (0, False), (1, True)]


@pytest.mark.parametrize(
    ("scheme", "widths"),
    [
        ("light", (1280, 390)),
        pytest.param("light", (1920,), marks=pytest.mark.long),
        pytest.param("dark", (1280, 1920, 390), marks=pytest.mark.long),
    ],
)
def test_nothing_is_out_of_reach_or_runs(
    scheme: str, widths: tuple[int, ...], page_of: Open, open_case: Case_, lead: User, watch: Watch
) -> None:
    case = open_case(text="Look")
    for number, payload in enumerate(MARKUP):
        carry_picture(
            case,
            f"http://pictures.example/{number}?{payload}"[:500],
            text=payload * 20,
            codes=[{"format": payload[:30], "text": f"http://lands.example/{payload}"}],
        )
    carry(
        case,
        f"http://{LONG_HOST}/page",
        role=EvidenceRole.LINK,
        kind=EvidenceKind.PAGE,
        site="lands.example",
        chain=[{"url": f"http://{LONG_HOST}/{hop}", "status": 302} for hop in range(6)],
        final_host=LONG_HOST,
        final_domain="watches.example",
        facts={"title": MARKUP[0] * 4, "text": "W" * 400},
    )
    page = page_of(lead, scheme=scheme, reduced_motion="reduce")
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        for address in (f"/review/{case.pk}/", f"/posts/{case.post_id}/"):
            page.goto(address)
            page.keyboard.press("b")
            page.keyboard.press("v")
            found[width, address] = violations(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert not any(found.values()), found
    assert watch.findings == []


def test_works_without_javascript(page_of: Open, cases: list[Case], moderator: User) -> None:
    page = page_of(moderator, java_script_enabled=False)
    page.goto(f"/review/{cases[0].pk}/")
    image = page.locator(".picture__image")

    expect(image).not_to_have_css("filter", "none")
    page.get_by_label("Show").check()
    expect(image).to_have_css("filter", "none")
