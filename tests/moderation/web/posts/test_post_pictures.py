"""Pictures of posts: our own thumbnails, blurred until asked for, for those who may read the post alone."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Evidence, Rule
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.models.rules import RuleKind
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.infrastructure import kept_files
from moderation.queries.cases import behind
from tests.moderation.carried_pictures import carry, carry_picture, facts, webp
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import asked, flat

pytestmark = pytest.mark.usefixtures("evidence_store")
CODE = "http://takes.example/now"
BOTH_PAGES = pytest.mark.parametrize("page", ["/review/{case.pk}/", "/posts/{case.post_id}/"])


@pytest.fixture
def case(open_case: Case_) -> Case:
    """A case with a picture that shows hostile words and a code, and media that were never opened."""
    found = open_case(media_urls=("http://pictures.example/a.png", "ipfs://no-address"))
    codes = [{"format": "QRCode", "text": CODE}]
    carry_picture(found, text="Pay <script>alert(1)</script> at casino.example", codes=codes)
    behind = {"kind": EvidenceKind.PAGE, "final_host": "www.lands.example", "facts": None}
    carry(found, CODE, role=EvidenceRole.CODE, **behind)
    return found


def address(case: Case, digest: str | None = None) -> str:
    digest = digest or Evidence.objects.exclude(thumbnail="").values_list("thumbnail", flat=True).get()
    return f"/posts/{case.post_id}/pictures/{digest}/"


def carry_preview(case: Case, *, has_page: bool = True, **more: Any) -> None:
    """Join a preview picture, and the page that names it; `more` are facts of the picture."""
    kept = {"thumbnail": kept_files.keep(webp()), "facts": facts(**more)}
    carry(case, "http://shop.example/cover.png", role=EvidenceRole.PREVIEW, **kept)
    if has_page:
        known = {"title": "A shop", "preview_url": "http://shop.example/cover.png"}
        carry(case, "http://shop.example/", role=EvidenceRole.LINK, kind=EvidenceKind.PAGE, facts=known)


class TestPages:
    @BOTH_PAGES
    def test_show_our_own_picture_and_what_it_says(self, page: str, case: Case, desk: Client) -> None:
        body = flat(desk.get(page.format(case=case)).content.decode())

        [image] = re.findall(r"<img[^>]*>", body)
        assert f'src="{address(case)}"' in image
        assert 'loading="lazy"' in image
        [box] = re.findall(r"<input[^>]*data-shows-pictures[^>]*>", body)
        assert "checked" not in box
        assert "900 × 300 PNG" in body
        assert "QRCode" in body
        assert "leads to<bdi>www.lands.example</bdi>" in body
        assert "&lt;script&gt;" in body
        assert "<script>alert" not in body
        assert 'href="http://' not in body
        assert "1, not loaded" in body

    def test_mark_what_a_rule_names(self, case: Case, desk: Client, lead: Any) -> None:
        assert "matches a rule" not in desk.get(f"/review/{case.pk}/").content.decode()
        rules.impose(value="casino.example", reason="Casino", actor=lead, at=timezone.now())

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert "matches a rule" in body
        assert re.search(r'class="[^"]*word--spam-3"[^>]*>casino', body)

    @pytest.mark.parametrize(
        ("known", "said"),
        [
            ({"facts": facts(text_engine="")}, "unknown: it was not read"),
            ({"facts": facts()}, "No text was found in it."),
            ({"facts": None, "state": EvidenceState.TOO_LARGE}, "too large to be read whole"),
            ({"facts": None, "state": EvidenceState.LOST}, "given up"),
        ],
    )
    def test_say_what_is_not_known(
        self, known: dict[str, Any], said: str, open_case: Case_, desk: Client
    ) -> None:
        case = open_case()
        carry(case, "http://pictures.example/b.png", **known)

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert said in body
        assert "<img" not in body

    def test_take_as_many_queries_for_five_pictures_as_for_one(self, case: Case, desk: Client) -> None:
        desk.get(f"/posts/{case.post_id}/")
        one = len(asked(desk, f"/posts/{case.post_id}/"))
        for number in range(4):
            carry(case, f"http://pictures.example/{number}.png", facts=facts(text=f"number {number}"))

        assert len(asked(desk, f"/posts/{case.post_id}/")) <= one


class TestPreviews:
    @BOTH_PAGES
    def test_stand_with_their_page_and_are_not_called_screenshots(
        self, page: str, open_case: Case_, desk: Client
    ) -> None:
        case = open_case()
        carry_preview(case)

        body = flat(desk.get(page.format(case=case)).content.decode())

        [panel] = re.findall(r'<details class="opened".*?</details>', body)
        assert "The page’s own preview picture, not a screenshot:" in panel
        assert f'src="{address(case)}"' in panel
        assert body.count("<img") == body.count("data-shows-pictures") == 1
        assert 'aria-label="Pictures"' not in body

    def test_without_a_page_stand_with_the_pictures(self, open_case: Case_, desk: Client) -> None:
        case = open_case()
        carry_preview(case, has_page=False)

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert body.count("<img") == 1
        assert 'aria-label="Pictures"' in body

    @pytest.mark.parametrize(
        ("codes", "is_open"), [([], False), ([{"format": "QRCode", "text": CODE}], True)]
    )
    def test_open_the_page_where_they_hold_a_code(
        self, codes: list[dict[str, str]], is_open: bool, open_case: Case_, desk: Client
    ) -> None:
        case = open_case()
        carry_preview(case, codes=codes)

        body = flat(desk.get(f"/review/{case.pk}/").content.decode())

        assert bool(re.search(r'<details class="opened" open>', body)) is is_open


class TestAnswer:
    def test_is_a_picture_that_runs_nothing_and_is_not_kept(self, case: Case, desk: Client) -> None:
        answer = desk.get(address(case))

        assert answer.content == webp()
        assert answer["Content-Type"] == "image/webp"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Disposition"] == 'inline; filename="picture.webp"'
        assert answer["Cache-Control"] == "private, no-store"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        policy = answer["Content-Security-Policy"]
        assert {"default-src 'none'", "sandbox"} == {part.strip() for part in policy.split(";")}

    def test_is_for_the_post_that_carries_it_while_that_is_not_erased(
        self, case: Case, open_case: Case_, desk: Client, client: Client
    ) -> None:
        other, mine = open_case(text="another"), address(case)
        digest = mine.split("/")[-2]

        assert client.get(mine).status_code == 302
        assert desk.get(address(other, digest)).status_code == 404
        assert desk.get(address(case, "0" * 64)).status_code == 404
        assert desk.get(address(case, "..%2f..%2fetc")).status_code == 404
        assert desk.get(mine).status_code == 200
        erase.post(post_id=case.post_id, at=timezone.now())
        assert desk.get(mine).status_code == 404

    @pytest.mark.parametrize("data", [b"<svg onload='alert(1)'/>", b"<html>", b"RIFF0000AVI ", b""])
    def test_is_never_anything_but_a_picture_of_ours(self, data: bytes, case: Case, desk: Client) -> None:
        digest = kept_files.keep(data)
        Evidence.objects.exclude(thumbnail="").update(thumbnail=digest)

        assert desk.get(address(case)).status_code == 404

    def test_is_gone_with_its_file(self, case: Case, desk: Client) -> None:
        kept_files.drop([address(case).split("/")[-2]])

        assert desk.get(address(case)).status_code == 404
        assert desk.get(f"/posts/{case.post_id}/").status_code == 200


class TestRuleKinds:
    @pytest.mark.parametrize(
        ("kind", "value", "text", "marked"),
        [
            (RuleKind.TEXT, "double your coins", "Now DOUBLE  your\ncoins here", "DOUBLE  your\ncoins"),
            (RuleKind.HANDLE, "telegram/@quickpay", "write to t.me/quickpay", "quickpay"),
            (RuleKind.PHONE, "+18885550162", "call +1 (888) 555-0162 today", "+1 (888) 555-0162"),
        ],
    )
    def test_are_marked_where_they_stand(
        self, kind: str, value: str, text: str, marked: str, db: None, lead: Any
    ) -> None:
        rules.impose(kind=kind, value=value, reason="Scam", actor=lead, at=timezone.now())
        assert Rule.objects.get().value == value

        [hits] = behind.named_in([text], at=timezone.now())

        assert hits.is_named
        assert [text[start:end].strip() for start, end in hits.spans] == [marked]
